"""What happens in the life of an agent (paper, Algorithms 1 and 2), and the sum of it: tables, figures and panels
read events, never the agent."""

import json
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from .. import document
from ..machine import MealyRewardMachine
from ..solve.exact import Solution
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
    """An episode of learning: what was observed, how many actions it took, and what they earned."""

    observed: Word
    actions: int
    reward: float


@dataclass(frozen=True)
class NullPaid(Event):
    """The first null tells what null pays."""

    reward: float


@dataclass(frozen=True)
class Answered(Event):
    """A query is resolved (resolveMQ)."""

    word: Word
    rewards: tuple[float, ...]


@dataclass(frozen=True)
class HypothesisBuilt(Event):
    """H (buildRewardMachine), and what is best in M ⊗ H where the agent has computed that."""

    machine: MealyRewardMachine
    solution: Solution | None = None


@dataclass(frozen=True)
class TestPosed(Event):
    """A word is lived to test H for machines of at most `bound` nodes: the `number`-th of at most `at_most`.

    As far as is known: what a test shows may call for more.
    """

    __test__: ClassVar[bool] = False  # not one of pytest's
    word: Word
    number: int
    at_most: int
    bound: int


@dataclass(frozen=True)
class Tested(Event):
    """H was put to the test: how many words it passed, what came of it, and for how many nodes it is proved (or 0)."""

    passed: int
    verdict: str
    bound: int = 0


@dataclass(frozen=True)
class Pretrial(Event):
    """An epoch of random actions before learning, and its return in the objective's units."""

    value: float


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
    """A word that was not paid as H predicts (addCounterExample).

    Spurious: it only looked so, as the word was not paid from the machine's start node on; H predicts it rightly.
    """

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

    `total_reward` is that of exploitation, `learning_reward` what was earned on the way. `solution` is what is best in
    M ⊗ H, with certified bounds, where the agent has computed that; `returns` are those of all pre-trials and epochs,
    in the objective's units. `bound` is for how many nodes H is proved: no machine with at most so many that pays as
    lived disagrees with H on anything that M can show; 0 if nothing is proved. `store` holds everything observed. A run
    can be saved, and a later one can go on from it; an error that ends a run has the sum so far as `error.run`.

    >>> Run().after(QueryPosed(("m",))).after(Answered(("m",), (10.0,))).queries
    1
    """

    machine: MealyRewardMachine | None = None
    outcome: str = "not ended"
    total_reward: float = 0.0
    learning_reward: float = 0.0
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
    null_reward: float | None = None
    bound: int = 0
    returns: tuple[float, ...] = field(default=(), repr=False)
    solution: Solution | None = field(default=None, repr=False, compare=False)
    store: Store | None = field(default=None, repr=False, compare=False)

    def after(self, event: Event, seconds: float = 0.0) -> Self:
        """The sum with one more event, which took that long.

        >>> Run().after(Attempted(("m",), actions=9, reward=2.0)).learning_actions
        9
        """
        clock = f"{event.phase}_seconds"
        return replace(self, **{clock: getattr(self, clock) + seconds}, **self._changes(event))

    def _changes(self, event: Event) -> dict[str, Any]:
        """The fields that an event changes."""
        match event:
            case Attempted(actions=actions, reward=reward):
                return {"attempts": self.attempts + 1, "learning_actions": self.learning_actions + actions,
                        "learning_reward": self.learning_reward + reward}
            case NullPaid(reward=reward):
                return {"null_reward": reward}
            case Answered():
                return {"queries": self.queries + 1}
            case HypothesisBuilt(machine=machine, solution=solution):
                # A life that goes on from a saved one may build the same H again.
                new = machine != self.machine
                return {"machine": machine, "solution": solution, "hypotheses": self.hypotheses + new, "bound": 0}
            case Tested(bound=bound):
                return {"bound": max(bound, self.bound)}
            case CounterExample(spurious=spurious):
                return {"counterexamples": self.counterexamples + 1, "spurious": self.spurious + spurious}
            case Pretrial(value=value):
                return {"returns": (*self.returns, value)}
            case EpochBegun():
                return {"epochs": self.epochs + 1}
            case EpochEnded(actions=actions, reward=reward, value=value):
                return {"exploitation_actions": self.exploitation_actions + actions,
                        "total_reward": self.total_reward + reward, "returns": (*self.returns, value)}
            case Ended(outcome=outcome):
                return {"outcome": outcome}
        return {}

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
            content = {"bound": 0} | content  # version 0.1 had none
            parts = {f.name: content[f.name] for f in fields(cls) if f.name != "solution"}
            for name, kind in (("machine", MealyRewardMachine), ("store", Store)):
                if parts[name] is not None:
                    parts[name] = kind.from_json(json.dumps(parts[name]), source)
            return cls(**parts | {"returns": tuple(parts["returns"])})

        return document.load(text, "run", build, source)


def summed(events: Iterable[Event], start: Run | None = None,
           see: Callable[[Event, Run], None] | None = None) -> Iterator[tuple[Event, Run]]:
    """Each event with the sum of all so far; the time that events take to come is counted, not that of the reader.

    Both are told to `see` first. An error gets the sum so far as its `run`. An interrupt between two events is passed
    on to where they come from.

    >>> [run.queries for _, run in summed([Answered(("m",), (10.0,)), Ended("done")])]
    [1, 1]
    """
    run, events, event, interrupted = start or Run(), iter(events), None, False
    while True:
        passed_on = interrupted and event is None
        try:
            if event is None:
                began, interrupted = time.perf_counter(), False
                event = events.throw(KeyboardInterrupt) if passed_on else next(events)
                seconds = time.perf_counter() - began
            summed_up = event, run.after(event, seconds)
            if see:
                see(*summed_up)
        except StopIteration:
            return
        except KeyboardInterrupt as error:
            if passed_on and event is None:  # nobody is there to take it
                error.run = run
                raise
            interrupted = True
        except Exception as error:
            error.run = run
            raise
        else:
            event, run = None, summed_up[1]
            yield summed_up
