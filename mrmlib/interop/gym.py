"""Gymnasium, both ways: its tables of dynamics become worlds (M, λ), and worlds become environments to train in.

In an environment of ours a state and an action are their positions in M, and `info["label"]` is what λ shows. The
machine pays and is never seen: everything hidden is kept under mangled names. Needs gymnasium (extra `peers`).
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, Tuple

from ..domains import Domain, make, registry
from ..environment import Environment
from ..errors import ModelError, QueryError
from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..words import NULL

OVER = "over"
"""The state after an episode's end: nothing is seen there, and only a reset leads away."""


def from_gymnasium(env: gymnasium.Env, label: Mapping | Callable, observations: Iterable[Hashable],
                   initial: int | None = None, actions: Sequence[Hashable] | None = None) -> tuple[NRMDP, Labelling]:
    """M and λ of an environment that tells its dynamics, `env.unwrapped.P`; what it pays is left out.

    States are the environment's numbers; actions are too, unless they are given names. `label` is λ, a function (a, s)
    or a mapping {(a, s): z}. Where the environment draws its start, so does M (`NRMDP.starting_from`), unless `initial`
    says which is meant. An episode that ends in s goes on to the state OVER by every action and stays there unseen,
    since a reset is up to the agent.

    >>> lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
    >>> M, lam = from_gymnasium(lake, lambda a, s: "gift" if s == 15 else NULL, ["gift"], actions=("w", "s", "e", "n"))
    >>> M, M.successors(14, "e"), M.successors(15, "e"), lam("e", 15)
    (NRMDP(17 states, 4 actions, 68 transitions, initial 0), {15: 1.0}, {'over': 1.0}, 'gift')
    """
    table = getattr(env.unwrapped, "P", None)
    if table is None:
        raise ModelError(f"{env.unwrapped} has no table P of its dynamics")
    names = range(env.action_space.n) if actions is None else actions
    if len(names) != env.action_space.n:
        raise ModelError(f"{len(names)} names for {env.action_space.n} actions: {tuple(names)}")
    starts = _starts(env) if initial is None else {initial: 1.0}
    ends, number = _ends(table, starts), {a: i for i, a in enumerate(names)}

    def transitions(s: Hashable, a: Hashable) -> dict[Hashable, float]:
        if s == OVER or s in ends:
            return {OVER: 1.0}
        row: dict[Hashable, float] = {}
        for p, t, *_ in table[s][number[a]]:
            row[int(t)] = row.get(int(t), 0.0) + p
        return row

    states, shown = range(len(table)), Labelling(label, observations)
    shown.check(number, states)
    seen = {(a, s): shown(a, s) for a in names for s in states}  # asked once, and never of OVER
    mdp = NRMDP([*states, *([OVER] if ends else [])], names, transitions, next(iter(starts)))
    return mdp if len(starts) == 1 else mdp.starting_from(starts), Labelling(seen, shown.observations)


def _starts(env: gymnasium.Env) -> dict[int, float]:
    """The states in which an episode may begin, and how likely each is."""
    chances = np.asarray(getattr(env.unwrapped, "initial_state_distrib", ()))
    if not chances.any():
        raise ModelError(f"{env.unwrapped} does not tell where it begins: say it, initial=…")
    return {int(s): float(chances[s]) for s in np.flatnonzero(chances)}


def _ends(table: Mapping, starts: Iterable[int]) -> set[int]:
    """The states in which an episode may end; one that may also be passed through is an error."""
    for start in starts:
        if start not in table:
            raise ModelError(f"the initial state {start!r} is not a state")
    ongoing, known, ends = list(starts), set(starts), set()
    for s in ongoing:  # grows as it is read
        for p, t, _, ended in (entry for row in table[s].values() for entry in row):
            if ended and p > 0:
                ends.add(int(t))
            elif p > 0 and int(t) not in known:
                known.add(int(t))
                ongoing.append(int(t))
    for s in ongoing:
        if s in ends:
            raise ModelError(f"an episode sometimes ends in {s} and sometimes goes on there: M cannot tell which")
    return ends


