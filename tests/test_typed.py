"""What one types: machines, words, rewards; and what is said of nonsense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrmlib import FormatError, ModelError, QueryError
from mrmlib.widgets.play.typed import typed_answer, typed_machine, typed_reward, typed_rewards, typed_word
from tests.random_models import machines


@given(machines())
def test_a_machine_whose_edges_are_all_typed_is_that_machine(machine):
    """Nodes are typed as n0, n1, …; the start comes first, as its edges are typed first."""
    name = {u: f"n{i}" for i, u in enumerate(machine.nodes)}
    order = sorted(machine.transitions.items(), key=lambda edge: edge[0][0] != machine.initial)
    lines = [f"{name[u]} {z} -> {name[v]} {reward!r}" for (u, z), (v, reward) in order]
    typed = typed_machine("\n".join(lines), machine.observations, machine.null_reward)
    assert typed.equivalent(machine)


def test_what_is_not_typed_stays_and_pays_c():
    machine = typed_machine("u0 m → u1 10  # the map\n\n  u1 m->u0 2.5", ["m", "t"], -1.0)
    assert machine.rewards(("t", "m", "t", "m", "m")) == (-1.0, 10.0, -1.0, 2.5, 10.0)
    assert typed_machine("", ["m"], -1.0).rewards(("m",)) == (-1.0,)


@pytest.mark.parametrize(("text", "kind", "said"), [
    ("u0 m u1 10", FormatError, "line 1: 'u0 m u1 10' is not an edge such as u0 m -> u1 10"),
    ("\nu0 m -> u1", FormatError, "line 2: 'u0 m -> u1' is not an edge"),
    ("u0 x -> u1 10", FormatError, "line 1: 'x' is not one of the observations m, t"),
    ("u0 m -> u1 ten", FormatError, "line 1: 'ten' is not a number"),
    ("u0 m -> u1 nan", ModelError, "line 1: the reward is nan, not a finite number"),
    ("u0 m -> u1 1\nu0 m -> u2 1", FormatError, "line 2: there is an edge for u0 m already"),
])
def test_an_edge_that_cannot_be_read_is_named_by_its_line(text, kind, said):
    with pytest.raises(kind, match=said):
        typed_machine(text, ["m", "t"])


@given(st.lists(st.sampled_from(["m", "t", "j1"])), st.sampled_from([" ", ", ", "·", "  "]))
def test_a_word_is_read_whatever_stands_between_its_letters(letters, between):
    assert typed_word(between.join(letters), ["m", "t", "j1"]) == tuple(letters)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_rewards_are_read_as_they_are_written(rewards):
    assert typed_rewards(" ".join(map(repr, rewards))) == tuple(rewards)


def test_an_answer_has_one_reward_for_each_letter():
    assert typed_answer("m·t -> 1, 2", ["m", "t"]) == (("m", "t"), (1.0, 2.0))
    with pytest.raises(QueryError, match="2 letters and 1 rewards"):
        typed_answer("m t -> 1", ["m", "t"])
    with pytest.raises(FormatError, match="'m t 1 2' is not a word, an arrow and its rewards"):
        typed_answer("m t 1 2", ["m", "t"])
    with pytest.raises(FormatError, match="the word: 'x' is not one of the observations m, t"):
        typed_answer("x -> 1", ["m", "t"])


def test_a_single_reward_may_be_left_out_but_not_be_nonsense():
    assert typed_reward("  ") is None
    with pytest.raises(FormatError, match="'1 2' is not a number"):
        typed_reward("1 2")
