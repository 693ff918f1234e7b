"""One exploitation trial of the paper, planned by mrmlib, by plain Python and by C: `python -m benchmarks.planning`.

2000 actions, each planned with 100 trajectories of 30 actions in a new tree, living m·g·t·j2·g·t again and again from
random cells of the treasure map. All three draw the same random numbers, so they must take the same actions.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np

import mrmlib as mrm
from benchmarks import uct_python
from mrmlib.mcts import search as mcts
from mrmlib.mcts import uct

ACTIONS, APF, REPEATS = 2000, 0.95, 5
PLANNING, MOVING = 1, 2  # where the two random streams start
X, Y, SETTINGS = 1.0, 2.0, mcts.SearchSettings()
DOMAIN = mrm.domains.treasure_map(apf=APF)
WORD, _ = DOMAIN.facts["best_word"]
HERE = Path(__file__).parent


@numba.njit  # not cached: it calls kernels of another file
def _trial(worlds, rules, nodes, epoch_starts, budget, planning, moving, taken):
    done = 0
    while done < budget:
        moving += uct.GOLDEN
        state = epoch_starts[uct.below(len(epoch_starts), moving)]
        for world in worlds:
            observed = False
            while not observed and done < budget:
                taken[done] = uct.plan(world, rules, nodes, state, planning)
                moving += uct.GOLDEN
                k = uct.step(world, state, taken[done], moving)
                state, observed = world.targets[k], world.stops[k]
                done += 1


def in_numba(planner, epoch_starts):
    """The whole trial inside compiled code; the actions it takes."""
    worlds = tuple(planner.world(z) for z in WORD)
    taken = np.empty(ACTIONS, dtype=np.int64)
    _trial(worlds, planner.rules, planner.nodes, epoch_starts, ACTIONS, np.array([PLANNING], dtype=np.uint64),
           np.uint64(MOVING), taken)
    return taken


def through_action(planner):
    """The trial as an agent lives it: a Python loop that asks `planner.action`, with streams of its own."""
    mdp, rng, done = DOMAIN.mdp, np.random.default_rng(0), 0
    while True:
        state = DOMAIN.epoch_starts[rng.integers(len(DOMAIN.epoch_starts))]
        for z in WORD:
            observed = None
            while observed != z:
                if done == ACTIONS:
                    return
                action = planner.action(state, z, rng)
                state = mdp.sample(state, action, rng)
                observed, done = DOMAIN.labelling(action, state), done + 1


def in_python():
    """The trial in plain Python; positions of the actions it takes."""
    taken = uct_python.trial(DOMAIN.mdp, DOMAIN.labelling, WORD, DOMAIN.epoch_starts, ACTIONS, X, Y, SETTINGS,
                             uct_python.SplitMix64(PLANNING), uct_python.SplitMix64(MOVING))
    return np.array([DOMAIN.mdp.actions.index(a) for a in taken])


class World(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("actions", "entries")] + [
        (name, ctypes.c_void_p) for name in ("starts", "targets", "cumulative", "rewards", "stops")]


class Settings(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("trajectories", "depth")] + [
        (name, ctypes.c_double) for name in ("discount", "exploration")]


def compiled_c(folder):
    """The function `trial` of uct.c, or None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    library = Path(folder) / "uct.so"
    # No fused multiply-add: it rounds once where mrmlib rounds twice, and a decision could differ. Nor -march=native,
    # with which gcc's code is a tenth slower here.
    subprocess.run([compiler, "-O3", "-ffp-contract=off", "-fPIC", "-shared", str(HERE / "uct.c"), "-o", str(library),
                    "-lm"], check=True)
    trial = ctypes.CDLL(str(library)).trial
    trial.restype = None
    return trial


def in_c(trial, planner, epoch_starts):
    """The whole trial in C; the actions it takes."""
    worlds = [planner.world(z) for z in WORD]
    first, taken = worlds[0], np.empty(ACTIONS, dtype=np.int64)
    rewards, stops = (np.concatenate([getattr(w, name) for w in worlds]) for name in ("rewards", "stops"))
    arrays = (first.starts, first.targets, first.cumulative, rewards, stops)
    model = World(first.actions, len(first.targets), *(array.ctypes.data for array in arrays))
    rules = Settings(SETTINGS.trajectories, SETTINGS.depth, SETTINGS.discount, SETTINGS.exploration)
    numbers = [ctypes.c_int64(len(WORD)), ctypes.c_int64(len(epoch_starts)), epoch_starts.ctypes.data_as(
        ctypes.c_void_p), ctypes.c_int64(ACTIONS), ctypes.c_uint64(PLANNING), ctypes.c_uint64(MOVING)]
    trial(ctypes.byref(model), ctypes.byref(rules), *numbers, taken.ctypes.data_as(ctypes.c_void_p))
    return taken


