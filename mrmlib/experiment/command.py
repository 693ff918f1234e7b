"""The paper's experiments (§6): which kinds of trial there are, what the paper reports, and a command line for sweeps.

`python -m mrmlib.experiment KIND --help` lists the settings of a kind; each may be given several values, and every
combination is run. A life is lived in any domain: one of the registry, or your own, named package.module:function.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import Field, fields, replace
from itertools import product
from typing import Any

from ..domains import load
from ..errors import MrmError
from .kinds import TRIALS
from .rows import Row, summary
from .trials import Kind, run


def _paper(measures: Sequence[str], figures: Mapping[float, Sequence[tuple[float, float]]]) -> tuple[Row, ...]:
    """A table of the paper as tidy rows: for each APF and measure, mean and standard deviation."""
    return tuple({"apf": apf, "measure": measure, "mean": float(mean), "sd": float(sd)}
                 for apf, cells in figures.items() for measure, (mean, sd) in zip(measures, cells, strict=True))


PAPER_TABLE_1 = _paper(("attempts", "learning_seconds", "counterexamples", "total_reward"), {
    0.75: ((244, 68), (493, 23), (0.4, 0.5), (-1844, 144)),
    0.85: ((341, 103), (496, 9), (0.9, 0.9), (-1830, 105)),
    0.95: ((244, 68), (443, 30), (0.7, 0.7), (-1794, 103)),
})
"""Learning, then random exploitation, ten trials each: #MQAs, LT (s), #CEs, Return."""

PAPER_TABLE_2 = _paper(("total_reward", "exploitation_seconds", "epochs", "counterexamples"), {
    0.75: ((495, 309), (131, 12), (12, 0.8), (7.9, 1.6)),
    0.85: ((1087, 538), (144, 19), (15, 1), (9.6, 2.4)),
    0.95: ((1459, 376), (174, 59), (17, 1), (10.6, 1.3)),
})
"""Learning, then exploitation with tree search, ten trials each: Return, ET (s), #Epochs, #CEs."""


def beside_paper(summarised: Iterable[Row], paper: Iterable[Row]) -> list[Row]:
    """The rows of a summary that the paper reports too, each with the paper's mean and standard deviation (sd), and how
    many of the latter the two means are apart.

    >>> here = {"apf": 0.75, "measure": "total_reward", "n": 10, "mean": 804.0, "sd": 250.0}
    >>> beside_paper([here], PAPER_TABLE_2)[0]["paper_sds_apart"]
    1.0
    """
    known = {(row["apf"], row["measure"]): row for row in paper}
    joined = []
    for row in summarised:
        theirs = known.get((row["apf"], row["measure"]))
        if theirs is not None:
            apart = (row["mean"] - theirs["mean"]) / theirs["sd"]
            joined.append({**row, "paper_mean": theirs["mean"], "paper_sd": theirs["sd"], "paper_sds_apart": apart})
    return joined


def main(arguments: Sequence[str] | None = None, show: Callable[[list[Row]], Any] = print) -> int:
    """Run what the command line asks for, show the summary, and return the exit status: 1 if some trials failed, 130 if
    interrupted.
    """
    parser = _parser()
    asked = vars(parser.parse_args(arguments))
    kind = TRIALS[asked["kind"]]
    values = {field.name: asked[field.name] for field in fields(kind.settings)}
    try:
        kind = replace(kind, loads=_loaded(values.get("domain", ())))
        settings = [kind.settings(**dict(zip(values, chosen, strict=True))) for chosen in product(*values.values())]
        with plain_warnings():
            rows = run(kind, settings, asked["trials"], asked["seed"], file=asked["out"], jobs=asked["jobs"],
                       scheduler=asked["scheduler"], progress=not asked["silent"], retry=asked["retry_failed"])
        swept = [name for name, several in values.items() if len(several) > 1]
        show(summary(rows, swept, measures(kind, rows)))
    except MrmError as error:
        parser.error(str(error))
    except KeyboardInterrupt:  # before or after the run, which has its own way with it
        return 130
    return 130 if rows.interrupted else 1 if rows.failures else 0


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings are for whoever sits at the terminal: what they say, without the place in the code.

    >>> with plain_warnings():
    ...     warnings.warn("the disk is nearly full")
    """
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_: print(message, file=sys.stderr)
        yield


def _loaded(names: Sequence[str]) -> tuple[str, ...]:
    """Those of the domains named that are the user's own, package.module:function, once they are loaded."""
    own = tuple(name for name in names if ":" in name)
    for name in own:
        load(name)
    return own


def measures(kind: Kind, rows: Iterable[Row]) -> list[str]:
    """The columns that can be averaged and are no settings.

    >>> measures(TRIALS["cookie"], [{"learner": "table", "test_length": 5, "trial": 0, "seed": 1, "nodes": 4}])
    ['nodes']
    """
    others = {field.name for field in fields(kind.settings)} | {"trial", "seed"}
    columns = dict.fromkeys(name for row in rows for name, value in row.items() if isinstance(value, int | float))
    return [name for name in columns if name not in others]


def _parser() -> argparse.ArgumentParser:
    """One command for each kind, one option for each of its settings."""
    parser = argparse.ArgumentParser(prog="python -m mrmlib.experiment", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for kind in TRIALS.values():
        purpose = (kind.trial.__doc__ or kind.name).splitlines()[0]
        command = commands.add_parser(kind.name, help=purpose, description=purpose)
        for field in fields(kind.settings):
            command.add_argument("--" + field.name.replace("_", "-"), nargs="+", metavar="VALUE", type=_reader(field),
                                 default=[field.default], help=f"default: {field.default}",
                                 choices=field.metadata.get("choices"))
        of_run = command.add_argument_group("the run")
        of_run.add_argument("--trials", type=int, default=10, help="how many seeds of each setting (default: 10)")
        of_run.add_argument("--seed", type=int, default=0, help="what the trials' seeds are made from (default: 0)")
        of_run.add_argument("--jobs", type=int, default=1, help="how many processes; -1: as many as cores")
        of_run.add_argument("--out", metavar="FILE", help="keep the rows here; what is there is not run again")
        of_run.add_argument("--retry-failed", action="store_true", help="run trials again that failed before")
        of_run.add_argument("--scheduler", metavar="ADDRESS", help="run on this Dask cluster")
        of_run.add_argument("--silent", action="store_true", help="show no progress bar")
    return parser


def _reader(field: Field) -> type:
    """How a setting is read from the command line: as its default is."""
    return _truth if isinstance(field.default, bool) else type(field.default)


def _truth(text: str) -> bool:
    if text not in ("yes", "no"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither yes nor no")
    return text == "yes"
