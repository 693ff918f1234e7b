"""What a counter-example w teaches (paper, addCounterExample): three processings, after Angluin, Rivest & Schapire, and
Shahbaz & Groz.

A processing is a generator function: it may ask words on the way, and returns the prefixes and the suffixes that the
table gets. The counter-example is cut to its first wrong reward before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .learner import Learner, Questions
from .store import Letters

if TYPE_CHECKING:
    from .table import ObservationTable

Processing = Callable[["ObservationTable", Letters], Questions]


def all_prefixes(table: ObservationTable, word: Letters) -> Questions:
    """Every prefix of w becomes a row of S (Angluin; the paper's addCounterExample).

    >>> from mrmlib import MachineTeacher, MealyRewardMachine, learn
    >>> fourth = {(u, z): ((u + (z == "a")) % 4, float((u, z) == (3, "a"))) for u in range(4) for z in "ab"}
    >>> learn(MachineTeacher(MealyRewardMachine(fourth, 0)), "ab", processing=all_prefixes).membership_queries
    27
    """
    yield from ()
    return [word[:i + 1] for i in range(len(word))], []


def shahbaz_groz(table: ObservationTable, word: Letters) -> Questions:
    """Every suffix of what follows the longest known row becomes a column (L_M+, Shahbaz & Groz 2009).

    >>> from mrmlib import MachineTeacher, MealyRewardMachine, learn
    >>> fourth = {(u, z): ((u + (z == "a")) % 4, float((u, z) == (3, "a"))) for u in range(4) for z in "ab"}
    >>> learn(MachineTeacher(MealyRewardMachine(fourth, 0)), "ab", processing=shahbaz_groz).membership_queries
    18
    """
    yield from ()
    known = table.longest_prefix(word)
    return [], [word[i:] for i in reversed(range(known, len(word)))]


def rivest_schapire(table: ObservationTable, word: Letters) -> Questions:
    """The one suffix that shows which transition is wrong, found by binary search, becomes a column.

    >>> from mrmlib import MachineTeacher, MealyRewardMachine, learn
    >>> fourth = {(u, z): ((u + (z == "a")) % 4, float((u, z) == (3, "a"))) for u in range(4) for z in "ab"}
    >>> learn(MachineTeacher(MealyRewardMachine(fourth, 0)), "ab", processing=rivest_schapire).membership_queries
    18
    """
    _, _, suffix = yield from wrong_transition(table, word)
    return [], [suffix]


def wrong_transition(learner: Learner, word: Letters, start: Any = None) -> Questions:
    """(u, z, v): in node u of H letter z leads to a node that pays otherwise for v than what u·z really leads to.

    After i letters H is in node u_i. It pays wrongly for the rest of w at i = 0, and rightly at the last letter, since
    all single rewards are known: somewhere in between wrong turns right, in the step by w[i].
    """
    nodes = [learner.start if start is None else start]
    for z in word:
        nodes.append(learner.step(nodes[-1], z)[0])
    wrong, right, stride = 0, len(word) - 1, 1
    while right - wrong > 1:
        middle, stride = max((wrong + right) // 2, right - stride), 2 * stride
        access, rest = learner.access(nodes[middle]), word[middle:]
        if learner.store.paid(access.node, rest) is None:
            yield access, rest
        shown = learner.contradiction(rest, nodes[middle])
        if shown is None:
            right = middle
        else:  # perhaps already before the last letter of w: then the rest is not needed
            wrong, word = middle, word[:middle + len(shown)]
            right = min(right, len(word) - 1)
    return nodes[wrong], word[wrong], word[wrong + 1:]
