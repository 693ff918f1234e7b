"""The experiment desk: trials in another process, watched, stopped, gone on with; and nobody is left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import fields
from pathlib import Path

import pytest
from ipywidgets.widgets.widget import _instances as widgets

import mrmlib as mrm
from mrmlib.experiment import command
from mrmlib.experiment.kinds import TRIALS, Cookie, TreasureMap
from mrmlib.experiment.rows import RowFile, key, to_line, without_times
from mrmlib.experiment.trials import run, seed_of
from mrmlib.widgets.desk import child as children
from mrmlib.widgets.desk.child import Child, Growing
from mrmlib.widgets.desk.desk import ExperimentDesk
from mrmlib.widgets.desk.plan import Plan, paper_table, values_of
from mrmlib.widgets.desk.settings_form import SettingsForm
from tests.toy_trials import TOY, Toy, released, started

ROOT = Path(__file__).parent.parent
PATIENCE = 120  # seconds until a test gives up on another process


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def group(child):
    """The processes of a child's group that are alive."""
    found = subprocess.run(["ps", "-eo", "pgid=,stat=,pid="], capture_output=True, text=True, check=True).stdout
    return [pid for pgid, stat, pid in map(str.split, found.splitlines())
            if pgid == str(child._process.pid) and "Z" not in stat]


@pytest.fixture
def log(tmp_path):
    """Where toy trials note their start."""
    return tmp_path / "log"


@pytest.fixture
def toys(tmp_path, log, monkeypatch):
    """A desk for toy trials."""
    monkeypatch.chdir(ROOT)
    desk = ExperimentDesk(tmp_path / "new" / "rows.jsonl", {"toy": TOY}, ("-m", "tests.toy_trials"))
    desk.form.controls["log"].value = str(log)
    desk.trials.value = 4
    yield desk
    desk.close()


def rows_of(toys):
    return [without_times(row) for row in RowFile(toys.plan.file).rows.values()]


class TestPlans:
    def test_the_command_line_lives_exactly_the_trials_that_are_planned(self, tmp_path, monkeypatch):
        monkeypatch.setitem(command.TRIALS, "toy", TOY)
        settings = tuple(Toy(size=size, scale=0.1, noisy=False) for size in (2, 5))
        plan = Plan(TOY, settings, "size", trials=3, seed=7, file=str(tmp_path / "rows.jsonl"))
        assert command.main([*plan.arguments(), "--silent"], show=lambda rows: None) == 0
        lived = RowFile(plan.file).rows
        assert sorted(lived, key=str) == sorted(plan.wanted, key=str)
        assert [without_times(row) for one in settings for row in plan.of(one, lived)] == [
            without_times(row) for row in run(TOY, settings, 3, 7)]

    @pytest.mark.parametrize("kind", TRIALS.values(), ids=lambda kind: kind.name)
    def test_every_setting_of_every_kind_has_a_control_that_holds_its_default(self, kind):
        form = SettingsForm(kind, changed=lambda: None)
        form.varied.value = ""
        assert form.settings() == (kind.settings(),)
        assert [*form.controls] == [field.name for field in fields(kind.settings)]
        assert all(control.tooltip for control in form.controls.values())
        assert Plan(kind, form.settings()).arguments()[:2] == [kind.name, "--trials"]

    def test_values_that_vary_are_read_as_the_setting_is(self):
        by_name = {field.name: field for kind in (Toy, Cookie) for field in fields(kind)}
        assert values_of(by_name["scale"], "1, 2.5 1") == (1.0, 2.5)
        assert values_of(by_name["noisy"], "yes no") == (True, False)
        assert values_of(by_name["learner"], "tree") == ("tree",)
        for name, typed, said in (("size", "3 x", "size is a number such as 3, not 'x'"),
                                  ("learner", "oracle", "learner is one of table, tree, not 'oracle'"),
                                  ("noisy", "perhaps", "noisy is one of yes, no"), ("size", " ", "no values for size")):
            with pytest.raises(mrm.FormatError, match=said):
                values_of(by_name[name], typed)

    def test_the_time_left_goes_by_the_trials_of_the_same_settings(self):
        """Two trials of size 2 took 1 s and 3 s: one more takes 2 s. None of size 5 is known: three take 2 s each."""
        plan = Plan(TOY, (Toy(size=2), Toy(size=5)), "size", trials=3, jobs=2)
        assert plan.seconds_left({}) is None
        rows = {wanted: {"seconds": seconds} for wanted, seconds in zip(plan.wanted, (1.0, 3.0), strict=False)}
        assert plan.seconds_left(rows) == (2 + 3 * 2) / 2
        assert plan.seconds_left({wanted: {"seconds": 1.0} for wanted in plan.wanted}) == 0

    def test_means_stand_beside_those_that_the_paper_reports(self):
        plan = Plan(TRIALS["treasure_map"], tuple(TreasureMap(apf=apf) for apf in (0.75, 0.8)), "apf", trials=2)
        one, other = plan.settings
        kept = RowFile()
        for trial, reward in enumerate((700.0, 908.0)):
            kept.append(to_line("treasure_map", vars(one), trial, seed_of(0, trial), {"total_reward": reward}))
        table = plan.table(kept.rows)
        assert "<td>804 ± 147</td>" in table  # √(2·104²) = 147.08
        assert "495 ± 309 <small>(+1.0 sd)</small>" in table
        assert table.count("<th>paper</th>") == 1  # the paper knows no 0.8
        assert "apf 0.75, n = 2" in table
        assert "apf 0.8, n = 0" in table
        assert plan.of(other, kept.rows) == []

    def test_the_paper_reports_two_experiments_and_no_other(self):
        kind = TRIALS["treasure_map"]
        first = {row["measure"] for row in paper_table(kind, TreasureMap(apf=0.95, exploit="random"))}
        assert "attempts" in first
        assert "epochs" in {row["measure"] for row in paper_table(kind, TreasureMap())}
        for settings in (TreasureMap(exploit="rewards"), TreasureMap(agent="optimal"), TreasureMap(apf=0.5)):
            assert paper_table(kind, settings) == ()
        assert paper_table(TRIALS["cookie"], Cookie()) == ()


