"""Both experiments of the paper at full size (§6): ten trials of everything, and the tables beside the paper's.

`python -m mrmlib.experiment.reproduce --out FILE` runs what FILE does not hold yet and prints the tables.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from ..domains import treasure_map
from ..errors import MrmError
from ..solve.exact import solve_finite
from .command import PAPER_TABLE_1, PAPER_TABLE_2, plain_warnings
from .kinds import TRIALS, Cookie, CookieByOptimisation, TreasureMap
from .rows import Row, summary
from .trials import Finished, run

APFS = (0.75, 0.85, 0.95)
TRIALS_EACH = 10

AS_PUBLISHED, SOUND, ALGORITHM_1 = "as published", "sound reading", "Algorithm 1"
LIVES = {
    AS_PUBLISHED: {"agent": "as_published"},
    SOUND: {"agent": "sound"},
    ALGORITHM_1: {"agent": "optimal", "explore": "optimal"},
}
RANDOM_LIVES = {**{name: {**LIVES[name], "exploit": "random"} for name in (AS_PUBLISHED, SOUND)},
                ALGORITHM_1: LIVES[ALGORITHM_1]}
TREATMENTS = {
    "filtered, random exploration": Cookie("filtered", "random"),
    "filtered, optimal exploration": Cookie("filtered", "optimal"),
    "constant, optimal exploration": Cookie("constant", "optimal"),
    "don't care, optimal exploration": Cookie("dont_care", "optimal"),
}
RIVALS = {
    f"tabu search for {goal}, u_max = {u_max}": CookieByOptimisation(u_max, *weights)
    for goal, weights in (("rewards", (0.0, 1.0)), ("observations (LRM)", (1.0, 0.0))) for u_max in (2, 4)
}

TABLE_1 = {"attempts": ("#MQAs", 0), "learning_seconds": ("LT (s)", 1), "counterexamples": ("#CEs", 1),
           "total_reward": ("Return", 0)}
TABLE_2 = {"total_reward": ("Return", 0), "exploitation_seconds": ("ET (s)", 2), "epochs": ("#Epochs", 1),
           "counterexamples": ("#CEs", 1)}
OURS = {"learning_actions": ("actions for learning", 0), "resets": ("resets", 0), "exact": ("machine exact", 1),
        "nodes": ("nodes", 1), "value": ("best mean payoff in M ⊗ H", 4)}
"""For each measure its name in a table and its digits."""


def treasure_settings() -> tuple[TreasureMap, ...]:
    """Every setting of the treasure map, once."""
    lives = [*LIVES.values(), *RANDOM_LIVES.values()]
    return tuple(dict.fromkeys(TreasureMap(apf, **life) for life in lives for apf in APFS))


def everything(file: str | os.PathLike | None = None, jobs: int = 1, progress: bool = False,
               retry: bool = False) -> Finished:
    """The rows of both experiments, at full size; those in `file` are not lived again, and an interrupt loses none."""
    parts = {"treasure_map": treasure_settings(), "cookie": TREATMENTS.values(),
             "cookie_by_optimisation": reversed(RIVALS.values())}  # the slowest first, so that none waits for it
    rows, failures = [], []
    for name, settings in parts.items():
        found = run(TRIALS[name], settings, TRIALS_EACH, file=file, jobs=jobs, progress=progress, retry=retry)
        if found.interrupted:
            raise KeyboardInterrupt
        rows += found
        failures += found.failures
    return Finished(rows, failures)


def rows_of(rows: Iterable[Row], settings: Any) -> list[Row]:
    """The rows with these settings."""
    kind = next(kind.name for kind in TRIALS.values() if kind.settings is type(settings))
    return [row for row in rows
            if row["kind"] == kind and all(row[name] == value for name, value in asdict(settings).items())]


def treasure_table(rows: Sequence[Row], lives: Mapping[str, Mapping[str, Any]],
                   measures: Mapping[str, tuple[str, int]], paper: Iterable[Row] = ()) -> list[Row]:
    """For each APF and measure: the paper's mean ± sd, those of each life, and the exact optimum where there is one."""
    theirs = {(row["apf"], row["measure"]): row for row in paper}
    found = []
    for apf in APFS:
        by_life = {name: _summarised(rows_of(rows, TreasureMap(apf, **life)), measures) for name, life in lives.items()}
        for measure, (title, digits) in measures.items():
            row = {"APF": apf, "measure": title}
            if theirs:
                row["paper"] = spread(theirs[apf, measure], digits)
            row |= {name: spread(values[measure], digits) for name, values in by_life.items()}
            found.append(row | {"optimum": f"{OPTIMA[measure](apf):,.{digits}f}" if measure in OPTIMA else ""})
    return found


