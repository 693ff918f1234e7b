"""Rows (paper, §6, before its tables): what a trial came to, tidy and safe on disk. A row is flat: kind, settings,
trial, seed, measures, versions.

On disk a row is one line of JSON, written in one piece when its trial ends; so is a failure, with its reason. The key
is (kind, settings, seed): all that a row depends on, times and versions apart. Times are the columns whose names end in
"seconds".
"""

import math
import os
import platform
import sys
import warnings
from collections.abc import Iterable, Mapping
from statistics import fmean, stdev
from typing import Any, BinaryIO, Self

import numba
import numpy as np

from .. import document
from ..errors import FormatError, ModelError
from ..names import Names

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None

Row = dict[str, Any]
"""Columns by name."""

_STARTS = {kind: document.dump(kind, {}).partition(",")[0].encode() for kind in ("row", "failure")}
"""How a line of each kind begins."""


def without_times(row: Row) -> Row:
    """The row without its times and versions: what must be the same whenever and wherever it is made.

    >>> without_times({"trial": 0, "return": 12.0, "learning_seconds": 0.3, "numpy": "2.0"})
    {'trial': 0, 'return': 12.0}
    """
    return {name: value for name, value in row.items() if not name.endswith("seconds") and name not in _versions()}


def summary(rows: Iterable[Row], by: Iterable[str], measures: Iterable[str]) -> list[Row]:
    """Mean, standard deviation (of a sample) and n of each measure, for rows that agree in `by`.

    A measure that is None does not count; what too few values leave undefined is NaN.

    >>> rows = [{"apf": 0.75, "return": 1.0}, {"apf": 0.75, "return": 3.0}, {"apf": 0.95, "return": 5.0}]
    >>> summary(rows, by=["apf"], measures=["return"])[0]
    {'apf': 0.75, 'measure': 'return', 'n': 2, 'mean': 2.0, 'sd': 1.4142135623730951}
    """
    by, measures, groups = tuple(by), tuple(measures), {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    found = []
    for group, members in groups.items():
        for measure in measures:
            values = [float(row[measure]) for row in members if row[measure] is not None]
            mean, sd = fmean(values) if values else math.nan, stdev(values) if len(values) > 1 else math.nan
            found.append({**dict(zip(by, group, strict=True)),
                          "measure": measure, "n": len(values), "mean": mean, "sd": sd})
    return found


class RowFile:
    """Rows by key, each a line of a file, and `failures`: the trials that failed and have no row, by key as well.

    Reading writes nothing. Within `with` the file is this one's alone, and what is appended goes there; a last line
    that was cut off (the writer died as it wrote) is dropped with a warning. Without a path all is kept in memory.

    >>> kept = RowFile()
    >>> kept.append(to_line("dice", {"sides": 6}, 0, 42, {"rolled": 3}))
    >>> kept.rows[key("dice", {"sides": 6}, 42)]["rolled"]
    3
    """

    def __init__(self, path: str | os.PathLike | None = None) -> None:
        self.path, self.rows, self.failures, self._file = path, {}, {}, None
        if path is not None and os.path.exists(path):
            with self._opened("rb") as file:
                self._read(file)

    def __enter__(self) -> Self:
        if self.path is not None:
            self._file = self._opened("a+b")  # makes it, where it is missing
            try:
                self._lock()
                self._mend(*self._read(self._file))  # again: another may have written since
            except BaseException:
                self._file.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()  # and unlocked
            self._file = None

    def append(self, line: str) -> None:
        """Add a row or a failure, on disk before this returns."""
        if self.path is not None and self._file is None:
            raise ModelError(f"rows are added to {self.path} within `with` only")
        self._keep(line.encode(), "a new row")
        if self._file is not None:
            self._file.write(line.encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def _opened(self, mode: str) -> BinaryIO:
        try:
            return open(self.path, mode)
        except OSError as error:
            raise ModelError(f"no rows can be kept in {self.path}: {error.strerror}") from error

    def _lock(self) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ModelError(f"another run is adding rows to {self.path}: wait for it, or name another file"
                                 ) from None

    def _read(self, file: BinaryIO) -> tuple[bytes, bool]:
        """Take in every line; what comes back is a last one without its end, and whether it is whole all the same."""
        file.seek(0)
        *lines, last = file.read().split(b"\n")
        for number, line in enumerate(lines, start=1):
            self._keep(line, f"row {number} of {self.path}")
        try:
            if last:
                self._keep(last, f"the last row of {self.path}")
        except FormatError:
            if not any(start.startswith(last[:len(start)]) for start in _STARTS.values()):  # somebody else's
                raise
            return last, False
        return last, True

    def _mend(self, last: bytes, whole: bool) -> None:
        """A last line without its end: whole, it gets one; cut off, it goes."""
        if last and whole:
            self._file.write(b"\n")
        elif last:
            self._file.truncate(self._file.tell() - len(last))
            warnings.warn(f"the last line of {self.path} was cut off: its {len(last)} bytes are dropped, "
                          "that trial will run again", stacklevel=4)

    def _keep(self, line: bytes, source: str) -> None:
        failed = line.startswith(_STARTS["failure"])
        try:
            content = document.load(line.decode(), "failure" if failed else "row", _content, source)
        except UnicodeDecodeError:
            raise FormatError(f"{source}: not UTF-8 text") from None
        name = key(content["kind"], content["settings"], content["seed"])
        if not failed:
            self.rows[name] = _flat(content)
            self.failures.pop(name, None)
        elif name not in self.rows:
            self.failures[name] = _flat(content)


def to_line(kind: str, settings: Mapping[str, Any], trial: int, seed: int, measures: Mapping[str, Any],
            failed: bool = False) -> str:
    """A row as a line of JSON, with the versions that made it; no two columns may have the same name.

    The only measure of a trial that failed is the reason.

    >>> to_line("dice", {"sides": 6}, 0, 42, {"rolled": np.int64(3)})[:84]
    '{"mrmlib": "row", "version": 1, "kind": "dice", "trial": 0, "seed": 42, "settings": '
    >>> to_line("dice", {"sides": 6}, 0, 42, {"sides": 3})
    Traceback (most recent call last):
    mrmlib.errors.ModelError: the column 'sides' is declared twice
    """
    parts = {"settings": settings, "measures": measures, "versions": _versions()}
    Names(("kind", "trial", "seed", *(name for part in parts.values() for name in part)), "column")
    return document.dump("failure" if failed else "row", {"kind": kind, "trial": trial, "seed": seed,
                                                          **{name: _plain(part) for name, part in parts.items()}})


def key(kind: str, settings: Mapping[str, Any], seed: int) -> tuple:
    """What tells a row from every other."""
    return kind, tuple(sorted(settings.items())), seed


def _plain(part: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON; a numpy scalar is the number it holds."""
    return {name: document.name_to_json(value.item() if isinstance(value, np.generic) else value)
            for name, value in part.items()}


def _content(document_: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a line that make a row, with tuples where JSON has lists."""
    parts = {name: document_[name] for name in ("kind", "trial", "seed")}
    for name in ("settings", "measures", "versions"):
        parts[name] = {column: document.name_from_json(value) for column, value in document_[name].items()}
    return parts


def _flat(content: Mapping[str, Any]) -> Row:
    """The columns side by side."""
    return {"kind": content["kind"], **content["settings"], "trial": content["trial"], "seed": content["seed"],
            **content["measures"], **content["versions"]}


def _versions() -> dict[str, str]:
    library = sys.modules[__package__.partition(".")[0]]  # whole by the time a row is made
    return {"mrmlib": library.__version__, "numpy": np.__version__, "numba": numba.__version__,
            "python": platform.python_version()}
