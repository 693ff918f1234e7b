"""Figures, the paper's two kinds among them: grids, machines and trees as SVG that tests can compare, curves and bars
by matplotlib.

A function makes a figure and returns it; the notebook shows it.
"""

from .curves import CI95, COLOURS, SD, Band, Chart, bar_figure, curve_figure
from .grid import Panel, grid_figure
from .journey import journey_figure
from .machine import machine_figure, walked
from .picture import Picture, arranged
from .strategy import strategy_figure
from .tree import tree_figure

__all__ = ["CI95", "COLOURS", "SD", "Band", "Chart", "Panel", "Picture", "arranged", "bar_figure", "curve_figure",
           "grid_figure", "journey_figure", "machine_figure", "strategy_figure", "tree_figure", "walked"]
