"""The world an agent lives in (paper, §5): M, λ and a machine that it cannot see. States are s, observations z, rewards
r.

An action moves M to a state s, the machine reads z = λ(a, s), moves and pays r; the agent is told (s, z, r) and nothing
else. Everything hidden is kept under mangled names. A pickled environment resumes where it stood, chance included.
"""

from bisect import bisect_right
from collections.abc import Hashable, Mapping

import numpy as np

from .errors import QueryError
from .labelling import Labelling
from .machine import MealyRewardMachine
from .nrmdp import NRMDP, START
from .words import NULL


class Environment:
    """(M, λ, hidden machine), standing at s0 and u0 until it is told to `step` or `reset`.

    Where M starts from START, it stands at a state that is drawn.

    >>> M = NRMDP(["street", "shop"], ["go"], lambda s, a: {"shop" if s == "street" else "street": 1.0}, "street")
    >>> once = MealyRewardMachine({("hungry", "bread"): ("full", 1.0), ("full", "bread"): ("full", 0.0)}, "hungry")
    >>> world = Environment(M, Labelling({("go", "shop"): "bread"}, ["bread"]), once, seed=0)
    >>> world.step("go"), world.step("go"), world.step("go")
    (('shop', 'bread', 1.0), ('street', 'null', 0.0), ('shop', 'bread', 0.0))
    >>> world.reset(), world.step("go"), world.actions, world.outcomes
    ('street', ('shop', 'bread', 1.0), 4, {'bread': 3, 'null': 1})
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling, machine: MealyRewardMachine,
                 seed: int | np.random.Generator | None = None) -> None:
        move, pay = machine.tables(labelling.observations)
        self.__states, self.__actions = mdp.states, mdp.actions
        self.__rows = _rows(mdp, labelling.table(mdp))
        self.__move, self.__pay = move.tolist(), pay.tolist()
        self.__letters = (*labelling.observations, NULL)  # null's column is the last, so −1 finds it
        self.__start = mdp.states.index(mdp.initial), machine.nodes.index(machine.initial)
        self.__drawn = mdp.initial == START
        self.__random = _own_generator(seed)
        self.__state, self.__node = self.__begin(), self.__start[1]
        self.__counts, self.__resets = [0] * len(self.__letters), 0

    def reset(self, state: Hashable | None = None, machine: bool = True) -> Hashable:
        """The state the agent now stands in: s0, or `state` where a protocol asks for it, then perhaps with the
        machine left where it is.
        """
        at = self.__begin() if state is None else self.__states.index(state)
        self.__state, self.__resets = at, self.__resets + 1
        if machine:
            self.__node = self.__start[1]
        return self.__states[at]

    def step(self, action: Hashable) -> tuple[Hashable, Hashable, float]:
        """(s, z, r): the state reached, what is observed there, what is paid."""
        return self._read(*self._move(action))

    def __begin(self) -> int:
        """The position of s0, or of a state that is drawn; the draw is no action."""
        origin = self.__start[0]
        return self.__drawn_from(origin * len(self.__actions))[0] if self.__drawn else origin

    def __drawn_from(self, row: int) -> tuple[int, int]:
        """(position of a state, column of λ) by chance, as the row of a pair has it."""
        cumulative, outcomes = self.__rows[row]
        return outcomes[bisect_right(cumulative, self.__random.random())]

    @property
    def actions(self) -> int:
        """How many actions were done."""
        return sum(self.__counts)

    @property
    def resets(self) -> int:
        """How many resets were made."""
        return self.__resets

    @property
    def outcomes(self) -> Mapping[Hashable, int]:
        """How many actions ended in each observation, and in null."""
        outcomes = dict(zip(self.__letters[:-1], self.__counts, strict=False))
        return outcomes | {NULL: outcomes.get(NULL, 0) + self.__counts[-1]}

    def _move(self, action: Hashable) -> tuple[Hashable, int]:
        """Move the world; the state reached and the column of what is to be seen there."""
        self.__state, column = self.__drawn_from(self.__state * len(self.__actions) + self.__actions.index(action))
        return self.__states[self.__state], column

    def _read(self, state: Hashable, column: int) -> tuple[Hashable, Hashable, float]:
        """Let the machine read an observation, and count it."""
        node = self.__node
        self.__counts[column] += 1
        self.__node = self.__move[node][column]
        return state, self.__letters[column], self.__pay[node][column]

    def _column(self, z: Hashable) -> int:
        if z not in self.__letters:
            raise QueryError(f"unknown observation {z!r}")
        return self.__letters.index(z)


class FilteredEnvironment(Environment):
    """The same world with a filter that an agent may set from step to step: an unwanted observation reads as null.

    Neither the agent nor the machine sees it, so it spoils nothing, and every word whose letters can be met one after
    the other gets the machine's own answer (cookie domain, second treatment). A real world would not grant this.

    >>> M = NRMDP(["red", "blue"], ["go"], lambda s, a: {"blue" if s == "red" else "red": 1.0}, "red")
    >>> lam = Labelling(lambda a, s: s, ["red", "blue"])
    >>> pays = MealyRewardMachine({("u", "red"): ("u", 1.0), ("u", "blue"): ("u", 2.0)}, "u")
    >>> world = FilteredEnvironment(M, lam, pays, seed=0)
    >>> world.step("go", wanted="red"), world.step("go", wanted="red"), world.step("go")
    (('blue', 'null', 0.0), ('red', 'red', 1.0), ('blue', 'blue', 2.0))
    """

    def step(self, action: Hashable, wanted: Hashable | None = None) -> tuple[Hashable, Hashable, float]:
        """(s, z, r), where any z but `wanted` is hidden; without `wanted` everything is seen."""
        if wanted is None:
            return super().step(action)
        sought = self._column(wanted)
        state, column = self._move(action)
        return self._read(state, column if column == sought else -1)


def _own_generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """The world's own generator: an agent with the same seed must not draw the same numbers in step with it."""
    own = seed if isinstance(seed, np.random.Generator) else np.random.SeedSequence(seed, spawn_key=(0,))
    return np.random.default_rng(own)


def _rows(mdp: NRMDP, label: np.ndarray) -> list[tuple[list[float], list[tuple[int, int]]]]:
    """For each pair (s, a), its outcomes (state, column of λ) and where in [0, 1) each but the first begins."""
    rows, width = [], len(mdp.actions)
    for pair, (i, j) in enumerate(zip(mdp.starts, mdp.starts[1:], strict=False)):
        targets = mdp.targets[i:j]
        outcomes = zip(targets.tolist(), label[pair % width, targets].tolist(), strict=True)
        rows.append((np.cumsum(mdp.probabilities[i:j])[:-1].tolist(), list(outcomes)))
    return rows
