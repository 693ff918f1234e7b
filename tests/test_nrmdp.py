"""MDPs with and without rewards: built, refused, sampled, trimmed."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.nrmdp import START
from tests.random_models import nrmdps, random_mdp, random_nrmdp, rng
from tests.refusal import refusal

STATES, ACTIONS = ("s", "t"), ("a", "b")
ROWS = {("s", "a"): {"s": 0.25, "t": 0.75}, ("s", "b"): {"t": 1.0}, ("t", "a"): {"s": 1.0}, ("t", "b"): {"t": 1.0}}


def rows_with(row, pair=("s", "a")):
    return ROWS | {pair: row}


@given(nrmdps())
def test_a_mapping_and_a_callable_give_equal_models(mdp):
    rows = {(s, a): mdp.successors(s, a) for s in mdp.states for a in mdp.actions}
    from_mapping = mrm.NRMDP(mdp.states, mdp.actions, rows, mdp.initial)
    from_callable = mrm.NRMDP(iter(mdp.states), iter(mdp.actions), lambda s, a: rows[s, a], mdp.initial)
    assert from_mapping == from_callable == mdp


def test_an_mdp_from_mappings_and_from_callables():
    pay = {(s, a, t): float(i) for i, (s, a, t) in enumerate((s, a, t) for (s, a), row in ROWS.items() for t in row)}
    one = mrm.MDP(STATES, ACTIONS, ROWS, "s", pay)
    two = mrm.MDP(STATES, ACTIONS, lambda s, a: ROWS[s, a], "s", lambda s, a, t: pay[s, a, t])
    assert one == two
    assert all(one.reward(*step) == r for step, r in pay.items())


def test_successors_keep_their_order_and_lose_their_zeros():
    mdp = mrm.NRMDP("xyz", ["a"], lambda s, a: {"z": 0.5, "y": 0.0, "x": 0.5}, "x")
    assert list(mdp.successors("x", "a").items()) == [("z", 0.5), ("x", 0.5)]


@given(st.integers(0, 10**6))
def test_the_expected_reward_is_the_mean_over_the_states_reached(seed):
    mdp = random_mdp(rng(seed), states=4, branching=3)
    expected = [sum(p * mdp.reward(s, a, t) for t, p in mdp.successors(s, a).items())
                for s in mdp.states for a in mdp.actions]
    np.testing.assert_allclose(mdp.expected_rewards, expected, rtol=1e-14, atol=1e-14)  # three terms, rounded
    np.testing.assert_allclose([mdp.expected_reward(s, a) for s in mdp.states for a in mdp.actions], expected,
                               rtol=1e-14, atol=1e-14)


def test_samples_follow_the_distribution(count):
    """Each share lies within 4 standard errors: a fair sampler misses that once in 16,000 shares."""
    mdp, generator, n = random_nrmdp(rng(1), states=5, actions=3, branching=4), rng(2), count(4_000, 100_000)
    for s in mdp.states:
        for a in mdp.actions:
            drawn = [mdp.sample(s, a, generator) for _ in range(n)]
            chances = mdp.successors(s, a)
            assert set(drawn) <= set(chances)
            for t, p in chances.items():
                assert abs(drawn.count(t) / n - p) <= 4 * math.sqrt(p * (1 - p) / n)


def test_the_same_seed_samples_the_same():
    mdp = random_nrmdp(rng(1), branching=4)
    first, second = ([mdp.sample(0, "a0", generator) for _ in range(50)] for generator in (rng(3), rng(3)))
    assert first == second


@given(nrmdps())
def test_trimming_keeps_just_the_reachable_states_and_their_rows(mdp):
    reached = [mdp.initial]
    for s in reached:
        reached += [t for a in mdp.actions for t in mdp.successors(s, a) if t not in reached]
    trimmed = mdp.reachable()
    assert list(trimmed.states) == [s for s in mdp.states if s in reached]
    assert trimmed.initial == mdp.initial
    assert all(trimmed.successors(s, a) == mdp.successors(s, a) for s in trimmed.states for a in mdp.actions)
    assert trimmed.reachable() == trimmed


def test_trimming_an_mdp_keeps_its_rewards():
    mdp = mrm.MDP("abc", ["go"], {("a", "go"): {"a": 0.5, "c": 0.5}, ("b", "go"): {"a": 1.0}, ("c", "go"): {"a": 1.0}},
                  "a", lambda s, a, t: float(ord(s) * 1000 + ord(t)))
    trimmed = mdp.reachable()
    assert list(trimmed.states) == ["a", "c"]
    assert all(trimmed.reward(s, "go", t) == mdp.reward(s, "go", t) for s, t in ("aa", "ac", "ca"))
    with pytest.raises(mrm.ModelError, match="'b' was trimmed away"):
        trimmed.successors("b", "go")


def test_a_row_that_rounding_kept_from_one_is_scaled_once_and_for_all():
    off = mrm.NRMDP(STATES, ACTIONS, rows_with({"s": 0.5, "t": 0.5 + 1e-10}), "s")
    assert math.fsum(off.successors("s", "a").values()) == pytest.approx(1, abs=1e-15)
    assert mrm.NRMDP.from_json(off.to_json()) == off
    thirds = rows_with({"s": 1 / 3, "t": 2 / 3})
    assert mrm.NRMDP(STATES, ACTIONS, thirds, "s").successors("s", "a") == thirds["s", "a"]


@pytest.mark.parametrize(("rows", "culprit"), [
    (rows_with({"s": 0.5, "t": 0.4}), "T('s', 'a') sums to 0.9, not 1"),
    (rows_with({}), "T('s', 'a') sums to 0.0, not 1"),
    (rows_with({"s": 1.5, "t": -0.5}), "T('s', 'a') gives 's' the probability 1.5"),
    (rows_with({"t": -0.5, "s": 1.5}), "T('s', 'a') gives 't' the probability -0.5"),
    (rows_with({"t": 1e308, "s": 1e308}), "T('s', 'a') gives 't' the probability 1e+308"),
    (rows_with({"s": math.nan}), "T('s', 'a') gives 's' the probability nan"),
    (rows_with({"s": math.inf}), "T('s', 'a') gives 's' the probability inf"),
    (rows_with({"s": "1"}), "T('s', 'a') gives 's' the probability '1'"),
    (rows_with({"s": None}), "T('s', 'a') gives 's' the probability None"),
    (rows_with({"s": 0.5, "moon": 0.5}), "T('s', 'a') reaches the unknown state 'moon'"),
    (rows_with({"s": 1.0, "moon": 0.0}), "T('s', 'a') reaches the unknown state 'moon'"),
    (rows_with([("s", 1.0)]), "T('s', 'a') is [('s', 1.0)], not a mapping"),
    ({pair: row for pair, row in ROWS.items() if pair != ("t", "b")}, "T('t', 'b') is missing"),
    (ROWS | {("s", "jump"): {"s": 1.0}}, "('s', 'jump')"),
    (ROWS | {"sa": {"s": 1.0}}, "'sa'"),
    (lambda s, a: None, "T('s', 'a') is None, not a mapping"),
])
def test_transitions_that_are_not_distributions_are_refused_by_name(rows, culprit):
    assert culprit in refusal(mrm.NRMDP, STATES, ACTIONS, rows, "s")
    assert culprit in refusal(mrm.MDP, STATES, ACTIONS, rows, "s", lambda s, a, t: 0.0)


@pytest.mark.parametrize(("states", "actions", "initial", "culprit"), [
    ((), ACTIONS, "s", "no states"),
    (STATES, (), "s", "no actions"),
    (STATES, ACTIONS, "moon", "the initial state 'moon' is not a state"),
    (STATES, ACTIONS, ["s"], "the initial state ['s'] is not a state"),
    (("s", "t", "s"), ACTIONS, "s", "the state 's' is declared twice"),
    (STATES, ("a", "a"), "s", "the action 'a' is declared twice"),
    (["s", ["t"]], ACTIONS, "s", "every state must be hashable"),
    (STATES, [{"a": 1}], "s", "every action must be hashable"),
])
def test_states_actions_and_start_are_refused_by_name(states, actions, initial, culprit):
    rows = {(s, a): ROWS[s, a] for s in states if s in STATES for a in actions if a in ACTIONS} if states else {}
    assert culprit in refusal(mrm.NRMDP, states, actions, rows, initial)


@pytest.mark.parametrize("reward", [math.nan, math.inf, None, "1", 10**400])
def test_a_reward_that_is_not_finite_is_refused_by_name(reward):
    message = refusal(mrm.MDP, STATES, ACTIONS, ROWS, "s", lambda s, a, t: reward if (s, a) == ("t", "a") else 0.0)
    assert "the reward R('t', 'a', 's')" in message


def test_a_missing_reward_is_refused_by_name():
    assert "R('s', 'a', 's') is missing" in refusal(mrm.MDP, STATES, ACTIONS, ROWS, "s", {})


def test_a_model_asked_for_what_it_does_not_have_names_it():
    mdp = mrm.MDP(STATES, ACTIONS, ROWS, "s", lambda s, a, t: 0.0)
    for ask, culprit in [(lambda: mdp.successors("moon", "a"), "unknown state 'moon'"),
                         (lambda: mdp.successors("s", "jump"), "unknown action 'jump'"),
                         (lambda: mdp.sample(["s"], "a", rng(0)), "unknown state"),
                         (lambda: mdp.reward("t", "b", "s"), r"T\('t', 'b'\) never reaches 's'")]:
        with pytest.raises(mrm.ModelError, match=culprit):
            ask()


@pytest.mark.parametrize("again", [lambda m: m, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)),
                                   lambda m: type(m).from_json(m.to_json()), lambda m: m.reachable()])
def test_a_model_is_frozen_however_it_was_had(again):
    mdp = again(mrm.MDP("abc", ["go"], lambda s, a: {"b": 0.5, "a": 0.5}, "a", lambda s, a, t: 1.0))
    with pytest.raises(AttributeError, match="'initial' cannot be changed"):
        mdp.initial = "c"
    with pytest.raises(AttributeError, match="'states' cannot be changed"):
        del mdp.states
    for array in (mdp.starts, mdp.targets, mdp.probabilities, mdp.rewards):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_models_differ_where_anything_differs():
    mdp = mrm.NRMDP(STATES, ACTIONS, ROWS, "s")
    others = [mrm.NRMDP(STATES, ACTIONS, ROWS, "t"), mrm.NRMDP(STATES[::-1], ACTIONS, ROWS, "s"),
              mrm.NRMDP(STATES, ACTIONS, rows_with({"s": 0.75, "t": 0.25}), "s"),
              mrm.MDP(STATES, ACTIONS, ROWS, "s", lambda s, a, t: 0.0)]
    assert all(mdp != other for other in others)
    assert mdp == mrm.NRMDP(STATES, ACTIONS, ROWS, "s")
    assert repr(mdp) == "NRMDP(2 states, 2 actions, 5 transitions, initial 's')"


@given(nrmdps())
def test_a_drawn_start_is_one_more_state_from_which_every_action_draws(mdp):
    chances = {s: 1 / len(mdp.states) for s in mdp.states}
    drawn = mdp.starting_from(chances)
    assert drawn.initial == START
    assert drawn.states == (*mdp.states, START)
    for a in mdp.actions:
        assert drawn.successors(START, a) == pytest.approx(chances)
        assert all(drawn.successors(s, a) == mdp.successors(s, a) for s in mdp.states)
    assert mrm.NRMDP.from_json(drawn.to_json()) == drawn


@pytest.mark.parametrize(("chances", "culprit"), [({"s": 0.5}, "sums to 0.5"), ({"moon": 1.0}, "unknown state 'moon'"),
                                                  ({"s": -1.0, "t": 2.0}, "probability -1.0")])
def test_a_draw_that_is_no_distribution_is_refused_by_name(chances, culprit):
    with pytest.raises(mrm.ModelError, match=culprit):
        mrm.NRMDP("st", ["go"], lambda s, a: {"t": 1.0}, "s").starting_from(chances)
