"""Machines whose edges carry propositional formulas: u –φ/r→ v stands for one edge with every letter that makes φ true.

A letter is observed when certain propositions are true together. At every node, each letter must make exactly one
formula true, or several that lead to the same node and pay the same.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping
from itertools import combinations
from math import copysign

from ..errors import ModelError, finite
from ..machine import MealyRewardMachine
from .guards import Formula, parse, propositions

Letters = Mapping[Hashable, Collection[str]]
"""For each letter, the propositions that are true when it is observed; all others are false."""

MAX_LETTERS = 4096
MAX_PAIRS = 2**20  # of nodes and letters: what an expanded machine may hold


def from_formulas(edges: Iterable[tuple[Hashable, str, Hashable, float]], letters: Letters | None, initial: Hashable,
                  null_reward: float = 0.0) -> MealyRewardMachine:
    """The machine with the edges (u, formula, v, reward); without `letters`, any propositions may be true together.

    >>> edges = [("u0", "map & !guard", "u1", 10.0), ("u0", "!map | guard", "u0", 0.0), ("u1", "true", "u0", 0.0)]
    >>> letters = {"map": {"map"}, "caught": {"map", "guard"}, "shop": set()}
    >>> from_formulas(edges, letters, "u0").rewards(("caught", "shop", "map"))
    (0.0, 0.0, 10.0)
    >>> from_formulas(edges, None, "u0").observations
    ((), ('guard',), ('map',), ('guard', 'map'))
    """
    parsed = [_parsed(edge) for edge in edges]
    if letters is None:
        letters = all_letters(name for _, formula, _, _ in parsed for name in propositions(formula))
    expansion = Expansion(letters)
    for u, formula, v, r in parsed:
        expansion.add(u, formula, v, r)
    for u in expansion.nodes:
        if (uncovered := expansion.uncovered(u)):
            raise ModelError(f"δ({u!r}, {uncovered[0]!r}) is missing: that letter makes no formula at {u!r} true")
    return MealyRewardMachine(expansion.transitions(), initial, null_reward)


def all_letters(names: Iterable[str]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """One letter for every set of the propositions: its true ones, in alphabetical order; smaller sets come first.

    >>> list(all_letters("ba"))
    [(), ('a',), ('b',), ('a', 'b')]
    """
    names = sorted(set(names))
    if 2 ** len(names) > MAX_LETTERS:
        raise ModelError(f"{len(names)} propositions make more than {MAX_LETTERS} letters: say which of them occur")
    return {true: true for size in range(len(names) + 1) for true in combinations(names, size)}


def _parsed(edge: tuple) -> tuple[Hashable, Formula, Hashable, float]:
    try:
        u, formula, v, r = edge
    except (TypeError, ValueError):
        raise ModelError(f"an edge is (node, formula, node, reward), not {edge!r}") from None
    if not isinstance(formula, str):
        raise ModelError(f"the formula of the edge {edge!r} is not text")
    return u, parse(formula), v, finite(r, f"the reward of the edge {edge!r}")


class Expansion:
    """Edges with formulas, gathered letter by letter. A set of letters is an integer with one bit for each of them.

    >>> expansion = Expansion({"a": {"a"}, "b": {"b"}})
    >>> expansion.where(parse("!a"))
    2
    >>> expansion.add("u", parse("!a"), "v", 1.0)
    >>> expansion.transitions(), expansion.uncovered("u")
    ({('u', 'b'): ('v', 1.0)}, ['a'])
    """

    def __init__(self, letters: Letters) -> None:
        if len(letters) > MAX_LETTERS:
            raise ModelError(f"{len(letters)} letters are more than {MAX_LETTERS}")
        self.letters, self._all = tuple(letters), (1 << len(letters)) - 1
        self._true: dict[str, int] = {}  # the letters with which a proposition is true
        for i, true in enumerate(letters.values()):
            for name in true:
                self._true[name] = self._true.get(name, 0) | 1 << i
        self._effects: dict[Hashable, dict[tuple, int]] = {}
        self._covered: dict[Hashable, int] = {}

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The nodes that edges leave, in the order of their first ones."""
        return tuple(self._effects)

    def add(self, u: Hashable, formula: Formula, v: Hashable, r: float) -> None:
        """Take in the edge u –φ/r→ v."""
        effects, covered = self._effects.setdefault(u, {}), self._covered.get(u, 0)
        if len(self._effects) * len(self.letters) > MAX_PAIRS:
            raise ModelError(f"more than {MAX_PAIRS} pairs of nodes and letters")
        effect, where = (v, r, copysign(1.0, r)), self.where(formula)  # 0.0 equals −0.0, but is not written alike
        if (clash := where & covered & ~effects.get(effect, 0)):
            raise ModelError(f"δ({u!r}, {self._members(clash)[0]!r}) is given twice, differently")
        effects[effect] = effects.get(effect, 0) | where
        self._covered[u] = covered | where

    def where(self, formula: Formula) -> int:
        """The letters that make a formula true, as bits."""
        if isinstance(formula, bool):
            return self._all if formula else 0
        if isinstance(formula, str):
            return self._true.get(formula, 0)
        mark, first, *rest = formula
        where = self.where(first)
        if mark == "!":
            return self._all & ~where
        for part in rest:
            where = where & self.where(part) if mark == "&" else where | self.where(part)
        return where

    def uncovered(self, u: Hashable) -> list[Hashable]:
        """The letters that make no formula at u true."""
        return self._members(self._all & ~self._covered.get(u, 0))

    def transitions(self) -> dict[tuple[Hashable, Hashable], tuple[Hashable, float]]:
        """δ as far as it is given, node by node, with the letters in their order."""
        delta = {}
        for u, effects in self._effects.items():
            row = {z: (v, r) for (v, r, _), where in effects.items() for z in self._members(where)}
            delta |= {(u, z): row[z] for z in self.letters if z in row}
        return delta

    def _members(self, where: int) -> list[Hashable]:
        members = []
        while where:
            lowest = where & -where
            members.append(self.letters[lowest.bit_length() - 1])
            where ^= lowest
        return members
