"""Signs of life (of the paper's agents and others): what an agent is doing, in one line, while it does it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .events import Ended, EpochBegun, Event, HypothesisBuilt, Run, TestPosed
from .life import Life

EVERY = 0.2  # seconds between two lines
REPORT: ContextVar[Callable[[str], None] | None] = ContextVar("report", default=None)


@contextmanager
def reporting(report: Callable[[str], None]) -> Iterator[None]:
    """Within this, every agent that lives tells `report` now and then what it is doing.

    >>> from mrmlib import Environment, OptimalAgent, domains
    >>> world, lines = domains.treasure_map(), []
    >>> with reporting(lines.append):
    ...     run = OptimalAgent(world.mdp, world.labelling, max_nodes=6).run(
    ...         Environment(world.mdp, world.labelling, world.machine, seed=1))
    >>> lines[-1]
    'exploitation · 216 queries · 7,600 actions · H has 6 nodes, proved for ≤ 6'
    """
    token = REPORT.set(report)
    try:
        yield
    finally:
        REPORT.reset(token)


def on_terminal(line: str) -> None:
    """The line in place of the one before it, on standard error."""
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()


class Progress:
    """What a life has come to, told to `report`, at most every so often; at its end in any case."""

    def __init__(self, life: Life, report: Callable[[str], None]) -> None:
        self._life, self._report, self._told = life, report, -EVERY
        self._run, self._test, self._phase = life.begun, None, "learning"
        life.environment.pulse = self.tell

    def see(self, event: Event, run: Run) -> None:
        """One more event."""
        ended = isinstance(event, Ended)
        self._run, self._phase = run, self._phase if ended else event.phase
        if isinstance(event, HypothesisBuilt | EpochBegun | TestPosed):
            self._test = event if isinstance(event, TestPosed) else None
        self.tell(at_once=ended)

    def tell(self, at_once: bool = False) -> None:
        """Say it, if it is time."""
        if at_once or time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            self._report(self.line())

    def line(self) -> str:
        """In words."""
        run, test = self._run, self._test
        parts = [self._phase, f"{run.queries:,} queries", f"{self._life.environment.actions:,} actions"]
        if run.machine is not None:
            nodes = len(run.machine.nodes)
            parts.append(f"H has {nodes} node{'s' if nodes > 1 else ''}"
                         + (f", proved for ≤ {run.bound}" if run.bound else ""))
        if test is not None:
            parts.append(f"test {test.number:,} of at most {test.at_most:,} for ≤ {test.bound} nodes")
        return " · ".join(parts)