def seconds(function, *arguments):
    """Seconds of processor time, which other processes do not disturb, and the result."""
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def fastest(functions):
    """The shortest time of each, run in turn so that a busy machine troubles all alike; and what each returned."""
    runs = [[seconds(*function) for function in functions] for _ in range(REPEATS)]
    return [(min(run[i][0] for run in runs), runs[0][i][1]) for i in range(len(functions))]


FIRST_CALL = """
import time, mrmlib as mrm
from mrmlib.mcts import search as mcts
domain = mrm.domains.treasure_map()
start = time.process_time()
mcts.ObservationPlanner(domain.mdp, domain.labelling).action(domain.mdp.initial, "m", 0)
print(time.process_time() - start)
"""


def first_calls():
    """Seconds of the first action in a new process: with an empty kernel cache, then with the one it left."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        return [float(subprocess.run([sys.executable, "-c", FIRST_CALL], env=environment, check=True,
                                     capture_output=True, text=True).stdout) for _ in range(2)]


def measured():
    """Seconds a trial for each planner, all of which took the same actions; C comes last, if there is a compiler."""
    planner = mcts.ObservationPlanner(DOMAIN.mdp, DOMAIN.labelling, X, Y, SETTINGS)
    epoch_starts = np.array([DOMAIN.mdp.states.index(s) for s in DOMAIN.epoch_starts])
    in_numba(planner, epoch_starts)  # compiles
    with tempfile.TemporaryDirectory() as folder:
        trial = compiled_c(folder)
        in_turn = [(in_numba, planner, epoch_starts), (through_action, planner)]
        in_turn += [(in_c, trial, planner, epoch_starts)] if trial else []
        (kernel, taken), (agent, _), *c = fastest(in_turn)
    python, taken_in_python = seconds(in_python)
    assert np.array_equal(taken, taken_in_python), "mrmlib and plain Python take different actions"
    rows = {"plain Python (`uct_python.py`)": python, "mrmlib, `planner.action` in a Python loop": agent,
            "mrmlib, all in compiled code": kernel}
    for time_taken, taken_in_c in c:
        assert np.array_equal(taken, taken_in_c), "mrmlib and C take different actions"
        rows["C, -O3 (`uct.c`)"] = time_taken
    return rows, bool(c)


def growth():
    """What twice as many trajectories, or twice as long ones, cost."""
    def trial(**changes):
        planner = mcts.ObservationPlanner(DOMAIN.mdp, DOMAIN.labelling, X, Y, replace(SETTINGS, **changes))
        return in_numba, planner, np.array([DOMAIN.mdp.states.index(s) for s in DOMAIN.epoch_starts])

    (once, _), (more, _), (longer, _) = fastest([trial(), trial(trajectories=2 * SETTINGS.trajectories),
                                                 trial(depth=2 * SETTINGS.depth)])
    return (f"Twice as many trajectories take {more / once:.2f} times as long, twice as long ones "
            f"{longer / once:.2f} times (a trajectory stops when it observes its letter).")


def main():
    rows, has_c = measured()
    python, last = next(iter(rows.values())), list(rows.values())[-1]
    print(f"## Planning: one exploitation trial of the treasure map (APF {APF})\n")
    print(f"{ACTIONS} actions × {SETTINGS.trajectories} trajectories × {SETTINGS.depth} steps, a new tree for each "
          f"action, pursuing {'·'.join(WORD)} from random cells.\n")
    print("| planner | seconds a trial | µs an action | faster than plain Python | time against C |")
    print("|---|---|---|---|---|")
    for name, taken in rows.items():
        against_c = f"{taken / last:.2f}" if has_c else "–"
        print(f"| {name} | {taken:.3f} | {taken / ACTIONS * 1e6:.1f} | {python / taken:.0f}× | {against_c} |")
    if not has_c:
        print("\nNo C compiler was found: the row of C is left out.")
    print(f"\nProcessor time, best of {REPEATS} runs, plain Python once. Plain Python{' and C' if has_c else ''} took "
          f"the same {ACTIONS} actions as mrmlib's compiled trial; the Python loop draws its own moves. The paper "
          "reports 131–174 s a trial.")
    cold, warm = first_calls()
    print(f"First action in a new process: {cold:.2f} s with an empty cache (compiles), {warm:.2f} s afterwards.")
    ours = list(rows.values())[1:3]
    print(f"\nIn short: tree search takes {ours[1] / last:.2f} times C's time all compiled and {ours[0] / last:.2f} as "
          "agents call it" if has_c else "\nIn short: tree search, with no C compiler to compare with", end="")
    print(f", {python / ours[1]:.0f} and {python / ours[0]:.0f} times faster than plain Python. {growth()}")


if __name__ == "__main__":
    main()
