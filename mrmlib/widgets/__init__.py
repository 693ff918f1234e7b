"""Panels for JupyterLab and Voilà: the same events and functions as the notebooks, driven by buttons.

Needs ipywidgets and anywidget (extra `notebooks`).
"""
