"""A game: a person in a world whose machine is hidden, and what that person has seen, been paid and guessed."""

from collections.abc import Hashable
from typing import Any, NamedTuple

from ...domains import Domain
from ...environment import Environment
from ...machine import MealyRewardMachine
from ...store import Store
from ...within.agreement import distinguish
from ...words import NULL, Word, without_nulls


class Move(NamedTuple):
    """One action: the state it reached, what was seen there, what was paid, and what the player expected, if anything.

    Only an observation settles what was expected: null says nothing of it.
    """

    action: Hashable
    state: Hashable
    observation: Hashable
    reward: float
    expected: float | None = None


class Game:
    """The player's life in a domain; the same seed and the same actions give the same game.

    >>> from mrmlib import domains
    >>> game = Game(domains.treasure_map(apf=1.0))
    >>> for _ in range(4):
    ...     move = game.act("n", expected=10.0)
    >>> move.observation, move.reward, game.predicted, game.foretold
    ('m', 10.0, 1, 1)
    >>> game.reset()
    >>> game.moves, dict(game.store.words()), game.world.actions, game.world.resets
    ([], {('m',): (10.0,)}, 4, 1)
    """

    def __init__(self, domain: Domain, seed: int = 0) -> None:
        self.domain, self.seed = domain, seed
        self.world = Environment(domain.mdp, domain.labelling, domain.machine, seed)
        self.store = Store(domain.labelling.observations)
        self.moves: list[Move] = []
        self.null_reward: float | None = None
        self.earned, self.predicted, self.foretold, self.asked = 0.0, 0, 0, 0

    def act(self, action: Hashable, expected: float | None = None) -> Move:
        """Do an action; `expected` is what the player thinks the next observation pays."""
        state, z, reward = self.world.step(action)
        move = Move(action, state, z, reward, None if z == NULL else expected)
        self.moves.append(move)
        self.earned += reward
        if z == NULL:
            self.null_reward = reward
        else:
            self.store.record(*self.lived)
        if move.expected is not None:
            self.predicted, self.foretold = self.predicted + 1, self.foretold + (expected == reward)
        return move

    def reset(self) -> None:
        """Back to s0, and the machine to its start node; what was seen is not forgotten."""
        self.world.reset()
        self.moves = []

    @property
    def states(self) -> list[Hashable]:
        """Where the player was since the last reset, the last of them where it is now."""
        return [self.domain.mdp.initial, *(move.state for move in self.moves)]

    @property
    def lived(self) -> tuple[Word, tuple[float, ...]]:
        """The word since the last reset, and what it was paid."""
        return without_nulls(tuple(move.observation for move in self.moves), tuple(move.reward for move in self.moves))

    @property
    def c(self) -> float:
        """What null pays; 0 while none was seen."""
        return self.null_reward or 0.0

    def contradiction(self, guess: MealyRewardMachine) -> tuple[Word, tuple[float, ...]] | None:
        """A shortest word that was lived and is not paid as the guess says, with what was paid; None if all fits."""
        wrong = []
        for word, paid in self.store.words():
            said = guess.rewards(word)
            if said != paid:
                end = next(i for i, reward in enumerate(paid) if reward != said[i]) + 1
                wrong.append((word[:end], paid[:end]))
        return min(wrong, key=lambda lived: len(lived[0]), default=None)

    def ask(self, guess: MealyRewardMachine) -> Word | None:
        """Ask the world, which counts: a shortest word that can be lived and is not paid as the guess says, or None."""
        self.asked += 1
        return self.refutation(guess)

    def refutation(self, guess: MealyRewardMachine) -> Word | None:
        """As `ask`, for those who know anyway."""
        return distinguish(self.domain.mdp, self.domain.labelling, guess, self.domain.machine)

    def score(self) -> dict[str, Any]:
        """What the game took so far, for a table."""
        return {"actions": self.world.actions, "resets": self.world.resets, "words known": len(self.store),
                "machines proposed": self.asked, "earned": round(self.earned, 6),
                "rewards foretold": f"{self.foretold} of {self.predicted}"}
