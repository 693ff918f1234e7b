"""A journey over a grid, moving: the walker goes from cell to cell, again and again.

The movement is part of the SVG: no kernel and no script is needed. Where nothing moves (on paper, say) the whole path
is seen instead.
"""

from collections.abc import Sequence

from ..domains.grid import Cell, Grid
from .grid import Panel, _Sheet
from .picture import Picture, arranged, number


def journey_figure(grid: Grid, path: Sequence[Cell], *, title: str = "", seconds: float = 0.15,
                   alt: str | None = None) -> Picture:
    """The path of a journey with a walker on it, who takes so many seconds for each step.

    >>> row = Grid.from_map("shop . *")
    >>> journey_figure(row, [(3, 1), (2, 1), (1, 1)]).alt
    'Journey of 2 steps from (3, 1) to (1, 1)'
    """
    sheet = _Sheet(grid, (Panel(),), None)
    ground = sheet.draw(Panel(path=path))  # ends with the dot where the path ends, inside its group
    stops = [(x + sheet.side / 2, y + sheet.side / 2) for x, y in map(sheet.corner, path)]
    moves = "".join(
        f'<animate attributeName="{name}" dur="{number(seconds * len(stops))}s" repeatCount="indefinite" '
        f'values="{";".join(number(stop[axis]) for stop in stops)}"/>'
        for axis, name in enumerate(("cx", "cy")))
    body = f"{ground.body.removesuffix('/></g>')}>{moves}</circle></g>"
    if alt is None:
        alt = f"Journey of {len(path) - 1} steps from {path[0]} to {path[-1]}"
    return arranged([Picture(body, ground.width, ground.height, alt)], 1, title, alt)
