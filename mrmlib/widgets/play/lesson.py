"""A lesson: L* is the pupil, a person the teacher. It asks for words, guesses a machine, and is told yes or why not."""

from collections.abc import Hashable, Iterable
from typing import Any

from ...errors import QueryError
from ...lstar import L_STAR
from ...machine import MealyRewardMachine
from ...names import Names
from ...words import Word

Answer = tuple[Word, tuple[float, ...], bool]
"""A word, what it is paid, and whether the teacher gave it as a counter-example."""


class Lesson:
    """Questions and answers about a machine over `observations` that only the teacher knows; null pays c.

    >>> lesson = Lesson(["a"])
    >>> lesson.question
    ('a', 'a')
    >>> lesson.answer((1.0, 1.0))
    >>> lesson.question, len(lesson.hypothesis.nodes)
    (None, 1)
    >>> lesson.object(("a", "a", "a"), (1.0, 1.0, 2.0))
    >>> lesson.question
    ('a', 'a', 'a', 'a')
    >>> lesson.take_back()
    >>> lesson.question, len(lesson.hypothesis.nodes)
    (None, 1)
    """

    def __init__(self, observations: Iterable[Hashable], c: float = 0.0) -> None:
        self.observations, self.c = Names(observations, "observation"), c
        if not self.observations:
            raise QueryError("a machine reads at least one observation")
        self.answers: list[Answer] = []
        self.accepted = False
        self._guessed: MealyRewardMachine | None = None
        self._begin()

    def _begin(self) -> None:
        self.table, self.hypotheses = L_STAR(self.observations), 0
        self._guess()

    @property
    def question(self) -> Word | None:
        """The word whose rewards L* wants to know; None if it has a hypothesis."""
        return self.table.next_query()

    @property
    def hypothesis(self) -> MealyRewardMachine | None:
        """What L* thinks the machine is; None while it has a question."""
        return self._guessed

    def known(self, word: Word) -> tuple[float, ...]:
        """What earlier answers say of the beginning of a word.

        >>> lesson = Lesson(["a", "b"])
        >>> lesson.answer((0.0, 5.0))
        >>> lesson.known(lesson.question)
        (0.0,)
        """
        rewards = (self.table.store.rewards(word[:end]) for end in range(len(word), 0, -1))
        return next((paid for paid in rewards if paid is not None), ())

    def answer(self, rewards: tuple[float, ...]) -> None:
        """Say what the word in question is paid, letter by letter."""
        if self.question is None:
            raise QueryError("there is no question: say whether the hypothesis is right")
        self._take(self.question, rewards, False)

    def object(self, word: Word, rewards: tuple[float, ...]) -> None:
        """Give a word that the hypothesis does not pay as your machine does."""
        self._take(word, rewards, True)

    def accept(self) -> None:
        """Say that the hypothesis is right, which ends the lesson."""
        if self.hypothesis is None:
            raise QueryError("there is no hypothesis yet")
        self.accepted = True

    def take_back(self) -> None:
        """Forget the last thing that was said, a yes or an answer."""
        if self.accepted:
            self.accepted = False
            return
        if not self.answers:
            raise QueryError("there is no answer to take back")
        said, self.answers = self.answers[:-1], []
        self._begin()
        for answer in said:
            self._take(*answer)

    def score(self) -> dict[str, Any]:
        """What the lesson took so far, for a table."""
        asked = [word for word, _, objection in self.answers if not objection]
        return {"questions answered": len(asked), "letters in them": sum(map(len, asked)),
                "counter-examples": len(self.answers) - len(asked), "hypotheses": self.hypotheses}

    def _take(self, word: Word, rewards: tuple[float, ...], objection: bool) -> None:
        (self.table.add_counterexample if objection else self.table.resolve)(word, rewards)
        self.answers.append((word, rewards, objection))
        self._guess()

    def _guess(self) -> None:
        self._guessed = self.table.hypothesis(self.c) if self.table.is_complete else None
        self.hypotheses += self._guessed is not None
