"""Panels for JupyterLab and Voilà: the same events and functions as the notebooks, driven by buttons.

Needs ipywidgets and anywidget (extra `notebooks`).
"""

from .desk import ExperimentDesk
from .drawing import DrawYourMachine
from .roles import PlayARole
from .watching import WatchItLearn

__all__ = ["DrawYourMachine", "ExperimentDesk", "PlayARole", "WatchItLearn"]
