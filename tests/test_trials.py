"""Trials: seeds, files, processes, interruptions. Processes are killed for good; nothing waits on a guess of time."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import mrmlib as mrm
from mrmlib.experiment.rows import RowFile, summary, without_times
from mrmlib.experiment.trials import Kind, remake, run, seed_of
from tests.toy_trials import TOY, Toy, released, started

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
        if process.poll() is None:
            end(process)


def end(process):
    """Kill the process and its whole group."""
    os.killpg(process.pid, signal.SIGKILL)
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

    def test_two_columns_of_the_same_name_are_refused(self):
        clash = Kind("clash", Toy, lambda settings, seed: {"size": 1})
        with pytest.raises(mrm.ModelError, match="column 'size'"):
            run(clash, [Toy()], trials=1)

    def test_a_measure_that_is_no_number_is_refused(self):
        broken = Kind("broken", Toy, lambda settings, seed: {"value": float("nan")})
        with pytest.raises(mrm.FormatError, match="nan"):
            run(broken, [Toy()], trials=1)

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_trial_that_fails_is_named_and_the_others_are_kept(self, jobs, tmp_path):
        with pytest.raises(ZeroDivisionError) as caught:
            run(FAILING, [Toy()], trials=5, file=tmp_path / "rows", jobs=jobs)
        assert f"in trial 3 of {Toy()} with seed {seed_of(0, 3)}" in caught.value.__notes__
        assert jobs > 1 or lines(tmp_path / "rows") == 3

    def test_every_process_warms_up_once_before_its_first_trial(self, tmp_path):
        log = tmp_path / "log"
        warm = Kind("toy", Toy, TOY.trial, warm_up=Toy(size=1, log=str(log)))
        run(warm, [Toy(size=2, log=str(log))], trials=6, jobs=2)
        for process in {process for process, _, _ in started(log)}:
            sizes = [size for other, size, _ in started(log) if other == process]
            assert sizes[0] == 1
            assert 1 not in sizes[1:]


def fail_at_the_fourth(settings, seed):
    return {"value": 1 // (seed != seed_of(0, 3))}


FAILING = Kind("failing", Toy, fail_at_the_fourth)


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

    def test_a_folder_that_is_missing_is_noticed_before_anything_runs(self, tmp_path):
        log = tmp_path / "log"
        with pytest.raises(FileNotFoundError):
            run(TOY, [Toy(log=str(log))], trials=1, file=tmp_path / "missing" / "rows")
        assert not started(log)


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


def interrupt_at_the_fourth(settings, seed):
    if seed == seed_of(0, 3):
        raise KeyboardInterrupt
    return TOY.trial(settings, seed)


@pytest.fixture
def cluster(spawn, tmp_path):
    """A Dask scheduler and two workers, each in a process of its own: (address, workers)."""
    pytest.importorskip("distributed")
    found = tmp_path / "scheduler.json"
    spawn("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard",
          "--scheduler-file", found)
    wait_for(lambda: found.exists() and found.read_text().strip())
    address = json.loads(found.read_text())["address"]
    workers = [spawn("-m", "distributed.cli.dask_worker", address, "--nthreads", 1, "--no-nanny", "--no-dashboard",
                     "--local-directory", tmp_path / f"worker{i}") for i in range(2)]
    gathered = spawn("-c", f"from distributed import Client; Client({address!r}).wait_for_workers(2)")
    errors = gathered.communicate(timeout=PATIENCE)[1]
    assert gathered.returncode == 0, errors
    return address, workers


def test_a_cluster_loses_and_doubles_no_trial_when_a_worker_is_killed(cluster, spawn, tmp_path):
    address, workers = cluster
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
