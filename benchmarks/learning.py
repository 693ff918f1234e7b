"""Learners against AALpy's on the same random machines: `python -m benchmarks.learning` (two to four minutes).

Both sides face the same machine and the same perfect oracle, which returns a shortest counter-example. Queries and
symbols are the words and letters that reach the machine, behind whatever cache a learner has. Learner time is CPU time
without the oracle and without stepping the machine, the better of two runs. AALpy's system under learning is written
as its manual says: pre, step, post.
"""

import gc
import time
from functools import partial
from importlib.metadata import version

import numpy as np
from aalpy.base import SUL, Oracle
from aalpy.learning_algs import run_KV, run_Lstar

import mrmlib as mrm
from mrmlib.lstar import L_STAR, hypotheses, learn
from mrmlib.tree import DiscriminationTree
from tests.minimal_machines import LongWinded, minimal_machine

SIZES, LETTERS = (50, 200, 500, 1000), (5, 10)
REWARDS = ((0.0, 1.0), (0.0, 1.0, 2.0), tuple(map(float, range(10))))
REPEATS = 2
clock = time.process_time


class Machine(SUL):
    """The hidden machine, one letter at a time; it notes the words it has read."""

    def __init__(self, machine):
        super().__init__()
        self.position = {z: i for i, z in enumerate(machine.observations)}
        self.moves, self.pays = machine.node_table.tolist(), machine.reward_table.tolist()
        self.start, self.words, self.oracle_time, self.rounds = machine.nodes.index(machine.initial), [], 0.0, 0
        self.machine = machine

    def pre(self):
        self.node, self.word = self.start, []

    def step(self, letter):
        z = self.position[letter]
        reward, self.node = self.pays[self.node][z], self.moves[self.node][z]
        self.word.append(letter)
        return reward

    def post(self):
        self.words.append(self.word)

    def read(self, word):
        """A whole word at once."""
        self.pre()
        paid = tuple([self.step(z) for z in word])
        self.post()
        return paid

    def difference(self, hypothesis):
        started = clock()
        word = self.machine.difference(hypothesis())
        self.oracle_time += clock() - started
        self.rounds += 1
        return word

    def measured(self, seconds):
        """(queries, symbols, equivalence queries, seconds without stepping)."""
        words = list(self.words)
        gc.disable()  # collecting what the learner has left would count as stepping
        started = clock()
        for word in words:
            self.pre()
            for z in word:
                self.step(z)
            self.post()
        stepping = clock() - started
        gc.enable()
        return len(words), sum(map(len, words)), self.rounds, seconds - self.oracle_time - stepping


class AalpyOracle(Oracle):
    """A shortest counter-example, as for mrmlib."""

    def find_cex(self, hypothesis):
        return self.machine.difference(lambda: self.translated(hypothesis))

    def translated(self, hypothesis):
        number, letters = {state: i for i, state in enumerate(hypothesis.states)}, self.machine.machine.observations
        targets = [[number[state.transitions[z]] for z in letters] for state in hypothesis.states]
        rewards = [[state.output_fun[z] for z in letters] for state in hypothesis.states]
        return mrm.MealyRewardMachine.of_arrays(range(len(number)), letters, number[hypothesis.initial_state], 0.0,
                                                np.array(targets), np.array(rewards))


class Teacher:
    """The same for mrmlib."""

    def __init__(self, machine):
        self.machine = machine
        self.rewards = machine.read

    def counterexample(self, hypothesis):
        return self.machine.difference(lambda: hypothesis)


def ours(learner, hidden):
    machine = Machine(hidden)
    gc.collect()
    started = clock()
    for learnt in hypotheses(Teacher(machine), learner(hidden.observations)):  # noqa: B007 the last one counts
        pass
    seconds = clock() - started
    assert learnt.difference(hidden) is None
    return machine.measured(seconds)


def theirs(run, hidden):
    machine, letters = Machine(hidden), list(hidden.observations)
    oracle = AalpyOracle(letters, machine)
    oracle.machine = machine
    gc.collect()
    started = clock()
    learnt = run(letters, machine, oracle, automaton_type="mealy", cex_processing="rs", print_level=0)
    seconds = clock() - started
    assert oracle.translated(learnt).difference(hidden) is None
    return machine.measured(seconds)


def long_winded(hidden, seed):
    result = learn(LongWinded(hidden, seed), hidden.observations, DiscriminationTree)
    assert result.machine.equivalent(hidden)
    return result.membership_queries, result.symbols


PAIRS = {
    "L*": (partial(ours, L_STAR), partial(theirs, run_Lstar)),
    "tree / KV": (partial(ours, DiscriminationTree), partial(theirs, run_KV)),
}


