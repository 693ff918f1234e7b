"""Mealy reward machines: what they pay, the smallest of them, and what tells two apart. Words are tried one by one."""

import copy
import math
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from tests.random_models import machines, random_minimal_machine, rng, worlds
from tests.refusal import refusal

SMALL = machines(max_nodes=4, max_letters=2)
DELTA = {("u", "a"): ("v", 1.0), ("u", "b"): ("u", 0.0), ("v", "a"): ("v", 2.0), ("v", "b"): ("u", 3.0)}


def words(machine, longest):
    """Every word over Z up to that length, shorter ones and earlier letters first."""
    return (word for length in range(1, longest + 1) for word in product(machine.observations, repeat=length))


def first_difference(one, two):
    """The first word, shorter ones and earlier letters first, that two machines pay differently.

    Two machines with m and n nodes that differ do so on a word of at most m + n − 1 letters.
    """
    longest = len(one.nodes) + len(two.nodes) - 1
    return next((word for word in words(one, longest) if one.rewards(word) != two.rewards(word)), None)


def reached(machine):
    nodes = [machine.initial]
    for u in nodes:
        nodes += dict.fromkeys(v for z in machine.observations for v, _ in [machine.step(u, z)] if v not in nodes)
    return nodes


def residuals(machine):
    """What each reachable node pays for every word as long as there are nodes; shorter words are their prefixes."""
    tried = list(product(machine.observations, repeat=len(machine.nodes)))
    return [tuple(machine.rewards(word, start=u) for word in tried) for u in reached(machine)]


def renamed(machine, order, copies=1, pick=lambda: 0):
    """The same machine with its nodes renamed and declared in another order, each in several copies."""
    return mrm.MealyRewardMachine({((u, i), z): ((v, pick()), r) for u in order for i in range(copies)
                                   for z in machine.observations for v, r in [machine.step(u, z)]},
                                  (machine.initial, 0), machine.null_reward)


@given(machines())
def test_rewards_are_paid_step_by_step(machine):
    for word in words(machine, 3):
        for start in machine.nodes:
            node, paid = start, []
            for z in word:
                node, r = machine.step(node, z)
                paid.append(r)
            assert machine.rewards(word, start) == tuple(paid)
        assert machine.rewards(word) == machine.rewards(word, machine.initial)


@given(machines())
def test_null_stays_and_pays_c(machine):
    for u in machine.nodes:
        assert machine.step(u, mrm.NULL) == (u, machine.null_reward)
    for word in words(machine, 2):
        spaced = tuple(letter for z in word for letter in (mrm.NULL, z))
        assert machine.rewards(spaced)[1::2] == machine.rewards(word)
        assert set(machine.rewards(spaced)[::2]) == {machine.null_reward}


@given(worlds(), st.data())
def test_a_history_is_paid_as_the_inductive_definition_has_it(world, data):
    """δ*_r(u, s0 a0 s1 …) = δr(u, λ(a0, s1)) · δ*_r(δu(u, λ(a0, s1)), s1 a1 …)."""
    mdp, labelling, machine = world
    history = [data.draw(st.sampled_from(mdp.states))]
    for _ in range(data.draw(st.integers(0, 5))):
        history += [data.draw(st.sampled_from(mdp.actions)), data.draw(st.sampled_from(mdp.states))]

    def inductive(u, history):
        if len(history) == 1:
            return ()
        v, r = machine.step(u, labelling(history[1], history[2]))
        return (r, *inductive(v, history[2:]))

    for u in machine.nodes:
        assert machine.history_rewards(tuple(history), labelling, u) == inductive(u, history)


@given(machines())
def test_with_null_as_letter_null_is_one_more_letter_that_stays_and_pays_c(machine):
    lettered = mrm.MealyRewardMachine(
        {(u, z): machine.step(u, z) for u in machine.nodes for z in (*machine.observations, mrm.NULL)},
        machine.initial, machine.null_reward)
    assert machine.with_null_as_letter() == lettered
    assert lettered.with_null_as_letter() is lettered


def test_a_machine_may_read_null_as_a_letter():
    machine = mrm.MealyRewardMachine({("u", "a"): ("u", 1.0), ("u", mrm.NULL): ("v", 5.0),
                                      ("v", "a"): ("u", 2.0), ("v", mrm.NULL): ("v", 6.0)}, "u", null_reward=-1.0)
    assert machine.rewards((mrm.NULL, mrm.NULL, "a")) == (5.0, 6.0, 2.0)
    assert machine.tables(["a"])[1].tolist() == [[1.0, -1.0], [2.0, -1.0]]


@given(SMALL)
def test_minimal_is_minimal(machine):
    """As many nodes as there are different residual behaviours, all reachable, no two alike."""
    minimal = machine.minimal()
    assert len(minimal.nodes) == len(set(residuals(machine)))
    assert reached(minimal) == list(minimal.nodes)
    assert len(set(residuals(minimal))) == len(minimal.nodes)


