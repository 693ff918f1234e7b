"""Markov decision processes (paper, §3): the nrMDP ⟨S, A, T, s0⟩ and the MDP ⟨S, A, T, R, s0⟩. States are s and t.

T is kept as compressed rows: the successors of the pair (s, a) are `targets[starts[p]:starts[p + 1]]` with
p = s·|A| + a, their probabilities stand beside them, and so do an MDP's rewards. The rows of one state are neighbours,
so `starts[::|A|]` are the compressed rows of the graph on states.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any, Self

import numba
import numpy as np

from . import document
from .errors import FormatError, ModelError, finite
from .names import Names, Subset

ROW_SUM_TOLERANCE = 1e-9  # a row further than this from 1 is refused
ROUNDING = 1e-12  # a row closer than this to 1 is left as it is, bit for bit; in between it is scaled

START = "(start)"
"""The initial state of a world that draws where an episode begins: every action draws, unseen, and then it begins."""


class NRMDP:
    """A non-rewarding MDP: how the world moves, not how it pays.

    >>> coin = NRMDP(["heads", "tails"], ["flip", "keep"],
    ...              lambda s, a: {"heads": 0.5, "tails": 0.5} if a == "flip" else {s: 1.0}, "heads")
    >>> coin.successors("heads", "flip")
    {'heads': 0.5, 'tails': 0.5}
    >>> coin.sample("tails", "keep", np.random.default_rng(0))
    'tails'
    """

    _kind = "nrmdp"
    _arrays = ("starts", "targets", "probabilities")

    states: Sequence
    actions: Names
    initial: Hashable
    starts: np.ndarray
    targets: np.ndarray
    probabilities: np.ndarray

    def __init__(self, states: Iterable[Hashable], actions: Iterable[Hashable],
                 transitions: Mapping | Callable, initial: Hashable) -> None:
        """`transitions` is a mapping {(s, a): {t: p}} or a callable (s, a) -> {t: p}."""
        states, actions = Names(states, "state"), Names(actions, "action")
        self._fill(states, actions, initial, *_rows(states, actions, transitions))

    def starting_from(self, distribution: Mapping[Hashable, float]) -> "NRMDP":
        """The same world with a start that is drawn: one more state, START, is initial, and every action there draws.

        Nothing is observed by that, so what is executable, and what tells machines apart, is exact. In M the draw is an
        action; a world (an `Environment`, a black box) draws when it is reset, and spends and pays nothing for it.

        >>> coin = NRMDP(["heads", "tails"], ["keep"], lambda s, a: {s: 1.0}, "heads")
        >>> drawn = coin.starting_from({"heads": 0.5, "tails": 0.5})
        >>> drawn, drawn.successors(START, "keep")
        (NRMDP(3 states, 1 actions, 4 transitions, initial '(start)'), {'heads': 0.5, 'tails': 0.5})
        """
        return NRMDP([*self.states, START], self.actions,
                     lambda s, a: distribution if s == START else self.successors(s, a), START)

    @classmethod
    def of_arrays(cls, states: Sequence, actions: Names, initial: Hashable, *arrays: np.ndarray) -> Self:
        """A model of arrays that are known to be right: a product's, a trimmed model's. They are not checked."""
        self = cls.__new__(cls)
        self._fill(states, actions, initial, *arrays)
        return self

    def _fill(self, states: Sequence, actions: Names, initial: Hashable, *arrays: np.ndarray) -> None:
        if not len(states) or not len(actions):
            raise ModelError(f"no {'actions' if len(states) else 'states'}: an MDP needs at least one of each")
        if initial not in states:
            raise ModelError(f"the initial state {initial!r} is not a state")
        for array in arrays:
            array.setflags(write=False)
        self.__dict__.update(zip(self._arrays, arrays, strict=True), states=states, actions=actions, initial=initial)

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError(f"a model is frozen: {name!r} cannot be changed")

    __delattr__ = __setattr__

    def __reduce__(self):  # a pickled array would come back writable
        arrays = (getattr(self, name) for name in self._arrays)
        return self.of_arrays, (self.states, self.actions, self.initial, *arrays)

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and (self.states, self.actions, self.initial) == (other.states, other.actions, other.initial)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self._arrays)
        )

    __hash__ = None

    def __repr__(self) -> str:
        return (f"{type(self).__name__}({len(self.states)} states, {len(self.actions)} actions, "
                f"{len(self.targets)} transitions, initial {self.initial!r})")

    def row(self, state: Hashable, action: Hashable) -> slice:
        """Where the successors of (s, a) stand in `targets`, `probabilities` (and `rewards`)."""
        pair = self.states.index(state) * len(self.actions) + self.actions.index(action)
        return slice(self.starts[pair], self.starts[pair + 1])

    def successors(self, state: Hashable, action: Hashable) -> dict[Hashable, float]:
        """T(s, a, ·): the states that can be reached, and how likely each is."""
        row = self.row(state, action)
        return {self.states[t]: p for t, p in zip(self.targets[row], self.probabilities[row].tolist(), strict=True)}

    def sample(self, state: Hashable, action: Hashable, rng: np.random.Generator) -> Hashable:
        """A state t drawn from T(s, a, ·)."""
        row = self.row(state, action)
        drawn = np.searchsorted(np.cumsum(self.probabilities[row]), rng.random(), side="right")
        return self.states[self.targets[min(row.start + drawn, row.stop - 1)]]

    def reachable(self) -> Self:
        """The same model on the states that can be reached from the initial one, in the same order.

        >>> trap = NRMDP("abc", ["go"], lambda s, a: {"b": 1.0}, "a")
        >>> list(trap.reachable().states)
        ['a', 'b']
        """
        width = len(self.actions)
        kept = _reached(self.starts[::width].copy(), self.targets, self.states.index(self.initial))
        if kept.all():
            return self
        sizes = np.diff(self.starts)
        rows, entries = np.repeat(kept, width), np.repeat(kept, np.diff(self.starts[::width]))
        renumbered = (np.cumsum(kept) - 1).astype(self.targets.dtype)
        arrays = [np.concatenate([[0], np.cumsum(sizes[rows])]), renumbered[self.targets[entries]]]
        arrays += [getattr(self, name)[entries] for name in self._arrays[2:]]
        return self.of_arrays(Subset(self.states, np.flatnonzero(kept)), self.actions, self.initial, *arrays)

    def to_json(self) -> str:
        """The model as a JSON document that `from_json` reads back, bit for bit."""
        columns = [getattr(self, name).tolist() for name in self._arrays[1:]]
        entries = list(zip(*columns, strict=True))
        return document.dump(self._kind, {
            "states": [document.name_to_json(s) for s in self.states],
            "actions": [document.name_to_json(a) for a in self.actions],
            "initial": document.name_to_json(self.initial),
            "transitions": [entries[i:j] for i, j in zip(self.starts, self.starts[1:], strict=False)],
        })

    @classmethod
    def from_json(cls, text: str, source: str = "text") -> Self:
        """The model in a JSON document; `source` is what errors call it.

        >>> one = NRMDP(["s"], ["a"], {("s", "a"): {"s": 1}}, "s")
        >>> NRMDP.from_json(one.to_json()) == one
        True
        """
        return document.load(text, cls._kind, cls._from_content, source)

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> Self:
        states, actions, entries = _read_rows(content, ("t", "p"))
        return cls(states, actions, {pair: dict(row) for pair, row in entries.items()},
                   document.name_from_json(content["initial"]))


class MDP(NRMDP):
    """An immediate-reward MDP: an nrMDP and what each step s –a→ t pays.

    >>> shop = MDP(["out", "in"], ["go"], {("out", "go"): {"in": 0.5, "out": 0.5}, ("in", "go"): {"in": 1.0}}, "out",
    ...            lambda s, a, t: 8.0 if s != t else 0.0)
    >>> shop.reward("out", "go", "in"), shop.expected_reward("out", "go")
    (8.0, 4.0)
    """

    _kind = "mdp"
    _arrays = ("starts", "targets", "probabilities", "rewards")

    rewards: np.ndarray

    def __init__(self, states: Iterable[Hashable], actions: Iterable[Hashable], transitions: Mapping | Callable,
                 initial: Hashable, reward: Mapping | Callable) -> None:
        """`reward` is a mapping {(s, a, t): r} or a callable (s, a, t) -> r."""
        states, actions = Names(states, "state"), Names(actions, "action")
        starts, targets, probabilities = _rows(states, actions, transitions)
        pay = _looked_up(reward, "R")
        rewards = np.array([
            finite(pay(s, a, states[t]), f"the reward R({s!r}, {a!r}, {states[t]!r})")
            for p, (s, a) in enumerate(product(states, actions))
            for t in targets[starts[p]:starts[p + 1]]
        ])
        self._fill(states, actions, initial, starts, targets, probabilities, rewards)

    @property
    def expected_rewards(self) -> np.ndarray:
        """R(s, a) for each pair, in the order of the rows."""
        return np.add.reduceat(self.probabilities * self.rewards, self.starts[:-1])

    def expected_reward(self, state: Hashable, action: Hashable) -> float:
        """R(a, s), what action a in state s pays on average."""
        row = self.row(state, action)
        return float(self.probabilities[row] @ self.rewards[row])

    def reward(self, state: Hashable, action: Hashable, target: Hashable) -> float:
        """What the step s –a→ t pays."""
        row = self.row(state, action)
        found = np.flatnonzero(self.targets[row] == self.states.index(target))
        if not found.size:
            raise ModelError(f"T({state!r}, {action!r}) never reaches {target!r}, so that step pays nothing")
        return float(self.rewards[row][found[0]])

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> Self:
        states, actions, entries = _read_rows(content, ("t", "p", "r"))
        return cls(states, actions, {pair: {t: p for t, p, _ in row} for pair, row in entries.items()},
                   document.name_from_json(content["initial"]),
                   {(*pair, t): r for pair, row in entries.items() for t, _, r in row})


def _looked_up(source: Mapping | Callable, symbol: str) -> Callable:
    """A mapping as a function of its keys' parts, with a missing key named; a function as it is."""
    if not isinstance(source, Mapping):
        return source

    def look_up(*key: Hashable) -> Any:
        if key not in source:
            raise ModelError(f"{symbol}{key!r} is missing")
        return source[key]

    return look_up


