"""Watchers: they pay 1 the first time that one of the pairs is taken, and never again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.interop.watch import watch

from .random_models import machines


@given(machines(), st.data())
def test_a_watcher_pays_one_at_the_first_of_its_pairs_and_nothing_else(machine, data):
    pairs = data.draw(st.lists(st.sampled_from(sorted(machine.transitions)), unique=True))
    word = tuple(data.draw(st.lists(st.sampled_from((mrm.NULL, *machine.observations)), max_size=12)))
    node, expected = machine.initial, []
    for z in word:
        expected.append(float((node, z) in pairs and 1.0 not in expected))
        node, _ = machine.step(node, z)
    assert watch(machine, pairs).rewards(word) == tuple(expected)


def test_a_watcher_is_at_its_last_node_exactly_when_it_has_paid():
    watcher = watch(mrm.domains.treasure_map().machine, [("u4", "j1"), ("u4", "j2")])
    node = watcher.initial
    for z in ("m", "g", "t", "j2"):
        assert node != "seen"
        node, paid = watcher.step(node, z)
    assert (node, paid) == ("seen", 1.0)
    assert {watcher.step("seen", z) for z in (*watcher.observations, mrm.NULL)} == {("seen", 0.0)}


def test_a_pair_that_the_machine_does_not_have_is_refused():
    machine = mrm.domains.cookie().machine
    for pair in (("u9", "yel"), ("u0", "green"), "u0"):
        with pytest.raises(mrm.ModelError, match=f"{pair!r} is not a pair".replace("(", r"\(").replace(")", r"\)")):
            watch(machine, [pair])


def test_a_machine_that_has_a_node_of_that_name_is_refused():
    with pytest.raises(mrm.ModelError, match="a node 'seen' of its own"):
        watch(mrm.MealyRewardMachine({("seen", "z"): ("seen", 0.0)}, "seen"), [])
