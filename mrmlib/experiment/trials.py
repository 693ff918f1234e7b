"""Trials (paper, §6): a kind of trial, its frozen settings and a seed give measures; many of them, in parallel, give
rows.

Trial i of a run has the seed that `numpy.random.SeedSequence(seed).spawn(…)[i]` has to offer, whatever its settings and
whoever runs it: any row can be re-made alone, and settings are compared on equal luck. What is on disk is never run
again. A trial that was interrupted leaves no trace; one that failed leaves its reason, and stops no other. Needs joblib
for more than one process, distributed for a cluster, tqdm for a progress bar (extra `cluster`).
"""

import os
import queue
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, Self

import numpy as np

from ..domains import load
from ..errors import ModelError, MrmError
from .rows import Row, RowFile, key, to_line

ALONE = 30.0  # seconds that a cluster may be without workers
TOLD = 3  # failures that a warning tells in words


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


class Finished(tuple[Row, ...]):
    """The finished rows of a run; `failures` tell of its trials that failed, `interrupted` whether it ended early.

    >>> rows = Finished([{"rolled": 3}], failures=[{"reason": "ValueError: the dice are gone"}])
    >>> len(rows), rows.failures[0]["reason"], rows.interrupted
    (1, 'ValueError: the dice are gone', False)
    """

    failures: tuple[Row, ...]
    interrupted: bool

    def __new__(cls, rows: Iterable[Row] = (), failures: Iterable[Row] = (), interrupted: bool = False) -> Self:
        """So many rows, and what became of the others."""
        made = super().__new__(cls, rows)
        made.failures, made.interrupted = tuple(failures), interrupted
        return made


def run(kind: Kind, settings: Iterable[Any], trials: int = 10, seed: int = 0, *, file: str | os.PathLike | None = None,
        jobs: int = 1, scheduler: str | None = None, progress: bool = False, retry: bool = False) -> Finished:
    """The rows of so many trials of each of `settings`, in that order, run in as many processes as `jobs` says.

    Rows found in `file` are taken from there, the others are added to it as they are finished. A trial that fails is
    kept with its reason, told of in a warning, and not run again unless `retry`. `scheduler` is the address of a Dask
    cluster to run on instead, a trial at a time for each thread of its workers; what dies with a worker is lived again
    by another. An interrupt ends the run early: the rows finished so far come back, and the same call goes on from
    there.
    """
    for name, value, senseless in (("trials", trials, trials < 1), ("seed", seed, seed < 0), ("jobs", jobs, jobs == 0)):
        if senseless:
            raise ModelError(f"{name} = {value} makes no sense")
    asked = [_Job(kind, one, i, seed_of(seed, i)) for one in settings for i in range(trials)]
    kept, interrupted = RowFile(file), False
    try:
        if _missing(asked, kept, retry):  # else the file need not be anybody's
            with kept:
                _live_all(_missing(asked, kept, retry), kept, len(asked), jobs, scheduler, progress)
    except KeyboardInterrupt:
        interrupted = True
        done = sum(job.key in kept.rows for job in asked)
        warnings.warn(f"interrupted: {done} of {len(asked)} trials are done", stacklevel=2)
    failed = {job.key: job for job in asked if job.key in kept.failures}
    failures = [kept.failures[name] for name in failed]
    if failures:
        told = [f"{job} failed: {failure['reason'].splitlines()[0]}"
                for job, failure in zip(failed.values(), failures, strict=True)]
        warnings.warn(f"{len(failed)} of {len(asked)} trials failed (retry=True, --retry-failed: run them again), "
                      "among them\n" + "\n".join(told[:TOLD]), stacklevel=2)
    return Finished((kept.rows[job.key] for job in asked if job.key in kept.rows), failures, interrupted)


def remake(kind: Kind, row: Row) -> Row:
    """The row, lived again from its settings and its seed; a failure fails again, with all that Python says of it."""
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

    def __str__(self) -> str:
        return f"trial {self.trial} of {self.settings} with seed {self.seed}"

    @property
    def key(self) -> tuple:
        return key(self.kind.name, asdict(self.settings), self.seed)

    def line(self, measures: Mapping[str, Any], failed: bool = False) -> str:
        return to_line(self.kind.name, asdict(self.settings), self.trial, self.seed, measures, failed)

    def failure(self, error: Exception) -> str:
        return self.line({"reason": "".join(traceback.format_exception_only(error)).strip()}, failed=True)


