"""M as a graph on words (paper, σ_z of a history): which letters can come next, nulls skipped, and where they lead.
Letters z, nodes u.

A *place* stands for states after which the same can follow. All questions about executable words are questions about
this graph, which is often far smaller than M: the treasure map has one place.
"""

from collections.abc import Hashable, Iterable
from itertools import pairwise

import numba
import numpy as np
from scipy.sparse import csr_array

from ..errors import ModelError, QueryError
from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..words import Word

Rows = list[list[tuple[Hashable, int]]]
"""A graph with labelled edges: for each place its edges (label, place)."""


class WordGraph:
    """M seen through λ as a graph on words: from each place, which letters can come next and where they lead.

    A place stands for all states after which the same can follow, nulls skipped; place 0 is the start. `moves` lists a
    place's edges (z, place), letters by position. Build it once where many words are asked.

    >>> ring = NRMDP("st", ["go"], lambda s, a: {"t" if s == "s" else "s": 1.0}, "s")
    >>> graph = WordGraph(ring, Labelling({("go", "t"): "a", ("go", "s"): "b"}, "ab"))
    >>> graph.moves
    [[(0, 1)], [(1, 0)]]
    >>> graph.executable(("a", "b", "a")), graph.executable(("a", "a"))
    (True, False)
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling) -> None:
        starts, codes = _skip_nulls(mdp.starts, mdp.targets, labelling.table(mdp), mdp.states.index(mdp.initial))
        edges = [divmod(code, len(mdp.states)) for code in codes.tolist()]
        self.letters = labelling.observations
        self.moves = merged([edges[i:j] for i, j in pairwise(starts)])
        self._starts = np.cumsum([0, *map(len, self.moves)])
        self._edges = np.array([edge for row in self.moves for edge in row], dtype=np.int64).reshape(-1, 2)

    def position(self, z: Hashable) -> int:
        """The position of a letter."""
        try:
            return self.letters.index(z)
        except ModelError:
            raise QueryError(f"unknown observation {z!r}: M shows {', '.join(map(str, self.letters))}") from None

    def after(self, places: Iterable[int], z: int) -> tuple[int, ...]:
        """Where one may be after letter z, if one may have been at these places."""
        return tuple(sorted({place for here in places for letter, place in self.moves[here] if letter == z}))

    def executable(self, word: Word) -> bool:
        """Can the word be observed from the start?"""
        places: tuple[int, ...] = (0,)
        for z in [self.position(z) for z in word]:
            places = self.after(places, z)
        return bool(places)

    def distinguish(self, one: MealyRewardMachine, other: MealyRewardMachine) -> Word | None:
        """A shortest executable word on which the two machines pay differently, or None."""
        letters = _tell_apart(self._starts, self._edges,
                              *one.tables(self.letters), one.nodes.index(one.initial),
                              *other.tables(self.letters), other.nodes.index(other.initial))
        return None if letters[0] < 0 else tuple(self.letters[z] for z in letters)

    def paid_by(self, machine: MealyRewardMachine) -> Rows:
        """What the machine pays on executable words: edges ((z, r), place), for places of M and machine together."""
        move, pay = (table.tolist() for table in machine.tables(self.letters))
        order = [(0, machine.nodes.index(machine.initial))]
        number, rows = {order[0]: 0}, []
        for place, u in order:  # grows as it is read: breadth first
            rows.append([])
            for z, after in self.moves[place]:
                pair = (after, move[u][z])
                if pair not in number:
                    number[pair] = len(order)
                    order.append(pair)
                rows[-1].append(((z, pay[u][z]), number[pair]))
        return pruned(merged(rows))


def merged(rows: Rows) -> Rows:
    """The graph with bisimilar places, which can be followed by the same, made one; place 0 stays first."""
    block, count = [0] * len(rows), 0
    while True:
        number: dict[tuple, int] = {}
        block = [number.setdefault((block[here], frozenset((label, block[there]) for label, there in row)), len(number))
                 for here, row in enumerate(rows)]
        if len(number) == count:
            break
        count = len(number)
    first = dict(zip(reversed(block), reversed(rows), strict=True))
    return [sorted({(label, block[there]) for label, there in first[b]}) for b in range(count)]


def by_label(rows: Rows) -> dict[Hashable, csr_array]:
    """The edges of each label, as a matrix over places × places."""
    edges: dict[Hashable, list[tuple[int, int]]] = {}
    for here, row in enumerate(rows):
        for label, there in row:
            edges.setdefault(label, []).append((here, there))
    return {label: csr_array((np.ones(len(pairs), dtype=np.float32), np.array(pairs).T), shape=(len(rows), len(rows)))
            for label, pairs in edges.items()}


def simulation(rows: Rows) -> np.ndarray:
    """The largest simulation: `below[p, q]` says that q can do whatever p can, so all words of p are words of q."""
    below, matrices = np.ones((len(rows), len(rows)), dtype=bool), by_label(rows).values()
    while True:
        smaller = below.copy()
        for edges in matrices:
            missed = (edges @ below.T.astype(np.float32)) == 0  # [q, t]: no edge of q leads to a place above t
            smaller &= (edges @ missed.T.astype(np.float32)) == 0
        if (smaller == below).all():
            return below
        below = smaller


def topmost(edges: Iterable[tuple[Hashable, int]], below: np.ndarray) -> list[tuple[Hashable, int]]:
    """The edges without those that another one with the same label makes superfluous."""
    kept = sorted(set(edges))
    return [(label, t) for label, t in kept
            if not any(other == label and u != t and below[t, u] for other, u in kept)]


def pruned(rows: Rows) -> Rows:
    """A smaller graph with the same words: places that simulate each other are one, superfluous edges are gone."""
    below = simulation(rows)
    alike = np.argmax(below & below.T, axis=1).tolist()  # the first place that each one is like
    order = [alike[0]]
    number, kept = {order[0]: 0}, []
    for place in order:  # grows as it is read
        edges = topmost(((label, alike[t]) for label, t in rows[place]), below)
        for _, t in edges:
            if t not in number:
                number[t] = len(order)
                order.append(t)
        kept.append([(label, number[t]) for label, t in edges])
    return kept


@numba.njit(cache=True)
def _skip_nulls(starts, targets, label, origin):
    """The states where a letter can leave one (the origin first) and, for each, compressed, its edges z·|S| + place."""
    actions, states = label.shape
    place = np.full(states, -1, dtype=np.int64)
    reached = np.full(states, -1, dtype=np.int64)  # by nulls, from the place being looked at
    noted = np.full((label.max() + 2, states), -1, dtype=np.int64)
    found, stack = np.empty(states, dtype=np.int64), np.empty(states, dtype=np.int64)
    found[0], place[origin], count = origin, 0, 1
    rows, edges = [0], [0 for _ in range(0)]  # numba types an empty list by what it would hold
    here = 0
    while here < count:
        stack[0], height, reached[found[here]] = found[here], 1, here
        while height:
            height -= 1
            s = stack[height]
            for a in range(actions):
                for k in range(starts[s * actions + a], starts[s * actions + a + 1]):
                    t = targets[k]
                    z = label[a, t]
                    if z < 0:
                        if reached[t] != here:
                            stack[height], reached[t] = t, here
                            height += 1
                    elif noted[z, t] != here:
                        noted[z, t] = here
                        if place[t] < 0:
                            place[t], found[count] = count, t
                            count += 1
                        edges.append(z * states + place[t])
        rows.append(len(edges))
        here += 1
    return np.array(rows), np.array(edges)


@numba.njit(cache=True)
def _tell_apart(starts, edges, next_a, pay_a, a, next_b, pay_b, b):
    """The letters of a shortest word of the graph on which two machines pay differently; (−1,) if there is none.

    Breadth first over (place, u, v); `came` remembers the triple before and the letter that led here.
    """
    size_b, letters = len(next_b), next_a.shape[1]
    size = len(next_a) * size_b
    came = np.full((len(starts) - 1) * size, -2, dtype=np.int64)
    queue = np.empty(len(came), dtype=np.int64)
    queue[0], head, tail = a * size_b + b, 0, 1
    came[queue[0]] = -1
    while head < tail:
        triple = queue[head]
        head += 1
        place, u, v = triple // size, triple % size // size_b, triple % size_b
        for e in range(starts[place], starts[place + 1]):
            z = edges[e, 0]
            if pay_a[u, z] != pay_b[v, z]:
                word = [z]
                while came[triple] >= 0:
                    word.append(came[triple] % letters)
                    triple = came[triple] // letters
                return np.array(word[::-1])
            after = edges[e, 1] * size + next_a[u, z] * size_b + next_b[v, z]
            if came[after] == -2:
                came[after] = triple * letters + z
                queue[tail] = after
                tail += 1
    return np.array([-1])
