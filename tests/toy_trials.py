"""Toy kinds of trial: one notes its starts and can be held, one naps, one fails; with a command line of their own."""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mrmlib.experiment import command as experiment
from mrmlib.experiment.trials import Kind
from mrmlib.tables import Table


@dataclass(frozen=True)
class Toy:
    size: int = 3
    scale: float = 1.0
    noisy: bool = True
    log: str = ""
    hold: int = 0


def toy(settings, seed):
    """Draw numbers and add them up; all but the first `hold` to start wait until the log is released."""
    if settings.log:
        log, me = Path(settings.log), (os.getpid(), settings.size, seed)
        with open(log, "a") as file:
            file.write("{} {} {}\n".format(*me))
        while settings.hold and started(log).index(me) >= settings.hold and not released(log).exists():
            time.sleep(0.02)
    drawn = np.random.default_rng(seed).random(settings.size) * settings.scale
    return {"total": drawn.sum(), "largest": np.argmax(drawn), "drawn": tuple(drawn.tolist()),
            "lazy_seconds": time.time()}


def started(log):
    """(process, size, seed) of each trial that began."""
    return [tuple(map(int, line.split())) for line in log.read_text().splitlines()] if log.exists() else []


def released(log):
    """The file that lets held trials go on."""
    return log.with_suffix(".released")


TOY = Kind("toy", Toy, toy)


@dataclass(frozen=True)
class Naps:
    naps: int = 10


def nap(settings, seed):
    """Take so many naps; like an agent, it swallows an interrupt and gives what it has."""
    taken = 0
    try:
        while taken < settings.naps:
            time.sleep(0.01)
            taken += 1
    except KeyboardInterrupt:
        pass
    return {"taken": taken}


NAPPING = Kind("napping", Naps, nap, warm_up=Naps(2))


@dataclass(frozen=True)
class Brittle:
    """The trial with this seed goes wrong, as long as there is no file of that name."""

    seed_that_fails: int = 0
    cure: str = ""
    deadly: bool = False


def brittle(settings, seed):
    """Fail for one seed, or die."""
    if seed == settings.seed_that_fails and not os.path.exists(settings.cure):
        if settings.deadly:
            os._exit(1)
        raise ZeroDivisionError("the cake is gone")
    return {"process": os.getpid()}


BRITTLE = Kind("brittle", Brittle, brittle)


if __name__ == "__main__":
    from tests import toy_trials  # under its own name, so that other processes find the trial

    for kind in (toy_trials.TOY, toy_trials.NAPPING, toy_trials.BRITTLE):
        experiment.TRIALS[kind.name] = kind
    sys.exit(experiment.main(show=lambda rows: print(Table(rows))))