def _missing(asked: list[_Job], kept: RowFile, retry: bool) -> list[_Job]:
    """The trials to be lived, each once."""
    return [*{job.key: job for job in asked
              if job.key not in kept.rows and (retry or job.key not in kept.failures)}.values()]


def _live_all(missing: list[_Job], kept: RowFile, total: int, jobs: int, scheduler: str | None, progress: bool) -> None:
    """Live what is missing, and keep each line as soon as it is there."""
    keys = {job.key for job in missing}
    with closing(_lived(missing, jobs, scheduler)) as lines, _bar(total, total - len(missing), progress) as tick:
        for line in lines:
            with _no_interrupt_is_lost(at_once=False):  # a line is kept whole or not at all
                kept.append(line)
            tick(len(keys & kept.failures.keys()))


def _attempt(job: _Job) -> str:
    """Live a trial: its row, or why it failed, as a line."""
    _warm_up(job.kind)  # if this fails, so would every trial
    try:
        return _live(job)
    except Exception as error:
        return job.failure(error)


def _live(job: _Job) -> str:
    """Live a trial: its row, as a line."""
    _warm_up(job.kind)
    with _no_interrupt_is_lost():
        began = time.perf_counter()
        measures = dict(job.kind.trial(job.settings, job.seed))
        measures["seconds"] = time.perf_counter() - began
    return job.line(measures)


@cache
def _warm_up(kind: Kind) -> None:
    with _no_interrupt_is_lost():
        for name in kind.loads:
            load(name)
        if kind.warm_up is not None:
            kind.trial(kind.warm_up, 0)


@contextmanager
def _no_interrupt_is_lost(at_once: bool = True) -> Iterator[None]:
    """An interrupt comes at once or at the end, and in any case at the end, whatever the code within made of it."""
    came = False

    def come(*_: object) -> None:
        nonlocal came
        came = True
        if at_once:
            raise KeyboardInterrupt

    # Only the main thread hears signals; and one who has them handled in another way knows why.
    ours = (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    try:
        if ours:
            signal.signal(signal.SIGINT, come)
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if came:
            raise KeyboardInterrupt


def _lived(jobs: list[_Job], processes: int, scheduler: str | None) -> Iterator[str]:
    """The lines of the jobs, each as soon as it is done."""
    if scheduler is not None:
        yield from _lived_on_cluster(jobs, scheduler)
    elif processes == 1:
        yield from map(_attempt, jobs)
    elif jobs:
        from joblib import Parallel, delayed

        _warm_up(jobs[0].kind)  # fills numba's cache before the processes look there
        # One trial at a time for each process, none waiting: stopping loses little, and a slow trial blocks no other.
        yield from Parallel(processes, return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")(
            delayed(_attempt)(job) for job in jobs)


def _lived_on_cluster(jobs: list[_Job], scheduler: str) -> Iterator[str]:
    """The same on a Dask cluster: one trial at a time for each thread that its workers have by then."""
    from distributed import Client, KilledWorker

    try:
        client = Client(scheduler, set_as_default=False, timeout=ALONE)
    except (OSError, ValueError) as error:
        raise MrmError(f"there is no Dask scheduler at {scheduler}: {error}") from error
    with client:
        waiting, running, done, seen = jobs[::-1], {}, queue.SimpleQueue(), time.monotonic()
        while waiting or running:
            threads = sum(client.nthreads().values())
            if threads:
                seen = time.monotonic()
            elif time.monotonic() - seen > ALONE:
                raise MrmError(f"the Dask cluster at {scheduler} has had no workers for {ALONE:g} seconds: "
                               f"{len(waiting) + len(running)} trials are left")
            while waiting and len(running) < max(1, threads):  # one may bring a cluster to start its first worker
                future = client.submit(_attempt, waiting[-1], pure=False)
                running[future] = waiting.pop()
                future.add_done_callback(done.put)
            try:
                future = done.get(timeout=min(1.0, ALONE))
            except queue.Empty:
                continue
            job = running.pop(future)
            try:
                yield future.result()
            except KilledWorker as error:
                yield job.failure(error)


@contextmanager
def _bar(total: int, done: int, shown: bool) -> Iterator[Callable[[int], None]]:
    """What is to be told after each trial how many failed; it moves a progress bar, if one is wanted."""
    if not shown:
        yield lambda failed: None
        return
    from tqdm import tqdm

    with tqdm(total=total, initial=done, unit="trial") as bar:
        def tick(failed: int) -> None:
            if failed:
                bar.set_postfix(failed=failed, refresh=False)
            bar.update()

        yield tick
