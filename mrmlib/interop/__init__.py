"""Joined to the world: machines and models in the formats of other tools. Each module is imported by its own name.

Machines go out and come in through `dot`, `rm_text`, `formulas`, `multigraph` and `aalpy`; models go to the model
checkers through `prism`, `drn` and `storm`; worlds come from and go to Gymnasium through `gym`. `files` reads a file
within bounds. Nothing is ever executed or imported from a file.
"""
