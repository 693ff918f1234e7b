"""What happens in the life of an agent, and the sum of it: tables, figures and panels read events, never the agent."""

import json
import time
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from .. import document
from ..machine import MealyRewardMachine
from ..solve import Solution
from ..store import Store
from ..words import Word

LEARNING, EXPLOITATION = "learning", "exploitation"


@dataclass(frozen=True)
class Event:
    """Anything that happens; `phase` says whose time it took."""

    phase: ClassVar[str] = LEARNING


@dataclass(frozen=True)
class QueryPosed(Event):
    """The learner wants to know what a word pays (getMQ)."""

    word: Word


@dataclass(frozen=True)
class Attempted(Event):
    """An episode in pursuit of a word: what was observed, and how many actions it took."""

    observed: Word
    actions: int


@dataclass(frozen=True)
class Answered(Event):
    """A query is resolved (resolveMQ)."""

    word: Word
    rewards: tuple[float, ...]
    attempts: int
    actions: int


@dataclass(frozen=True)
class HypothesisBuilt(Event):
    """H (buildRewardMachine), and what is best in M ⊗ H where the agent has computed that."""

    machine: MealyRewardMachine
    solution: Solution | None = None


@dataclass(frozen=True)
class Tested(Event):
    """H was put to the test: how many words were lived for it, and what that took."""

    words: int
    attempts: int
    actions: int
    passed: bool


@dataclass(frozen=True)
class EpochBegun(Event):
    """Exploitation starts afresh in a state."""

    phase: ClassVar[str] = EXPLOITATION
    number: int
    state: Hashable


@dataclass(frozen=True)
class Acted(Event):
    """One action; told only to those who ask for every action."""

    phase: ClassVar[str] = EXPLOITATION
    state: Hashable
    action: Hashable
    reached: Hashable
    observation: Hashable
    reward: float


@dataclass(frozen=True)
class EpochEnded(Event):
    """Exploitation stops for now: what it took and what it earned; `value` is the return in the objective's units."""

    phase: ClassVar[str] = EXPLOITATION
    number: int
    actions: int
    reward: float
    value: float


@dataclass(frozen=True)
class CounterExample(Event):
    """A word that was not paid as H predicts (addCounterExample); spurious if H is right after all."""

    word: Word
    rewards: tuple[float, ...]
    predicted: tuple[float, ...]
    spurious: bool = False


@dataclass(frozen=True)
class Ended(Event):
    """The end, and why."""

    outcome: str


@dataclass(frozen=True)
class Run:
    """The sum of a life: what was learnt, how it ended, and what it took.

    `total_reward` is that of exploitation. `solution` is what is best in M ⊗ H, with certified bounds, where the agent
    has computed that. A run can be saved, and a later one can go on from it.
    """

    machine: MealyRewardMachine | None = None
    outcome: str = "not ended"
    total_reward: float = 0.0
    learning_actions: int = 0
    exploitation_actions: int = 0
    queries: int = 0
    attempts: int = 0
    counterexamples: int = 0
    spurious: int = 0
    epochs: int = 0
    hypotheses: int = 0
    learning_seconds: float = 0.0
    exploitation_seconds: float = 0.0
    solution: Solution | None = field(default=None, repr=False, compare=False)
    store: Store | None = field(default=None, repr=False, compare=False)

    def after(self, event: Event, seconds: float = 0.0) -> Self:
        """The sum with one more event, which took that long.

        >>> Run().after(Answered(("m",), (10.0,), attempts=2, actions=9)).learning_actions
        9
        """
        clock = f"{event.phase}_seconds"
        changes: dict[str, Any] = {clock: getattr(self, clock) + seconds}
        match event:
            case Answered(attempts=attempts, actions=actions):
                changes |= {"queries": self.queries + 1, "attempts": self.attempts + attempts,
                            "learning_actions": self.learning_actions + actions}
            case Tested(attempts=attempts, actions=actions):
                changes |= {"attempts": self.attempts + attempts, "learning_actions": self.learning_actions + actions}
            case HypothesisBuilt(machine=machine, solution=solution):
                changes |= {"machine": machine, "solution": solution, "hypotheses": self.hypotheses + 1}
            case CounterExample(spurious=spurious):
                changes |= {"counterexamples": self.counterexamples + 1, "spurious": self.spurious + spurious}
            case EpochBegun():
                changes |= {"epochs": self.epochs + 1}
            case EpochEnded(actions=actions, reward=reward):
                changes |= {"exploitation_actions": self.exploitation_actions + actions,
                            "total_reward": self.total_reward + reward}
            case Ended(outcome=outcome):
                changes |= {"outcome": outcome}
        return replace(self, **changes)

    def to_json(self) -> str:
        """The run as a JSON document: all counts, the machine and everything observed."""
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("machine", "solution", "store")}
        return document.dump("run", {
            **plain,
            "machine": None if self.machine is None else json.loads(self.machine.to_json()),
            "store": None if self.store is None else json.loads(self.store.to_json()),
        })

    @classmethod
    def from_json(cls, text: str, source: str = "text") -> Self:
        """The run in a JSON document; `source` is what errors call it. Its solution is computed anew when it goes on.

        >>> Run.from_json(Run(queries=3).to_json()).queries
        3
        """

        def build(content: dict[str, Any]) -> Self:
            read = {"machine": MealyRewardMachine.from_json, "store": Store.from_json}
            known = {f.name for f in fields(cls)} - {"solution"}
            parts = {name: value for name, value in content.items() if name in known and name not in read}
            for name, from_json in read.items():
                parts[name] = None if content[name] is None else from_json(json.dumps(content[name]), source)
            return cls(**parts)

        return document.load(text, "run", build, source)


def summed(events: Iterable[Event], start: Run | None = None) -> Iterator[tuple[Event, Run]]:
    """Each event with the sum of all so far; the time that events take to come is counted, not that of the reader.

    >>> [run.queries for _, run in summed([Answered(("m",), (10.0,), 1, 4), Ended("done")])]
    [1, 1]
    """
    run, events = start or Run(), iter(events)
    while True:
        began = time.perf_counter()
        event = next(events, None)
        if event is None:
            return
        run = run.after(event, time.perf_counter() - began)
        yield event, run
