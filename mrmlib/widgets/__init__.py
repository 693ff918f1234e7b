"""Panels for JupyterLab and Voilà, on both algorithms and experiments of the paper: the same events and functions as
the notebooks, driven by buttons.

Needs ipywidgets and anywidget (extra `notebooks`).
"""

from .desk.desk import ExperimentDesk
from .draw.drawing import DrawYourMachine
from .play.roles import PlayARole
from .watch.watching import WatchItLearn

__all__ = ["DrawYourMachine", "ExperimentDesk", "PlayARole", "WatchItLearn"]