def cookie_table(rows: Sequence[Row], settings: Mapping[str, Any]) -> list[Row]:
    """For each way to learn the cookie machine: how often it was exact, its nodes, and what it took."""
    found = []
    for name, one in settings.items():
        own = rows_of(rows, one)
        values = _summarised(own, ("nodes", "learning_actions", "actions_until_exact", "resets", "learning_seconds"))
        found.append({
            "learner": name,
            "exact within M": f"{sum(row['exact'] for row in own)} of {len(own)}",
            "nodes": spread(values["nodes"], 1),
            "actions until exact": spread(values["actions_until_exact"], 0),
            "actions in all": spread(values["learning_actions"], 0),
            "resets": spread(values["resets"], 0),
            "time (s)": spread(values["learning_seconds"], 2),
            "slowest (s)": f"{max(row['learning_seconds'] for row in own):.2f}",
        })
    return found


def spread(row: Row, digits: int) -> str:
    """A mean with its standard deviation.

    >>> spread({"mean": 1459.0, "sd": 376.0}, digits=0)
    '1,459 ± 376'
    """
    return f"{row['mean']:,.{digits}f} ± {row['sd']:,.{digits}f}"


@cache
def optimum(apf: float) -> float:
    """The largest expected return of 2000 actions that begin in s0, by one who knows the machine."""
    return solve_finite(treasure_map(apf).product, 2000).value


OPTIMA = {"total_reward": optimum, "value": lambda apf: treasure_map(apf).facts["optimal_mean_payoff"]}
"""The best that a measure can be, for an APF."""


def _summarised(rows: Sequence[Row], measures: Iterable[str]) -> dict[str, Row]:
    return {row["measure"]: row for row in summary(rows, (), measures)}


def tables(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """All tables by title."""
    return {
        "Table 1: learning, then random exploitation": treasure_table(rows, RANDOM_LIVES, TABLE_1, PAPER_TABLE_1),
        "Table 2: learning, then exploitation": treasure_table(rows, LIVES, TABLE_2, PAPER_TABLE_2),
        "Treasure map, measures of ours": treasure_table(rows, LIVES, OURS),
        "Cookie domain: three treatments of words that cannot be lived": cookie_table(rows, TREATMENTS),
        "Cookie domain: learning by optimisation": cookie_table(rows, RIVALS),
    }


def main(arguments: Sequence[str] | None = None) -> dict[str, list[Row]]:
    """The tables, after running what is missing."""
    parser = argparse.ArgumentParser(prog="python -m mrmlib.experiment.reproduce", description=__doc__.splitlines()[0])
    parser.add_argument("--out", metavar="FILE", help="keep the rows here; what is there is not run again")
    parser.add_argument("--jobs", type=int, default=-1, help="how many processes; -1 (default): as many as cores")
    parser.add_argument("--retry-failed", action="store_true", help="run trials again that failed before")
    parser.add_argument("--silent", action="store_true", help="show no progress bar")
    asked = parser.parse_args(arguments)
    try:
        with plain_warnings():
            rows = everything(asked.out, asked.jobs, not asked.silent, asked.retry_failed)
    except MrmError as error:
        parser.error(str(error))
    if rows.failures:
        parser.exit(1, "no tables: they would lack the trials that failed\n")
    return tables(rows)


if __name__ == "__main__":
    from mrmlib.experiment import reproduce  # under its own name, so that other processes find the trials
    from mrmlib.tables import Table

    try:
        for title, shown in reproduce.main().items():
            print(f"\n## {title}\n\n{Table(shown)}")
    except KeyboardInterrupt:
        sys.exit(130)
