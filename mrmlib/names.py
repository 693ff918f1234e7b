"""Names outside, integers inside: ordered sets of states, actions, nodes and observations.

A model's names are any hashable values in declared order; its arrays speak of positions. Products name their states by
pairs that are never written out: a million of them cost nothing until they are looked at.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .errors import ModelError


class Names(tuple):
    """Distinct names in declared order, with their positions.

    >>> names = Names(["n", "e"], "action")
    >>> names.index("e"), "w" in names
    (1, False)
    >>> names.index("w")
    Traceback (most recent call last):
    mrmlib.errors.ModelError: unknown action 'w'
    >>> Names(names, "action", more=["w"])
    ('n', 'e', 'w')
    """

    kind: str
    _position: dict[Hashable, int]

    def __new__(cls, names: Iterable[Hashable], kind: str = "name", more: Iterable[Hashable] = ()) -> "Names":
        """The names and `more` after them, checked to be distinct; `kind` is what the errors call them.

        What is Names already is not checked again.
        """
        known = names._position if isinstance(names, Names) else {}
        if known and names.kind == kind and more == ():
            return names
        self = super().__new__(cls, (*names, *more))
        self.kind = kind
        try:
            self._position = known | {name: i for i, name in enumerate(self[len(known):], len(known))}
        except TypeError as error:
            raise ModelError(f"every {kind} must be hashable: {error}") from None
        if len(self._position) < len(self):
            twice = next(name for i, name in enumerate(self) if self._position[name] != i)
            raise ModelError(f"the {kind} {twice!r} is declared twice")
        return self

    def __reduce__(self):  # a pickled tuple subclass would lose its positions
        return Names, (tuple(self), self.kind)

    def index(self, name: Hashable) -> int:
        """The position of a name."""
        try:
            return self._position[name]
        except (KeyError, TypeError):
            raise ModelError(f"unknown {self.kind} {name!r}") from None

    def __contains__(self, name: object) -> bool:
        try:
            return name in self._position
        except TypeError:  # not hashable, so not a name
            return False


class _Virtual(Sequence):
    """Names that are computed when looked at; a subclass says how many, the `index` of each, and the name `_at` it."""

    def __getitem__(self, i: int | slice) -> Any:
        chosen = range(len(self))[i]
        return tuple(map(self._at, chosen)) if isinstance(i, slice) else self._at(chosen)

    def __contains__(self, name: Hashable) -> bool:
        try:
            self.index(name)
        except ModelError:
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(
            mine == yours for mine, yours in zip(self, other, strict=True)
        )

    __hash__ = None

    def __iter__(self) -> Iterator[Hashable]:
        return map(self._at, range(len(self)))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        return f"({shown}{', …' if len(self) > 3 else ''}) of {len(self)}"


class Pairs(_Virtual):
    """All pairs (s, u), s before u: the states S × U of a product.

    >>> pairs = Pairs(Names("st", "state"), Names(["u0", "u1"], "node"))
    >>> pairs[1], pairs[-2:], pairs.index(("t", "u0"))
    (('s', 'u1'), (('t', 'u0'), ('t', 'u1')), 2)
    """

    def __init__(self, left: Sequence, right: Sequence) -> None:
        self.left, self.right = left, right

    def __len__(self) -> int:
        return len(self.left) * len(self.right)

    def __iter__(self) -> Iterator[tuple]:
        return product(self.left, self.right)

    def _at(self, i: int) -> tuple:
        s, u = divmod(i, len(self.right))
        return self.left[s], self.right[u]

    def index(self, name: Hashable) -> int:
        """The position of a pair."""
        if not (isinstance(name, tuple) and len(name) == 2):
            raise ModelError(f"unknown state {name!r}: a state of a product is a pair (s, u)")
        return self.left.index(name[0]) * len(self.right) + self.right.index(name[1])


class Subset(_Virtual):
    """Some of another sequence's names, in the same order, given by their increasing positions there.

    >>> Subset(Names("abc"), np.array([0, 2])).index("c")
    1
    """

    def __init__(self, whole: Sequence, positions: np.ndarray) -> None:
        self.whole, self.positions = whole, positions

    def __len__(self) -> int:
        return len(self.positions)

    def _at(self, i: int) -> Hashable:
        return self.whole[self.positions[i]]

    def index(self, name: Hashable) -> int:
        """The position of a name among those kept."""
        position = self.whole.index(name)
        i = int(np.searchsorted(self.positions, position))
        if i == len(self) or self.positions[i] != position:
            raise ModelError(f"the state {name!r} was trimmed away")
        return i


class ByName(Mapping):
    """An array read by name: what a solver found, for each state. `names` decodes entries that are positions.

    >>> ByName(Names("st"), np.array([0.5, 2.0]))["t"]
    2.0
    >>> dict(ByName(Names("st"), np.array([1, 0]), Names(["left", "right"])))
    {'s': 'right', 't': 'left'}
    """

    def __init__(self, keys: Sequence, array: np.ndarray, names: Sequence | None = None) -> None:
        self._keys, self.array, self._names = keys, array, names

    def __getitem__(self, key: Hashable) -> Any:
        try:
            value = self.array[self._keys.index(key)].item()
        except ModelError:
            raise KeyError(key) from None
        return value if self._names is None else self._names[value]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key!r}: {self[key]!r}" for key, _ in zip(self, range(3), strict=False))
        return f"{{{shown}{', …' if len(self) > 3 else ''}}}"
