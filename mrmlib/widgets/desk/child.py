"""A child process that can be ended at any time, with all that it started; and a file of rows, read as it grows."""

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ...errors import FormatError
from ...experiment.rows import RowFile

GRACE = 0.25  # seconds for the child to end by itself, having been interrupted
LAST_GRACE = 2.0  # and for what is told to terminate


class Child:
    """Python in a process group of its own, so that an interrupt of the kernel is none of its business.

    >>> child = Child(["-c", "print(1 / 0)"])
    >>> child.wait()
    >>> child.end()
    >>> child.status, child.complaint
    (1, 'ZeroDivisionError: division by zero')
    """

    complaint = ""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - a pipe that nobody reads would fill up
        self._process = subprocess.Popen([sys.executable, *arguments], stdin=subprocess.DEVNULL, stderr=self._said,
                                         stdout=subprocess.DEVNULL, start_new_session=True)
        atexit.register(self.end)  # a kernel that is shut down leaves nobody behind

    @property
    def running(self) -> bool:
        """Is it still at work?"""
        return self._process.poll() is None

    @property
    def status(self) -> int | None:
        """With what it ended; None while it is running."""
        return self._process.poll()

    def wait(self) -> None:
        """Wait until it ends by itself."""
        self._process.wait()

    def end(self) -> None:
        """Interrupt it; what is still there a moment later is terminated with its whole group."""
        if self._said.closed:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.send_signal(signal.SIGINT)
            self._process.wait(GRACE)
        # Terminated rather than killed: the helper of the workers that tidies up shared memory is deaf to it.
        self._tell_group(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LAST_GRACE)
        if self.running:
            self._tell_group(signal.SIGKILL)
            self._process.wait()
        atexit.unregister(self.end)
        self._said.seek(0)
        self.complaint = _culprit(self._said.read().decode(errors="replace"))
        self._said.close()

    def _tell_group(self, what: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):  # nobody left
            os.killpg(self._process.pid, what)


def _culprit(said: str) -> str:
    """The last error that a program told of: what follows the last traceback, else its last line."""
    lines = said.strip().splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("Traceback")]
    told = [line for line in lines[heads[-1] + 1:] if line[:1].strip()] if heads else lines[-1:]
    return "; ".join(told)


class Growing:
    """The rows of a file that another process adds to; `rows` are those read so far, by key.

    >>> Growing("there-is-no-such-file").read()
    0
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path, self._kept, self._offset = Path(path), RowFile(), 0

    @property
    def rows(self) -> dict:
        """The rows by key."""
        return self._kept.rows

    def read(self) -> int:
        """Take in the lines that are whole by now; says how many are new."""
        if not self.path.exists():
            return 0
        with open(self.path, "rb") as file:
            file.seek(self._offset)
            *lines, _ = file.read().split(b"\n")
        for line in lines:
            try:
                self._kept.append(line.decode())
            except (FormatError, UnicodeDecodeError) as error:
                raise FormatError(f"{self.path} is not a file of rows: {error}") from None
            self._offset += len(line) + 1
        return len(lines)
