"""Query strategies where episodes are long: slippery, walled and one-way worlds against plain value iteration, and
worlds in which a strategy, or even the best one, takes more actions than can be counted."""

import math

import numpy as np
import pytest

import mrmlib as mrm
from mrmlib.experience.episode import Episode
from mrmlib.experience.querying import QueryPlanner, Quest, query_strategy
from tests.random_models import random_grid, random_labelling, random_nrmdp, rng

OBJECTIVES = ("probability", "actions")


def outcomes(mdp, labelling, word):
    """(targets, chances)[pair, action, k], by the definition: pairs n·|S| + s, then success, at last the spoilt end."""
    size, place = len(mdp.states), {s: i for i, s in enumerate(mdp.states)}
    success, spoilt = len(word) * size, len(word) * size + 1
    table = []
    for s in mdp.states:
        for a in mdp.actions:
            table.append([(place[t], labelling(a, t), p) for t, p in mdp.successors(s, a).items()])
    width = max(map(len, table))
    targets = np.full((len(word), len(table), width), spoilt)
    chances = np.zeros((len(word), len(table), width))
    for n, letter in enumerate(word):
        for i, row in enumerate(table):
            for k, (t, z, p) in enumerate(row):
                chances[n, i, k] = p
                if z == mrm.NULL:
                    targets[n, i, k] = n * size + t
                elif z == letter:
                    targets[n, i, k] = (n + 1) * size + t if n + 1 < len(word) else success
    return (array.reshape(success, len(mdp.actions), width) for array in (targets, chances))


def by_value_iteration(mdp, labelling, word):
    """(α, least expected actions), the latter with an error of at most twice the last rise, since actions cost 1."""
    targets, chances = outcomes(mdp, labelling, word)
    start, size = mdp.states.index(mdp.initial), len(targets)
    alpha, rise = np.zeros(size + 2), 1.0
    alpha[size] = 1.0
    while rise > 1e-11:
        new = np.einsum("xak,xak->xa", alpha[targets], chances).max(axis=1)
        rise, alpha[:size] = (new - alpha[:size]).max(), new
    if alpha[start] == 0:
        return 0.0, math.inf
    least, rise = np.zeros(size + 2), 1.0
    while rise > 1e-8:
        least[size + 1] = least[start]  # spoilt
        new = 1 + np.einsum("xak,xak->xa", least[targets], chances).min(axis=1)
        reset = np.minimum(new, new[start])
        rise, least[:size] = np.abs(reset - least[:size]).max(), reset
    return alpha[start], least[start]


def long_world(seed):
    """A grid, now and then of 60 × 60 cells, or a random world whose states come one after another."""
    chance = rng(seed)
    if seed % 5 == 4:
        mdp = random_nrmdp(chance, int(chance.integers(5, 60)), 3, branching=3, connected=bool(chance.integers(2)))
        return mdp, random_labelling(chance, mdp, 2, null=0.8)
    size = 60 if seed % 10 == 3 else int(chance.integers(2, 30))
    walls, one_way, slips, stuck = (float(chance.choice([0.0, most])) for most in (0.2, 0.3, 0.6, 0.3))
    return random_grid(chance, size, walls, one_way, slips, stuck)


def test_slippery_walled_and_one_way_worlds_agree_with_value_iteration(count):
    possible = 0
    for seed in range(count(60, 1000)):
        mdp, labelling = long_world(seed)
        word = tuple("ab"[i] for i in rng(seed).integers(2, size=1 + seed % 2) if "ab"[i] in labelling.observations)
        if not word:
            continue
        alpha, least = by_value_iteration(mdp, labelling, word)
        planner = QueryPlanner(mdp, labelling)
        assert planner.strategy([word], "probability").probability == pytest.approx(alpha, rel=1e-6), seed
        assert planner.strategy([word], "actions").expected_actions == pytest.approx(least, rel=1e-6), seed
        possible += alpha > 0
    assert possible > seed / 2


def slippery(size):
    """The start in the middle, the goal on the south edge, home in a corner; a move slips to each side with 0.1."""
    cells, middle = tuple((column, row) for row in range(size) for column in range(size)), size // 2
    grid = mrm.domains.Grid(cells, (middle, middle), {(middle, size - 1): "goal", (0, 0): "home"})
    return mrm.domains.walk(grid, precision=0.8, sideways=0.2)


@pytest.mark.parametrize("size", [30, 60])
def test_the_goal_of_a_large_slippery_grid_takes_as_many_actions_as_value_iteration_says(size):
    mdp, labelling = slippery(size)
    alpha, least = by_value_iteration(mdp, labelling, ("goal",))
    for objective in OBJECTIVES:
        strategy = query_strategy(mdp, labelling, ("goal",), objective)
        assert strategy.expected_actions >= least * (1 - 1e-6)
        assert np.isfinite(strategy.remaining).all()
    assert strategy.expected_actions == pytest.approx(least, rel=1e-6)
    assert query_strategy(mdp, labelling, ("goal",), "probability").probability == pytest.approx(alpha, rel=1e-6)


