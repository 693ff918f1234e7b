"""What words are worth: the best word of k letters (paper, getGoodObsSeq), and above which reward no word is dangerous.

Both are found by dynamic programming over where M and the machine may be, not by trying |Z|^k words.
"""

import math

from ..machine import MealyRewardMachine
from ..within.wordgraph import WordGraph
from ..words import Word


def good_word(graph: WordGraph, hypothesis: MealyRewardMachine, k: int) -> Word:
    """The executable word of length k that H pays best in total; ties go to the declared order.

    Shorter if M cannot show k letters.

    >>> from mrmlib import domains
    >>> world = domains.treasure_map()
    >>> good_word(WordGraph(world.mdp, world.labelling), world.machine, 6)
    ('m', 'g', 't', 'j2', 'g', 't')
    """
    rows = graph.paid_by(hypothesis)
    best = [[(0, 0.0)] * len(rows)]  # for so many letters left, at each place: how many can follow, and what they pay
    for _ in range(k):
        best.append([max((_then(r, best[-1][t]) for (_, r), t in row), default=(0, 0.0)) for row in rows])
    here, word = {0}, []
    for left in range(k, 0, -1):
        ways = [(z, t) for s in here for (z, r), t in rows[s] if _then(r, best[left - 1][t]) == best[left][s]]
        if not ways:
            break
        first = min(z for z, _ in ways)
        here = {t for z, t in ways if z == first}
        word.append(graph.letters[first])
    return tuple(word)


def _then(reward: float, rest: tuple[int, float]) -> tuple[int, float]:
    """The rest of a word with one letter before it."""
    return rest[0] + 1, reward + rest[1]


def highest_unsafe(graph: WordGraph, machine: MealyRewardMachine, forbidden: MealyRewardMachine, k: int) -> float:
    """The highest total reward of any executable word of at most k letters that contains the forbidden process.

    `forbidden` reads the same observations and pays something other than 0 exactly when the process happens. So every
    word of at most k letters that earns more is safe (paper, §7); minus infinity if the process cannot happen at all.

    >>> from mrmlib import domains
    >>> line = domains.assembly()
    >>> highest_unsafe(WordGraph(line.mdp, line.labelling), line.machine, line.facts["forbidden"], k=5)
    -6.0
    """
    rows = _watched(graph, machine, forbidden)
    free, unsafe = [0.0] * len(rows), [-math.inf] * len(rows)  # the most that can follow; the same with the process
    for _ in range(k):
        free, unsafe = ([max([0.0, *(r + free[t] for r, _, t in row)]) for row in rows],
                        [max((r + (free if bad else unsafe)[t] for r, bad, t in row), default=-math.inf)
                         for row in rows])
    return unsafe[0]


def _watched(graph: WordGraph, machine: MealyRewardMachine,
             forbidden: MealyRewardMachine) -> list[list[tuple[float, bool, int]]]:
    """What can follow where M, the machine and its watcher may be: edges (reward, does the process happen, to)."""
    move, pay, watch, alarm = (table.tolist() for one in (machine, forbidden) for table in one.tables(graph.letters))
    order = [(0, machine.nodes.index(machine.initial), forbidden.nodes.index(forbidden.initial))]
    number, rows = {order[0]: 0}, []
    for place, u, v in order:  # grows as it is read: breadth first
        rows.append([])
        for z, after in graph.moves[place]:
            there = (after, move[u][z], watch[v][z])
            if there not in number:
                number[there] = len(order)
                order.append(there)
            rows[-1].append((pay[u][z], alarm[v][z] != 0, number[there]))
    return rows
