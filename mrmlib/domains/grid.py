"""Grid worlds (paper, §6.1): cells (column, row), moves between neighbours, and things to see on entering a cell."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from .. import document
from ..errors import FormatError, ModelError
from ..labelling import Labelling
from ..nrmdp import NRMDP

Cell = tuple[int, int]

ROWS_FROM_NORTH: Mapping[str, Cell] = {"n": (0, -1), "e": (1, 0), "w": (-1, 0), "s": (0, 1)}
"""The four moves where row 1 is the northernmost, as in a text."""


@dataclass(frozen=True)
class Grid:
    """Cells, what is seen on entering some of them, the start, and where each move leads.

    >>> grid = Grid.from_map('''
    ... shop .
    ... #    *
    ... ''')
    >>> grid.cells, grid.marks, grid.start
    (((1, 1), (2, 1), (2, 2)), {(1, 1): 'shop'}, (2, 2))
    >>> grid.neighbour((2, 2), "n"), grid.neighbour((2, 2), "w")
    ((2, 1), (2, 2))
    """

    cells: tuple[Cell, ...]
    start: Cell
    marks: Mapping[Cell, Hashable] = field(default_factory=dict)
    moves: Mapping[str, Cell] = field(default_factory=lambda: ROWS_FROM_NORTH)

    def __post_init__(self) -> None:
        for cell in (self.start, *self.marks):
            if cell not in self.cells:
                raise ModelError(f"{cell!r} is not a cell of the grid")

    @classmethod
    def from_map(cls, text: str, legend: Mapping[str, Hashable] | None = None) -> Self:
        """A grid drawn as text, one symbol a cell, symbols apart by spaces; row 1 is the first line.

        `.` is a free cell, `#` no cell, `*` the start. Any other symbol marks its cell with what the legend says, and
        the observations then have the legend's order; without a legend a symbol is its own mark.
        """
        lines = [line.split() for line in text.strip().splitlines()]
        cells, marks, starts = [], {}, []
        for row, line in enumerate(lines, start=1):
            if len(line) != len(lines[0]):
                raise ModelError(f"row {row} of the map has {len(line)} symbols, the first row {len(lines[0])}")
            for column, symbol in enumerate(line, start=1):
                if symbol == "#":
                    continue
                cells.append((column, row))
                if symbol == "*":
                    starts.append((column, row))
                elif symbol != ".":
                    marks[column, row] = _meaning(symbol, legend, row)
        if len(starts) != 1:
            raise ModelError(f"a map has one start *, not {len(starts)}")
        if legend is not None:
            rank = {z: i for i, z in enumerate(legend.values())}
            marks = dict(sorted(marks.items(), key=lambda mark: rank[mark[1]]))
        return cls(tuple(cells), starts[0], marks)

    def neighbour(self, cell: Cell, move: str) -> Cell:
        """The cell that a move leads to; off the grid, the cell itself."""
        (column, row), (right, down) = cell, self.moves[move]
        target = (column + right, row + down)
        return target if target in self._members else cell

    @cached_property
    def _members(self) -> frozenset[Cell]:
        return frozenset(self.cells)  # the tuple is for order, this is for asking

    @property
    def observations(self) -> tuple[Hashable, ...]:
        """What can be seen, in the order of the marks."""
        return tuple(dict.fromkeys(self.marks.values()))

    def to_json(self) -> str:
        """The grid as a JSON document that `from_json` reads back."""
        return document.dump("grid", {
            "cells": [document.name_to_json(cell) for cell in self.cells],
            "start": document.name_to_json(self.start),
            "marks": [[document.name_to_json(part) for part in mark] for mark in self.marks.items()],
            "moves": [[document.name_to_json(part) for part in move] for move in self.moves.items()],
        })

    @classmethod
    def from_json(cls, text: str, source: str = "text") -> Self:
        """The grid in a JSON document; `source` is what errors call it.

        >>> grid = Grid.from_map("* shop")
        >>> Grid.from_json(grid.to_json()) == grid
        True
        """

        def build(content: dict[str, Any]) -> Self:
            marks = {_cell(cell): document.name_from_json(z) for cell, z in content["marks"]}
            moves = {document.name_from_json(move): _cell(step) for move, step in content["moves"]}
            return cls(tuple(map(_cell, content["cells"])), _cell(content["start"]), marks, moves)

        return document.load(text, "grid", build, source)


def _cell(form: Any) -> Cell:
    """A pair of whole numbers: a cell, or the step of a move."""
    if not (isinstance(form, list) and len(form) == 2 and all(type(part) is int for part in form)):
        raise FormatError(f"a cell or a step is a pair of whole numbers, not {form!r}")
    return form[0], form[1]


def _meaning(symbol: str, legend: Mapping[str, Hashable] | None, row: int) -> Hashable:
    if legend is None:
        return symbol
    if symbol not in legend:
        raise ModelError(f"row {row} of the map has {symbol!r}, which is not in the legend {tuple(legend)}")
    return legend[symbol]


def walk(grid: Grid, precision: float = 1.0, sideways: float = 0.0) -> tuple[NRMDP, Labelling]:
    """Walking a grid: M with states (cell, moved), and λ that sees a mark on *entering* its cell.

    A move succeeds with probability `precision`, slips to each side with half of `sideways`, and else the walker is
    stuck in its cell. Stuck, or stopped by the edge, it has not moved and sees null: λ knows only the action and the
    state reached, so the state says whether the walker moved.

    >>> M, lam = walk(Grid.from_map("* shop"), precision=0.75)
    >>> M.successors(((1, 1), False), "e")
    {((2, 1), True): 0.75, ((1, 1), False): 0.25}
    >>> lam("e", ((2, 1), True)), lam("e", ((2, 1), False))
    ('shop', 'null')
    """
    if not (sideways >= 0 and precision > 0 and precision + sideways <= 1):
        raise ModelError(f"precision {precision} and sideways {sideways} are not probabilities of one move")
    aside = {move: [other for other, step in grid.moves.items() if _across(step, grid.moves[move])]
             for move in grid.moves}

    def transitions(state: tuple[Cell, bool], action: str) -> dict[tuple[Cell, bool], float]:
        cell, outcomes = state[0], {}
        chances = [(action, precision)] + [(other, sideways / 2) for other in aside[action] if sideways]
        stuck = 1 - (precision + sideways)  # in this order: exactly 0 where the two make up 1
        for move, chance in chances:
            target = grid.neighbour(cell, move)
            entered = (target, target != cell)
            outcomes[entered] = outcomes.get(entered, 0.0) + chance
        if stuck > 0:
            outcomes[cell, False] = outcomes.get((cell, False), 0.0) + stuck
        return outcomes

    states = [(cell, moved) for cell in grid.cells for moved in (False, True)]
    on_entering = {(move, (cell, True)): z for cell, z in grid.marks.items() for move in grid.moves}
    return NRMDP(states, grid.moves, transitions, (grid.start, False)), Labelling(on_entering, grid.observations)


def _across(one: Cell, other: Cell) -> bool:
    return one[0] * other[0] + one[1] * other[1] == 0