class TestChildren:
    def test_one_that_is_deaf_to_everything_is_killed(self, tmp_path, monkeypatch):
        monkeypatch.setattr(children, "LAST_GRACE", 0.2)
        deaf = ("import pathlib, signal, time\n"
                "for s in (signal.SIGINT, signal.SIGTERM): signal.signal(s, signal.SIG_IGN)\n"
                f"pathlib.Path({str(tmp_path / 'ready')!r}).touch()\ntime.sleep(600)")
        child = Child(["-c", deaf])
        wait_for((tmp_path / "ready").exists)
        child.end()
        assert child.status == -signal.SIGKILL
        assert group(child) == []

    def test_what_it_complained_of_is_its_last_error_with_its_notes(self):
        child = Child(["-c", "e = ValueError('bad'); e.add_note('in trial 3'); raise e"])
        child.wait()
        child.end()
        assert (child.status, child.complaint) == (1, "ValueError: bad; in trial 3")

    def test_it_ends_with_the_kernel(self):
        script = ("from mrmlib.widgets.desk.child import Child\n"
                  "print(Child(['-c', 'import time; time.sleep(600)'])._process.pid)")
        pid = int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                                 timeout=PATIENCE).stdout)
        wait_for(lambda: not Path(f"/proc/{pid}").exists() or ") Z " in Path(f"/proc/{pid}/stat").read_text())


def test_a_growing_file_is_read_by_whole_lines(tmp_path):
    file = tmp_path / "rows.jsonl"
    line = to_line("dice", {"sides": 6}, 0, 42, {"rolled": 3}) + "\n"
    growing = Growing(file)
    assert growing.read() == 0
    file.write_text(line[:20])
    assert growing.read() == 0
    file.write_text(line)
    assert growing.read() == 1
    assert growing.rows[key("dice", {"sides": 6}, 42)]["rolled"] == 3
    assert growing.read() == 0
    file.write_text(line + "no row\n")
    with pytest.raises(mrm.FormatError, match=r"rows\.jsonl is not a file of rows"):
        growing.read()