@given(SMALL)
def test_minimal_pays_the_same_for_every_word(machine):
    minimal = machine.minimal()
    assert first_difference(machine, minimal) is None
    assert machine.equivalent(minimal)
    assert (minimal.observations, minimal.null_reward) == (machine.observations, machine.null_reward)
    assert minimal.minimal() == minimal


@given(machines(), st.randoms(use_true_random=False))
def test_machines_that_differ_only_in_their_nodes_have_equal_minimal_machines(machine, random):
    order = random.sample(machine.nodes, len(machine.nodes))
    assert renamed(machine, order).minimal() == machine.minimal()
    split = renamed(machine, order, copies=2, pick=lambda: random.randrange(2))
    assert split.minimal() == machine.minimal()
    assert split.minimal().to_json() == machine.minimal().to_json()


@given(SMALL, st.data())
def test_equal_minimal_machines_mean_equivalent_machines(machine, data):
    other = data.draw(SMALL.filter(lambda other: other.observations == machine.observations))
    alike = machine.null_reward == other.null_reward and first_difference(machine, other) is None
    assert (machine.minimal() == other.minimal()) == alike


def test_nodes_of_a_minimal_machine_are_numbered_as_they_are_reached():
    """From u: a leads to w, b to v; so w is u1 and v is u2."""
    machine = mrm.MealyRewardMachine({("v", "a"): ("v", 1.0), ("v", "b"): ("v", 0.0), ("u", "a"): ("w", 0.0),
                                      ("u", "b"): ("v", 0.0), ("w", "a"): ("u", 2.0), ("w", "b"): ("w", 0.0)}, "u")
    minimal = machine.minimal()
    assert minimal.nodes == ("u0", "u1", "u2")
    assert minimal.step("u0", "a") == ("u1", 0.0)
    assert minimal.step("u0", "b") == ("u2", 0.0)


def test_a_long_counter_is_told_apart_at_its_very_end():
    """It pays 1 at every 300th letter: nodes 0 and 1 differ only after 299 letters, and none can be merged."""
    counter = mrm.MealyRewardMachine({(i, "a"): ((i + 1) % 300, float(i == 299)) for i in range(300)}, 0)
    never = mrm.MealyRewardMachine({(0, "a"): (0, 0.0)}, 0)
    assert len(counter.minimal().nodes) == 300
    assert counter.difference(never) == ("a",) * 300


@given(SMALL, st.data())
def test_difference_is_the_first_of_the_shortest_differences(machine, data):
    other = data.draw(SMALL.filter(lambda other: other.observations == machine.observations))
    assert machine.difference(other) == first_difference(machine, other)


def test_one_wrong_entry_is_found_by_a_shortest_word(count):
    """Minimal machines with a single target or reward changed: the hard case, and often no difference at all."""
    generator = rng(0)
    for _ in range(count(60, 2_000)):
        machine = random_minimal_machine(generator, nodes=int(generator.integers(2, 6)), rewards=(0.0, 1.0))
        delta = machine.transitions
        pair = list(delta)[generator.integers(len(delta))]
        node, reward = delta[pair]
        delta[pair] = ((node, 1.0 - reward) if generator.random() < 0.3
                       else (machine.nodes[generator.integers(len(machine.nodes))], reward))
        mutant = mrm.MealyRewardMachine(delta, machine.initial)
        assert machine.difference(mutant) == first_difference(machine, mutant)


@given(machines())
def test_the_order_of_the_letters_makes_no_difference(machine):
    turned = mrm.MealyRewardMachine({(u, z): machine.step(u, z) for u in machine.nodes
                                     for z in reversed(machine.observations)}, machine.initial, machine.null_reward)
    assert machine.difference(turned) is None
    assert turned.equivalent(machine)


def test_machines_with_another_c_are_not_equivalent_though_no_word_tells():
    one, two = mrm.MealyRewardMachine(DELTA, "u", 0.0), mrm.MealyRewardMachine(DELTA, "u", -1.0)
    assert one.difference(two) is None
    assert not one.equivalent(two)
    assert one != two


def test_rewards_compare_exactly():
    """0.1 + 0.2 and 0.3 are neighbours among the floats, and different; 0.0 and -0.0 are equal numbers."""
    def paying(reward):
        return mrm.MealyRewardMachine({("u", "a"): ("u", reward)}, "u")

    assert paying(0.1 + 0.2).difference(paying(0.3)) == ("a",)
    assert paying(0.0).difference(paying(-0.0)) is None
    assert paying(0.0).minimal() == paying(-0.0).minimal()


def test_machines_over_different_observations_are_not_compared():
    with pytest.raises(mrm.ModelError, match=r"\('a', 'b'\) and \('a',\)"):
        mrm.MealyRewardMachine(DELTA, "u").difference(mrm.MealyRewardMachine({("u", "a"): ("u", 0.0)}, "u"))


