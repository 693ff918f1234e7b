"""A plan of an experiment: which trials are asked for, how to ask in a shell, and what they came to so far."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass, fields
from functools import cached_property
from html import escape
from statistics import fmean
from typing import Any

from ...errors import FormatError
from ...experiment.command import PAPER_TABLE_1, PAPER_TABLE_2, beside_paper, measures
from ...experiment.rows import Row, key, summary
from ...experiment.trials import Kind, seed_of

PROGRAM = ("-m", "mrmlib.experiment")


@dataclass(frozen=True)
class Plan:
    """So many trials of each of `settings`, which differ in the setting called `varied` ("" if there is but one).

    >>> from mrmlib.experiment.kinds import TRIALS, Cookie
    >>> plan = Plan(TRIALS["cookie"], (Cookie(learner="table"), Cookie(learner="tree")), "learner", trials=5)
    >>> plan.shell()
    'python -m mrmlib.experiment cookie --learner table tree --trials 5 --seed 0 --jobs 1 --out rows.jsonl'
    >>> len(plan.wanted)
    10
    """

    kind: Kind
    settings: tuple[Any, ...]
    varied: str = ""
    trials: int = 10
    seed: int = 0
    jobs: int = 1
    file: str = "rows.jsonl"

    def arguments(self) -> list[str]:
        """What the command line is told; a setting that is as it is by default is left out."""
        told = [self.kind.name]
        for field in fields(self.kind.settings):
            values = [getattr(one, field.name) for one in self.settings]
            values = values if field.name == self.varied else values[:1]
            if values != [field.default]:
                told += ["--" + field.name.replace("_", "-"), *map(_told, values)]
        return [*told, "--trials", str(self.trials), "--seed", str(self.seed), "--jobs", str(self.jobs),
                "--out", self.file]

    def shell(self, program: Sequence[str] = PROGRAM) -> str:
        """The same in a shell."""
        return shlex.join(["python", *program, *self.arguments()])

    @cached_property
    def wanted(self) -> tuple[tuple, ...]:
        """The keys of the rows asked for, setting by setting."""
        seeds = [seed_of(self.seed, trial) for trial in range(self.trials)]
        return tuple(key(self.kind.name, asdict(one), seed) for one in self.settings for seed in seeds)

    def of(self, one: Any, rows: Mapping[tuple, Row]) -> list[Row]:
        """The rows there are for one of the settings."""
        first = self.settings.index(one) * self.trials
        return [rows[wanted] for wanted in self.wanted[first:first + self.trials] if wanted in rows]

    def seconds_left(self, rows: Mapping[tuple, Row]) -> float | None:
        """How long the missing trials will take, going by those of the same settings, else by all; None: no idea."""
        known = [row["seconds"] for one in self.settings for row in self.of(one, rows)]
        if not known:
            return None
        left = 0.0
        for one in self.settings:
            there = [row["seconds"] for row in self.of(one, rows)]
            left += (self.trials - len(there)) * fmean(there or known)
        return left / self.jobs

    def table(self, rows: Mapping[tuple, Row]) -> str:
        """Mean ± standard deviation of each measure as HTML, a column for each of the settings, beside the paper's.

        What the paper reports comes first.
        """
        columns = [self._column(one, self.of(one, rows)) for one in self.settings]
        papers = [{row["measure"]: row for row in paper_table(self.kind, one)} for one in self.settings]
        names = dict.fromkeys(name for found in (*papers, *columns) for name in found)
        first = second = ""
        for one, paper in zip(self.settings, papers, strict=True):
            title = f"{self._heading(one)}, n = {len(self.of(one, rows))}"
            first += f'<th colspan="{2 if paper else 1}">{escape(title)}</th>'
            second += "<th>here</th><th>paper</th>" if paper else "<th>here</th>"
        body = ""
        for name in names:
            cells = (_cells(column.get(name), paper.get(name), bool(paper))
                     for column, paper in zip(columns, papers, strict=True))
            body += f"<tr><th>{escape(_label(name))}</th>{''.join(cells)}</tr>"
        return (f'<table class="mrm-means"><thead><tr><th></th>{first}</tr><tr><th>mean ± sd of the trials</th>{second}'
                f"</tr></thead><tbody>{body}</tbody></table>")

    def _heading(self, one: Any) -> str:
        return f"{self.varied} {_told(getattr(one, self.varied))}" if self.varied else self.kind.name

    def _column(self, one: Any, rows: Sequence[Row]) -> dict[str, Row]:
        """A summary by measure; with what the paper reports, where it does."""
        by = ("apf",) if hasattr(one, "apf") else ()
        found = {row["measure"]: row for row in summary(rows, by, measures(self.kind, rows))}
        if by:
            found |= {row["measure"]: row for row in beside_paper(found.values(), paper_table(self.kind, one))}
        return found


def paper_table(kind: Kind, settings: Any) -> tuple[Row, ...]:
    """What the paper reports of these settings: nothing, but for its own two experiments.

    >>> from mrmlib.experiment.kinds import TRIALS, TreasureMap
    >>> [row["measure"] for row in paper_table(TRIALS["treasure_map"], TreasureMap(apf=0.85))]
    ['total_reward', 'exploitation_seconds', 'epochs', 'counterexamples']
    """
    if kind.name != "treasure_map" or settings.agent == "optimal":
        return ()
    table = {"random": PAPER_TABLE_1, "observations": PAPER_TABLE_2}.get(settings.exploit, ())
    return tuple(row for row in table if row["apf"] == settings.apf)


def values_of(field: Field, typed: str) -> tuple[Any, ...]:
    """The values typed for a setting that varies, apart by spaces or commas.

    >>> from mrmlib.experiment.kinds import Cookie
    >>> values_of(Cookie.__dataclass_fields__["test_length"], "3, 4 5")
    (3, 4, 5)
    """
    words = typed.replace(",", " ").split()
    if not words:
        raise FormatError(f"no values for {field.name}: type some, apart by spaces")
    return tuple(dict.fromkeys(_value(field, word) for word in words))


def _value(field: Field, word: str) -> Any:
    choices = field.metadata.get("choices") or (("yes", "no") if isinstance(field.default, bool) else ())
    if choices and word not in choices:
        raise FormatError(f"{field.name} is one of {', '.join(choices)}, not {word!r}")
    if isinstance(field.default, bool):
        return word == "yes"
    try:
        return type(field.default)(word)
    except ValueError:
        raise FormatError(f"{field.name} is a number such as {field.default}, not {word!r}") from None


def _told(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _label(name: str) -> str:
    """A measure with its unit."""
    stem = name.removesuffix("seconds")
    return name.replace("_", " ") if stem == name else f"{stem.replace('_', ' ').strip() or 'whole trial'} (s)"


def _cells(here: Row | None, paper: Row | None, wide: bool) -> str:
    own = f"<td>{_spread(here) if here and here['n'] else '–'}</td>"
    if not wide:
        return own
    apart = ""
    if here and "paper_sds_apart" in here:
        apart = f" <small>({round(here['paper_sds_apart'], 1) + 0.0:+.1f} sd)</small>"  # no minus before a zero
    return own + f'<td class="mrm-done">{_spread(paper) + apart if paper else ""}</td>'


def _spread(row: Row) -> str:
    """Mean ± standard deviation, both with as many digits as the mean deserves."""
    size = abs(row["mean"])
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 else 4
    sd = "" if math.isnan(row["sd"]) else f" ± {row['sd']:,.{digits}f}"
    return f"{row['mean']:,.{digits}f}{sd}"