class MachineEnv(gymnasium.Env):
    """A domain as an environment, given itself or by its name and settings.

    It has no end of its own; `max_episode_steps` of `gymnasium.make` cuts episodes off.

    >>> env = MachineEnv("treasure_map", apf=1.0)
    >>> env.reset(seed=0)
    (152, {'label': 'null'})
    >>> env.step(0)
    (135, -1.0, False, False, {'label': 'null'})
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(self, domain: Domain | str, **settings: Any) -> None:
        if isinstance(domain, str):
            domain = make(domain, **settings)
        elif settings:
            raise ModelError(f"the domain {domain.name!r} is made already: it takes no {', '.join(settings)}")
        self.__parts = domain.mdp, domain.labelling, domain.machine
        self.__world, self.__random = None, None
        self.observation_space = Discrete(len(domain.mdp.states))
        self.action_space = Discrete(len(domain.mdp.actions))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """The position of s0, or of a state that is drawn; a seed begins chance anew."""
        super().reset(seed=seed)
        if self.__random is not self.np_random:
            self.__random = self.np_random
            self.__world = Environment(*self.__parts, self.np_random)
        return self.__parts[0].states.index(self.__world.reset()), {"label": NULL}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """(position of the state reached, what the machine pays, no end, no end, {"label": z})."""
        if self.__world is None:
            raise gymnasium.error.ResetNeeded("reset comes before the first step")
        if not self.action_space.contains(action):
            raise QueryError(f"unknown action {action!r}: there are {self.action_space.n}")
        mdp = self.__parts[0]
        state, z, reward = self.__world.step(mdp.actions[action])
        return mdp.states.index(state), reward, False, False, {"label": z}


def register_domains() -> tuple[str, ...]:
    """The names for `gymnasium.make` of all domains in the registry, yours too; call it again after adding one.

    >>> register_domains()[:2]
    ('mrmlib/cookie-v0', 'mrmlib/treasure_map-v0')
    >>> gymnasium.make("mrmlib/treasure_map-v0", apf=0.75, max_episode_steps=200).action_space
    Discrete(4)
    """
    names = {f"mrmlib/{name.replace(':', '.')}-v0": name for name in registry()}  # a colon names a module there
    for name, domain in names.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=f"{__name__}:MachineEnv", kwargs={"domain": domain})
    return tuple(names)


class PaidByMachine(gymnasium.Wrapper):
    """An environment with known dynamics (M, λ), in which a hidden machine pays instead of the environment itself.

    >>> lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
    >>> M, lam = from_gymnasium(lake, {(1, 4): "shore"}, ["shore"])
    >>> env = PaidByMachine(lake, M, lam, MealyRewardMachine({("u", "shore"): ("u", 5.0)}, "u", null_reward=-1.0))
    >>> _ = env.reset(seed=0)
    >>> env.step(1)[1], env.step(1)[1]
    (5.0, -1.0)
    """

    def __init__(self, env: gymnasium.Env, mdp: NRMDP, labelling: Labelling, machine: MealyRewardMachine) -> None:
        super().__init__(env)
        machine.tables(labelling.observations)  # raises where the machine cannot read what λ shows
        labelling.check(mdp.actions, mdp.states)
        self.__parts, self.__node = (mdp, labelling, machine), machine.initial

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environment does, with the machine at its start node."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.__node = self.__parts[2].initial
        return observation, {**info, "label": NULL}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As the environment does, but the machine pays, and info has the label."""
        observation, _, terminated, truncated, info = self.env.step(action)
        mdp, labelling, machine = self.__parts
        z = labelling(mdp.actions[action], mdp.states[observation])
        self.__node, reward = machine.step(self.__node, z)
        return observation, reward, terminated, truncated, {**info, "label": z}


class WithNode(gymnasium.Wrapper):
    """An environment seen through a machine, a learnt one perhaps: the observation becomes (state, node).

    What the machine pays is a function of this pair, the action and the state reached; any learner of Markovian rewards
    will do.

    >>> env = WithNode(MachineEnv("treasure_map"), registry()["treasure_map"]().machine)
    >>> env.observation_space, env.reset(seed=0)[0]
    (Tuple(Discrete(162), Discrete(6)), (152, 0))
    """

    def __init__(self, env: gymnasium.Env, machine: MealyRewardMachine) -> None:
        super().__init__(env)
        self.machine, self._node = machine, machine.initial
        self.observation_space = Tuple((env.observation_space, Discrete(len(machine.nodes))))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environment does, with the machine at its start node."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._node = self.machine.initial
        return self._pair(observation), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As the environment does; the machine reads the label in info."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if "label" not in info:
            raise QueryError(f"{self.env} gives no label in info, so the machine has nothing to read")
        self._node, _ = self.machine.step(self._node, info["label"])
        return self._pair(observation), reward, terminated, truncated, info

    def _pair(self, observation: Any) -> tuple[Any, int]:
        return observation, self.machine.nodes.index(self._node)
