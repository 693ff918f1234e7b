"""What M can show (paper, §5.1, "can be executed in M"): executable words, and machines compared on these alone.
Letters are z, nodes u and v.

A word is *executable* if M can show it from s0, nulls in between ignored. Two machines agree within M if they pay alike
for every executable word; they may differ elsewhere, and nobody in M can tell.
"""

from collections.abc import Hashable

import numpy as np

from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..words import Word
from .candidates import Candidates
from .wordgraph import Rows, WordGraph, by_label


class SmallestMachine(MealyRewardMachine):
    """A machine that `minimal_within` found, and what it proved: no machine below `lower_bound` nodes would do.

    >>> from mrmlib import domains
    >>> world = domains.cookie()
    >>> found = minimal_within(world.mdp, world.labelling, world.machine)
    >>> len(found.nodes), found.lower_bound, found.proved
    (2, 2, True)
    """

    lower_bound: int = 1

    @property
    def proved(self) -> bool:
        """Is it certain that no smaller machine pays as this one does within M?"""
        return len(self.nodes) == self.lower_bound

    def __reduce__(self):
        return _proved, (MealyRewardMachine(self.transitions, self.initial, self.null_reward), self.lower_bound)

    def __repr__(self) -> str:
        proof = "proved smallest" if self.proved else f"at least {self.lower_bound} needed"
        return f"SmallestMachine({len(self.nodes)} nodes, {proof})"


def executable(mdp: NRMDP, labelling: Labelling, word: Word) -> bool:
    """Whether `word` can be observed in M from its initial state, nulls in between ignored.

    >>> M = NRMDP(["street", "shop"], ["go", "stay"], lambda s, a: {"shop" if a == "go" else s: 1.0}, "street")
    >>> lam = Labelling({("go", "shop"): "bread", ("stay", "shop"): "crumbs"}, ["bread", "crumbs"])
    >>> executable(M, lam, ("bread", "crumbs")), executable(M, lam, ("crumbs",))
    (True, False)
    """
    return WordGraph(mdp, labelling).executable(word)


def distinguish(mdp: NRMDP, labelling: Labelling, one: MealyRewardMachine, other: MealyRewardMachine) -> Word | None:
    """A shortest executable word on which the two machines pay differently, or None if they agree within M.

    Words are over Z: machines that differ in nothing but what null pays agree here, unless null is a letter of λ.

    >>> ring = NRMDP("st", ["go"], lambda s, a: {"t" if s == "s" else "s": 1.0}, "s")
    >>> lam = Labelling({("go", "t"): "a", ("go", "s"): "b"}, "ab")
    >>> calm = MealyRewardMachine({("u", "a"): ("u", 0.0), ("u", "b"): ("u", 0.0)}, "u")
    >>> late = MealyRewardMachine({("u", "a"): ("u", 0.0), ("u", "b"): ("v", 0.0),
    ...                            ("v", "a"): ("v", 0.0), ("v", "b"): ("v", 1.0)}, "u")
    >>> calm.difference(late), distinguish(ring, lam, calm, late)
    (('b', 'b'), ('a', 'b', 'a', 'b'))
    """
    return WordGraph(mdp, labelling).distinguish(one, other)


def minimal_within(mdp: NRMDP, labelling: Labelling, machine: MealyRewardMachine,
                   budget: int = 1_000_000) -> SmallestMachine:
    """A machine with as few nodes as possible that pays as `machine` does on every executable word.

    The problem is NP-hard. Sizes are tried upwards, each until it is settled or has cost `budget` conflicts of the SAT
    solver; where it is never settled, the result says so: `proved` is False and `lower_bound` is what is certain.

    >>> ring = NRMDP("st", ["go"], lambda s, a: {"t" if s == "s" else "s": 1.0}, "s")
    >>> lam = Labelling({("go", "t"): "a", ("go", "s"): "b"}, "ab")
    >>> turns = MealyRewardMachine({("u", "a"): ("v", 1.0), ("u", "b"): ("u", 0.0),
    ...                             ("v", "a"): ("v", 0.0), ("v", "b"): ("u", 2.0)}, "u")
    >>> minimal_within(ring, lam, turns), minimal_within(ring, lam, turns).rewards(("a", "b"))
    (SmallestMachine(1 nodes, proved smallest), (1.0, 2.0))
    """
    graph, whole = WordGraph(mdp, labelling), machine.minimal()
    rows = graph.paid_by(whole)
    apart = clique(incompatible(rows))
    lower_bound = len(apart)
    for nodes in range(lower_bound, len(whole.nodes)):
        try:
            found = _simulating(rows, apart, nodes, len(graph.letters), budget)
        except TimeoutError:
            continue
        if found:
            return _proved(_machine(graph, whole, *found), lower_bound)
        lower_bound = nodes + 1
    return _proved(whole, lower_bound)


