"""Rivals of a hypothesis H (paper, §5.1, "guarantees"): machines with at most n nodes that pay as lived so far, yet
differ from H within M.

The search keeps a tree of executable words, those lived among them. A machine K that pays as H does on the whole tree
agrees with H within M if the tree is *closed* for K: whenever a word of the tree leads K to node k and M may go on with
an edge (z, r) to place t, some word of the tree leads to k too and goes on by z to a place above t. For then any
executable word can be followed, letter by letter, inside the tree. So a rival differs on the tree, or the tree is not
closed for it, and both can be said in a propositional formula. If that has no solution there is no rival.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from numbers import Integral
from typing import Any

from ..errors import BoundError, QueryError
from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..store import Store
from ..within.candidates import Candidates
from ..within.wordgraph import WordGraph, simulation, topmost
from ..words import Word

Answers = Callable[[Word], Sequence[float]]
"""What the hidden machine pays for a word, letter by letter."""

Edge = tuple[tuple[int, float], int]
"""M may go on with letter z, for which H pays r, to place t: ((z, r), t)."""


class CompleteTester:
    """Complete relative to M: looks for machines that could be the hidden one and differ from H, until there is none.

    None proves that every machine with at most `max_nodes` nodes that pays as lived so far agrees with H on everything
    executable in M, so H is as good as right if the bound is. It proves nothing of words that M cannot show, nor of
    what null pays. With a `budget` of conflicts, or a limit of `seconds`, for each question to the solver None may come
    early, and then `proved` is False.

    `store` is what was lived before, and takes what is lived now; the part of a word that M cannot show is ignored.

    >>> ring = NRMDP("st", ["go"], lambda s, a: {"t" if s == "s" else "s": 1.0}, "s")
    >>> lam = Labelling({("go", "t"): "a", ("go", "s"): "b"}, "ab")
    >>> H = MealyRewardMachine({("u", "a"): ("u", 0.0), ("u", "b"): ("u", 0.0)}, "u")
    >>> late = MealyRewardMachine({("u", "a"): ("u", 0.0), ("u", "b"): ("v", 0.0),
    ...                            ("v", "a"): ("v", 0.0), ("v", "b"): ("v", 1.0)}, "u")
    >>> CompleteTester(ring, lam, late.rewards, max_nodes=2).counterexample(H)
    ('a', 'b', 'a', 'b')
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling, rewards: Answers, max_nodes: int, store: Store | None = None,
                 budget: int | None = None, seconds: float | None = None) -> None:
        self.rewards, self.max_nodes = rewards, check_nodes(max_nodes)
        self.limits = {"budget": budget, "seconds": seconds}
        self.store = Store(labelling.observations) if store is None else store
        self.proved, self.open = False, 0
        self._graph = WordGraph(mdp, labelling)

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """An executable word for which H pays wrongly, or None; BoundError if no machine within the bound pays so."""
        tests = self.tests(hypothesis)
        with suppress(StopIteration):
            word = next(tests)
            while True:
                word = tests.send(self.rewards(word))
        return self.refutation

    def tests(self, hypothesis: MealyRewardMachine) -> Generator[Word, Sequence[float], None]:
        """The words to be lived, one by one; what each is paid is to be sent. At the end, `refutation` says what a
        counter-example would be, and `proved` whether there is none. `open` bounds the tests still to come, as far as
        is known: each may raise new questions.
        """
        self.proved, self.refutation = False, None
        rivals = Rivals(self._graph, hypothesis, self.max_nodes)
        for word, paid in self.store.words():
            wrong = refuted(hypothesis, word, paid)
            if wrong and self._graph.executable(wrong):
                self.refutation = wrong
                return
            rivals.live(word, paid)
        with suppress(TimeoutError):
            while (word := rivals.word(**self.limits)) is not None:
                self.open = rivals.open
                paid = yield word
                self.store.record(word, paid)
                self.refutation = refuted(hypothesis, word, paid)
                if self.refutation:
                    return
                rivals.live(word, paid)
            if not rivals.bound_holds(**self.limits):
                raise BoundError(f"no machine with at most {self.max_nodes} nodes pays as lived: max_nodes is too low")
            self.proved = True