def best(measure, machine):
    """The quickest of a few runs; all of them ask the same."""
    return min((measure(machine) for _ in range(REPEATS)), key=lambda measured: measured[-1])


def table(head, rows):
    """A markdown table."""
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (head, ["---"] * len(head), *rows))


def growth(measured):
    """The exponents of learner time in the number of nodes, for each learner and alphabet."""
    slopes = []
    for name in PAIRS:
        for k in LETTERS:
            seconds = np.log([measured[name, n, k][:, 1] for n in SIZES])
            mine, yours = np.polyfit(np.log(SIZES), seconds, 1)[0]
            slopes.append(f"{name} with {k} letters n^{mine:.2f} / n^{yours:.2f}")
    return ", ".join(slopes)


def in_short(measured):
    """How much faster and with how many queries, from best to worst; and where AALpy is better."""
    said = []
    for name in PAIRS:
        cells = {case[1:]: pair for case, pair in measured.items() if case[0] == name}
        faster = {case: pair[1, 1] / pair[0, 1] for case, pair in cells.items()}
        large = [ratio for (n, _), ratio in faster.items() if n in SIZES and n >= 200]
        better = [f"{n} nodes" for (n, k), pair in cells.items() if pair[0, 0] > pair[1, 0] or faster[n, k] < 1]
        queries = sum(pair[0, 0] for pair in cells.values()) / sum(pair[1, 0] for pair in cells.values())
        said.append(f"{name}: {queries:.0%} of AALpy's queries, {min(large):.1f} to {max(large):.1f} times faster from "
                    f"200 nodes on" + (f" (AALpy asks less or is faster on {', '.join(better)})" if better else ""))
    return f"\nIn short: {'; '.join(said)}."


def main():
    hidden = {(n, k): [minimal_machine(np.random.default_rng([n, k, len(r)]), n, k, r) for r in REWARDS]
              for n in SIZES for k in LETTERS}
    for domain in (mrm.domains.treasure_map(), mrm.domains.cookie()):
        hidden[f"{domain.name}: {len(domain.machine.nodes)}", len(domain.machine.observations)] = [domain.machine]
    for measure, _ in PAIRS.values():  # compile first
        measure(domain.machine)
    rows, shortest, measured = [], {}, {}
    for name, (mine, peer) in PAIRS.items():
        total, worst = np.zeros((2, 2)), np.zeros(2)
        for (n, k), machines in hidden.items():
            results = np.array([[best(mine, machine), best(peer, machine)] for machine in machines])
            shortest[name, n, k] = results[:, 0, :2]
            worst = np.maximum(worst, (results[:, 0, :2] / results[:, 1, :2]).max(axis=0))
            (queries, symbols, rounds, seconds), other = results.sum(axis=0)
            total += [[queries, symbols], other[:2]]
            measured[name, n, k] = np.array([[queries, seconds], [other[0], other[3]]])
            rows.append((name, n, k, *(f"{mine:.0f} / {yours:.0f}" for mine, yours in
                                       zip((queries, symbols, rounds), other, strict=False)),
                         f"{1e6 * seconds / queries:.1f} / {1e6 * other[3] / other[0]:.1f}",
                         f"{other[3] / seconds:.1f}"))
        share = total[0] / total[1]
        rows.append((f"{name}, in all", "", "", f"{share[0]:.1%} (worst machine {worst[0]:.1%})",
                     f"{share[1]:.1%} (worst machine {worst[1]:.1%})", "", "", ""))
    print(f"## Learning, mrmlib / AALpy {version('aalpy')}\n")
    print(f"{len(REWARDS)} random minimal machines a row, with {', '.join(str(len(r)) for r in REWARDS)} different "
          "rewards, and the machines of the two domains; a perfect oracle with shortest counter-examples.\n")
    print(table(("learner", "nodes", "letters", "queries", "symbols", "equivalence queries", "µs a query",
                 "times faster"), rows))
    print(f"\nLearner time grows with the number n of nodes as (ours / AALpy's, least squares): {growth(measured)}.")
    print("\n### The tree with random counter-examples of 100 letters\n")
    rows = []
    for (n, k), machines in hidden.items():
        if n in SIZES and n >= 200:
            symbols = np.array([long_winded(machine, n)[1] for machine in machines])
            ratio = symbols / shortest["tree / KV", n, k][:, 1]
            rows.append((n, k, f"{symbols.sum()}", f"{ratio.mean():.2f}", f"{ratio.max():.2f}"))
    print(table(("nodes", "letters", "symbols", "times those with shortest ones", "worst machine"), rows))
    print(in_short(measured))


if __name__ == "__main__":
    main()
