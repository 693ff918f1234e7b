"""The live grid: a drawn world on which the agent moves, as fast as the browser draws and no faster."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ..domains import Domain
from ..domains.grid import Cell
from ..figures.grid import centres, grid_figure
from ..figures.picture import Picture, text, text_width

CODE = Path(__file__).parent
PURPLE = "#7b3294"  # the agent of the paper's second figure; no algorithm has this colour


class LiveGrid(anywidget.AnyWidget):
    """A world without agent until `show` puts it somewhere; `unwatched` is called when the last view of it is gone.

    >>> from mrmlib import domains
    >>> grid = LiveGrid()
    >>> grid.world(domains.treasure_map())
    >>> grid.show([((5, 9), False), ((5, 8), True)])
    >>> grid.path, grid.frame
    ([[195.0, 331.0], [195.0, 293.0]], 2)
    >>> grid.close()
    """

    _esm = CODE / "live_grid.js"
    _css = CODE / "live_grid.css"

    picture = traitlets.Unicode().tag(sync=True)
    path = traitlets.List().tag(sync=True)
    frame = traitlets.Int().tag(sync=True)
    colour = traitlets.Unicode(PURPLE).tag(sync=True)
    keyboard = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(self, keys: Iterable[str] = (), pressed: Callable[[str], None] = lambda key: None,
                 unwatched: Callable[[], None] = lambda: None) -> None:
        super().__init__(keyboard=list(keys))
        self._pressed, self._unwatched, self._views, self._drawn = pressed, unwatched, 0, 0
        self._place: dict[Cell, tuple[float, float]] = {}
        self.on_msg(self._heard)

    def world(self, domain: Domain) -> None:
        """Draw the world, without an agent; one without a grid says so."""
        drawn = _without_grid(domain) if domain.grid is None else grid_figure(domain.grid)
        self._place = {} if domain.grid is None else centres(domain.grid)
        self.path, self.picture = [], drawn.svg
        self.frame += 1

    def show(self, states: Sequence[Hashable]) -> None:
        """The states that the agent has just been in, the last of them where it is now."""
        self.path = [list(self._place[state[0]]) for state in states] if self._place else []
        self.frame += 1

    def seen(self) -> bool:
        """Has the last frame been drawn, by whoever looks?"""
        return self._drawn >= self.frame

    def _heard(self, _: Any, message: dict[str, Any], __: Any) -> None:
        if "drawn" in message:
            self._drawn = message["drawn"]
        elif "key" in message:
            self._pressed(message["key"])
        elif "views" in message:
            self._views += message["views"]
            if self._views <= 0:
                self._unwatched()


def _without_grid(domain: Domain) -> Picture:
    said = f"{domain.name} has no grid to draw: {len(domain.mdp.states)} states"
    return Picture(text(12, 30, said, anchor="start"), round(24 + text_width(said)), 50, said)