def incompatible(rows: Rows) -> np.ndarray:
    """Which pairs of places no machine can treat alike: after both, some word can be shown and is paid differently."""
    paid = by_label(rows)
    shown = {z: sum(edges for (letter, _), edges in paid.items() if letter == z) for z, _ in paid}
    apart = np.zeros((len(rows), len(rows)), dtype=bool)
    for (z, _), edges in paid.items():
        apart |= np.outer(edges.sum(axis=1) > 0, (shown[z] - edges).sum(axis=1) > 0)
    while True:
        more = apart.copy()
        for edges in shown.values():
            more |= edges @ (edges @ apart.T.astype(np.float32)).T > 0
        if (more == apart).all():
            return apart
        apart = more


def clique(apart: np.ndarray) -> list[int]:
    """Places that are pairwise apart, many of them (greedily): a machine needs a node for each."""
    order = np.argsort(-apart.sum(axis=1), kind="stable")  # the most exclusive first
    ranked, best = apart[np.ix_(order, order)], [0]
    for first in range(len(order)):
        chosen, left = [first], ranked[first].copy()
        while left.any():
            chosen.append(int(np.argmax(left)))
            left &= ranked[chosen[-1]]
        best = max(best, chosen, key=len)
    return order[best].tolist()


def _simulating(rows: Rows, apart: list[int], nodes: int, letters: int,
                budget: int) -> tuple[list, list, int] | None:
    """A machine with that many nodes that pays what the rows say, from the solver, and its start node; or None.

    A node simulates a place if it pays what the place demands and moves to nodes that simulate what comes next.
    """
    candidates = Candidates(nodes, letters)
    trails = [candidates.trail() for _ in rows]
    for here, row in zip(trails, rows, strict=True):
        candidates.add(here)
        for (z, reward), there in row:
            candidates.pay(here, z, reward)
            candidates.step(here, z, trails[there])
    for node, place in enumerate(apart):  # they need different nodes, and names are free
        candidates.add([trails[place][node]])
    found = candidates.find(budget=budget)
    return found and (*found, next(k for k, x in enumerate(trails[0]) if candidates.holds(x)))


def _machine(graph: WordGraph, whole: MealyRewardMachine, targets: list[list[int]],
             rewards: list[list[float | None]], initial: int) -> MealyRewardMachine:
    """The solver's machine by name; what M never asks of it stays and pays as null does."""
    position = {z: i for i, z in enumerate(graph.letters)}

    def transition(k: int, z: Hashable) -> tuple[int, float]:
        reward = rewards[k][position[z]] if z in position else None
        return (k, whole.null_reward) if reward is None else (targets[k][position[z]], reward)

    letters = dict.fromkeys((*whole.observations, *graph.letters))
    return MealyRewardMachine({(k, z): transition(k, z) for k in range(len(targets)) for z in letters},
                              initial, whole.null_reward).minimal()


def _proved(machine: MealyRewardMachine, lower_bound: int) -> SmallestMachine:
    """The machine, with what is known of smaller ones."""
    found = SmallestMachine.of_arrays(machine.nodes, machine.observations, machine.initial, machine.null_reward,
                                      machine.node_table[:, :-1], machine.reward_table[:, :-1])
    found.__dict__["lower_bound"] = lower_bound
    return found
