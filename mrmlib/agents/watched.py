"""An environment as one agent lives in it (paper, σ_inter): what it has observed since the machine was reset, and
what that took."""

from collections.abc import Callable, Hashable
from typing import Any

from ..environment import Environment
from ..errors import NondeterminismError
from ..words import Word, told
from .events import Attempted, Run

PULSE = 1000  # actions


class Watched:
    """Passes on reset and step, and remembers.

    `actions` and `earned` count everything, and `null_reward` is what the first null paid. `pulse` is called now and
    then, a sign of life.
    """

    def __init__(self, environment: Environment, letters: Any, start: Run) -> None:
        self._environment, self._letters = environment, letters
        self.actions = start.learning_actions + start.exploitation_actions
        self.earned = start.learning_reward + start.total_reward
        self.null_reward = start.null_reward
        self.pulse: Callable[[], None] | None = None
        self._observed: list[tuple[Hashable, float]] = []  # letter and reward in one: an interrupt parts them never
        self._ended: list[Attempted] = []
        self._begun: tuple[int, int, float] | None = None  # letters, actions and rewards before this episode

    @property
    def word(self) -> Word:
        """The letters since the machine was last reset."""
        return tuple([z for z, _ in self._observed])

    @property
    def paid(self) -> tuple[float, ...]:
        """What was paid for each of them."""
        return tuple([r for _, r in self._observed])

    def reset(self, state: Hashable | None = None, machine: bool = True) -> Hashable:
        """As the environment does."""
        self._end()
        if machine:
            self._observed = []
        self._begun = len(self._observed), self.actions, self.earned
        return self._environment.reset(state, machine)

    def step(self, action: Hashable) -> tuple[Hashable, Hashable, float]:
        """As the environment does."""
        state, z, reward = told(self._environment.step(action), action, self._letters)
        self.actions, self.earned = self.actions + 1, self.earned + reward
        if self.pulse is not None and self.actions % PULSE == 0:
            self.pulse()
        if z in self._letters:
            self._observed.append((z, reward))
        elif self.null_reward is None:
            self.null_reward = reward
        elif reward != self.null_reward:
            raise NondeterminismError(f"null was paid {self.null_reward} before and {reward} now")
        return state, z, reward

    def episodes(self) -> list[Attempted]:
        """The episodes since this was last asked."""
        self._end()
        ended, self._ended = self._ended, []
        return ended

    def _end(self) -> None:
        if self._begun is not None:
            letters, actions, earned = self._begun
            self._ended.append(Attempted(self.word[letters:], self.actions - actions, self.earned - earned))
            self._begun = None