def check_nodes(nodes: Any) -> int:
    """The number of nodes, if it is one.

    >>> check_nodes("3")
    Traceback (most recent call last):
    mrmlib.errors.QueryError: max_nodes is '3', not a whole number
    """
    if not isinstance(nodes, Integral):
        raise QueryError(f"max_nodes is {nodes!r}, not a whole number")
    if nodes < 1:
        raise QueryError(f"max_nodes is {nodes}: a machine has at least one node")
    return int(nodes)


def refuted(hypothesis: MealyRewardMachine, word: Word, paid: Sequence[float]) -> Word | None:
    """The word up to the first letter for which H pays wrongly, or None."""
    if len(paid) != len(word):
        raise QueryError(f"the answer {tuple(paid)} has {len(paid)} rewards, the word {word} has {len(word)} letters")
    expected = hypothesis.rewards(word)
    return next((word[:i + 1] for i in range(len(word)) if expected[i] != paid[i]), None)


@dataclass
class _Node:
    """A word of the tree, the edges that M may go on with, and where the machine is then (a variable for each node)."""

    word: tuple[int, ...]
    edges: list[Edge]
    trail: list[int]
    children: dict[int, int] = field(default_factory=dict)
    settled: bool = False  # what K pays for the last letter is known: lived, or implied by what was lived


