"""What it takes to learn the treasure map by living it: `python -m benchmarks.living` (three to six minutes).

The yardstick is the paper's way, L* with its table and each query lived by tree search; all ways have the same seeds.
Counter-examples come from a perfect teacher at no cost. For random actions the expectation is computed.
"""

import time
from statistics import fmean, median, stdev

from mrmlib.domains import treasure_map
from mrmlib.experience.querying import QueryPlanner
from mrmlib.experiment.living import LIVING, WAYS, Living, asked
from mrmlib.experiment.trials import run
from mrmlib.table import ObservationTable
from mrmlib.tables import Table
from mrmlib.tree import DiscriminationTree

APFS, TRIALS, REPEATS = (0.75, 0.85, 0.95), 10, 3
YARDSTICK = "table, MCTS"


def at_random(name, learner):
    """What random exploration takes on average, each query lived for itself."""
    exact = treasure_map(1.0)  # a stuck action costs one more and no harm else: at any APF divide by it
    planner = QueryPlanner(exact.mdp, exact.labelling)
    actions = sum(map(planner.expected_actions_random, asked(learner, exact.machine)))
    return {"way": f"{name}, random (expected)"} | {f"APF {apf}": f"{actions / apf:.3g}" for apf in APFS}


def measured(shuffled, apfs):
    """A row for each way: actions until the machine is exact, and how many times fewer than by the yardstick."""
    rows = run(LIVING, [Living(way, apf, shuffled) for apf in apfs for way in WAYS], TRIALS)
    assert all(row["exact"] for row in rows)
    found = {}
    for row in rows:
        found.setdefault((row["way"], row["apf"]), []).append(row)
    for way in WAYS:
        line = {"way": way}
        for apf in apfs:
            actions, yardstick = ([row["actions"] for row in found[one, apf]] for one in (way, YARDSTICK))
            line |= {f"APF {apf}": f"{fmean(actions):.0f} ± {stdev(actions):.0f} ({min(actions)}–{max(actions)})",
                     f"times fewer, {apf}": fmean(yardstick) / fmean(actions)}
        last = found[way, apfs[-1]]
        yield line | {f"resets, {apfs[-1]}": fmean(row["resets"] for row in last),
                      f"teacher asked, {apfs[-1]}": fmean(row["equivalence_queries"] for row in last)}


def planning():
    """Milliseconds to plan a query of the table: (median, worst)."""
    world = treasure_map(0.95)
    planner, times = QueryPlanner(world.mdp, world.labelling), []
    for word in [("m",), *asked(ObservationTable, world.machine)]:  # the first one compiles
        taken = []
        for _ in range(REPEATS):
            started = time.perf_counter()
            planner.strategy([word])
            taken.append(1000 * (time.perf_counter() - started))
        times.append(min(taken))
    return median(times[1:]), max(times[1:])


def main():
    digits = {f"times fewer, {apf}": 1 for apf in APFS} | {f"{what}, 0.95": 1 for what in ("resets", "teacher asked")}
    print("## Living\n\nActions until the exact machine of the treasure map is learnt: mean ± standard deviation "
          f"(range) of {TRIALS} seeds; counter-examples are free.\n")
    rows = list(measured(False, APFS))
    print(Table([at_random("table", ObservationTable), at_random("tree", DiscriminationTree), *rows], digits=digits))
    print("\nThe same with the observations declared in an order shuffled by the seed: ties go to that order.\n")
    print(Table(measured(True, (0.95,)), digits=digits))
    usual, worst = planning()
    print(f"\nTo plan a query optimally takes {usual:.1f} ms (median over the table's queries; at most {worst:.1f}).")
    fewer = {row["way"]: [row[f"times fewer, {apf}"] for apf in APFS] for row in rows}
    print("\nIn short: against the paper's way (table, MCTS), " + "; ".join(
        f"{way} takes {min(ratios):.1f} to {max(ratios):.1f} times fewer actions" for way, ratios in fewer.items()
        if way != YARDSTICK) + ".")


if __name__ == "__main__":
    main()