class TestTheDesk:
    def test_a_run_gives_the_rows_that_the_library_gives_and_shows_their_means(self, toys):
        toys.form.varied.value = "size"
        toys.form.over.value = "2 4"
        assert not Path(toys.plan.file).parent.exists()  # nothing is touched before Run
        toys.run.click()
        toys.background.wait()
        expected = run(TOY, toys.plan.settings, 4)
        assert sorted(map(str, rows_of(toys))) == sorted(str(without_times(row)) for row in expected)
        assert (toys.bar.value, toys.bar.max) == (8, 8)
        assert "Done: 8 rows" in toys.notice.value
        assert "size 2, n = 4" in toys.means.value
        assert "paper" not in toys.means.value
        assert (toys.run.disabled, toys.halt.disabled) == (False, True)

    def test_stop_keeps_what_is_finished_and_run_goes_on_from_there(self, toys, log):
        toys.jobs.max = toys.jobs.value = 2
        toys.form.controls["hold"].value = 2
        toys.run.click()
        wait_for(lambda: toys.bar.value == 2 and len(started(log)) >= 3)
        assert (toys.run.disabled, toys.halt.disabled, toys.trials.disabled) == (True, False, True)
        assert "left" in toys.left.value
        child, began = toys.child, time.monotonic()
        toys.halt.click()
        assert time.monotonic() - began < 1.5  # half a second, and as much again for a busy machine
        assert toys.background.state == "idle"
        assert "Stopped: 2 of 4 trials are kept" in toys.notice.value
        wait_for(lambda: not group(child))
        kept, begun = rows_of(toys), len(started(log))
        assert len(kept) == 2
        released(log).touch()
        toys.jobs.value = 1
        toys.run.click()
        toys.background.wait()
        assert rows_of(toys)[:2] == kept
        assert "Done: 4 rows" in toys.notice.value
        finished = {row["seed"] for row in kept}
        again = [seed for _, _, seed in started(log)[begun:]]
        assert len(again) == 2
        assert not finished & set(again)

    def test_closing_it_mid_run_ends_the_run(self, toys):
        toys.form.controls["hold"].value = 1
        toys.run.click()
        wait_for(lambda: toys.bar.value == 1)
        toys.close()
        wait_for(lambda: not group(toys.child))
        assert len(rows_of(toys)) == 1

    def test_a_program_that_fails_is_told_as_an_error(self, tmp_path):
        desk = ExperimentDesk(tmp_path / "rows.jsonl", program=("-c", "raise SystemExit('the disk is on fire')"))
        desk.run.click()
        desk.background.wait()
        assert "Ended by an error: the disk is on fire" in desk.notice.value
        assert "mrm-wrong" in desk.notice.value
        assert not desk.run.disabled
        desk.close()

    def test_a_file_of_something_else_is_told_as_an_error_and_left_alone(self, toys, tmp_path):
        toys.file.value = str(tmp_path / "novel.txt")
        Path(toys.file.value).write_text("It was a dark and stormy night.\n")
        toys.run.click()
        toys.background.wait()
        assert "novel.txt is not a file of rows" in toys.notice.value
        assert Path(toys.file.value).read_text() == "It was a dark and stormy night.\n"
        assert not toys.child.running

    def test_a_name_that_is_no_file_is_told_beside_it(self, toys, tmp_path):
        for name in (str(tmp_path), "", f"{__file__}/rows.jsonl"):
            toys.file.value = name
            toys.run.click()
            assert "mrm-wrong" in toys.file_error.value
            assert toys.background.state == "idle"
        toys.file.value = str(tmp_path / "good.jsonl")
        assert toys.file_error.value == ""

    def test_nonsense_to_vary_over_is_told_beside_it_and_cannot_be_run(self, toys):
        toys.form.varied.value = "size"
        toys.form.over.value = "2 many"
        assert "size is a number such as 3, not &#x27;many&#x27;" in toys.form.error.value
        assert toys.run.disabled
        toys.form.over.value = "2 3"
        assert toys.form.error.value == ""
        assert not toys.run.disabled
        assert "--size 2 3" in toys.shell.value

    def test_each_kind_has_its_own_settings(self):
        desk = ExperimentDesk()
        for name in TRIALS:
            desk.kind.value = name
            assert desk.stack.children[desk.stack.selected_index] is desk.forms[name]
            assert f"mrmlib.experiment {name} " in desk.shell.value
        desk.close()

    def test_starts_and_stops_leave_no_thread_no_widget_and_no_open_file(self, tmp_path):
        before = set(widgets), threading.active_count()
        desk = ExperimentDesk(tmp_path / "rows.jsonl", program=("-c", "import time; time.sleep(600)"))
        made, opened = len(widgets), None
        for _ in range(100):
            desk.run.click()
            desk.halt.click()
            opened = opened or len(os.listdir("/proc/self/fd"))
        assert len(widgets) == made
        assert len(os.listdir("/proc/self/fd")) <= opened
        desk.close()
        assert (set(widgets), threading.active_count()) == before
