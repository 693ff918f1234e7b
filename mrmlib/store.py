"""The store (paper, OT, the observation tree): everything ever observed, as a prefix tree of words with what was paid
for each letter.

All learners, testers and agents share one, so no word is asked twice, and no prefix of a known word either. Inside, a
letter is its position in Z, and the child of node n by letter z is found under n·|Z| + z; the root is node 0.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import isfinite, nan
from typing import Any, NamedTuple, Self

from . import document
from .errors import NondeterminismError, QueryError
from .names import Names
from .words import Word

Letters = tuple[int, ...]


class Place(NamedTuple):
    """A known word, to ask and remember what follows it without reading it again: its node and what it was paid."""

    node: int
    word: Word
    rewards: tuple[float, ...]


ROOT = Place(0, (), ())
"""Where every word begins."""


class Store:
    """A prefix tree over `observations`.

    >>> store = Store(["m", "j"])
    >>> store.record(("m", "j"), (10.0, 60.0))
    >>> store.rewards(("m",)), store.rewards(("j",)), len(store)
    ((10.0,), None, 2)
    >>> store.record(("m", "m"), (5.0, 0.0))
    Traceback (most recent call last):
    mrmlib.errors.NondeterminismError: the word ('m',) was paid (10.0,) before and (5.0,) now
    """

    observations: Names
    counterexamples: list[Word]
    """The words that refuted a hypothesis, in that order: with them a run of a learner can be repeated."""

    def __init__(self, observations: Iterable[Hashable]) -> None:
        self.observations, self.counterexamples = Names(observations, "observation"), []
        self._size = len(self.observations)
        self._position = {z: i for i, z in enumerate(self.observations)}
        self._child: dict[int, int] = {}
        self._paid: list[float] = [nan]  # of the letter that leads to a node; none leads to the root

    def __len__(self) -> int:
        """How many words are known: all prefixes but the empty one."""
        return len(self._child)

    def __repr__(self) -> str:
        return f"Store({len(self)} words over {', '.join(map(str, self.observations))})"

    def letters(self, word: Word) -> Letters:
        """The word by the positions of its letters.

        >>> Store("ab").letters("ba")
        (1, 0)
        """
        position = self._position
        try:
            return tuple([position[z] for z in word])
        except (KeyError, TypeError):
            culprit = next(z for z in word if z not in tuple(self.observations))
            raise QueryError(f"unknown observation {culprit!r} in the word {tuple(word)}") from None

    def record(self, word: Word, rewards: Sequence[float]) -> None:
        """Remember what was paid for each letter of `word`; nothing is remembered if any of it is wrong."""
        self.insert(ROOT, self.letters(word), rewards)

    def insert(self, place: Place, suffix: Letters, rewards: Sequence[float]) -> tuple[float, ...]:
        """Remember what was paid for the word of a place and then `suffix`; returned is what the suffix was paid."""
        node, word, before = place
        answer, start = tuple(rewards), len(before)
        cell, size, child, paid = answer[start:], self._size, self._child, self._paid
        if len(cell) != len(suffix):
            raise QueryError(f"the answer {answer} has {len(answer)} rewards, "
                             f"the word {word + self.word(suffix)} has {start + len(suffix)} letters")
        if answer[:start] != before:
            self._refuse(word, answer)
        for r in cell:
            if type(r) is not float or not isfinite(r):  # perhaps another kind of number
                cell = _floats(answer)[start:]
                break
        for i, z in enumerate(suffix):  # what contradicts comes before what is new
            key = node * size + z
            node = child.get(key)
            if node is None:
                child[key] = node = len(paid)
                paid.append(cell[i])
            elif paid[node] != cell[i]:
                self._refuse(word + self.word(suffix), answer)
        return cell

    def _refuse(self, word: Word, answer: tuple) -> None:
        """Say from where on an answer contradicts an earlier one."""
        now = _floats(answer)
        end = next(i for i in range(1, len(word) + 1) if self.rewards(word[:i]) != now[:i])
        raise NondeterminismError(f"the word {word[:end]} was paid {self.rewards(word[:end])} before "
                                  f"and {now[:end]} now")

    def word(self, letters: Iterable[int]) -> Word:
        """The word that `letters` are the positions of.

        >>> Store("ab").word((1, 0))
        ('b', 'a')
        """
        names = self.observations
        return tuple([names[z] for z in letters])

    def rewards(self, word: Word) -> tuple[float, ...] | None:
        """What was paid for each letter of `word`, or None unless all of it is known."""
        return self.paid(0, self.letters(word))

    def paid(self, node: int, letters: Iterable[int]) -> tuple[float, ...] | None:
        """What was paid for `letters`, from a node of the tree on, or None unless all of it is known."""
        size, child, paid, found = self._size, self._child, self._paid, []
        for z in letters:
            node = child.get(node * size + z)
            if node is None:
                return None
            found.append(paid[node])
        return tuple(found)

    def after(self, place: Place, letter: int) -> Place | None:
        """The place that a letter leads to, or None unless that is known."""
        node = self._child.get(place.node * self._size + letter)
        return None if node is None else Place(node, (*place.word, self.observations[letter]),
                                               (*place.rewards, self._paid[node]))

    def words(self) -> Iterator[tuple[Word, tuple[float, ...]]]:
        """The words that are no prefix of another, with what they were paid; in the order of Z.

        >>> store = Store("ab")
        >>> store.record("ba", (1, 2)); store.record("aa", (0, 0)); store.record("b", (1,))
        >>> list(store.words())
        [(('a', 'a'), (0.0, 0.0)), (('b', 'a'), (1.0, 2.0))]
        """
        size, word, rewards, stack = self._size, [], [], [(0, 0, 0)]
        while stack:
            node, depth, z = stack.pop()
            if depth:
                word[depth - 1:], rewards[depth - 1:] = [self.observations[z]], [self._paid[node]]
            after = [(self._child[node * size + z], depth + 1, z) for z in range(size)
                     if node * size + z in self._child]
            if depth and not after:
                yield tuple(word), tuple(rewards)
            stack += reversed(after)

    def to_json(self) -> str:
        """The store as a JSON document that `from_json` reads back, bit for bit."""
        return document.dump("store", {
            "observations": [document.name_to_json(z) for z in self.observations],
            "words": [[self.letters(word), rewards] for word, rewards in self.words()],
            "counterexamples": [self.letters(word) for word in self.counterexamples],
        })

    @classmethod
    def from_json(cls, text: str, source: str = "text") -> Self:
        """The store in a JSON document; `source` is what errors call it.

        >>> store = Store("ab")
        >>> store.record("ab", (0.1, 0.2))
        >>> list(Store.from_json(store.to_json()).words()) == list(store.words())
        True
        """

        def build(content: dict[str, Any]) -> Self:
            store = cls(document.names_from_json(content["observations"], "observation"))

            def word(letters: list[int]) -> Word:
                if any(type(z) is not int or not 0 <= z < len(store.observations) for z in letters):
                    raise QueryError(f"the word {letters} is not made of positions in observations")
                return store.word(letters)

            for letters, rewards in content["words"]:
                store.record(word(letters), rewards)
            store.counterexamples += map(word, content["counterexamples"])
            return store

        return document.load(text, "store", build, source)


def _floats(rewards: tuple) -> tuple[float, ...]:
    """The rewards as floats, if they are finite numbers."""
    try:
        if all(map(isfinite, rewards)):
            return tuple(map(float, rewards))
    except (TypeError, OverflowError):  # not even a number, or one beyond every float
        pass
    raise QueryError(f"the rewards {rewards} are not all finite numbers")
