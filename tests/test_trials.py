"""Trials: seeds, files, processes, interruptions. Processes are killed for good; nothing waits on a guess of time."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import mrmlib as mrm
from mrmlib.experiment import trials
from mrmlib.experiment.lives import TreasureMap, treasure_map_trial
from mrmlib.experiment.rows import RowFile, summary, to_line, without_times
from mrmlib.experiment.trials import Kind, remake, run, seed_of
from tests.toy_trials import BRITTLE, NAPPING, TOY, Brittle, Naps, Toy, released, started

ROOT = Path(__file__).parent.parent
PATIENCE = 120  # seconds until a test gives up on another process


def timeless(rows):
    return [without_times(row) for row in rows]


def wait_for(condition):
    """Wait until `condition()` holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def lines(file):
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.fixture
def spawn():
    """Starts Python in a process of its own group, so that whatever that starts in turn can be ended with it."""
    processes = []

    def start(*arguments):
        processes.append(subprocess.Popen([sys.executable, *map(str, arguments)], cwd=ROOT, start_new_session=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    for process in processes:
        end(process)


def end(process):
    """Kill the process and its whole group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    if not process.stdout.closed:
        process.communicate(timeout=PATIENCE)


class TestRows:
    def test_they_carry_settings_seed_measures_and_versions(self):
        row = run(TOY, [Toy(size=2)], trials=1, seed=7)[0]
        assert (row["kind"], row["size"], row["trial"], row["seed"]) == ("toy", 2, 0, seed_of(7, 0))
        assert row["total"] == pytest.approx(sum(row["drawn"]))
        assert row["seconds"] >= 0
        assert {"mrmlib", "numpy", "numba", "python"} <= set(row)
        assert type(row["largest"]) is int

    def test_seeds_are_those_that_numpy_spawns_and_none_is_twice(self):
        spawned = np.random.SeedSequence(3).spawn(200)
        seeds = [seed_of(3, i) for i in range(200)]
        assert seeds == [int(child.generate_state(1, np.uint64)[0]) >> 1 for child in spawned]
        assert len(set(seeds)) == 200

    def test_each_can_be_made_again_alone_bit_for_bit_but_for_times(self):
        rows = run(TOY, [Toy(), Toy(size=5)], trials=3)
        for row in rows:
            again = remake(TOY, row)
            assert without_times(again) == without_times(row)
            assert again["lazy_seconds"] != row["lazy_seconds"]

    def test_they_do_not_depend_on_processes_or_on_the_order_of_settings(self):
        here = run(TOY, [Toy(), Toy(size=5)], trials=4)
        there = run(TOY, [Toy(size=5), Toy()], trials=4, jobs=2)
        assert timeless(here) == timeless(there[4:] + there[:4])

    def test_another_seed_gives_other_numbers(self):
        assert run(TOY, [Toy()], trials=1, seed=0)[0]["total"] != run(TOY, [Toy()], trials=1, seed=1)[0]["total"]

    @pytest.mark.parametrize(("measures", "reason"), [({"size": 1}, "the column 'size' is declared twice"),
                                                      ({"value": float("nan")}, "the name nan has no JSON form")])
    def test_measures_that_make_no_row_are_a_failure(self, measures, reason):
        with pytest.warns(UserWarning, match=reason):
            assert run(Kind("broken", Toy, lambda settings, seed: measures), [Toy()], trials=1) == ()

    @pytest.mark.parametrize("wrong", [{"trials": 0}, {"seed": -1}, {"jobs": 0}])
    def test_numbers_that_make_no_sense_are_refused_before_anything_is_run(self, wrong, tmp_path):
        name, value = *wrong, *wrong.values()
        with pytest.raises(mrm.ModelError, match=f"^{name} = {value} makes no sense$"):
            run(TOY, [Toy(log=str(tmp_path / "log"))], file=tmp_path / "rows", **wrong)
        assert not [*tmp_path.iterdir()]

    def test_every_process_warms_up_once_before_its_first_trial(self, tmp_path):
        log = tmp_path / "log"
        warm = Kind("toy", Toy, TOY.trial, warm_up=Toy(size=1, log=str(log)))
        run(warm, [Toy(size=2, log=str(log))], trials=6, jobs=2)
        for process in {process for process, _, _ in started(log)}:
            sizes = [size for other, size, _ in started(log) if other == process]
            assert sizes[0] == 1
            assert 1 not in sizes[1:]


class TestFailures:
    @pytest.fixture
    def settings(self, tmp_path):
        return Brittle(seed_of(0, 3), str(tmp_path / "cure"))

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_one_that_fails_is_told_and_kept_and_stops_no_other(self, jobs, settings, tmp_path):
        told = f"1 of 5 trials failed.*\n.*trial 3 of .* with seed {seed_of(0, 3)} failed: ZeroDivisionError: the cake"
        with pytest.warns(UserWarning, match=told):
            rows = run(BRITTLE, [settings], trials=5, file=tmp_path / "rows", jobs=jobs)
        assert [row["trial"] for row in rows] == [0, 1, 2, 4]
        (failure,) = rows.failures
        assert (failure["trial"], failure["reason"]) == (3, "ZeroDivisionError: the cake is gone")
        assert failure["cure"] == settings.cure
        assert lines(tmp_path / "rows") == 5
        assert len(RowFile(tmp_path / "rows").rows) == 4

    def test_it_is_run_again_only_when_asked_to_and_a_row_supersedes_it(self, settings, tmp_path):
        file = tmp_path / "rows"
        with pytest.warns(UserWarning, match="1 of 4 trials failed"):
            run(BRITTLE, [settings], trials=4, file=file)
        Path(settings.cure).touch()
        before = file.read_bytes()
        with pytest.warns(UserWarning, match="1 of 4 trials failed"):
            assert len(run(BRITTLE, [settings], trials=4, file=file)) == 3
        assert file.read_bytes() == before
        rows = run(BRITTLE, [settings], trials=4, file=file, retry=True)
        assert ([row["trial"] for row in rows], rows.failures) == ([0, 1, 2, 3], ())
        assert run(BRITTLE, [settings], trials=4, file=file) == rows
        assert not RowFile(file).failures

    def test_it_can_be_made_again_to_see_all_of_the_error(self, settings):
        with pytest.warns(UserWarning, match="failed"):
            (failure,) = run(BRITTLE, [settings], trials=4).failures
        with pytest.raises(ZeroDivisionError):
            remake(BRITTLE, failure)

    def test_only_a_few_are_told_in_words(self):
        with pytest.warns(UserWarning, match="9 of 9 trials failed") as told:
            run(Kind("broken", Toy, lambda settings, seed: 1 // 0), [Toy()], trials=9)
        assert len(str(told[0].message).splitlines()) == 4

    def test_a_warm_up_that_fails_is_an_error_of_the_whole_run(self):
        broken = Kind("broken", Toy, lambda settings, seed: 1 // 0, warm_up=Toy())
        with pytest.raises(ZeroDivisionError):
            run(broken, [Toy()])

    def test_the_progress_bar_counts_them(self, capfd, settings):
        pytest.importorskip("tqdm")
        with pytest.warns(UserWarning, match="failed"):
            run(BRITTLE, [settings], trials=5, progress=True)
        assert "failed=1" in capfd.readouterr().err


class TestFile:
    def test_what_is_in_it_is_not_run_again(self, tmp_path):
        settings, file = Toy(log=str(tmp_path / "log")), tmp_path / "rows"
        first = run(TOY, [settings], trials=3, file=file)
        more = run(TOY, [settings], trials=5, file=file)
        assert more[:3] == first  # times too: they come from the file
        assert len(started(tmp_path / "log")) == lines(file) == 5

    def test_rows_of_other_settings_seeds_and_kinds_do_not_mix(self, tmp_path):
        file = tmp_path / "rows"
        other_kind = Kind("other", Toy, TOY.trial)
        for kind, settings, seed in ((TOY, Toy(), 0), (TOY, Toy(size=4), 0), (TOY, Toy(), 1), (other_kind, Toy(), 0)):
            assert timeless(run(kind, [settings], 2, seed, file=file)) == timeless(run(kind, [settings], 2, seed))
        assert lines(file) == 8

    def test_settings_asked_for_twice_are_run_once_and_come_back_twice(self, tmp_path):
        rows = run(TOY, [Toy(), Toy()], trials=2, file=tmp_path / "rows")
        assert rows[:2] == rows[2:]
        assert lines(tmp_path / "rows") == 2

    @pytest.mark.parametrize("left", [1, 40, -1])
    def test_a_last_line_that_was_cut_off_is_mended_with_a_notice(self, left, tmp_path):
        file = tmp_path / "rows"
        whole = run(TOY, [Toy()], trials=3, file=file)
        *kept, last = file.read_bytes().splitlines()
        file.write_bytes(b"\n".join([*kept, last[:left]]))
        with pytest.warns(UserWarning, match="cut off"):
            again = run(TOY, [Toy()], trials=3, file=file)
        assert again[:2] == whole[:2]
        assert timeless(again) == timeless(whole)
        assert run(TOY, [Toy()], trials=3, file=file) == again
        assert lines(file) == 3

    def test_a_whole_last_line_that_only_lacks_its_end_is_kept(self, tmp_path):
        file = tmp_path / "rows"
        rows = run(TOY, [Toy()], trials=2, file=file)
        file.write_bytes(file.read_bytes().rstrip(b"\n"))
        assert run(TOY, [Toy()], trials=3, file=file)[:2] == rows
        assert lines(file) == 3

    @pytest.mark.parametrize("bad", [b"{", b'{"mrmlib": "machine", "version": 1}', b"\xff", b""])
    def test_a_bad_line_further_up_is_named(self, bad, tmp_path):
        file = tmp_path / "rows"
        run(TOY, [Toy()], trials=2, file=file)
        first, second = file.read_bytes().splitlines()
        file.write_bytes(b"\n".join([first, bad, second, b""]))
        with pytest.raises(mrm.FormatError, match="row 2 of"):
            run(TOY, [Toy()], trials=2, file=file)

    @pytest.mark.parametrize("name", ["missing/rows", "."])
    def test_a_name_that_can_be_no_file_is_noticed_before_anything_runs(self, name, tmp_path):
        log = tmp_path / "log"
        with pytest.raises(mrm.ModelError, match="no rows can be kept in"):
            run(TOY, [Toy(log=str(log))], trials=1, file=tmp_path / name)
        assert not started(log)

    @pytest.mark.parametrize("text", ["It was a dark and stormy night.", '{"mrmlib": "machine", "version": 1}', "{}",
                                      "a\nb"])
    @pytest.mark.parametrize("end", ["", "\n"])
    def test_a_file_of_something_else_is_refused_before_anything_runs_and_left_alone(self, text, end, tmp_path):
        file, log = tmp_path / "novel.txt", tmp_path / "log"
        file.write_text(text + end)
        with pytest.raises(mrm.FormatError, match=r"novel\.txt"):
            run(TOY, [Toy(log=str(log))], trials=1, file=file)
        assert file.read_text() == text + end
        assert not started(log)

    def test_reading_makes_and_changes_no_file(self, tmp_path):
        file = tmp_path / "rows"
        assert not RowFile(file).rows
        assert not file.exists()
        run(TOY, [Toy()], trials=2, file=file)
        cut = file.read_bytes()[:-10]
        file.write_bytes(cut)
        assert len(RowFile(file).rows) == 1
        assert file.read_bytes() == cut

    def test_rows_are_added_by_one_who_has_the_file_for_itself(self, tmp_path):
        line = to_line("dice", {"sides": 6}, 0, 42, {"rolled": 3})
        with pytest.raises(mrm.ModelError, match="within `with` only"):
            RowFile(tmp_path / "rows").append(line)
        with RowFile(tmp_path / "rows") as kept:
            kept.append(line)
            with pytest.raises(mrm.ModelError, match=r"another run is adding rows to .*rows"):
                run(TOY, [Toy()], trials=1, file=tmp_path / "rows")
        assert len(run(TOY, [Toy()], trials=1, file=tmp_path / "rows")) == 1

    def test_a_run_that_lacks_nothing_reads_while_another_writes(self, tmp_path):
        rows = run(TOY, [Toy()], trials=2, file=tmp_path / "rows")
        with RowFile(tmp_path / "rows"):
            assert run(TOY, [Toy()], trials=2, file=tmp_path / "rows") == rows

    def test_of_two_processes_on_one_file_the_second_is_refused_and_rows_are_there_once(self, spawn, tmp_path):
        file, log = tmp_path / "rows", tmp_path / "log"
        first = spawn(*command(file, log))
        wait_for(lambda: lines(file) == 8)
        second = spawn(*command(file, log))
        errors = second.communicate(timeout=PATIENCE)[1]
        assert second.returncode == 2
        assert errors.splitlines()[-1].endswith(
            f"error: another run is adding rows to {file}: wait for it, or name another file")
        released(log).touch()
        assert first.communicate(timeout=PATIENCE)
        assert first.returncode == 0
        assert lines(file) == len(RowFile(file).rows) == 30
        assert {*tmp_path.iterdir()} == {file, log, released(log)}  # no litter


def command(file, log, *more):
    """The command line of a run of 30 trials that is held after the first eight."""
    return ("-m", "tests.toy_trials", "toy", "--trials", 30, "--hold", 8, "--log", log, "--out", file, "--silent",
            *more)


def as_if_undisturbed(rows):
    """Are these the 30 rows of a run that nothing held?"""
    return [without_times(row) | {"log": "", "hold": 0} for row in rows] == timeless(run(TOY, [Toy()], trials=30))


class TestKilled:
    @pytest.mark.parametrize("jobs", [1, 2])
    def test_with_kill_9_and_started_again_it_ends_as_if_undisturbed(self, jobs, spawn, tmp_path):
        file, log = tmp_path / "rows", tmp_path / "log"
        process = spawn(*command(file, log, "--jobs", jobs))
        wait_for(lambda: lines(file) == 8 and len(started(log)) == 8 + jobs)
        end(process)
        finished = {json.loads(line)["seed"] for line in file.read_text().splitlines()}

        released(log).touch()
        again = spawn(*command(file, log, "--jobs", jobs))
        output, errors = again.communicate(timeout=PATIENCE)
        assert again.returncode == 0, errors
        later = [seed for _, _, seed in started(log)[8 + jobs:]]
        assert len(later) == len(set(later)) == 22
        assert not finished & set(later), "a finished trial was run again"
        assert lines(file) == 30
        rows = run(TOY, [Toy(hold=8, log=str(log))], trials=30, file=file)
        assert as_if_undisturbed(rows)
        total = summary(run(TOY, [Toy()], trials=30), [], ["total"])[0]
        assert f"| total | 30 | {total['mean']:,.6g} | {total['sd']:,.6g} |" in output


class TestInterrupted:
    def test_it_gives_back_what_is_done_and_goes_on_from_there(self, tmp_path):
        interrupting = Kind("toy", Toy, interrupt_at_the_fourth)
        with pytest.warns(UserWarning, match="interrupted: 3 of 6"):
            partial = run(interrupting, [Toy()], trials=6, file=tmp_path / "rows")
        assert run(TOY, [Toy()], trials=6, file=tmp_path / "rows")[:3] == partial

    @pytest.mark.parametrize("interrupt", [os.kill, os.killpg])
    def test_from_the_keyboard_the_command_says_so_and_the_file_is_whole(self, interrupt, spawn, tmp_path):
        """A terminal sends the signal to the whole group, a notebook to the kernel alone."""
        file, log = tmp_path / "rows", tmp_path / "log"
        process = spawn(*command(file, log, "--jobs", 2))
        wait_for(lambda: lines(file) == 8 and len(started(log)) == 10)
        interrupt(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, errors
        assert "interrupted: 8 of 30" in errors
        assert "| total | 8 |" in output
        assert len(RowFile(file).rows) == 8

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_at_any_moment_every_finished_trial_is_there_once_and_no_other(self, jobs, spawn, count, tmp_path):
        """Real signals, to the process or to its group, from Python's start to its end. The trials swallow them."""
        undisturbed = timeless(run(NAPPING, [Naps()], trials=10))
        arguments = ("-m", "tests.toy_trials", "napping", "--trials", 10, "--jobs", jobs, "--silent", "--out")
        began = time.monotonic()
        assert spawn(*arguments, tmp_path / "whole").wait(PATIENCE) == 0
        lasted, rng = time.monotonic() - began, np.random.default_rng(jobs)
        for moment in range(count(2, 20)):
            file = tmp_path / f"rows{moment}"
            process = spawn(*arguments, file)
            if moment % 2:  # while trials are lived, for sure
                wait_for(lambda file=file: lines(file) > 0)
                time.sleep(rng.uniform(0, 0.5 / jobs))
            else:
                time.sleep(rng.uniform(0, lasted))
            if process.poll() is None:
                rng.choice([os.kill, os.killpg])(process.pid, signal.SIGINT)
            errors = process.communicate(timeout=PATIENCE)[1]
            finished = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
            if 0 < len(finished) < 10:
                assert process.returncode == 130, errors
                assert f"interrupted: {len(finished)} of 10" in errors
            assert {row["mrmlib"] for row in finished} <= {"row"}
            assert {row["measures"]["taken"] for row in finished} <= {Naps().naps}
            assert len({row["seed"] for row in finished}) == len(finished)
            again = spawn(*arguments, file)
            errors = again.communicate(timeout=PATIENCE)[1]
            assert again.returncode == 0, errors
            assert lines(file) == 10
            assert timeless(run(NAPPING, [Naps()], trials=10, file=file)) == undisturbed

    def test_a_trial_that_swallows_it_is_no_row_and_no_failure(self, tmp_path):
        with pytest.warns(UserWarning, match="interrupted: 3 of 6"):
            partial = run(Kind("toy", Toy, swallow_an_interrupt_at_the_fourth), [Toy()], trials=6,
                          file=tmp_path / "rows")
        assert (len(partial), partial.failures, partial.interrupted) == (3, (), True)
        assert lines(tmp_path / "rows") == 3
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_one_that_comes_while_a_row_is_written_waits_for_it(self, tmp_path, monkeypatch):
        def interrupted_sync(descriptor):
            signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(os, "fsync", interrupted_sync)
        with pytest.warns(UserWarning, match="interrupted: 1 of 3"):
            rows = run(TOY, [Toy()], trials=3, file=tmp_path / "rows")
        assert [*RowFile(tmp_path / "rows").rows.values()] == [*rows]

    def test_a_life_that_was_interrupted_is_no_trial(self, monkeypatch):
        """An agent ends its life at an interrupt, and gives what it has."""
        def step(self, action):
            raise KeyboardInterrupt

        monkeypatch.setattr(mrm.Environment, "step", step)
        with pytest.raises(KeyboardInterrupt):
            treasure_map_trial(TreasureMap(agent="optimal", explore="optimal", actions=10), seed=0)


def swallow_an_interrupt_at_the_fourth(settings, seed):
    try:
        if seed == seed_of(0, 3):
            signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        pass
    return TOY.trial(settings, seed)


def interrupt_at_the_fourth(settings, seed):
    if seed == seed_of(0, 3):
        raise KeyboardInterrupt
    return TOY.trial(settings, seed)


@pytest.fixture
def cluster(spawn, tmp_path):
    """Starts a Dask scheduler and so many workers, each in a process of its own: (address, workers)."""
    pytest.importorskip("distributed")

    def start(number):
        found = tmp_path / "scheduler.json"
        spawn("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard",
              "--scheduler-file", found)
        wait_for(lambda: found.exists() and found.read_text().strip())
        address = json.loads(found.read_text())["address"]
        workers = [spawn("-m", "distributed.cli.dask_worker", address, "--nthreads", 1, "--no-nanny", "--no-dashboard",
                         "--local-directory", tmp_path / f"worker{i}") for i in range(number)]
        if workers:
            gathered = spawn("-c", f"from distributed import Client; Client({address!r}).wait_for_workers({number})")
            errors = gathered.communicate(timeout=PATIENCE)[1]
            assert gathered.returncode == 0, errors
        return address, workers

    return start


class TestClusters:
    def test_none_loses_or_doubles_a_trial_when_a_worker_is_killed(self, cluster, spawn, tmp_path):
        address, workers = cluster(2)
        file, log = tmp_path / "rows", tmp_path / "log"
        running = spawn(*command(file, log, "--scheduler", address))
        wait_for(lambda: lines(file) == 8 and len(started(log)) == 10)
        assert {process for process, _, _ in started(log)[8:]} == {worker.pid for worker in workers}
        end(workers[0])
        released(log).touch()
        errors = running.communicate(timeout=PATIENCE)[1]
        assert running.returncode == 0, errors
        assert lines(file) == 30
        assert as_if_undisturbed(run(TOY, [Toy(hold=8, log=str(log))], trials=30, file=file))
        seeds = [seed for _, _, seed in started(log)]
        again = {seed for seed in seeds if seeds.count(seed) > 1}
        assert again <= {seed for process, _, seed in started(log) if process == workers[0].pid}
        assert 1 <= len(again) <= 2  # the trial that died with its worker, and perhaps the last result that lay there

    def test_trials_run_in_the_only_worker_there_is_until_it_dies_and_then_the_run_says_so(
            self, cluster, tmp_path, monkeypatch):
        address, (worker,) = cluster(1)
        rows = run(BRITTLE, [Brittle()], trials=3, scheduler=address)
        assert {row["process"] for row in rows} == {worker.pid}

        monkeypatch.setattr(trials, "ALONE", 2.0)
        file, log = tmp_path / "rows", tmp_path / "log"
        killer = threading.Thread(target=lambda: (wait_for(lambda: len(started(log)) == 3), end(worker)))
        killer.start()
        with pytest.raises(mrm.MrmError, match=r"has had no workers for 2 seconds: \d trials are left"):
            run(TOY, [Toy(hold=2, log=str(log))], trials=5, scheduler=address, file=file)
        killer.join()
        assert lines(file) == len(RowFile(file).rows) == 2

    def test_one_without_workers_or_without_a_scheduler_is_told(self, cluster, monkeypatch, capsys):
        monkeypatch.setattr(trials, "ALONE", 1.0)
        address, _ = cluster(0)
        with pytest.raises(mrm.MrmError, match="has had no workers for 1 seconds: 3 trials are left"):
            run(TOY, [Toy()], trials=3, scheduler=address)
        for nowhere in ("tcp://127.0.0.1:1", "nonsense://"):
            with pytest.raises(mrm.MrmError, match=f"there is no Dask scheduler at {nowhere}"):
                run(TOY, [Toy()], trials=3, scheduler=nowhere)

    def test_a_trial_that_kills_its_workers_is_a_failure(self, cluster, monkeypatch):
        monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
        address, _ = cluster(2)
        with pytest.warns(UserWarning, match="1 of 4 trials failed"):
            rows = run(BRITTLE, [Brittle(seed_of(0, 0), deadly=True)], trials=4, scheduler=address)
        assert [row["trial"] for row in rows] == [1, 2, 3]
        assert "KilledWorker" in rows.failures[0]["reason"]


def test_the_library_does_not_import_what_only_clusters_need():
    code = ("import sys, mrmlib, mrmlib.experiment.command; "
            "assert not {'joblib', 'tqdm', 'distributed'} & set(sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_progress_bar_counts_trials_that_are_done(capfd, tmp_path):
    pytest.importorskip("tqdm")
    run(TOY, [Toy()], trials=2, file=tmp_path / "rows")
    run(TOY, [Toy()], trials=3, file=tmp_path / "rows", progress=True)
    shown = capfd.readouterr().err
    assert "2/3" in shown
    assert "3/3" in shown


def test_a_summary_has_mean_deviation_and_number_of_each_measure():
    """Totals 1, 2, 3: mean 2, sample deviation 1; None does not count."""
    rows = [{"group": "a", "x": x, "y": None} for x in (1, 2, 3)] + [{"group": "b", "x": True, "y": 4.0}]
    of_a, nothing, of_b, _ = summary(rows, ["group"], ["x", "y"])
    assert of_a == {"group": "a", "measure": "x", "n": 3, "mean": 2.0, "sd": 1.0}
    assert nothing["n"] == 0
    assert np.isnan(nothing["mean"])
    assert of_b["mean"] == 1.0
    assert np.isnan(of_b["sd"])


def test_settings_that_hold_tuples_come_back_as_they_went(tmp_path):
    kind = Kind("tuples", Several, lambda settings, seed: {"sum": sum(settings.values)})
    rows = run(kind, [Several((1, 2))], trials=1, file=tmp_path / "rows")
    assert run(kind, [Several((1, 2))], trials=1, file=tmp_path / "rows") == rows
    assert rows[0]["values"] == (1, 2)


@dataclass(frozen=True)
class Several:
    values: tuple