@pytest.mark.parametrize(("transitions", "initial", "culprit"), [
    ({pair: to for pair, to in DELTA.items() if pair != ("v", "b")}, "u", "δ('v', 'b') is missing"),
    (DELTA | {("u", "b"): ("w", 0.0)}, "u", "δ('u', 'b') leads to 'w', which has no transitions"),
    (DELTA | {("u", "b"): (["u"], 0.0)}, "u", "δ('u', 'b') leads to ['u']"),
    (DELTA | {("u", "b"): ("u", math.nan)}, "u", "the reward of δ('u', 'b') is nan"),
    (DELTA | {("u", "b"): ("u", -math.inf)}, "u", "the reward of δ('u', 'b') is -inf"),
    (DELTA | {("u", "b"): ("u", "1")}, "u", "the reward of δ('u', 'b') is '1'"),
    (DELTA | {("u", "b"): ("u", 10**400)}, "u", "the reward of δ('u', 'b') is too large"),
    (DELTA | {("u", "b"): 1.0}, "u", "δ('u', 'b') is 1.0, not a pair"),
    (DELTA | {("u", "b"): ("u", 1.0, 2.0)}, "u", "δ('u', 'b') is ('u', 1.0, 2.0), not a pair"),
    (DELTA | {"ub": ("u", 1.0)}, "u", "δ is given for 'ub'"),
    (list(DELTA), "u", "are a mapping"),
    (None, "u", "are a mapping {(u, z): (v, r)}, not None"),
    (DELTA, "w", "the start node 'w' is not a node"),
    (DELTA, ["u"], "the start node ['u'] is not a node"),
    ({}, "u", "the start node 'u' is not a node"),
])
def test_a_machine_that_is_not_one_is_refused_by_name(transitions, initial, culprit):
    assert culprit in refusal(mrm.MealyRewardMachine, transitions, initial)


@pytest.mark.parametrize("c", [math.nan, math.inf, None, "0"])
def test_a_null_reward_that_is_not_finite_is_refused(c):
    assert f"the reward of null is {c!r}" in refusal(mrm.MealyRewardMachine, DELTA, "u", c)


def test_what_a_machine_does_not_know_is_named():
    machine = mrm.MealyRewardMachine(DELTA, "u")
    with pytest.raises(mrm.QueryError, match="unknown observation 'z': the machine reads a, b"):
        machine.rewards(("a", "z"))
    with pytest.raises(mrm.QueryError, match="unknown observation"):
        machine.step("u", ["a"])
    with pytest.raises(mrm.ModelError, match="unknown node 'w'"):
        machine.rewards(("a",), start="w")
    with pytest.raises(mrm.ModelError, match="does not read 'z', but a, b"):
        machine.tables(["a", "z"])


@pytest.mark.parametrize("again", [lambda m: m, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)),
                                   lambda m: type(m).from_json(m.to_json()), lambda m: m.minimal()])
def test_a_machine_is_frozen_however_it_was_had(again):
    machine = again(mrm.MealyRewardMachine(DELTA, "u"))
    with pytest.raises(AttributeError, match="'null_reward' cannot be changed"):
        machine.null_reward = 1.0
    with pytest.raises(AttributeError, match="'nodes' cannot be changed"):
        del machine.nodes
    for table in (machine.node_table, machine.reward_table):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1
    machine.transitions.clear()  # a copy
    assert len(machine.transitions) == 4
    assert machine.rewards(("a", "a")) == (1.0, 2.0)


@given(machines())
def test_transitions_build_the_machine_again(machine):
    assert mrm.MealyRewardMachine(machine.transitions, machine.initial, machine.null_reward) == machine


def test_a_notebook_shows_the_table_of_delta():
    machine = mrm.MealyRewardMachine({("<u>", "a&b"): ("<u>", -1.0), ("<u>", "t"): ("v", 2.5),
                                      ("v", "a&b"): ("v", 0.0), ("v", "t"): ("v", -1.0)}, "<u>", null_reward=-1.0)
    shown = machine._repr_html_()
    assert "<th>a&amp;b</th><th>t</th>" in shown
    assert "<tr><th>→ &lt;u&gt;</th><td>·</td><td>v | 2.5</td></tr>" in shown
    assert "<tr><th>v</th><td>v | 0</td><td>·</td></tr>" in shown
    assert "· stays and pays -1" in shown
    assert repr(machine) == "MealyRewardMachine(2 nodes, 2 observations, initial '<u>', null_reward -1.0)"


def test_arrays_make_the_machine_that_they_are_taken_from():
    machine = mrm.MealyRewardMachine(DELTA, "u", -1.0)
    again = mrm.MealyRewardMachine.of_arrays(machine.nodes, machine.observations, "u", -1.0,
                                             np.array([[1, 0], [1, 0]]), np.array([[1.0, 0.0], [2.0, 3.0]]))
    assert again == machine
