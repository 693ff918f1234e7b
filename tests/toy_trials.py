"""A toy kind of trial that notes each start and can be held; `python -m tests.toy_trials` is its command line."""

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


if __name__ == "__main__":
    from tests import toy_trials  # under its own name, so that other processes find the trial

    experiment.TRIALS["toy"] = toy_trials.TOY
    sys.exit(experiment.main(show=lambda rows: print(Table(rows))))
