"""Rows (paper, §6, before its tables): what a trial came to, tidy and safe on disk. A row is flat: kind, settings,
trial, seed, measures, versions.

On disk a row is one line of JSON, written in one piece when its trial ends. Its key is (kind, settings, seed): all that
it depends on, times and versions apart. Times are the columns whose names end in "seconds".
"""

import math
import os
import platform
import sys
import warnings
from collections.abc import Iterable, Mapping
from statistics import fmean, stdev
from typing import Any, BinaryIO

import numba
import numpy as np

from .. import document
from ..errors import FormatError
from ..names import Names

Row = dict[str, Any]
"""Columns by name."""


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
    """Rows by key, each a line of a file; without a path they are kept in memory only.

    A last line that was cut off (the writer died as it wrote) is dropped with a warning.

    >>> kept = RowFile()
    >>> kept.append(to_line("dice", {"sides": 6}, 0, 42, {"rolled": 3}))
    >>> kept.rows[key("dice", {"sides": 6}, 42)]["rolled"]
    3
    """

    def __init__(self, path: str | os.PathLike | None = None) -> None:
        self.path, self.rows = path, {}
        if path is None:
            return
        with open(path, "a+b") as file:  # makes it, where it is missing
            file.seek(0)
            *lines, last = file.read().split(b"\n")
            for number, line in enumerate(lines, start=1):
                self._keep(line, f"row {number} of {path}")
            if last:
                self._mend(file, last)

    def append(self, line: str) -> None:
        """Add a row, on disk before this returns."""
        self._keep(line.encode(), "a new row")
        if self.path is not None:
            with open(self.path, "ab") as file:
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())

    def _keep(self, line: bytes, source: str) -> None:
        try:
            content = document.load(line.decode(), "row", _content, source)
        except UnicodeDecodeError:
            raise FormatError(f"{source}: not UTF-8 text") from None
        self.rows[key(content["kind"], content["settings"], content["seed"])] = _flat(content)

    def _mend(self, file: BinaryIO, last: bytes) -> None:
        """A last line without its end: whole, it gets one; cut off, it goes."""
        try:
            self._keep(last, f"the last row of {self.path}")
            file.write(b"\n")
        except FormatError:
            file.truncate(file.tell() - len(last))
            warnings.warn(f"the last line of {self.path} was cut off: its {len(last)} bytes are dropped, "
                          "that trial will run again", stacklevel=4)


def to_line(kind: str, settings: Mapping[str, Any], trial: int, seed: int, measures: Mapping[str, Any]) -> str:
    """A row as a line of JSON, with the versions that made it; no two columns may have the same name.

    >>> to_line("dice", {"sides": 6}, 0, 42, {"rolled": np.int64(3)})[:84]
    '{"mrmlib": "row", "version": 1, "kind": "dice", "trial": 0, "seed": 42, "settings": '
    >>> to_line("dice", {"sides": 6}, 0, 42, {"sides": 3})
    Traceback (most recent call last):
    mrmlib.errors.ModelError: the column 'sides' is declared twice
    """
    parts = {"settings": settings, "measures": measures, "versions": _versions()}
    Names(("kind", "trial", "seed", *(name for part in parts.values() for name in part)), "column")
    return document.dump("row", {"kind": kind, "trial": trial, "seed": seed,
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