def test_the_first_strategy_moves_towards_its_goal_and_not_aside_in_the_hope_of_a_slip():
    """Due north of the goal any move but north may come closer; only south comes closer with more than 0.1."""
    mdp, labelling = slippery(30)
    quest = Quest.of([("goal",)], labelling.observations)
    choice = Episode.of(mdp, labelling.table(mdp), quest.follow, quest.wanted).approach()
    assert {mdp.actions[choice[mdp.states.index(((15, row), False))]] for row in range(29)} == {"s"}


def gamble(steps, detour=None):
    """`risk` comes a step closer with 0.1 and goes back to the start with 0.9; the detour is long, but sure."""
    ways = [("risk", i) for i in range(steps)] + [("sure", i) for i in range(detour or 0)]

    def row(s, a):
        if s == "end":
            return {"end": 1.0}
        way, i = s
        if way == "sure" or (a == "sure" and i == 0):
            i = i + 1 if way == "sure" else 0
            return {("sure", i) if i < detour else "end": 1.0}
        return {("risk", i + 1) if i + 1 < steps else "end": 0.1, ("risk", 0): 0.9}

    actions = ["risk"] if detour is None else ["risk", "sure"]
    mdp = mrm.NRMDP([*ways, "end"], actions, row, ("risk", 0))
    return mdp, mrm.Labelling({(a, "end"): "z" for a in actions}, ["z"])


@pytest.mark.parametrize("steps", [12, 20, 60, 300])
def test_a_short_way_that_takes_for_ever_does_not_hide_the_long_one(steps):
    """The short way takes about 10^steps actions, the detour one more than it has places."""
    for objective in OBJECTIVES:
        strategy = query_strategy(*gamble(steps, 4 * steps), ("z",), objective)
        assert strategy.probability == pytest.approx(1.0)
        assert strategy.expected_actions == pytest.approx(4 * steps + 1, rel=1e-9)


@pytest.mark.parametrize("steps", [6, 12, 14])
def test_a_way_that_is_enormous_but_the_only_one_is_valued(steps):
    """10 + 10^2 + … + 10^steps actions."""
    for objective in OBJECTIVES:
        strategy = query_strategy(*gamble(steps), ("z",), objective)
        assert strategy.expected_actions == pytest.approx((10**(steps + 1) - 10) / 9, rel=1e-6)
    assert QueryPlanner(*gamble(steps)).expected_actions_random(("z",)) == pytest.approx(strategy.expected_actions)


@pytest.mark.parametrize("steps", [20, 60, 400])
def test_a_way_beyond_all_counting_is_refused(steps):
    for objective in OBJECTIVES:
        with pytest.raises(mrm.ModelError, match="too many actions"):
            query_strategy(*gamble(steps), ("z",), objective)
    with pytest.raises(mrm.ModelError, match="too many actions"):
        QueryPlanner(*gamble(steps)).expected_actions_random(("z",))


def flips():
    """A coin that need not be flipped: `wait` is declared first and shows null."""
    mdp = mrm.NRMDP("ht", ["wait", "flip"], lambda s, a: {s: 1.0} if a == "wait" else {"h": 0.5, "t": 0.5}, "h")
    return mdp, mrm.Labelling({("flip", "h"): "h", ("flip", "t"): "t"}, "ht")


@pytest.mark.parametrize("heads", [60, 500])
def test_nobody_waits_where_so_much_is_at_stake_that_rounding_hides_what_an_action_costs(heads):
    """An episode lasts 2 − 2^(1 − heads) flips; after many heads the prize is far above 2^53 actions."""
    for objective in OBJECTIVES:
        strategy = query_strategy(*flips(), ("h",) * heads, objective)
        assert strategy.probability == pytest.approx(2.0**-heads, rel=1e-9, abs=0)
        assert strategy.expected_actions == pytest.approx(2.0**(heads + 1) - 2, rel=1e-9)
        assert {strategy.action("h", n) for n in range(heads)} == {"flip"}


def test_a_chance_too_small_for_a_float_is_refused():
    for objective in OBJECTIVES:
        with pytest.raises(mrm.ModelError, match="too small"):
            query_strategy(*flips(), ("h",) * 1100, objective)


def test_what_numpy_warns_of_is_an_error_in_tests():
    """So a test cannot pass by a division by 0 or a NaN from 0/0."""
    with pytest.raises(RuntimeWarning):
        np.zeros(1) / np.zeros(1)
