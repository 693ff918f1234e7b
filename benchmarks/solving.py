"""Product and exact mean payoff on growing grids, beside Storm on the same arrays: `python -m benchmarks.solving`."""

import multiprocessing
import os
import resource
import signal
import tempfile
import time

import numpy as np

import mrmlib as mrm
from mrmlib.domains import Grid, treasure_machine, walk
from mrmlib.interop.storm import check, to_storm

SIZES = (20, 50, 100, 204, 289)  # 289: a million states of the product
STORM_SIZES = (20, 50, 100)
STORM_LIMIT = 30  # seconds
KINDS = ("plain", "slipping", "shuffled")
SPAWN = multiprocessing.get_context("spawn")  # a process for each case: nothing is shared, memory is its own

TEXT = """## Optimal strategies

The treasure-map machine on N × N grids with places drawn at random; a state of M is (cell, moved), a state of the
product adds the machine's node. *plain*: a move succeeds with probability 0.95, else the walker is stuck. *slipping*: a
move succeeds with 0.85 and goes to each side with 0.05. *shuffled*: the plain grid, its states declared in random
order. Timed are `product` and `solve_mean_payoff`, certified bounds included (best of three up to N = 100), and Storm's
long-run average on the same arrays (handing them over is not counted; given up after {limit} s). Both find the
values of all states, on one thread; times are seconds of processor time. The peak of memory is that of the whole
process, which also makes M. Compiling the kernels, once after installation, takes {compile:.0f} s; loading them in a
new process {load:.1f} s.
"""


def world(size, kind, seed=0):
    """M, λ and the machine; places and start are drawn from the seed."""
    rng = np.random.default_rng(seed)
    cells = tuple((column, row) for row in range(1, size + 1) for column in range(1, size + 1))
    machine = treasure_machine()
    *places, start = (cells[i] for i in rng.choice(len(cells), len(machine.observations) + 1, replace=False))
    grid = Grid(cells, start, dict(zip(places, machine.observations, strict=True)))
    M, labelling = walk(grid, *((0.85, 0.1) if kind == "slipping" else (0.95, 0.0)))
    if kind == "shuffled":
        M = mrm.NRMDP([M.states[i] for i in rng.permutation(len(M.states))], M.actions, M.successors, M.initial)
    return M, labelling, machine


def ours(size, kind):
    """Seconds for the product and for the solution, and what came out."""
    mrm.solve_mean_payoff(mrm.domains.treasure_map().product)  # load the kernels
    case, times = world(size, kind), []
    for _ in range(3 if size <= 100 else 1):
        begin = time.process_time()
        P = mrm.product(*case)
        built = time.process_time()
        solution = mrm.solve_mean_payoff(P)
        times.append((built - begin, time.process_time() - built))
    built, solved = min(times, key=sum)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"states": len(P.states), "product": built, "solve": solved, "rounds": solution.rounds,
            "value": solution.value, "gap": solution.upper - solution.lower, "memory": memory}


def storm(size, kind):
    """Seconds that Storm takes for the long-run average of the same product, and its value."""
    P = mrm.product(*world(size, kind))
    model = to_storm(P, reachable=False)
    begin = time.process_time()
    result = check(model, 'R{"paid"}max=? [ LRA ]')
    return {"solve": time.process_time() - begin, "value": result.get_value(P.states.index(P.initial))}


def first_solution():
    """Seconds until the first small product is solved in a process that has done nothing else."""
    begin = time.process_time()
    mrm.solve_mean_payoff(mrm.domains.treasure_map().product)
    return time.process_time() - begin


def apart(function, *arguments, limit=None):
    """What the function returns in a process of its own, or None if it needs more processor time than the limit."""
    receiver, sender = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=_answer, args=(sender, limit, function, *arguments))
    process.start()
    sender.close()  # so that a process that dies ends the wait
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGXCPU:
            return None
        raise


def _answer(sender, limit, function, *arguments):
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    sender.send(function(*arguments))


def without_cache(function):
    """The same in a process whose kernels have never been compiled."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        try:
            return apart(function)
        finally:
            del os.environ["NUMBA_CACHE_DIR"]


def row(kind, size, mine, peer):
    assert mine["gap"] <= 1e-6 * max(1, abs(mine["value"])), (kind, size, mine)
    cells = [kind, size, f"{mine['states']:,}", f"{mine['product']:.3f}", f"{mine['solve']:.3f}", mine["rounds"],
             f"{mine['gap']:.0e}", f"{mine['memory']:.2f}"]
    if size not in STORM_SIZES:
        cells += ["", ""]
    elif peer is None:
        cells += [f"> {STORM_LIMIT}", f"> {STORM_LIMIT / (mine['product'] + mine['solve']):.0f}"]
    else:
        assert abs(peer["value"] - mine["value"]) < 1e-5, (kind, size, peer, mine)
        cells += [f"{peer['solve']:.3f}", f"{peer['solve'] / (mine['product'] + mine['solve']):.1f}"]
    return "| " + " | ".join(map(str, cells)) + " |"


def main():
    print(TEXT.format(limit=STORM_LIMIT, compile=without_cache(first_solution), load=apart(first_solution)))
    print("| world | N | states | product s | solve s | policies | upper − lower | peak GB | Storm s | Storm / ours |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    growth = []
    for kind in KINDS:
        cost = []
        for size in SIZES:
            mine = apart(ours, size, kind)
            cost.append((mine["states"], mine["product"] + mine["solve"]))
            peer = apart(storm, size, kind, limit=STORM_LIMIT) if size in STORM_SIZES else None
            print(row(kind, size, mine, peer), flush=True)
        slope = np.polyfit(*np.log(cost).T, 1)[0]
        growth.append(f"{kind} n^{slope:.2f}")
    print(f"\nCost grows with the number n of states as: {', '.join(growth)} (least squares over the sizes above).")


if __name__ == "__main__":
    main()
