"""The observation table (paper, §3; Angluin's, for Mealy machines): rows S and S·Z, columns E, cells what E is paid.

The table is *closed* if every row of S·Z equals a row of S, and *consistent* if equal rows of S stay equal after every
letter. Rows are compared by number: a row's number follows from its number one column earlier and its last cell. So a
new column costs one look-up a row, a new row one look-up a column, and nothing else is looked at again.
"""

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from html import escape

import numpy as np

from .counterexample import Processing, all_prefixes
from .learner import Learner, Questions
from .store import ROOT, Letters, Place, Store
from .words import Word


@dataclass(slots=True, eq=False)
class _Row:
    """A row: the row and letter that it extends, the place of its word, and the rows that extend it if it is in S."""

    parent: "_Row | None" = None
    letter: int = -1
    place: Place | None = None  # None until the word is known; in S it is
    children: list["_Row"] | None = None
    number: int = 0  # equal rows have equal numbers
    numbered: int = 0  # how many cells the number speaks of


class ObservationTable(Learner):
    """L*'s table, query by query.

    >>> table = ObservationTable(["a", "b"])
    >>> while not table.is_complete:
    ...     word = table.next_query()
    ...     table.resolve(word, tuple(1.0 if z == "b" else 0.0 for z in word))
    >>> table.prefixes, table.extensions, table.suffixes
    (((),), (('a',), ('b',)), (('a',), ('b',)))
    >>> table.hypothesis().rewards(("b", "a"))
    (1.0, 0.0)
    """

    def __init__(self, observations: Iterable[Hashable], *, store: Store | None = None,
                 processing: Processing = all_prefixes) -> None:
        super().__init__(observations, store=store)
        self.processing = processing
        self.start = _Row(place=ROOT)
        self._rows, self._prefixes, self._columns, self._by_length = [self.start], [], [], []
        self._numbers: dict[tuple[int, tuple[float, ...]], int] = {}  # (number before, cell) -> number
        self._unanswered = [self.start]  # rows whose new cells are not known yet, the next one last
        self._uncompared: list[_Row] = []  # numbered rows that wait for the others
        self._forget()
        self._promote(self.start)
        self._add_columns([(z,) for z in range(len(self.observations))])
        self._begin(self._start())

    def _forget(self) -> None:
        """Nothing is known of equal rows: a new column may tell them apart."""
        self._node: dict[int, _Row] = {}  # number -> the first row of S with it, a node of H
        self._unclosed: deque[_Row] = deque()
        self._torn: tuple[_Row, _Row] | None = None  # unequal rows that extend equal ones

    @property
    def prefixes(self) -> tuple[Word, ...]:
        """S, in the order in which its rows came."""
        return tuple(row.place.word for row in self._prefixes)

    @property
    def extensions(self) -> tuple[Word, ...]:
        """S·Z without S."""
        return tuple((*row.parent.place.word, self.observations[row.letter])
                     for row in self._rows if row.children is None)

    @property
    def suffixes(self) -> tuple[Word, ...]:
        """E, in the order in which its columns came."""
        return tuple(map(self.store.word, self._columns))

    @property
    def is_closed(self) -> bool:
        """Is every cell answered, and does every row of S·Z equal a row of S?"""
        return self._compared() and not self._unclosed

    @property
    def is_consistent(self) -> bool:
        """Is every cell answered, and do equal rows of S stay equal after every letter?"""
        return self._compared() and self._torn is None

    @property
    def unclosed(self) -> Word | None:
        """A row of S·Z that equals no row of S; None if there is none, or if a cell is unanswered."""
        return self._unclosed[0].place.word if self._compared() and self._unclosed else None

    @property
    def inconsistent(self) -> tuple[Word, Word, Hashable] | None:
        """Two equal rows of S and a letter after which they differ; None as for `unclosed`."""
        if not self._compared() or self._torn is None:
            return None
        one, two = self._torn
        return one.parent.place.word, two.parent.place.word, self.observations[one.letter]

    def access(self, node: _Row) -> Place:
        """The place of the row of S that stands for a node of H."""
        return node.place

    def step(self, node: _Row, letter: int) -> tuple[_Row, float]:
        """The node that H goes to, and what it pays."""
        row = node.children[letter]
        return self._node[row.number], row.place.rewards[-1]

    def longest_prefix(self, word: Letters) -> int:
        """How many letters of `word` can be read within the rows of the table."""
        row, read = self.start, 0
        while read < len(word) and row.children is not None:
            row, read = row.children[word[read]], read + 1
        return read

    def _start(self) -> Questions:
        yield from self._answers()
        while self._compared() and (self._torn or self._unclosed):
            if self._torn is not None:
                self._add_columns([self._telling_suffix(*self._torn)])
            else:
                self._promote(self._unclosed[0])
            yield from self._answers()

    def _refine(self, letters: Letters) -> Questions:
        while wrong := self.contradiction(letters):
            prefixes, suffixes = yield from self.processing(self, wrong)
            for prefix in prefixes:
                self._promote(self._row(prefix))
            self._add_columns(suffixes)
            yield from self._start()

    def _row(self, word: Letters) -> _Row:
        """The row of a word, all of whose prefixes are in S."""
        row = self.start
        for z in word:
            row = row.children[z]
        return row

    def _promote(self, row: _Row) -> None:
        """Move a row to S: the words that extend it become rows."""
        if row.children is None:
            row.place = self._place(row)
            row.children = [_Row(row, z) for z in range(len(self.observations))]
            self._prefixes.append(row)
            self._rows += row.children
            self._unanswered += row.children
            if row.numbered:
                self._node.setdefault(row.number, row)

    def _add_columns(self, suffixes: list[Letters]) -> None:
        """Add what is new among the suffixes to E: every row has an unanswered cell then."""
        new = [suffix for suffix in suffixes if suffix not in self._columns]
        if new:
            self._columns += new
            self._by_length = sorted(enumerate(self._columns), key=lambda column: -len(column[1]))
            self._unanswered, self._uncompared = list(self._rows), []
            self._forget()

    def _answers(self) -> Questions:
        """Ask what is missing. Long words come first: their answers hold those of their prefixes."""
        paid, order, ordered = self.store.paid, self._by_length, 0  # the columns that a row lacks, if it has so many
        while self._unanswered:
            row = self._unanswered[-1]
            first, place = row.numbered, row.place or self._place(row)
            if first != ordered:
                order, ordered = [column for column in self._by_length if column[0] >= first], first
            cells = [None] * len(order)
            for column, suffix in order:
                if place is None:
                    cell = (yield row.parent.place, (row.letter, *suffix))[1:]
                    place = self._place(row)
                elif (cell := paid(place.node, suffix)) is None:
                    cell = yield place, suffix
                cells[column - first] = cell
            if row.numbered == first:  # nobody looked at the table meanwhile
                self._number(row, cells)

    def _place(self, row: _Row) -> Place | None:
        """Where the row's word is in the store; None if it is not."""
        if row.place is None:
            row.place = self.store.after(row.parent.place, row.letter)
        return row.place

    def _cell(self, row: _Row, column: int) -> tuple[float, ...] | None:
        """What was paid for the column's suffix after the row's word; None if that is not known."""
        return None if self._place(row) is None else self.store.paid(row.place.node, self._columns[column])

    def _number(self, row: _Row, cells: list[tuple[float, ...]]) -> None:
        """Number the last of the unanswered rows, now that its new cells are known."""
        number, numbers = row.number, self._numbers
        for cell in cells:
            number = numbers.setdefault((number, cell), len(numbers) + 1)
        row.number, row.numbered = number, len(self._columns)
        self._uncompared.append(self._unanswered.pop())

    def _compared(self) -> bool:
        """Number and compare the rows as far as they are answered; False while a cell is not."""
        while self._unanswered:
            row = self._unanswered[-1]
            cells = [self._cell(row, column) for column in range(row.numbered, len(self._columns))]
            if None in cells:
                return False
            self._number(row, cells)
        if self._uncompared:
            self._compare(self._uncompared[::-1])
            self._uncompared = []
        while self._unclosed and self._unclosed[0].number in self._node:
            self._unclosed.popleft()
        return True

    def _compare(self, rows: list[_Row]) -> None:
        """Find out which of the newly numbered rows leave the table unclosed or inconsistent."""
        node = self._node
        for row in rows:
            if row.children is not None:
                node.setdefault(row.number, row)
        for row in rows:
            if row.number not in node:
                self._unclosed.append(row)
            parent = row.parent
            if parent is not None and (equal := node[parent.number]) is not parent and self._torn is None:
                like = equal.children[row.letter]
                if like.number != row.number:
                    self._torn = like, row

    def _telling_suffix(self, one: _Row, two: _Row) -> Letters:
        """The letter by which two rows extend equal ones, and as much of a column as tells them apart."""
        for column, suffix in enumerate(self._columns):
            cells = zip(self._cell(one, column), self._cell(two, column), strict=True)
            for i, (left, right) in enumerate(cells):
                if left != right:
                    return (one.letter, *suffix[:i + 1])
        raise AssertionError("rows with different numbers have equal cells")

    def _arrays(self) -> tuple[np.ndarray, np.ndarray]:
        node = {number: u for u, number in enumerate(self._node)}
        moves = [[node[child.number] for child in row.children] for row in self._node.values()]
        pays = [[child.place.rewards[-1] for child in row.children] for row in self._node.values()]
        return np.array(moves, dtype=np.int32), np.array(pays)

    def _repr_html_(self) -> str:
        """S above S·Z, one column for each suffix in E; what breaks closedness or consistency is marked."""
        unclosed, torn = self.unclosed, self.inconsistent
        marks = {} if unclosed is None else {unclosed: "equals no row of S"}
        if torn is not None:
            one, two, z = torn
            marks |= dict.fromkeys((one, two), f"equal rows, unequal after {z}")
        head = "".join(f"<th>{_shown(suffix)}</th>" for suffix in self.suffixes)
        body = ""
        for part, words in (("S", self.prefixes), ("S·Z", self.extensions)):
            for word in words:
                cells = "".join(f"<td>{self._shown_cell(word, suffix)}</td>" for suffix in self.suffixes)
                mark = f"<td><b>← {escape(marks[word])}</b></td>" if word in marks else ""
                body += f"<tr><td>{part}</td><th>{_shown(word)}</th>{cells}{mark}</tr>"
        return f"<table><tr><th></th><th></th>{head}</tr>{body}</table>"

    def _shown_cell(self, prefix: Word, suffix: Word) -> str:
        paid = self.store.rewards(prefix + suffix)
        return "?" if paid is None else " ".join(f"{r:g}" for r in paid[len(prefix):])


def _shown(word: Word) -> str:
    return escape("·".join(map(str, word))) or "ε"
