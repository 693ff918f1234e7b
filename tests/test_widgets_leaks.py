"""A hundred starts and stops of every panel leave no thread, widget, comm, process or open file behind.

A timer would be a thread. Panels live here without a browser, as in a kernel whose page was closed.
"""

import gc
import subprocess
import sys
import threading
import time
from pathlib import Path

import comm
import ipywidgets
import pytest
from ipywidgets.widgets import widget

from mrmlib.widgets.desk.desk import ExperimentDesk
from mrmlib.widgets.draw.drawing import DrawYourMachine
from mrmlib.widgets.play.roles import PlayARole
from mrmlib.widgets.watch.watching import WatchItLearn

TIMES = 100
SLEEPER = ("-S", "-c", "import time; time.sleep(60)")  # stands for the trials: what counts here is that it is ended


class Watching:
    made = WatchItLearn

    def start(self, panel):
        panel.run.click()

    def stop(self, panel):
        panel.halt.click()

    def at_work(self, panel):
        return panel.background.state == "running"


class Playing(Watching):
    made = PlayARole

    def start(self, panel):
        panel.teacher.begin.click()
        panel.agent.start.click()

    def stop(self, panel):
        panel.agent.halt.click()

    def at_work(self, panel):
        return panel.agent.background.state == "running"


class Drawing(Watching):
    """Works when it is told to, and not in the background."""

    @staticmethod
    def made():
        return DrawYourMachine("assembly")

    def start(self, panel):
        panel.edges.fields["u4", "ship"].value = "u0 | 36"

    def stop(self, panel):
        panel.edges.fields["u4", "ship"].value = "u0 | 20"

    def at_work(self, panel):
        return round(panel.solution.value, 5) == 2.53125


class AtTheDesk(Watching):
    def made(self):
        return ExperimentDesk("rows.jsonl", program=SLEEPER)

    def start(self, panel):
        panel.child = None
        panel.run.click()
        while panel.child is None:
            time.sleep(0.001)


PANELS = [Watching, Playing, Drawing, AtTheDesk]


def census():
    """How many there are of everything that could be left behind; /proc is read where there is one."""
    gc.collect()
    children = [child for task in Path("/proc/self/task").glob("*/children") for child in task.read_text().split()]
    return {"threads": threading.active_count(), "widgets": len(widget._instances),
            "comms": len(comm.get_comm_manager().comms), "processes": len(children),
            "files": len([*Path("/proc/self/fd").glob("*")])}


def test_the_census_sees_whatever_is_left_behind():
    before, ended = census(), threading.Event()
    thread, process = threading.Thread(target=ended.wait), subprocess.Popen([sys.executable, *SLEEPER])
    thread.start()
    left, file = ipywidgets.Button(), open(__file__)  # noqa: SIM115
    made = census()
    assert {name: made[name] - before[name] for name in made} == {
        "threads": 1, "widgets": 3, "comms": 3, "processes": 1, "files": 1}  # a button has a layout and a style
    ended.set()
    process.kill()
    process.wait()
    file.close()
    for part in (left.layout, left.style, left):
        part.close()
    thread.join()
    assert census() == before


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", PANELS)
def test_a_hundred_starts_and_stops_leave_nothing_behind(kind):
    kind, before = kind(), census()
    panel = kind.made()
    kind.start(panel)
    kind.stop(panel)
    once = census()
    for _ in range(TIMES):
        kind.start(panel)
        assert kind.at_work(panel)
        kind.stop(panel)
        assert not kind.at_work(panel)
    assert census() == once
    assert {**once, "widgets": 0, "comms": 0} == {**before, "widgets": 0, "comms": 0}
    panel.close()
    assert census() == before


@pytest.mark.parametrize("kind", PANELS)
def test_a_panel_that_is_closed_at_work_stops_its_work_within_half_a_second(kind):
    kind, before = kind(), census()
    panel = kind.made()
    kind.start(panel)
    began = time.monotonic()
    panel.close()
    assert time.monotonic() - began < 0.5
    assert census() == before
