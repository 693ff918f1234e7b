"""A grid world drawn: cells, what is seen in them, the start; and on it values, a policy's moves, a path."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..domains.grid import ROWS_FROM_NORTH, Cell, Grid
from ..errors import ModelError, finite
from .picture import (
    ACCENT,
    INK,
    LINE,
    PAPER,
    SIZE,
    SMALL,
    SOFT,
    Picture,
    arranged,
    listed,
    number,
    points,
    text,
    text_width,
    wrapped,
)

START = "#0072b2"
HOLE = "#8a8a8a"
PLACE = "#f5ecd7"  # the tint of a cell where something is seen
ROOMS = {"blue": "#d3e5f7", "red": "#fadbd7", "yellow": "#fbf1bd", "green": "#d9efd9"}
TINTS = ("#e6e0f2", "#d9efd9", "#fbf1bd", "#d3e5f7", "#fadbd7")  # of rooms that are not called by a colour
LOW, HIGH = np.array([0xF4, 0xF8, 0xFC]), np.array([0x6A, 0xA5, 0xD8])  # dark text can be read on all in between
STEPS = 8  # shades of the scale
MARGIN, TOP, WIDEST_MARK, PAGE = 24, 8, 90, 940


@dataclass(frozen=True)
class Panel:
    """What is drawn on one copy of the grid: by cell a value, by cell an action, and the cells of a path.

    >>> grid_figure(Grid.from_map("* ."), Panel("go east", policy={(1, 1): "e"})).alt
    'Grid of 2 cells, start (1, 1); go east'
    """

    title: str = ""
    values: Mapping[Cell, float] = field(default_factory=dict)
    policy: Mapping[Cell, Hashable] = field(default_factory=dict)
    path: Sequence[Cell] = ()


def grid_figure(grid: Grid, *panels: Panel, columns: int | None = None, digits: int | None = None, title: str = "",
                alt: str | None = None) -> Picture:
    """The grid, north at the top, once for each panel; bare if there is none. The panels share one scale of colours.

    Values are written with `digits` after the point. An action that is no move is written in its cell.

    >>> grid_figure(Grid.from_map("shop . *")).alt
    'Grid of 3 cells, start (3, 1), shop at (1, 1)'
    """
    panels = panels or (Panel(),)
    _check(grid, panels)
    sheet = _Sheet(grid, panels, digits)
    drawn = [sheet.draw(panel) for panel in panels]
    columns = columns or max(1, min(len(drawn), (PAGE + 16) // (max(picture.width for picture in drawn) + 16)))
    if alt is None:
        alt = _described(grid) + "".join(f"; {panel.title}" for panel in panels if panel.title)
    picture = arranged(drawn, columns, title, alt)
    return arranged([picture, sheet.key(picture.width)], 1, alt=alt, gap=0)


def centres(grid: Grid) -> dict[Cell, tuple[float, float]]:
    """Where the middle of each cell is in the bare `grid_figure`, in pixels, for whoever draws on top of it.

    >>> centres(Grid.from_map("* ."))
    {(1, 1): (43.0, 27.0), (2, 1): (81.0, 27.0)}
    """
    sheet = _Sheet(grid, (Panel(),), None)
    return {cell: (x + sheet.side / 2, TOP + y + sheet.side / 2)
            for cell, (x, y) in ((cell, sheet.corner(cell)) for cell in grid.cells)}


def _check(grid: Grid, panels: Sequence[Panel]) -> None:
    cells = set(grid.cells)
    for panel in panels:
        for cell in (*panel.values, *panel.policy, *panel.path):
            if cell not in cells:
                raise ModelError(f"{cell!r} is not a cell of the grid")
        for cell, value in panel.values.items():
            finite(value, f"the value of {cell!r}")


def _described(grid: Grid) -> str:
    marks = [f"{z} at {cell}" for cell, z in grid.marks.items()]
    return f"Grid of {len(grid.cells)} cells, start {grid.start}" + (f", {listed(marks)}" if marks else "")


def _written(value: float, digits: int) -> str:
    shown = f"{value:.{digits}f}"
    return shown.replace("-", "", 1) if float(shown) == 0 else shown


@dataclass(frozen=True)
class _Sheet:
    """What all panels of a figure share: the size of a cell, the scale of the values, the signs for actions."""

    grid: Grid
    panels: Sequence[Panel]
    digits: int | None

    @cached_property
    def numbers(self) -> list[float]:
        return [value for panel in self.panels for value in panel.values.values()]

    @cached_property
    def places(self) -> int:
        """How many digits stand after the point."""
        if self.digits is not None:
            return self.digits
        most = max(map(abs, self.numbers), default=0.0)
        return 0 if most >= 1000 else 1 if most >= 10 else 2

    @cached_property
    def side(self) -> int:
        """The side of a cell: enough for its marks, and for a number where there are any."""
        mark = max((text_width(z, SIZE, bold=True) for z in self.grid.marks.values()), default=0.0)
        moves = any(panel.policy for panel in self.panels)
        return round(max(46 if self.numbers else 30 if moves else 38, min(mark + 8, WIDEST_MARK)))

    @cached_property
    def written(self) -> bool:
        """Do the numbers fit into the cells?"""
        return max((text_width(_written(v, self.places), SMALL) for v in self.numbers), default=0.0) <= self.side - 4

    @cached_property
    def signs(self) -> dict[Hashable, str]:
        """What is written for the actions that are no moves: their name if it fits, else its initials."""
        names = dict.fromkeys(a for panel in self.panels for a in panel.policy.values() if a not in self.grid.moves)
        signs: dict[Hashable, str] = {}
        for a in names:
            fits = text_width(a, SMALL, bold=True) <= self.side - 4
            sign = str(a) if fits else "".join(word[0] for word in str(a).replace("_", " ").split())
            while sign in signs.values():
                sign += "'"
            signs[a] = sign
        return signs

    @cached_property
    def rooms(self) -> dict[Hashable, str]:
        """A tint for each mark that covers several cells."""
        marks = list(self.grid.marks.values())
        repeated = [z for z in self.grid.observations if marks.count(z) > 1]
        return {z: ROOMS.get(z, TINTS[i % len(TINTS)]) for i, z in enumerate(repeated)}

    def corner(self, cell: Cell) -> tuple[int, int]:
        """The top left corner of a cell: north is up and east is right, whichever way rows are counted."""
        (first, last), (top, bottom) = self._span
        (east, _), (_, north) = (self.grid.moves.get(move, ROWS_FROM_NORTH[move]) for move in "en")
        x = cell[0] - first if east > 0 else last - cell[0]
        y = cell[1] - top if north < 0 else bottom - cell[1]
        return MARGIN + self.side * x, self.side * y

    @cached_property
    def _span(self) -> tuple[tuple[int, int], ...]:
        """The lowest and the highest column, and the same for rows."""
        return tuple((min(axis), max(axis)) for axis in zip(*self.grid.cells, strict=True))

    def draw(self, panel: Panel) -> Picture:
        """One copy of the grid."""
        corners = [self.corner(cell) for cell in self.grid.cells]
        wide, high = (max(corner[axis] for corner in corners) + self.side for axis in (0, 1))
        lines = wrapped(panel.title, wide, SIZE * 1.18)
        body = self._ground(panel) + self._walls() + self._coordinates(high) + self._marks(panel)
        body += self._actions(panel) + self._numbers(panel) + self._path(panel.path)
        head = "".join(text(MARGIN, 16 + 17 * i, line, anchor="start", bold=True) for i, line in enumerate(lines))
        top = TOP + 17 * len(lines)
        width = max([wide + 8, *(MARGIN + text_width(line, SIZE, bold=True) for line in lines)])
        body = f'{head}<g transform="translate(0 {top})">{body}</g>'
        return Picture(body, round(width), top + high + 20, panel.title)

    def _tint(self, cell: Cell, panel: Panel) -> str:
        if cell in panel.values:
            return self.colour(panel.values[cell])
        if cell not in self.grid.marks or panel.values:
            return PAPER
        return self.rooms.get(self.grid.marks[cell], PLACE)

    def colour(self, value: float) -> str:
        """The shade of a value on the common scale."""
        low, high = min(self.numbers), max(self.numbers)
        share = (value - low) / (high - low) if high > low else 0.0
        step = min(int(STEPS * round(share, 9)), STEPS - 1)
        return "#" + "".join(f"{round(part):02x}" for part in (LOW + step / (STEPS - 1) * (HIGH - LOW)).tolist())

    def _ground(self, panel: Panel) -> str:
        """The cells in their tints, those of one tint as one path."""
        paths: dict[str, str] = {}
        for cell in self.grid.cells:
            (x, y), tint = self.corner(cell), self._tint(cell, panel)
            paths[tint] = paths.get(tint, "") + f"M{x} {y}h{self.side}v{self.side}h-{self.side}z"
        for x, y in self._holes():
            paths[HOLE] = paths.get(HOLE, "") + f"M{x} {y}h{self.side}v{self.side}h-{self.side}z"
        return "".join(f'<path d="{path}" fill="{tint}" stroke="{LINE}"/>' for tint, path in paths.items())

    def _holes(self) -> list[tuple[int, int]]:
        """The corners of what is no cell, but has cells all around: nobody must take it for a free one."""
        free = {self.corner(cell) for cell in self.grid.cells}
        columns, rows = (sorted({corner[axis] for corner in free}) for axis in (0, 1))
        left, top, right, bottom = columns[0], rows[0], columns[-1], rows[-1]
        gaps = {(x, y) for x in range(left, right + 1, self.side) for y in range(top, bottom + 1, self.side)} - free
        outside = [(x, y) for x, y in gaps if x in (left, right) or y in (top, bottom)]
        for x, y in outside:  # grows as it is read
            for gap in {(x + self.side, y), (x - self.side, y), (x, y + self.side), (x, y - self.side)} & gaps:
                if gap not in outside:
                    outside.append(gap)
        return sorted(gaps - set(outside))

    def _walls(self) -> str:
        """The edge of the world, as one path."""
        free, side, path = {self.corner(cell) for cell in self.grid.cells}, self.side, ""
        for x, y in map(self.corner, self.grid.cells):
            for beyond, line in (((x, y - side), f"M{x} {y}h{side}"), ((x, y + side), f"M{x} {y + side}h{side}"),
                                 ((x - side, y), f"M{x} {y}v{side}"), ((x + side, y), f"M{x + side} {y}v{side}")):
                path += line if beyond not in free else ""
        return f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="2" stroke-linecap="square"/>'

    def _coordinates(self, bottom: int) -> str:
        """The numbers of columns below and of rows at the left."""
        half = self.side / 2
        columns = {self.corner(cell)[0]: cell[0] for cell in self.grid.cells}
        rows = {self.corner(cell)[1]: cell[1] for cell in self.grid.cells}
        return ("".join(text(x + half, bottom + 15, name, SMALL, colour=SOFT) for x, name in columns.items())
                + "".join(text(MARGIN - 6, y + half + 4, name, SMALL, "end", SOFT) for y, name in rows.items()))

    def _marks(self, panel: Panel) -> str:
        """What is seen in the cells, in their corners where there is more to show; and the frame of the start."""
        (x, y), side = self.corner(self.grid.start), self.side
        body = (f'<rect x="{x + 2}" y="{y + 2}" width="{side - 4}" height="{side - 4}" fill="none" '
                f'stroke="{START}" stroke-width="2"/>')
        busy = panel.policy or panel.values or panel.path
        marks = self.grid.marks if busy else {self.grid.start: "s0", **self.grid.marks}
        for cell, mark in marks.items():
            x, y = self.corner(cell)
            if busy:
                body += text(x + 4, y + 13, _cut(mark, side), SMALL, "start", bold=True)
            else:
                body += text(x + side / 2, y + side / 2 + 5, _cut(mark, side), bold=True)
        return body

    def _actions(self, panel: Panel) -> str:
        """An arrow for a move, a sign for any other action."""
        if not panel.policy:
            return ""
        shafts = heads = signs = ""
        for cell, action in panel.policy.items():
            x, y = (corner + self.side / 2 for corner in self.corner(cell))
            shift = 4 if cell in self.grid.marks and not self.numbers else 0  # out of the way of the mark
            x, y = x + shift, y + shift - (2 if self.numbers else 0)
            if action in self.signs:
                signs += text(x, y + 4, self.signs[action], SMALL, colour=ACCENT, bold=True)
            else:
                right, down = self._direction(action)
                shafts += f"M{points((x - 8 * right, y - 8 * down))}L{points((x + 3 * right, y + 3 * down))}"
                heads += "M" + points((x + 9 * right, y + 9 * down), *(
                    (x + right + side * 4 * down, y + down + side * 4 * right) for side in (1, -1))) + "z"
        return f'<path d="{shafts}" stroke="{INK}" stroke-width="1.6"/><path d="{heads}" fill="{INK}"/>{signs}'

    def _direction(self, move: Hashable) -> tuple[float, float]:
        """Where a move leads on the page."""
        here, there = self.corner((0, 0)), self.corner(self.grid.moves[move])
        right, down = there[0] - here[0], there[1] - here[1]
        length = math.hypot(right, down) or 1.0
        return right / length, down / length

    def _numbers(self, panel: Panel) -> str:
        if not self.written:
            return ""
        return "".join(
            text(x + self.side / 2, y + self.side - 6, _written(value, self.places), SMALL)
            for (x, y), value in ((self.corner(cell), value) for cell, value in panel.values.items()))

    def _path(self, path: Sequence[Cell]) -> str:
        """A line from cell to cell; a ring where it begins, a dot where it ends."""
        if not path:
            return ""
        stops = [(x + self.side / 2, y + self.side / 2) for x, y in map(self.corner, path)]
        (x, y), (u, v) = stops[0], stops[-1]
        return (f'<polyline points="{points(*stops)}" fill="none" stroke="{ACCENT}" stroke-width="3" '
                f'stroke-linejoin="round" stroke-opacity="0.75"/>'
                f'<circle cx="{number(x)}" cy="{number(y)}" r="6" fill="{PAPER}" stroke="{ACCENT}" stroke-width="3"/>'
                f'<circle cx="{number(u)}" cy="{number(v)}" r="6" fill="{ACCENT}"/>')

    def key(self, width: int) -> Picture:
        """What colours and signs mean."""
        words = ["Blue frame: start."]
        words += [f"{sign} = {action}." for action, sign in self.signs.items() if sign != str(action)]
        if any(0 < len(panel.values or panel.policy) < len(self.grid.cells) for panel in self.panels):
            words.append("Empty cell: not reached.")
        words += ["Line: path, from ring to dot."] if any(panel.path for panel in self.panels) else []
        lines = wrapped(" ".join(words), max(width - MARGIN, 120))
        body = "".join(text(MARGIN, 16 + 16 * i, line, SMALL, "start", SOFT) for i, line in enumerate(lines))
        height = 16 * len(lines) + 8
        if self.numbers:
            body += self._scale(height)
            height += 24
        return Picture(body, max(width, 170), height, "")

    def _scale(self, top: int) -> str:
        low, high = min(self.numbers), max(self.numbers)
        steps = "".join(
            f'<rect x="{MARGIN + 60 + 12 * i}" y="{top + 2}" width="12" height="12" '
            f'fill="{self.colour(low + (high - low) * (i + 0.5) / STEPS)}"/>' for i in range(STEPS))
        return (text(MARGIN + 54, top + 12, _written(low, self.places), SMALL, "end", SOFT) + steps
                + text(MARGIN + 162, top + 12, _written(high, self.places), SMALL, "start", SOFT))


def _cut(mark: Any, side: float) -> str:
    """A mark, shortened if it is wider than its cell."""
    shown = str(mark)
    if text_width(shown, SIZE, bold=True) <= side - 4:
        return shown
    while shown and text_width(f"{shown}…", SIZE, bold=True) > side - 4:
        shown = shown[:-1]
    return f"{shown}…"
