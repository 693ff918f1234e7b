"""Teachers: what a learner may ask (paper, §3). A membership query is a word, an equivalence query a hypothesis H.

`MachineTeacher` is the minimally adequate one; the others wrap a teacher, to count, to remember or to bound what it is
asked. A teacher may also say what null pays, `null_reward`; None while it does not know.
"""

from math import inf
from typing import Protocol

from .errors import BudgetError
from .machine import MealyRewardMachine
from .store import Store
from .words import NULL, Word


class Teacher(Protocol):
    """Whoever answers both kinds of queries.

    >>> from mrmlib import learn
    >>> class Sceptic:
    ...     def rewards(self, word):
    ...         return (0.0,) * len(word)
    ...     def counterexample(self, hypothesis):
    ...         return None
    >>> learn(Sceptic(), "ab").machine.rewards(("a", "b"))
    (0.0, 0.0)
    """

    def rewards(self, word: Word) -> tuple[float, ...]:
        """What is paid for each letter of `word`."""

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """A word for which H does not pay what it should, or None."""


class MachineTeacher:
    """The teacher that knows the machine; its counter-examples are as short as possible.

    >>> hidden = MealyRewardMachine({("u", "a"): ("v", 1.0), ("v", "a"): ("v", 2.0)}, "u")
    >>> teacher = MachineTeacher(hidden)
    >>> teacher.rewards(("a", "a"))
    (1.0, 2.0)
    >>> teacher.counterexample(MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u"))
    ('a', 'a')
    """

    def __init__(self, machine: MealyRewardMachine) -> None:
        self.machine = machine
        self.null_reward = machine.null_reward

    def rewards(self, word: Word) -> tuple[float, ...]:
        """What the machine pays for each letter of `word`."""
        return self.machine.rewards(word)

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """A shortest word for which H pays otherwise, or None; H may have null as a letter."""
        machine = self.machine.with_null_as_letter() if NULL in hypothesis.observations else self.machine
        return machine.difference(hypothesis)


class _Wrapper:
    """A teacher in front of another."""

    def __init__(self, teacher: Teacher) -> None:
        self.teacher = teacher

    @property
    def null_reward(self) -> float | None:
        """What the teacher says: whoever lives its answers learns it on the way."""
        return getattr(self.teacher, "null_reward", None)

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """What the teacher says."""
        return self.teacher.counterexample(hypothesis)


class Counting(_Wrapper):
    """A teacher that counts what it is asked.

    >>> teacher = Counting(MachineTeacher(MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u")))
    >>> teacher.rewards(("a", "a", "a"))
    (1.0, 1.0, 1.0)
    >>> teacher.membership_queries, teacher.symbols, teacher.equivalence_queries
    (1, 3, 0)
    """

    membership_queries = symbols = equivalence_queries = 0

    def rewards(self, word: Word) -> tuple[float, ...]:
        """What the teacher says, counted once it has said it."""
        answer = self.teacher.rewards(word)
        self.membership_queries += 1
        self.symbols += len(word)
        return answer

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """What the teacher says, counted."""
        self.equivalence_queries += 1
        return self.teacher.counterexample(hypothesis)


class Remembering(_Wrapper):
    """A teacher that is asked nothing twice; an answer that contradicts an earlier one is an error.

    >>> counting = Counting(MachineTeacher(MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u")))
    >>> teacher = Remembering(counting, Store("a"))
    >>> teacher.rewards(("a", "a")), teacher.rewards(("a",)), counting.membership_queries
    ((1.0, 1.0), (1.0,), 1)
    """

    def __init__(self, teacher: Teacher, store: Store) -> None:
        super().__init__(teacher)
        self.store = store

    def rewards(self, word: Word) -> tuple[float, ...]:
        """What the store knows, else what the teacher says; NondeterminismError if that cannot be."""
        if self.store.rewards(word) is None:
            self.store.record(word, self.teacher.rewards(word))
        return self.store.rewards(word)


class Bounded(Counting):
    """A teacher that answers only so many membership queries, with so many letters in total.

    >>> teacher = Bounded(MachineTeacher(MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u")), queries=0)
    >>> teacher.rewards(("a",))
    Traceback (most recent call last):
    mrmlib.errors.BudgetError: the budget of 0 queries is spent
    """

    def __init__(self, teacher: Teacher, queries: float = inf, symbols: float = inf) -> None:
        super().__init__(teacher)
        self.bounds = queries, symbols

    def rewards(self, word: Word) -> tuple[float, ...]:
        """What the teacher says, as long as the budget lasts."""
        queries, symbols = self.bounds
        if self.membership_queries >= queries:
            raise BudgetError(f"the budget of {queries} queries is spent")
        if self.symbols + len(word) > symbols:
            raise BudgetError(f"the budget of {symbols} symbols is spent")
        self.membership_queries += 1
        self.symbols += len(word)
        return self.teacher.rewards(word)
