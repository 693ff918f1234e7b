"""Test suites (paper, §3): words that refute a wrong hypothesis H, made when they are asked for.

With m nodes in H (as few as possible) and at most m + e in the hidden machine, a word of the W-method is v·x·s: the
access word v of a node, a middle part x of at most e + 1 letters, a suffix s that tells nodes apart. Every wrong
machine within the bound pays differently for one of these words (Chow 1978). It does so for the fewer words of the
Wp-method (Fujiwara et al. 1991), whose longest middle parts are followed only by suffixes that tell the node reached
from all others. Whole reward traces are compared, so a single node needs no suffix but the empty one.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from operator import index

import numpy as np

from ..errors import QueryError
from ..machine import MealyRewardMachine
from ..words import Word

Letters = tuple[int, ...]
"""A word by the positions of its letters."""


class Suite:
    """The words of a W- or Wp-suite, level by level: a level has all middle parts of one length.

    No word is a prefix of another of its level or of an earlier one.

    >>> H = MealyRewardMachine({("u", "a"): ("v", 0.0), ("v", "a"): ("u", 1.0)}, "u")
    >>> suite = Suite(H, extra_nodes=1)
    >>> list(suite), suite.size, suite.at_most
    ([('a', 'a'), ('a', 'a', 'a'), ('a', 'a', 'a', 'a')], 3, 6)
    """

    def __init__(self, hypothesis: MealyRewardMachine, extra_nodes: int = 0, partial: bool = False) -> None:
        """`partial`: after the longest middle parts only the suffixes of the node reached, as the Wp-method has it."""
        H = hypothesis.minimal()
        if index(extra_nodes) < 0:
            raise QueryError(f"extra_nodes is {extra_nodes}: a bound below the {len(H.nodes)} nodes of the hypothesis")
        self.observations, self._levels = H.observations, extra_nodes + 2
        self._move = H.node_table[:, :-1].tolist()
        self._access, self._tree = _access(self._move)
        every, own = _suffixes(H)
        self._suffixes = [[every] * len(own), own if partial else [every] * len(own)]
        self._prefixes, self._proper = ([[{s[:i] for s in words for i in range(len(s) + whole)} for words in row]
                                         for row in self._suffixes] for whole in (1, 0))

    @property
    def at_most(self) -> int:
        """A number of words that is not exceeded; known at once."""
        return sum(len(self._access) * len(self.observations)**level * max(map(len, self._suffixes[self._kind(level)]))
                   for level in range(self._levels))

    @property
    def size(self) -> int:
        """The number of words, counted by making them; nothing is asked."""
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Word]:
        for level in range(self._levels):
            for word in self._level(level):
                yield tuple(self.observations[z] for z in word)

    def _kind(self, level: int) -> int:
        """1 for the last level, 0 for all others."""
        return int(level == self._levels - 1)

    def _level(self, level: int) -> Iterator[Letters]:
        for access in self._access:
            for middle in product(range(len(self.observations)), repeat=level):
                nodes = self._run(access + middle)
                for suffix in self._suffixes[self._kind(level)][nodes[-1]]:
                    word = access + middle + suffix
                    if word and self._is_new(word, level, len(access)):
                        yield word

    def _is_new(self, word: Letters, level: int, origin: int) -> bool:
        """Whether no other word asks as much: of an earlier level, longer, or the same from a shorter access word."""
        nodes = self._run(word)
        return not (
            any(rest is None or rest in self._prefixes[0][node]
                for earlier in range(level) for _, node, rest in self._splits(word, nodes, earlier))
            or any(rest is None or rest in self._proper[self._kind(level)][node]
                   or (start < origin and rest in self._suffixes[self._kind(level)][node])
                   for start, node, rest in self._splits(word, nodes, level))
        )

    def _splits(self, word: Letters, nodes: list[int], level: int) -> Iterator[tuple[int, int, Letters | None]]:
        """The ways to read a word as v·x·rest: |v|, the node after v·x, and the rest, None if not even x fits."""
        for start in range(len(word) + 1):
            if start and (nodes[start - 1], word[start - 1]) not in self._tree:
                return
            end = start + level
            yield (start, nodes[end], word[end:]) if end <= len(word) else (start, nodes[-1], None)

    def _run(self, word: Letters) -> list[int]:
        """The nodes that a word visits."""
        nodes = [0]
        for z in word:
            nodes.append(self._move[nodes[-1]][z])
        return nodes


def w_method(hypothesis: MealyRewardMachine, extra_nodes: int = 0) -> Suite:
    """Words that refute H unless it is right, if the hidden machine has at most `extra_nodes` more than H.minimal().

    That is the price of the bound: each node more multiplies the words by |Z|.

    >>> H = MealyRewardMachine({("u", "a"): ("u", 0.0), ("u", "b"): ("u", 1.0)}, "u")
    >>> list(w_method(H)), w_method(H, extra_nodes=9).at_most
    ([('a',), ('b',)], 2047)
    """
    return Suite(hypothesis, extra_nodes)


def wp_method(hypothesis: MealyRewardMachine, extra_nodes: int = 0) -> Suite:
    """As good as `w_method`, and often fewer words.

    >>> H = MealyRewardMachine({("u", "a"): ("v", 0.0), ("v", "a"): ("u", 1.0)}, "u")
    >>> list(wp_method(H))
    [('a', 'a'), ('a', 'a', 'a')]
    """
    return Suite(hypothesis, extra_nodes, partial=True)


def random_words(observations: Sequence, count: int, length: int,
                 seed: int | np.random.Generator = 0) -> Iterator[Word]:
    """`count` words, each with 1 to `length` letters; all lengths and letters are equally likely.

    >>> list(random_words("ab", count=3, length=4, seed=1))
    [('b', 'b'), ('a', 'a', 'b', 'b'), ('a',)]
    """
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield tuple(observations[z] for z in rng.integers(len(observations), size=rng.integers(1, length + 1)))


def random_walks(observations: Sequence, letters: int, restart: float = 0.05,
                 seed: int | np.random.Generator = 0) -> Iterator[Word]:
    """Words with `letters` letters in all: a random walk that begins anew after each letter with chance `restart`.

    >>> list(random_walks("ab", letters=6, restart=0.3, seed=0))
    [('b', 'a'), ('a',), ('a', 'b'), ('b',)]
    """
    rng, left = np.random.default_rng(seed), letters
    while left > 0:
        length = min(left, int(rng.geometric(restart)))
        left -= length
        yield tuple(observations[z] for z in rng.integers(len(observations), size=length))


def _access(move: list[list[int]]) -> tuple[list[Letters], set[tuple[int, int]]]:
    """The first shortest word to each node, and the steps (u, z) that these words take."""
    words: dict[int, Letters] = {0: ()}
    tree, order = set(), [0]
    for u in order:  # grows as it is read: breadth first
        for z, v in enumerate(move[u]):
            if v not in words:
                words[v] = (*words[u], z)
                tree.add((u, z))
                order.append(v)
    return [words[u] for u in order], tree


def _suffixes(H: MealyRewardMachine) -> tuple[tuple[Letters, ...], list[tuple[Letters, ...]]]:
    """Words that tell all nodes apart (few, by greed); for each node, those of them that tell it from all others."""
    words = _separating(H.node_table[:, :-1], H.reward_table[:, :-1])
    answers = np.array([_answers(H, word) for word in words], dtype=np.int64).reshape(len(words), len(H.nodes))
    every, block = [], np.zeros(len(H.nodes), dtype=np.int64)
    while len(set(block.tolist())) < len(block):
        finer = [np.unique(block * len(block) + answer, return_inverse=True)[1] for answer in answers]
        best = min(range(len(words)), key=lambda i: (np.sum(np.bincount(finer[i])**2), len(words[i])))
        every.append(best)
        block = finer[best].reshape(-1)
    own = [_cover(answers[every] != answers[every][:, [u]]) for u in range(len(H.nodes))]
    kept = tuple(words[i] for i in every) or ((),)
    return kept, [tuple(kept[i] for i in chosen) or ((),) for chosen in own]


def _cover(apart: np.ndarray) -> list[int]:
    """Rows that together hold wherever any row does, few of them, by greed."""
    chosen, left = [], apart.any(axis=0)
    while left.any():
        chosen.append(int(np.argmax((apart & left).sum(axis=1))))
        left = left & ~apart[chosen[-1]]
    return chosen


def _answers(H: MealyRewardMachine, word: Letters) -> np.ndarray:
    """For each node a number that tells what it pays for the word: equal numbers, equal rewards."""
    node, block = np.arange(len(H.nodes)), np.zeros(len(H.nodes), dtype=np.int64)
    for z in word:
        paid = np.unique(H.reward_table[node, z], return_inverse=True)[1].reshape(-1)
        block = np.unique(block * len(block) + paid, return_inverse=True)[1].reshape(-1)
        node = H.node_table[node, z]
    return block


def _separating(move: np.ndarray, pay: np.ndarray) -> list[Letters]:
    """A shortest word for each pair of nodes that tells the two apart; each word once, by length, then letters."""
    size, letters = move.shape
    words: dict[tuple[int, int], Letters] = {}
    told = np.zeros((size, size), dtype=bool)  # pairs that have their word
    apart = [pay[:, None, z] != pay[None, :, z] for z in range(letters)]  # by one letter, then by one letter and a word
    while True:
        new: dict[tuple[int, int], Letters] = {}
        for z in range(letters):
            for u, v in np.argwhere(apart[z] & ~told).tolist():
                new.setdefault((u, v), (z, *words.get((int(move[u, z]), int(move[v, z])), ())))
        if not new:
            return sorted(set(words.values()), key=lambda word: (len(word), word))
        words |= new
        told[tuple(np.array(list(new)).T)] = True
        apart = [told[move[:, None, z], move[None, :, z]] for z in range(letters)]
