"""A Gymnasium environment as a black box: it pays as it likes, and learners live in it as in an `Environment`.

Its dynamics are known as (M, λ), with its observations and actions as positions of states and actions in M. What it
shows is compared with M at every step; what it pays is what there is to learn. Needs gymnasium (extra `peers`).
"""

from collections.abc import Hashable, Sequence

import gymnasium
from gymnasium.spaces import Discrete

from ..errors import ModelError, QueryError
from ..labelling import Labelling
from ..nrmdp import NRMDP, START
from ..words import NULL, told


class BlackBox:
    """An environment with reset, step and the counters of `mrmlib.Environment`, so that agents and experience take it.

    `seed` is that of the first episode. An episode that Gymnasium calls terminated goes on only where M has one way on,
    unseen (`gym.OVER`): there, each action pays `null_reward`, unless given what the environment itself paid for its
    first null, and 0 if there was none yet. An episode that is cut off cannot go on: make the environment without a
    limit, `max_episode_steps=-1`.

    >>> from mrmlib import domains
    >>> from mrmlib.interop.gym import MachineEnv
    >>> line = domains.assembly(precision=1.0)
    >>> world = BlackBox(MachineEnv(line), line.mdp, line.labelling, seed=4)
    >>> world.reset(), world.step("n"), world.step("e"), world.actions, world.resets
    (((2, 2), False), (((2, 1), True), 'null', 0.0), (((3, 1), True), 'weld', 0.0), 2, 1)
    """

    def __init__(self, env: gymnasium.Env, mdp: NRMDP, labelling: Labelling, seed: int | None = None,
                 null_reward: float | None = None) -> None:
        size, drawn = len(mdp.states), mdp.initial == START
        _check_space(env.observation_space, range(size, size - 2 - drawn, -1), "state")  # M may have OVER and START
        _check_space(env.action_space, (len(mdp.actions),), "action")
        labelling.check(mdp.actions, mdp.states)
        self._env, self._mdp, self._labelling = env, mdp, labelling
        self._starts = mdp.successors(START, mdp.actions[0]) if drawn else {mdp.initial: 1.0}
        self._null_reward, self._made_up = null_reward, null_reward is not None
        self._actions = self._resets = 0
        self._begin(seed)

    def reset(self, state: Hashable | None = None, machine: bool = True) -> Hashable:
        """s0 or what is drawn for it, where a new episode begins: a black box has no other start, and resets all."""
        if state not in (None, self._mdp.initial):
            raise QueryError(f"a Gymnasium environment begins in {self._mdp.initial!r}, it cannot be put in {state!r}")
        if not machine:
            raise QueryError("a Gymnasium environment resets all of itself, its machine cannot be left where it is")
        self._resets += 1
        return self._begin()

    def step(self, action: Hashable) -> tuple[Hashable, Hashable, float]:
        """(s, z, r): the state reached, what λ shows there, what the environment pays."""
        number = self._mdp.actions.index(action)
        if self._cut_off:
            raise QueryError(f"the episode was cut off in {self._state!r}: reset, or make the environment without a "
                             "limit (max_episode_steps=-1)")
        if self._ended:
            return self._go_on(action)
        observation, reward, self._ended, self._cut_off, info = self._env.step(number)
        left, self._state = self._state, self._mdp.states[observation]
        self._actions += 1
        if self._state not in self._mdp.successors(left, action):
            raise ModelError(f"the environment went from {left!r} by {action!r} to {self._state!r}, "
                             "which has probability 0 in M")
        z = self._labelling(action, self._state)
        if info.get("label", z) != z:
            raise ModelError(f"the environment shows {info['label']!r} in {self._state!r} after {action!r}, λ {z!r}")
        state, z, reward = told((self._state, z, reward), action, self._labelling.observations)
        if z == NULL and NULL not in self._labelling.observations:
            self._compare(reward)
        return state, z, reward

    @property
    def actions(self) -> int:
        """How many actions were done."""
        return self._actions

    @property
    def resets(self) -> int:
        """How many resets were made."""
        return self._resets

    def _begin(self, seed: int | None = None) -> Hashable:
        observation, _ = self._env.reset(seed=seed)
        self._state, self._ended, self._cut_off = self._mdp.states[observation], False, False
        if self._state not in self._starts:
            raise ModelError(f"the environment began in {self._state!r}, M begins in {self._mdp.initial!r}")
        return self._state

    def _compare(self, reward: float) -> None:
        """Learn what null pays, or compare it with what it pays after the end."""
        if self._null_reward is None:
            self._null_reward = reward
        elif self._made_up and reward != self._null_reward:
            raise ModelError(f"the environment pays {reward} for null, but after its end the black box pays "
                             f"{self._null_reward}: make it with null_reward={reward}")

    def _go_on(self, action: Hashable) -> tuple[Hashable, Hashable, float]:
        """A step after the end, as M has it."""
        successors = tuple(self._mdp.successors(self._state, action))
        if len(successors) > 1 or self._labelling(action, successors[0]) != NULL:
            raise QueryError(f"the episode ended in {self._state!r}, where M goes on by {action!r}: reset")
        if self._null_reward is None:
            self._null_reward, self._made_up = 0.0, True
        self._actions += 1
        self._state = successors[0]
        return self._state, NULL, self._null_reward


def _check_space(space: gymnasium.Space, sizes: Sequence[int], what: str) -> None:
    """Numbers from 0 on, as many as M has names for."""
    if not (isinstance(space, Discrete) and space.start == 0 and space.n in sizes):
        raise ModelError(f"the environment has the {what}s {space}, M has {sizes[0]}")
