"""A journey over a grid: the walker stops at each cell of its path, and ends where the path ends."""

import re
from xml.etree import ElementTree

from mrmlib.domains.grid import Grid
from mrmlib.figures.journey import journey_figure


def test_the_walker_goes_along_the_path():
    path = [(1, 1), (2, 1), (2, 1), (2, 2)]
    picture = journey_figure(Grid.from_map("a .\n. *"), path, title="Four stops", seconds=0.5)
    ElementTree.fromstring(picture.svg)  # well formed
    line = re.search(r'<polyline points="([^"]*)"', picture.svg).group(1)
    values = {name: stops.split(";") for name, stops in
              re.findall(r'attributeName="(c[xy])" dur="2s"[^>]*values="([^"]*)"', picture.svg)}
    assert line.split() == [f"{x},{y}" for x, y in zip(values["cx"], values["cy"], strict=True)]
    assert len(line.split()) == len(path)
