"""L* (paper, §3): a machine learnt from a teacher, by membership queries and hypotheses, with the table or the tree."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from .counterexample import rivest_schapire
from .errors import BudgetError
from .learner import Learner
from .machine import MealyRewardMachine
from .store import Store
from .table import ObservationTable
from .teacher import Bounded, Teacher
from .words import Word

L_STAR = partial(ObservationTable, processing=rivest_schapire)
"""The table with the processing that asks least."""


@dataclass(frozen=True)
class LearningResult:
    """What was learnt, and what it took.

    `machine` is minimal. If `final`, the teacher had no counter-example; else it is the last hypothesis (None if there
    was none yet), `reason` says why it is not final, and learning goes on with the `store`.

    >>> from mrmlib.teacher import MachineTeacher
    >>> result = learn(MachineTeacher(MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u")), ["a"])
    >>> result.machine.nodes, result.final, result.membership_queries, result.equivalence_queries
    (('u0',), True, 1, 1)
    """

    machine: MealyRewardMachine | None
    membership_queries: int
    symbols: int
    equivalence_queries: int
    hypotheses: int
    final: bool
    reason: str
    store: Store


def hypotheses(teacher: Teacher, learner: Learner,
               null_reward: float | None = None) -> Iterator[MealyRewardMachine]:
    """L*, step by step: one hypothesis after the other, until the teacher has no counter-example.

    `null_reward` is what the teacher says by then, unless given.

    >>> from mrmlib.teacher import MachineTeacher
    >>> from mrmlib.tree import DiscriminationTree
    >>> hidden = MealyRewardMachine({("u", "a"): ("v", 1.0), ("v", "a"): ("u", 1.5)}, "u")
    >>> [len(H.nodes) for H in hypotheses(MachineTeacher(hidden), DiscriminationTree(["a"]))]
    [1, 2]
    """
    lived = _lived(learner.store)
    while True:
        learner.ask(teacher.rewards)
        hypothesis = learner.hypothesis(_paid_for_null(teacher) if null_reward is None else null_reward)
        yield hypothesis
        word = _refuting(lived, hypothesis) or teacher.counterexample(hypothesis)
        if word is None:
            return
        learner.add_counterexample(word, learner.store.rewards(word) or teacher.rewards(word))


def _paid_for_null(teacher: Teacher) -> float:
    """What the teacher says that null pays; 0 while it does not know."""
    return getattr(teacher, "null_reward", None) or 0.0


def _lived(store: Store) -> list[tuple[Word, tuple[float, ...]]]:
    """What is known already and may refute a hypothesis: what did so before, then everything, shortest words first."""
    return [*((word, store.rewards(word)) for word in store.counterexamples),
            *sorted(store.words(), key=lambda known: len(known[0]))]


def _refuting(lived: list[tuple[Word, tuple[float, ...]]], hypothesis: MealyRewardMachine) -> Word | None:
    """The first word for which H pays otherwise than was lived: it spares the teacher an equivalence query."""
    return next((word for word, rewards in lived if hypothesis.rewards(word) != rewards), None)


def learn(teacher: Teacher, observations: Iterable[Hashable],
          learner: Callable[..., Learner] = L_STAR, *,
          store: Store | None = None, null_reward: float | None = None,
          max_queries: float = inf, max_symbols: float = inf, **settings: Any) -> LearningResult:
    """The machine that the teacher has in mind, and what it took to learn it; `settings` go to the learner.

    Nothing that `store` knows is asked: a run goes on where the store of an earlier one ends. `null_reward` is as
    for `hypotheses`.

    >>> from mrmlib.teacher import MachineTeacher
    >>> hidden = MealyRewardMachine({("u", "a"): ("v", 1.0), ("v", "a"): ("u", 1.5)}, "u")
    >>> result = learn(MachineTeacher(hidden), ["a"], max_queries=1)
    >>> result.final, result.reason
    (False, 'not final: the budget of 1 queries is spent')
    >>> learn(MachineTeacher(hidden), ["a"], store=result.store).machine.equivalent(hidden)
    True
    """
    learner, machine, number = learner(observations, store=store, **settings), None, 0
    bounded = Bounded(teacher, max_queries, max_symbols)
    final, reason = True, "the teacher has no counter-example"
    try:
        for hypothesis in hypotheses(bounded, learner, null_reward):
            machine, number = hypothesis, number + 1
    except BudgetError as spent:
        final, reason = False, f"not final: {spent}"
    return LearningResult(machine and machine.minimal(), bounded.membership_queries, bounded.symbols,
                          bounded.equivalence_queries, number, final, reason, learner.store)
