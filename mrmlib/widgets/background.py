"""Work in the background: one thread that can be paused, stepped and stopped, and that draws only its latest state.

The work calls `tick` before each of its smallest steps. There it waits as long as it is paused or too fast, there it
ends when it is stopped, and there it is drawn: at most so many times a second, and only when the last drawing was
seen, so that drawings never queue up.
"""

import threading
import time
from collections.abc import Callable
from math import inf

FRAMES = 30  # drawings a second, at most
UNSEEN = 1.0  # seconds after which a drawing counts as seen, whoever looks
JOIN = 5.0  # seconds to wait for the thread: work that does not tick for that long is left to end by itself


class Stopped(KeyboardInterrupt):
    """The work is asked to end; agents and experiments take it for an interrupt, and lose nothing."""


class Background:
    """At most one piece of work at a time, in a thread of its own.

    `draw` shows the latest state; `seen` tells whether the last drawing has arrived. `ended` is called in the thread
    when the work is over, with the exception that ended it or None.

    >>> steps = []
    >>> background = Background(draw=lambda: None)
    >>> background.start(lambda tick: [(tick(), steps.append(i)) for i in range(3)])
    >>> background.wait()
    >>> steps, background.state
    ([0, 1, 2], 'idle')
    """

    def __init__(self, draw: Callable[[], None], ended: Callable[[BaseException | None], None] = lambda error: None,
                 seen: Callable[[], bool] = lambda: True) -> None:
        self._draw, self._ended, self._seen = draw, ended, seen
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._paused = self._stopping = False
        self._steps, self._rate, self._drawn = 0, inf, -inf

    @property
    def state(self) -> str:
        """`idle`, `running` or `paused`."""
        if self._thread is None or not self._thread.is_alive():
            return "idle"
        return "paused" if self._paused else "running"

    def start(self, work: Callable[[Callable[[], None]], object], *, paused: bool = False) -> None:
        """Begin `work(tick)`; what was under way is stopped first."""
        self.stop()
        with self._changed:
            self._paused, self._stopping, self._steps, self._drawn = paused, False, 0, -inf
            self._thread = threading.Thread(target=self._run, args=(work,), name="mrmlib background", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Wait at the next tick."""
        self._change(_paused=True, _steps=0)

    def resume(self) -> None:
        """Go on."""
        self._change(_paused=False)

    def step(self) -> None:
        """Pause, after one more step."""
        self._change(_paused=True, _steps=self._steps + 1)

    def pace(self, steps_a_second: float) -> None:
        """Take no more than so many steps a second."""
        self._change(_rate=steps_a_second)

    def stop(self) -> None:
        """End the work at its next tick, and wait for that."""
        self._change(_stopping=True)
        self.wait(JOIN)

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the work is over."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def _change(self, **attributes: object) -> None:
        with self._changed:
            self.__dict__.update(attributes)
            self._changed.notify_all()

    def _run(self, work: Callable[[Callable[[], None]], object]) -> None:
        error = None
        try:
            work(self._tick)
        except Stopped:
            pass
        except BaseException as caught:  # the panel shows it: a thread has nobody else to tell
            error = caught
        self._draw()
        self._ended(error)

    def _tick(self) -> None:
        """Between two steps: draw, wait, or end."""
        now = time.monotonic()
        if self._paused or (now - self._drawn >= 1 / FRAMES and (self._seen() or now - self._drawn >= UNSEEN)):
            self._draw()
            self._drawn = time.monotonic()
        with self._changed:
            if self._rate < inf and not self._paused:
                self._changed.wait_for(lambda: self._stopping or self._paused, 1 / self._rate)
            self._changed.wait_for(lambda: self._stopping or not self._paused or self._steps)
            if self._stopping:
                raise Stopped
            self._steps -= self._paused and self._steps > 0
