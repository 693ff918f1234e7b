"""Trials (paper, §6): a kind of trial, its frozen settings and a seed give measures; many of them, in parallel, give
rows.

Trial i of a run has the seed that `numpy.random.SeedSequence(seed).spawn(…)[i]` has to offer, whatever its settings and
whoever runs it: any row can be re-made alone, and settings are compared on equal luck. What is on disk is never run
again. Needs joblib for more than one process, distributed for a cluster, tqdm for a progress bar (extra `cluster`).
"""

import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from ..domains import load
from .rows import Row, RowFile, key, to_line


@dataclass(frozen=True)
class Kind:
    """A kind of trial: its name, the frozen dataclass of its settings, and `trial(settings, seed) -> measures`.

    Settings and measures are strings, numbers, truth values, None or tuples of them. `trial` is a function of a module,
    so that other processes find it. `warm_up` are settings of a quick trial that every process lives once beforehand,
    so that times count no compiling; `loads` are domains of the user's that it loads before that.

    >>> @dataclass(frozen=True)
    ... class Dice:
    ...     sides: int = 6
    >>> dice = Kind("dice", Dice, lambda settings, seed: {"rolled": 1 + seed % settings.sides})
    >>> rows = run(dice, [Dice(), Dice(sides=20)], trials=3)
    >>> [(row["sides"], row["trial"], row["rolled"]) for row in rows]
    [(6, 0, 1), (6, 1, 6), (6, 2, 1), (20, 0, 5), (20, 1, 20), (20, 2, 9)]
    >>> remake(dice, rows[4])["rolled"]
    20
    """

    name: str
    settings: type
    trial: Callable[[Any, int], Mapping[str, Any]]
    warm_up: Any = None
    loads: tuple[str, ...] = ()


def run(kind: Kind, settings: Iterable[Any], trials: int = 10, seed: int = 0, *, file: str | os.PathLike | None = None,
        jobs: int = 1, scheduler: str | None = None, progress: bool = False) -> tuple[Row, ...]:
    """The rows of so many trials of each of `settings`, in that order, run in as many processes as `jobs` says.

    Rows found in `file` are taken from there, the others are added to it as they are finished. `scheduler` is the
    address of a Dask cluster to run on instead, with as many processes as it has when the run begins; what dies with
    one of its workers is lived again by another. An interrupt ends the run early: the rows finished so far come back,
    and the same call goes on from there.
    """
    asked = [_Job(kind, one, i, seed_of(seed, i)) for one in settings for i in range(trials)]
    kept = RowFile(file)
    missing = list({job.key: job for job in asked if job.key not in kept.rows}.values())
    try:
        with closing(_lived(missing, jobs, scheduler)) as lines, _bar(len(asked), len(missing), progress) as tick:
            for line in lines:
                kept.append(line)
                tick()
    except KeyboardInterrupt:
        done = sum(job.key in kept.rows for job in asked)
        warnings.warn(f"interrupted: {done} of {len(asked)} trials are done", stacklevel=2)
    return tuple(kept.rows[job.key] for job in asked if job.key in kept.rows)


def remake(kind: Kind, row: Row) -> Row:
    """The row, lived again from its settings and its seed."""
    settings = kind.settings(**{field.name: row[field.name] for field in fields(kind.settings)})
    job, made = _Job(kind, settings, row["trial"], row["seed"]), RowFile()
    made.append(_live(job))
    return made.rows[job.key]


def seed_of(seed: int, trial: int) -> int:
    """The seed of a trial, from the seed of its run; 63 bits, so that a signed integer holds it.

    >>> seed_of(0, trial=1) == int(np.random.SeedSequence(0).spawn(2)[1].generate_state(1, np.uint64)[0]) >> 1
    True
    """
    return int(np.random.SeedSequence(seed, spawn_key=(trial,)).generate_state(1, np.uint64)[0]) >> 1


@dataclass(frozen=True)
class _Job:
    """One trial to be lived."""

    kind: Kind
    settings: Any
    trial: int
    seed: int

    @property
    def key(self) -> tuple:
        return key(self.kind.name, asdict(self.settings), self.seed)


def _live(job: _Job) -> str:
    """Live a trial: its row, as a line."""
    _warm_up(job.kind)
    began = time.perf_counter()
    try:
        measures = dict(job.kind.trial(job.settings, job.seed))
    except Exception as error:
        error.add_note(f"in trial {job.trial} of {job.settings} with seed {job.seed}")
        raise
    measures["seconds"] = time.perf_counter() - began
    return to_line(job.kind.name, asdict(job.settings), job.trial, job.seed, measures)


@cache
def _warm_up(kind: Kind) -> None:
    for name in kind.loads:
        load(name)
    if kind.warm_up is not None:
        kind.trial(kind.warm_up, 0)


def _lived(jobs: list[_Job], processes: int, scheduler: str | None) -> Iterator[str]:
    """The lines of the jobs, each as soon as it is done."""
    if not jobs:
        return
    if processes == 1 and scheduler is None:
        yield from map(_live, jobs)
        return
    from joblib import Parallel, delayed, parallel_config

    # One trial at a time for each process, and none waiting: stopping loses little, and a slow trial blocks no other.
    options = {"return_as": "generator_unordered", "batch_size": 1, "pre_dispatch": "n_jobs"}
    tasks = (delayed(_live)(job) for job in jobs)
    if scheduler is None:
        _warm_up(jobs[0].kind)  # fills numba's cache before the processes look there
        yield from Parallel(n_jobs=processes, **options)(tasks)
        return
    from distributed import Client

    with Client(scheduler, set_as_default=False) as client:
        with parallel_config("dask", client=client):
            pool = Parallel(n_jobs=-1, **options)
        yield from pool(tasks)


@contextmanager
def _bar(total: int, missing: int, shown: bool) -> Iterator[Callable[[], Any]]:
    """What is to be called after each trial; it moves a progress bar, if one is wanted."""
    if not shown:
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(total=total, initial=total - missing, unit="trial") as bar:
        yield bar.update
