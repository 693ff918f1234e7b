"""The synchronised product M ⊗_λ MR (paper, Def. 2): an MDP on pairs (s, u) of a state and a machine node.

A step (s, u) –a→ (t, v) has the probability T(s, a, t), moves the node to v = δu(u, λ(a, t)) and pays δr(u, λ(a, t)):
the node *left* and the state *reached*. (The paper prints λ(a, s) in the reward, with which Proposition 1 fails.)
"""

import numba
import numpy as np

from .labelling import Labelling
from .machine import MealyRewardMachine
from .names import Pairs
from .nrmdp import MDP, NRMDP


def product(mdp: NRMDP, labelling: Labelling, machine: MealyRewardMachine) -> MDP:
    """M ⊗_λ MR, on all of S × U.

    >>> M = NRMDP(["street", "shop"], ["go"], lambda s, a: {"shop" if s == "street" else "street": 1.0}, "street")
    >>> lam = Labelling({("go", "shop"): "bread"}, ["bread"])
    >>> once = MealyRewardMachine({("hungry", "bread"): ("full", 1.0), ("full", "bread"): ("full", 0.0)}, "hungry")
    >>> P = product(M, lam, once)
    >>> P.successors(("street", "hungry"), "go"), P.reward(("street", "hungry"), "go", ("shop", "full"))
    ({('shop', 'full'): 1.0}, 1.0)
    """
    move, pay = machine.tables(labelling.observations)
    arrays = _synchronise(mdp.starts, mdp.targets, mdp.probabilities, labelling.table(mdp), move, pay)
    return MDP.of_arrays(Pairs(mdp.states, machine.nodes), mdp.actions, (mdp.initial, machine.initial), *arrays)


@numba.njit(cache=True)
def _synchronise(starts, targets, probabilities, label, move, pay):
    """The compressed rows of the product: for each state, its rows once for each node."""
    nodes, actions = len(move), len(label)
    size = len(targets) * nodes
    new_starts = np.empty((len(starts) - 1) * nodes + 1, dtype=np.int64)
    new_targets = np.empty(size, dtype=np.int32)
    new_probabilities, rewards = np.empty(size), np.empty(size)
    row, entry = 0, 0
    for s in range((len(starts) - 1) // actions):
        for u in range(nodes):
            for a in range(actions):
                new_starts[row] = entry
                row += 1
                for k in range(starts[s * actions + a], starts[s * actions + a + 1]):
                    t = targets[k]
                    z = label[a, t]
                    new_targets[entry] = t * nodes + move[u, z]
                    new_probabilities[entry] = probabilities[k]
                    rewards[entry] = pay[u, z]
                    entry += 1
    new_starts[row] = entry
    return new_starts, new_targets, new_probabilities, rewards
