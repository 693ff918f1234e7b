"""Wp-suites against AALpy's for the same bound, on the same random machines: `python -m benchmarks.suites` (a minute).

A suite is counted by running it to the end against a machine that is the hypothesis itself. Tests are the words run
(AALpy skips those it has run before), letters what they have in all.
"""

from importlib.metadata import version

import numpy as np
from aalpy.automata import MealyMachine, MealyState
from aalpy.base import SUL
from aalpy.oracles import WpMethodEqOracle

import mrmlib as mrm
from mrmlib.conformance.suites import w_method, wp_method
from tests.random_models import random_minimal_machine

CASES = ((2, 2), (3, 3), (5, 3), (8, 4), (12, 2), (20, 5), (40, 3))  # nodes, letters
EXTRA, MACHINES = (0, 1, 2), 10
REWARDS = ((0.0, 1.0), (0.0, 1.0, 2.0))
MOST_WORDS = 40_000  # of a suite: larger ones are left out


class Machine(SUL):
    """A machine of ours, one letter at a time."""

    def __init__(self, machine):
        super().__init__()
        self.machine = machine

    def pre(self):
        self.node = self.machine.initial

    def post(self):
        pass

    def step(self, letter):
        self.node, reward = self.machine.step(self.node, letter)
        return reward


def translated(machine):
    """The machine as AALpy has it."""
    states = {u: MealyState(u) for u in machine.nodes}
    for (u, z), (v, r) in machine.transitions.items():
        states[u].transitions[z], states[u].output_fun[z] = states[v], r
    theirs = MealyMachine(states[machine.initial], list(states.values()))
    theirs.compute_prefixes()
    return theirs


def ours(suite):
    sizes = [len(word) for word in suite]
    return len(sizes), sum(sizes)


def aalpys(machine, extra):
    oracle = WpMethodEqOracle(list(machine.observations), Machine(machine), len(machine.nodes) + extra)
    assert oracle.find_cex(translated(machine)) is None
    return len(oracle.cache), oracle.num_steps


def rows():
    rng = np.random.default_rng(3)
    for nodes, letters in CASES:
        machines = [random_minimal_machine(rng, nodes, letters, REWARDS[i % 2], tries=2000) for i in range(MACHINES)]
        for extra in EXTRA:
            if max(w_method(machine, extra).at_most for machine in machines) > MOST_WORDS:
                continue
            counts = np.array([[ours(w_method(machine, extra)), ours(wp_method(machine, extra)), aalpys(machine, extra)]
                               for machine in machines])
            yield (nodes, letters, extra), counts


def missed(extra, count=200):
    """How many random machines with 1 + e nodes pass for a one-node H that pays 0: ours, AALpy's, of how many."""
    H = mrm.MealyRewardMachine({("u", z): ("u", 0.0) for z in "ab"}, "u")
    rng = np.random.default_rng(0)
    wrong = [random_minimal_machine(rng, 1 + extra, 2, (0.0, 1.0)) for _ in range(count)]
    mine = [all(machine.rewards(word) == H.rewards(word) for word in wp_method(H, extra)) for machine in wrong]
    theirs = [WpMethodEqOracle(list("ab"), Machine(machine), 1 + extra).find_cex(translated(H)) is None
              for machine in wrong]
    return sum(mine), sum(theirs), count


def main():
    measured = dict(rows())
    print("## Test suites\n")
    print(f"Wp-suites for machines with up to m + e nodes; {MACHINES} random machines with m nodes a row, sums over "
          f"them; AALpy {version('aalpy')}. Last: the largest ratio of tests on any one machine.\n")
    print("| m | letters | e | W tests | Wp tests | AALpy's Wp | Wp letters | AALpy's | tests, ratio | at worst |")
    print("|---" * 10 + "|")
    for case, counts in [*measured.items(), (("all", "", ""), np.concatenate(list(measured.values())))]:
        (w, _), (tests, letters), (their_tests, their_letters) = counts.sum(axis=0)
        worst = (counts[:, 1, 0] / counts[:, 2, 0]).max()
        print("| " + " | ".join(map(str, case)) + f" | {w:,} | {tests:,} | {their_tests:,} | {letters:,} | "
              f"{their_letters:,} | {tests / their_tests:.2f} | {worst:.2f} |")
    print("\nA hypothesis with one node that pays 0 for everything, against random machines with 1 + e nodes: how many "
          "of these other machines pass.\n\n| e | ours | AALpy's | of |\n|---|---|---|---|")
    passed = {extra: missed(extra) for extra in (1, 2)}
    for extra, counts in passed.items():
        print(f"| {extra} | " + " | ".join(map(str, counts)) + " |")
    everything = np.concatenate(list(measured.values()))
    _, mine, theirs = everything.sum(axis=0)[:, 0]
    factors = [measured[m, k, 2].sum(axis=0)[1:, 0] / measured[m, k, 1].sum(axis=0)[1:, 0] / k for m, k in CASES
               if (m, k, 2) in measured]
    low, high = np.min(factors, axis=0), np.max(factors, axis=0)
    print(f"\nFrom e = 1 to e = 2 a Wp suite grows by {low[0]:.2f} to {high[0]:.2f} times the number of letters, "
          f"AALpy's by {low[1]:.2f} to {high[1]:.2f}.")
    print(f"\nIn short: {mine / theirs:.0%} of AALpy's Wp tests in all, at most "
          f"{(everything[:, 1, 0] / everything[:, 2, 0]).max():.0%} on any machine; of {passed[1][2]} wrong machines, "
          f"AALpy's suite for a one-node hypothesis lets {passed[1][1]} pass, ours {passed[1][0]}.")


if __name__ == "__main__":
    main()
