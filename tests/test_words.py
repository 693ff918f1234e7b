"""Traces, and the two sums of the paper."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.names import Names
from mrmlib.words import observations, told, without_nulls

STEPS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("stu"), st.floats(-10, 10)), max_size=6)


def label(action, state):
    return mrm.NULL if state == "u" else action + state


@given(st.sampled_from("stu"), STEPS)
def test_every_extraction_has_one_entry_for_each_action(start, steps):
    trace = mrm.InteractionTrace(start, tuple(steps))
    assert len(trace.rewards) == len(trace.observations(label)) == len(steps)
    assert len(trace.history) == 2 * len(steps) + 1
    assert trace.observations(label) == observations(trace.history, label)


@given(st.sampled_from("stu"), STEPS)
def test_a_trace_grown_step_by_step_is_the_trace(start, steps):
    grown = mrm.InteractionTrace(start)
    for action, state, reward in steps:
        grown = grown.then(action, state, reward)
    assert grown == mrm.InteractionTrace(start, tuple(steps))


@given(st.sampled_from("stu"), STEPS)
def test_a_word_keeps_the_non_null_letters_and_what_each_was_paid(start, steps):
    word, paid = mrm.InteractionTrace(start, tuple(steps)).word(label)
    seen = [(action + state, reward) for action, state, reward in steps if state != "u"]
    assert list(zip(word, paid, strict=True)) == seen


def test_an_observation_is_of_the_action_taken_and_the_state_reached():
    assert observations(("s", "a", "t", "b", "u"), lambda action, state: (action, state)) == (("a", "t"), ("b", "u"))


@pytest.mark.parametrize("history", [(), ("s", "a"), ("s", "a", "t", "b")])
def test_a_history_that_does_not_end_in_a_state_is_refused(history):
    with pytest.raises(mrm.QueryError, match=f"odd number of entries, not {len(history)}"):
        observations(history, label)


def test_observations_and_rewards_of_different_length_are_refused():
    with pytest.raises(mrm.QueryError, match="2 observations were paid 1 rewards"):
        without_nulls(("m", "t"), (1.0,))


def test_the_first_reward_is_discounted_already():
    """γ·3 + γ²·(−1) + γ³·8 at γ = 1/2: 1.5 − 0.25 + 1."""
    assert mrm.discounted_sum([3.0, -1.0, 8.0], 0.5) == 2.25


@given(st.lists(st.floats(-1e6, 1e6)), st.floats(0.01, 0.99))
def test_the_discounted_sum_is_a_polynomial_in_gamma(rewards, gamma):
    horner = 0.0
    for r in reversed(rewards):
        horner = gamma * (r + horner)
    # A hundred terms of up to 1e6, each rounded a few times at 1e-16 of its size: at most 1e-7 in all.
    assert math.isclose(mrm.discounted_sum(rewards, gamma), horner, rel_tol=1e-12, abs_tol=1e-6)


@given(st.lists(st.integers(-1000, 1000), min_size=1))
def test_the_mean_payoff_is_the_mean(rewards):
    assert mrm.mean_payoff(map(float, rewards)) == sum(rewards) / len(rewards)


@pytest.mark.parametrize("gamma", [0.0, 1.0, -0.5, 1.5, math.nan, math.inf])
def test_a_discount_outside_the_open_unit_interval_is_refused(gamma):
    with pytest.raises(mrm.ModelError, match=f"γ .* not {gamma}"):
        mrm.discounted_sum([1.0], gamma)


def test_sums_of_nothing():
    assert mrm.discounted_sum([], 0.9) == 0
    with pytest.raises(mrm.QueryError, match="empty"):
        mrm.mean_payoff([])


@pytest.mark.parametrize(("z", "letters", "kept"), [("m", ["m"], True), (mrm.NULL, ["m"], True),
                                                    (mrm.NULL, ["m", mrm.NULL], True), ("x", ["m"], False),
                                                    (None, ["m"], False), (["m"], ["m"], False),
                                                    ("x", ["m", mrm.NULL], False)])
def test_only_a_letter_or_null_is_taken_from_an_environment(z, letters, kept):
    letters = Names(letters, "observation")
    if kept:
        assert told(("s", z, 1), "go", letters) == ("s", z, 1.0)
    else:
        with pytest.raises(mrm.QueryError) as raised:
            told(("s", z, 1.0), "go", letters)
        assert f"unknown observation {z!r} in 's', reached by 'go'" in str(raised.value)


@pytest.mark.parametrize("reward", [None, math.nan, math.inf, "5", 1j])
def test_a_reward_that_is_no_finite_number_is_named_with_its_step(reward):
    with pytest.raises(mrm.ModelError) as raised:
        told(("s", "m", reward), "go", ["m"])
    assert f"paid for 'm' in 's', reached by 'go', is {reward!r}, not a finite number" in str(raised.value)


@pytest.mark.parametrize("step", [None, ("s", 1.0), (0, 1.0, False, False, {})])
def test_an_answer_that_is_no_triple_is_named(step):
    with pytest.raises(mrm.QueryError) as raised:
        told(step, "go", ["m"])
    assert f"answered 'go' with {step!r}, not with (state, observation, reward)" in str(raised.value)
