"""The milestones of a life (paper, Algorithms 1 and 2), as rows for a table."""

from collections.abc import Iterable
from typing import Any

from ..words import Word
from .events import CounterExample, Ended, EpochEnded, Event, HypothesisBuilt, Pretrial, Run, Tested


def chronicle(lived: Iterable[tuple[Event, Run]]) -> list[dict[str, Any]]:
    """What happened, when: after how many actions of learning and of exploitation.

    >>> from .events import summed
    >>> chronicle(summed([CounterExample(("m", "m"), (10.0, -1.0), (10.0, 10.0))]))[0]["what"]
    'm·m is paid 10, -1, not 10, 10'
    """
    milestones = ((event, run, told(event)) for event, run in lived)
    return [{"learning actions": run.learning_actions, "exploitation actions": run.exploitation_actions,
             "event": type(event).__name__, "what": what} for event, run, what in milestones if what]


def told(event: Event) -> str:
    """A milestone in words; empty for anything else.

    >>> told(Tested(passed=3, verdict="refuted"))
    '3 words passed, then: refuted'
    """
    match event:
        case Pretrial(value=value):
            return f"random actions return {value:.4g}"
        case HypothesisBuilt(machine=machine, solution=solution):
            nodes = f"{len(machine.nodes)} node{'s' if len(machine.nodes) > 1 else ''}"
            return nodes + (f", promises {solution.value:.4g}" if solution else "")
        case Tested(passed=passed, verdict=verdict):
            return f"{passed} words passed, then: {verdict}"
        case EpochEnded(number=number, actions=actions, reward=reward):
            return f"epoch {number}: {actions} actions earned {reward:g}"
        case CounterExample(word=word, rewards=rewards, predicted=predicted, spurious=spurious):
            return (f"{'spurious: ' if spurious else ''}{'·'.join(map(str, word))} "
                    f"is paid {_listed(rewards)}, not {_listed(predicted)}")
        case Ended(outcome=outcome):
            return outcome
    return ""


def _listed(rewards: Word) -> str:
    return ", ".join(f"{r:g}" for r in rewards)
