"""Joined to the world, beyond the paper: machines and models in the formats of other tools. Each module is imported by
its own name.

Machines go out and come in through `dot` (on `digraph`), `rm_text`, `formulas` (on `guards`), `multigraph` and `aalpy`;
`labels` writes names and numbers as text, and `files` reads a file within bounds. Models go to the model checkers
through `prism`, `drn` and `storm`; `watch` turns a step of a machine into a node that they can be asked about. Worlds
come from and go to Gymnasium through `gym`, and `blackbox` lets a learner live in one. Nothing is ever executed or
imported from a file.
"""
