"""Experiments (paper, §6): many independent trials, each a row that is safe on disk and can be made again.

`trials` runs them, `rows` keeps them; `kinds` are the trials of the paper, `lives` those on any domain, `living` those
of notebook 04, `tabu` is the learner of Toro Icarte et al. to compare with; `command` is the command line, `reproduce`
makes all tables.
"""
