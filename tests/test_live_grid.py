"""The live grid, without a browser: what is sent to it, and what it says back."""

import re

import pytest

from mrmlib import NRMDP, Labelling, MealyRewardMachine, domains
from mrmlib.domains import Domain
from mrmlib.figures.grid import centres, grid_figure
from mrmlib.widgets.live_grid import LiveGrid


@pytest.mark.parametrize("name", ["treasure_map", "cookie", "assembly"])
def test_the_agent_is_drawn_in_the_middle_of_its_cell(name):
    """A second route to the place of a cell: the mark that the picture writes into it stands in its middle."""
    domain = domains.make(name)
    svg = grid_figure(domain.grid).svg
    top = float(re.search(r"translate\(0 (\d+)\)", svg)[1])
    for cell, mark in domain.grid.marks.items():
        x, y = centres(domain.grid)[cell]
        written = [(float(a), float(b) + top) for a, b in
                   re.findall(rf'<text x="([\d.]+)" y="([\d.]+)"[^>]*>{mark}</text>', svg)]
        if written and list(domain.grid.marks.values()).count(mark) == 1:
            assert any(abs(a - x) < 2 and abs(b - y) < 10 for a, b in written), (cell, mark)


def test_a_frame_counts_as_seen_only_when_the_browser_says_so():
    grid = LiveGrid()
    grid.world(domains.treasure_map())
    assert not grid.seen()
    grid._heard(None, {"drawn": grid.frame}, None)
    assert grid.seen()
    grid.show([((5, 9), False)])
    assert not grid.seen()
    grid.close()


def test_a_key_is_handed_on_and_the_last_view_to_close_is_told():
    pressed, gone = [], []
    grid = LiveGrid(["ArrowUp"], pressed.append, lambda: gone.append(True))
    assert grid.keyboard == ["ArrowUp"]
    for message in ({"key": "ArrowUp"}, {"views": 1}, {"views": 1}, {"views": -1}):
        grid._heard(None, message, None)
    assert (pressed, gone) == (["ArrowUp"], [])
    grid._heard(None, {"views": -1}, None)
    assert gone == [True]
    grid.close()


def test_a_world_without_a_grid_says_so():
    one = NRMDP(["s"], ["a"], {("s", "a"): {"s": 1.0}}, "s")
    domain = Domain("dot", one, Labelling({("a", "s"): "z"}, ["z"]), MealyRewardMachine({("u", "z"): ("u", 1.0)}, "u"))
    grid = LiveGrid()
    grid.world(domain)
    grid.show(["s"])
    assert "dot has no grid to draw: 1 states" in grid.picture
    assert grid.path == []
    grid.close()
