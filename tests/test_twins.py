"""Twins: merged states have the same rows, states that stay apart do not."""

import numpy as np

import mrmlib as mrm
from mrmlib.solve.twins import _compare, without_twins

from .random_models import random_mdp


def rows_of(mdp, s):
    return [(mdp.successors(s, a), mdp.expected_reward(s, a)) for a in mdp.actions]


def test_two_states_share_a_place_exactly_if_nothing_after_them_differs(count):
    for i in range(count(60, 600)):
        rng = np.random.default_rng([1, i])
        mdp = random_mdp(rng, 6, actions=1 + i % 2, branching=1, connected=False, rewards=(0.0, 1.0))
        model, action, place = without_twins(mdp)
        assert len(model.choices) - 1 == place.max() + 1
        assert action.tolist() == list(range(len(mdp.actions))) * (place.max() + 1)
        for s in mdp.states:
            for t in mdp.states:
                assert (place[s] == place[t]) == (rows_of(mdp, s) == rows_of(mdp, t))


def test_in_a_walk_over_a_grid_moved_or_not_makes_no_difference_after():
    P = mrm.domains.treasure_map().product
    _, _, place = without_twins(P)
    assert place.max() + 1 == len(P.states) // 2
    assert place[P.states.index((((3, 3), True), "u1"))] == place[P.states.index((((3, 3), False), "u1"))]


def test_states_with_the_same_fingerprint_but_other_rows_stay_apart():
    """Three states that lead elsewhere, all with the fingerprint 0."""
    mdp = mrm.MDP(range(3), ["go"], lambda s, a: {(s + 1) % 3: 1.0}, 0, lambda s, a, t: 0.0)
    leader = _compare(np.arange(3), np.zeros(3, dtype=np.uint64), mdp.starts, mdp.targets,
                      mdp.probabilities.view(np.int64), mdp.expected_rewards.view(np.int64), 1)
    assert leader.tolist() == [0, 1, 2]