def _rows(states: Names, actions: Names, transitions: Mapping | Callable) -> tuple[np.ndarray, ...]:
    """T as compressed rows, every row checked."""
    if isinstance(transitions, Mapping):
        for key in transitions:
            if not (isinstance(key, tuple) and len(key) == 2 and key[0] in states and key[1] in actions):
                raise ModelError(f"transitions are given for {key!r}, which is not a (state, action) pair of the model")
    row_of = _looked_up(transitions, "T")
    starts, targets, probabilities = [0], [], []
    for s, a in product(states, actions):
        row = _checked_row(states, s, a, row_of(s, a))
        targets += row
        probabilities += row.values()
        starts.append(len(targets))
    return np.array(starts), np.array(targets, dtype=np.int32), np.array(probabilities)


def _checked_row(states: Names, state: Hashable, action: Hashable, row: Mapping) -> dict[int, float]:
    """T(s, a, ·) by position and without its zeros, if it is a distribution."""
    if not isinstance(row, Mapping):
        raise ModelError(f"T({state!r}, {action!r}) is {row!r}, not a mapping from states to probabilities")
    for t, p in row.items():
        if t not in states:
            raise ModelError(f"T({state!r}, {action!r}) reaches the unknown state {t!r}")
        if not (isinstance(p, Real) and 0 <= p <= 1 + ROW_SUM_TOLERANCE):
            raise ModelError(f"T({state!r}, {action!r}) gives {t!r} the probability {p!r}, not a number from 0 to 1")
    total = math.fsum(row.values())
    if abs(total - 1) > ROW_SUM_TOLERANCE:
        raise ModelError(f"T({state!r}, {action!r}) sums to {total}, not 1")
    scale = total if abs(total - 1) > ROUNDING else 1.0
    return {states.index(t): float(p) / scale for t, p in row.items() if float(p) > 0}


