"""Strategies of an MDP (paper, §4), given as what to do in each state, and the Markov chain that one makes of the
MDP."""

from collections.abc import Callable, Mapping

import numpy as np

from ..errors import ModelError, finite
from ..names import Names
from ..nrmdp import MDP, ROW_SUM_TOLERANCE

Strategy = Mapping | Callable
"""A stationary strategy: for each state an action, or a mapping {action: probability}."""


def follow(mdp: MDP, strategy: Strategy) -> MDP:
    """The chain that a strategy makes of an MDP, as an MDP with the single action "follow".

    >>> mdp = MDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s", lambda s, a, t: 0.0)
    >>> follow(mdp, lambda s: {"stay": 0.75, "go": 0.25}).successors("s", "follow")
    {'s': 0.75, 't': 0.25}
    """
    size, width = len(mdp.states), len(mdp.actions)
    weights = np.repeat(_weights(mdp, strategy).reshape(-1), np.diff(mdp.starts)) * mdp.probabilities
    taken = np.flatnonzero(weights)
    owners = np.repeat(np.arange(size), np.diff(mdp.starts[::width]))[taken]
    # Several actions may lead from s to t: one entry then, which pays the mean of what they pay.
    steps, entry = np.unique(owners * size + mdp.targets[taken], return_inverse=True)
    probabilities = np.bincount(entry, weights[taken])
    rewards = np.bincount(entry, weights[taken] * mdp.rewards[taken]) / probabilities
    starts = np.searchsorted(steps, np.arange(size + 1) * size)
    return MDP.of_arrays(mdp.states, Names(["follow"], "action"), mdp.initial, starts,
                         (steps % size).astype(np.int32), probabilities, rewards)


def _weights(mdp: MDP, strategy: Strategy) -> np.ndarray:
    """How likely each action is in each state, checked."""
    weights = np.zeros((len(mdp.states), len(mdp.actions)))
    for i, s in enumerate(mdp.states):
        try:
            choice = strategy[s] if isinstance(strategy, Mapping) else strategy(s)
        except KeyError:
            raise ModelError(f"the strategy has no action in state {s!r}") from None
        chances = choice if isinstance(choice, Mapping) else {choice: 1.0}
        for a, p in chances.items():
            weights[i, mdp.actions.index(a)] = finite(p, f"the probability of {a!r} in state {s!r}")
        if weights[i].min() < 0 or abs(weights[i].sum() - 1) > ROW_SUM_TOLERANCE:
            raise ModelError(f"the choice in state {s!r} is not a distribution over actions: {choice!r}")
    return weights
