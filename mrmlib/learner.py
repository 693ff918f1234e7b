"""What every learner has in common (paper, §3 and getMQ to addCounterExample): it asks for words, one by one, until it
has a hypothesis H.

A learner works as a generator of questions: what is paid for a suffix after a known word, its place in the store. It
reads all answers from the store, so whatever is known already, for whatever reason, is never asked. A letter z is its
position in Z.
"""

from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from .errors import ModelError, QueryError
from .machine import MealyRewardMachine
from .names import Names
from .store import ROOT, Letters, Place, Store
from .words import Word

Questions = Generator[tuple[Place, Letters], tuple[float, ...], Any]
"""Places and suffixes; the generator is sent what each suffix is paid there before it goes on."""


class Learner:
    """Asks (`next_query`), is told (`resolve`), guesses (`hypothesis`), learns from mistakes (`add_counterexample`).

    A subclass says how it starts and how it refines, as generators of questions, and what H is meanwhile: `access(u)`,
    the place of a word that leads to node u, and `step(u, z)`, the node that follows and the reward.

    >>> from mrmlib.table import ObservationTable
    >>> learner = ObservationTable(["a"])
    >>> while (word := learner.next_query()) is not None:
    ...     learner.resolve(word, (1.0,) * len(word))
    >>> learner.hypothesis().rewards(("a", "a", "a"))
    (1.0, 1.0, 1.0)
    """

    store: Store

    def __init__(self, observations: Iterable[Hashable], *, store: Store | None = None) -> None:
        self.store = Store(observations) if store is None else store
        self.observations, self._names = self.store.observations, Names((), "node")
        self._words: dict[Letters, Word] = {}  # suffixes by name: most are asked many times
        if store is not None and self.observations != tuple(observations):
            raise ModelError(f"the store is over {self.observations}, not {tuple(observations)}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store!r})"

    def _begin(self, questions: Questions) -> None:
        """Take up new work."""
        self._questions, self._asked = questions, next(questions, None)

    def next_query(self) -> Word | None:
        """A word whose answer is needed, or None if a hypothesis stands (getMQ)."""
        while self._asked is not None:
            place, suffix = self._asked
            answer = self.store.paid(place.node, suffix)
            if answer is None:
                return place.word + self.store.word(suffix)
            self._asked = _send(self._questions, answer)
        return None

    def resolve(self, word: Word, rewards: tuple[float, ...]) -> None:
        """Take in what was paid for each letter of `word`, asked for or not (resolveMQ)."""
        self.store.record(word, rewards)

    def ask(self, rewards: Callable[[Word], Sequence[float]]) -> None:
        """Put all questions to `rewards` until a hypothesis stands, as `next_query` and `resolve` would, but faster."""
        self.next_query()  # something may have been answered meanwhile
        asked, send, insert, words = self._asked, self._questions.send, self.store.insert, self._words
        try:
            while asked is not None:
                place, suffix = asked
                word = words.get(suffix) or words.setdefault(suffix, self.store.word(suffix))
                asked = send(insert(place, suffix, rewards(place.word + word)))
        except StopIteration:
            asked = None
        finally:
            self._asked = asked

    @property
    def is_complete(self) -> bool:
        """Has every question been answered, so that there is a hypothesis?"""
        return self.next_query() is None

    def add_counterexample(self, word: Word, rewards: tuple[float, ...]) -> None:
        """Take in a word that H pays otherwise; new queries follow (addCounterExample)."""
        letters = self.store.letters(word)
        if not self.is_complete:
            raise QueryError(f"{word} can contradict no hypothesis while {self.next_query()} is unanswered")
        if tuple(rewards) == self.predict(letters):
            raise QueryError(f"{tuple(word)} is no counter-example: the hypothesis pays {tuple(rewards)} for it too")
        self.store.insert(ROOT, letters, rewards)
        if tuple(word) not in self.store.counterexamples:
            self.store.counterexamples.append(tuple(word))
        self._begin(self._refine(letters))

    def hypothesis(self, null_reward: float = 0.0) -> MealyRewardMachine:
        """H (buildRewardMachine); `null_reward` is c, what the agent was paid for its first null."""
        if not self.is_complete:
            raise QueryError(f"there is no hypothesis while {self.next_query()} is unanswered")
        moves, pays = self._arrays()
        self._names = Names(self._names, "node", more=[f"u{u}" for u in range(len(self._names), len(moves))])
        return MealyRewardMachine.of_arrays(self._names, self.observations, "u0", null_reward, moves, pays)

    def predict(self, letters: Letters, node: Any = None) -> tuple[float, ...]:
        """What H pays for `letters`, from its start node or from `node` on."""
        node, paid = self.start if node is None else node, []
        for z in letters:
            node, reward = self.step(node, z)
            paid.append(reward)
        return tuple(paid)

    def contradiction(self, letters: Letters, node: Any = None) -> Letters | None:
        """The shortest prefix of `letters` for which H pays otherwise than the store knows; None if H is right."""
        paid = self.store.paid((ROOT if node is None else self.access(node)).node, letters)
        node = self.start if node is None else node
        for i, z in enumerate(letters):
            node, reward = self.step(node, z)
            if reward != paid[i]:
                return letters[:i + 1]
        return None

    start: Any
    """The start node of H."""

    def access(self, node: Any) -> Place:
        """The place of a word that leads from the start to a node of H."""
        raise NotImplementedError

    def step(self, node: Any, letter: int) -> tuple[Any, float]:
        """The node that H goes to, and what it pays."""
        raise NotImplementedError

    def _start(self) -> Questions:
        """The questions up to the first hypothesis."""
        raise NotImplementedError

    def _refine(self, letters: Letters) -> Questions:
        """The questions until H pays rightly for a word that the store knows."""
        raise NotImplementedError

    def _arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """δu and δr of H, by the number of the node; the start node is number 0."""
        raise NotImplementedError


def _send(questions: Questions, answer: tuple[float, ...]) -> tuple[Place, Letters] | None:
    """The next question after an answer, or None if there is none."""
    try:
        return questions.send(answer)
    except StopIteration:
        return None