class Rivals:
    """The rivals of a hypothesis with at most that many nodes; `live` rules out those that pay otherwise."""

    def __init__(self, graph: WordGraph, hypothesis: MealyRewardMachine, nodes: int) -> None:
        self._graph, self._hypothesis = graph, hypothesis
        self._rows = graph.paid_by(hypothesis)
        self._below = simulation(self._rows)
        self._edges = sorted({edge for row in self._rows for edge in row})
        self._formula = Candidates(nodes, len(graph.letters))
        self._unmatched = {edge: self._formula.trail() for edge in self._edges}  # at node k, no word goes on like this
        self._more = self._formula.variable()  # a doubt that is yet to be added holds
        self._formula.add([self._more])
        self._visited: list[int] = []
        self._tree: list[_Node] = []
        self._grow((), self._rows[0])

    def live(self, word: Word, rewards: tuple[float, ...]) -> None:
        """Rule out the machines that pay otherwise for the executable part of a word."""
        here = 0
        for z, reward in zip(map(self._graph.position, word), rewards, strict=True):
            if all(letter != z for (letter, _), _ in self._tree[here].edges):
                return
            after = self._child(here, z)
            self._settle(here, z, reward)
            here = after

    def word(self, budget: int | None = None, seconds: float | None = None) -> Word | None:
        """An executable word on which some rival differs from H, or None if there is no rival left.

        `TimeoutError` if one question to the solver takes more than `budget` conflicts or so many seconds.
        """
        while True:
            for here, z, reward in self._unsettled():
                if self._may_differ(here, z, reward, budget, seconds):
                    return tuple(self._graph.letters[letter] for letter in (*self._tree[here].word, z))
                self._settle(here, z, reward)
            found = self._formula.find([-self._more], budget, seconds)
            if found is None:
                return None
            word = self._graph.distinguish(self._hypothesis, self._machine(*found))
            if word is not None:
                return word
            self._close(found[0])

    @property
    def open(self) -> int:
        """How many steps of the tree are not settled."""
        return sum(1 for _ in self._unsettled())

    def bound_holds(self, budget: int | None = None, seconds: float | None = None) -> bool:
        """Is there any machine with so few nodes that pays as lived?"""
        return self._formula.find(budget=budget, seconds=seconds) is not None

    def _grow(self, word: tuple[int, ...], edges: list[Edge]) -> int:
        """A new word of the tree; its number."""
        formula = self._formula
        trail, visited = formula.one_of(formula.trail()), formula.trail()
        for k in range(formula.nodes):  # nodes are numbered in the order in which the tree first visits them
            formula.add([-visited[k], trail[k], *self._visited[k:k + 1]])
            if k:
                formula.add([-trail[k], *self._visited[k - 1:k]])
        self._visited = visited
        self._tree.append(_Node(word, edges, trail))
        for edge in edges:
            doubt = formula.variable()  # the tree is not closed here
            for x, unmatched in zip(trail, self._unmatched[edge], strict=True):
                formula.add([-doubt, -x, unmatched])
            more = formula.variable()
            formula.add([-self._more, doubt, more])
            self._more = more
        return len(self._tree) - 1

    def _child(self, here: int, z: int) -> int:
        """The word one letter longer; its number."""
        node = self._tree[here]
        if z not in node.children:
            taken = [edge for edge in node.edges if edge[0][0] == z]
            after = topmost((edge for _, place in taken for edge in self._rows[place]), self._below)
            node.children[z] = self._grow((*node.word, z), after)
            self._formula.step(node.trail, z, self._tree[node.children[z]].trail)
            for edge in self._matched(taken):
                for x, unmatched in zip(node.trail, self._unmatched[edge], strict=True):
                    self._formula.add([-x, -unmatched])
        return node.children[z]

    def _matched(self, taken: list[Edge]) -> list[Edge]:
        """The edges that are followed wherever these are taken: the same letter and reward, to a place below."""
        return [(label, t) for label, t in self._edges
                if any(label == other and self._below[t, place] for other, place in taken)]

    def _unsettled(self) -> Iterator[tuple[int, int, float]]:
        """The steps of the tree of which it is not known what a rival pays, and what H pays."""
        for here, node in enumerate(self._tree):
            for z, child in node.children.items():
                if not self._tree[child].settled:
                    yield here, z, next(r for (letter, r), _ in node.edges if letter == z)

    def _settle(self, here: int, z: int, reward: float) -> None:
        """All machines left pay this much for this step."""
        child = self._tree[self._tree[here].children[z]]
        if not child.settled:
            child.settled = True
            self._formula.pay(self._tree[here].trail, z, reward)

    def _may_differ(self, here: int, z: int, reward: float, budget: int | None, seconds: float | None) -> bool:
        """Does some machine that pays as lived not pay what H pays for this step?"""
        differs = self._formula.variable()
        for x, pays in zip(self._tree[here].trail, self._formula.pays(z, reward), strict=True):
            self._formula.add([-differs, -x, -pays])
        return self._formula.find([differs], budget, seconds) is not None

    def _close(self, targets: list[list[int]]) -> None:
        """Grow the tree until it is closed for this machine, which agrees with H within M."""
        at, followed = [0], set()

        def follow(here: int, z: int) -> None:
            taken = [edge for edge in self._tree[here].edges if edge[0][0] == z]
            followed.update((edge, at[here]) for edge in self._matched(taken))

        for here, node in enumerate(self._tree):
            at += [0] * (len(self._tree) - len(at))
            for z, child in node.children.items():
                at[child] = targets[at[here]][z]
                follow(here, z)
        for here, node in enumerate(self._tree):  # grows as it is read
            for edge in node.edges:
                if (edge, at[here]) not in followed:
                    z = edge[0][0]
                    self._child(here, z)
                    at.append(targets[at[here]][z])
                    follow(here, z)

    def _machine(self, targets: list[list[int]], rewards: list[list[float | None]]) -> MealyRewardMachine:
        """The solver's machine by name; where any reward would do, it pays one that H never pays."""
        paid = set(self._hypothesis.reward_table.flat)
        fresh = next(float(i) for i in count() if i not in paid)
        return MealyRewardMachine({(k, z): (targets[k][i], fresh if rewards[k][i] is None else rewards[k][i])
                                   for k in range(len(targets)) for i, z in enumerate(self._graph.letters)}, 0)