def _read_rows(content: dict[str, Any], columns: tuple[str, ...]) -> tuple[Names, Names, dict[tuple, list[tuple]]]:
    """States, actions and, for each pair, its row of entries with the successor's name first."""
    states = document.names_from_json(content["states"], "state")
    actions = document.names_from_json(content["actions"], "action")
    rows = content["transitions"]
    if not isinstance(rows, list) or len(rows) != len(states) * len(actions):
        raise FormatError(f"transitions must be a list with one row for each of {len(states) * len(actions)} pairs")
    read = dict(zip(product(states, actions), rows, strict=True))
    for pair, row in read.items():
        if not all(isinstance(entry, list) and len(entry) == len(columns) for entry in row):
            raise FormatError(f"the row of {pair!r} must list entries [{', '.join(columns)}], not {row!r}")
        positions = [entry[0] for entry in row]
        if not all(type(t) is int and 0 <= t < len(states) for t in positions):
            raise FormatError(f"the row of {pair!r} has a successor that is not a position in states: {positions}")
        if len(set(positions)) < len(positions):
            raise FormatError(f"the row of {pair!r} lists a successor twice: {positions}")
    return states, actions, {pair: [(states[t], *rest) for t, *rest in row] for pair, row in read.items()}


@numba.njit(cache=True)
def _reached(starts: np.ndarray, targets: np.ndarray, origin: int) -> np.ndarray:
    """Which states of a graph in compressed rows can be reached from `origin`."""
    seen = np.zeros(len(starts) - 1, dtype=np.bool_)
    seen[origin] = True
    stack = np.empty(len(seen), dtype=np.int64)
    stack[0], height = origin, 1
    while height:
        height -= 1
        s = stack[height]
        for k in range(starts[s], starts[s + 1]):
            t = targets[k]
            if not seen[t]:
                seen[t] = True
                stack[height] = t
                height += 1
    return seen
