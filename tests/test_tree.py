"""The discrimination tree: its invariants, its promise about long counter-examples, and what it refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.lstar import hypotheses, learn
from mrmlib.teacher import MachineTeacher
from mrmlib.tree import DiscriminationTree
from tests.minimal_machines import LongWinded, minimal_machine
from tests.random_models import machines, rng


def leaves(node):
    if node.discriminator is None:
        return [node]
    return [leaf for below in node.branches.values() for leaf in leaves(below)]


def inner(node):
    return [] if node.discriminator is None else [node, *(n for below in node.branches.values() for n in inner(below))]


def way(leaf):
    """[(discriminator, outcome), …] from a leaf up to the root."""
    return [] if leaf.parent is None else [(leaf.parent.discriminator, leaf.outcome), *way(leaf.parent)]


@given(machines(max_nodes=6, max_letters=3), st.booleans())
def test_every_leaf_is_one_node_and_every_discriminator_tells_the_truth(machine, long):
    """Between questions: one state a leaf, its word and all words that lead to it are paid what the tree says."""
    tree = DiscriminationTree(machine.observations)
    teacher = LongWinded(machine, 0, length=20) if long else MachineTeacher(machine)
    for hypothesis in hypotheses(teacher, tree):
        found = leaves(tree._root)
        assert len(found) == len(hypothesis.nodes)
        for leaf in found:
            assert [state.leaf for state in leaf.states] == [leaf]
            words = [leaf.states[0].place.word,
                     *((*source.place.word, tree.observations[z]) for source, z in leaf.incoming)]
            for word in words:
                for suffix, outcome in way(leaf):
                    assert machine.rewards(word + tree.store.word(suffix))[len(word):] == outcome
        assert sum(len(leaf.incoming) for leaf in found) == len(found) * len(machine.observations)
        assert all(node.probe[:len(node.discriminator)] == node.discriminator for node in inner(tree._root))


def test_no_discriminator_keeps_the_length_of_a_long_counterexample():
    """Counter-examples of 100 letters, yet with 40 nodes every suffix in the tree stays far below that."""
    machine = minimal_machine(rng(3), 40, 3)
    tree = DiscriminationTree(machine.observations)
    *_, last = hypotheses(LongWinded(machine, 0), tree)
    assert last.equivalent(machine)
    assert max(len(node.discriminator) for node in inner(tree._root)) <= 20
    assert max(len(leaf.states[0].place.word) for leaf in leaves(tree._root)) <= 20


def test_a_machine_that_pays_late_is_learnt_from_its_longest_word():
    """a^20 is paid only at its end: one counter-example of 20 letters makes 20 nodes, one suffix a^i each."""
    size = 20
    machine = mrm.MealyRewardMachine({(i, "a"): ((i + 1) % size, float(i == size - 1)) for i in range(size)}, 0)
    result = learn(MachineTeacher(machine), "a", DiscriminationTree)
    assert result.machine == machine.minimal()
    assert result.hypotheses <= size


def test_long_counterexamples_cost_at_most_half_as_many_symbols_again(count):
    for seed in range(count(2, 10)):
        machine = minimal_machine(rng(seed), 200, 5, rewards=((0.0, 1.0), (0.0, 1.0, 2.0))[seed % 2])
        short, long = (learn(teacher, machine.observations, DiscriminationTree)
                       for teacher in (MachineTeacher(machine), LongWinded(machine, seed)))
        assert long.machine == short.machine == machine
        assert long.symbols <= 1.5 * short.symbols


@pytest.mark.parametrize(("word", "rewards", "error"), [
    (("m", "x"), (10.0, 0.0), mrm.QueryError), (("m",), (10.0, 0.0), mrm.QueryError),
    (("m",), (9.0,), mrm.NondeterminismError), (("m", "m", "m"), (10.0, -1.0, -1.0), mrm.QueryError)])
def test_a_bad_counterexample_is_refused_and_leaves_the_tree_as_it_was(word, rewards, error):
    machine = mrm.domains.treasure_map().machine
    tree = DiscriminationTree(machine.observations)
    *_, last = hypotheses(MachineTeacher(machine), tree, -1.0)
    before = list(tree.store.words())
    with pytest.raises(error):
        tree.add_counterexample(word, rewards)
    assert tree.is_complete
    assert tree.hypothesis(-1.0) == last
    assert list(tree.store.words()) == before


def test_there_is_no_hypothesis_before_the_answers():
    with pytest.raises(mrm.QueryError, match="unanswered"):
        DiscriminationTree("ab").hypothesis()
