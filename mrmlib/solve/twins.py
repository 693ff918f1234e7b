"""Smaller products, beyond the paper: states that cannot be told apart by anything that happens after them are one
state to a solver.

In a walk over a grid a state (cell, moved) says how it was entered, which matters to λ and to nothing after: half of
the states of such a model, and of its products, are twins of the others.
"""

import numba
import numpy as np

from ..nrmdp import MDP
from .components import Rows


def without_twins(mdp: MDP) -> tuple[Rows, np.ndarray, np.ndarray]:
    """The MDP in rows with one state for all that have the same rows; the action of each row; each state's place.

    >>> both = MDP("abc", ["go"], lambda s, a: {"c": 1.0}, "a", lambda s, a, t: float(s == "c"))
    >>> without_twins(both)[2].tolist()
    [0, 0, 1]
    """
    rewards, actions = mdp.expected_rewards, len(mdp.actions)
    leader = _leaders(mdp.starts, mdp.targets, mdp.probabilities.view(np.int64), rewards.view(np.int64), actions)
    kept = np.flatnonzero(leader == np.arange(len(leader)))
    place = np.empty(len(leader), dtype=np.int32)
    place[kept] = np.arange(len(kept))
    place = place[leader]
    whole = Rows(np.arange(len(leader) + 1) * actions, mdp.starts, mdp.targets, mdp.probabilities, rewards)
    rows = (kept[:, None] * actions + np.arange(actions)).reshape(-1)
    return whole.take(rows, place[rows // actions], len(kept), place), rows % actions, place


def _leaders(starts, targets, probabilities, rewards, actions):
    """For each state the first state with the same rows."""
    key = _fingerprints(starts, targets, probabilities, rewards, actions)
    return _compare(np.argsort(key, kind="stable"), key, starts, targets, probabilities, rewards, actions)


@numba.njit(cache=True)
def _fingerprints(starts, targets, probabilities, rewards, actions):
    """A number for each state that is the same for twins, and hardly ever for others."""
    prime = np.uint64(1099511628211)
    key = np.full((len(starts) - 1) // actions, 14695981039346656037, dtype=np.uint64)
    for row in range(len(starts) - 1):
        h = (key[row // actions] ^ np.uint64(rewards[row])) * prime
        for k in range(starts[row], starts[row + 1]):
            h = (h ^ np.uint64(targets[k])) * prime
            h = (h ^ np.uint64(probabilities[k])) * prime
            h ^= h >> np.uint64(29)
        key[row // actions] = (h ^ np.uint64(starts[row + 1] - starts[row])) * prime
    return key


@numba.njit(cache=True)
def _compare(order, key, starts, targets, probabilities, rewards, actions):
    """Among states of one fingerprint, in order, the leader whose rows a state really has; else it leads itself."""
    leader = np.arange(len(order))
    for i in range(1, len(order)):
        first, s = leader[order[i - 1]], order[i]
        if key[first] != key[s]:
            continue
        shift, same = starts[s * actions] - starts[first * actions], True
        for a in range(actions):
            one, other = first * actions + a, s * actions + a
            same &= rewards[one] == rewards[other] and starts[one + 1] + shift == starts[other + 1]
            if not same:
                break
            for k in range(starts[one], starts[one + 1]):
                same &= targets[k] == targets[k + shift] and probabilities[k] == probabilities[k + shift]
        if same:
            leader[s] = first
    return leader
