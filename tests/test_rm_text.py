"""The text format of reward_machines: machines come back unchanged, and its own files mean what they mean there."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.interop import rm_text
from tests.odd_machines import NAMES, assert_unchanged, odd_machines
from tests.random_models import machines

COFFEE_AND_MAIL = """0 # initial state
[1] # terminal state
(0,0,'!e&!f&!n',ConstantRewardFunction(0))
(0,2,'e&!n',ConstantRewardFunction(0))
(0,3,'!e&f&!n',ConstantRewardFunction(0))
(2,2,'!f&!n',ConstantRewardFunction(0))
(2,4,'f&!n',ConstantRewardFunction(0))
(3,3,'!e&!n',ConstantRewardFunction(0))
(3,4,'e&!n',ConstantRewardFunction(0))
(4,1,'g&!n',ConstantRewardFunction(1))
(4,4,'!g&!n',ConstantRewardFunction(0))
"""
"""Mail (e) and coffee (f) in any order, then the office (g); a plant (n) breaks and ends the episode."""


@given(odd_machines(NAMES | st.none()))
def test_a_machine_with_odd_names_comes_back_unchanged(machine):
    assert_unchanged(rm_text.from_rm_text(rm_text.to_rm_text(machine)), machine)


class Theirs:
    """The meaning of a file for the reward_machines repository, told anew: here, where the file is ours, with eval."""

    def __init__(self, text):
        initial, terminal, *edges = text.splitlines()
        self.node, self.terminal = eval(initial), eval(terminal)
        self.edges = [eval(edge, {"ConstantRewardFunction": float}) for edge in edges]

    def rewards(self, word):
        """What is paid for each observation, null among them, until the episode ends; from there on, nothing."""
        node, paid = self.node, []
        for z in word:
            fitting = [] if node in self.terminal else [
                (v, r) for u, v, guard, r in self.edges if u == node and self.holds(guard, z)]
            node, r = fitting[0] if fitting else (next(iter(self.terminal), None), 0.0)
            paid.append(r)
        return tuple(paid)

    @staticmethod
    def holds(guard, z):
        return all((literal == z) if literal[0] != "!" else (literal[1:] != z) for literal in guard.split("&"))


@given(machine=machines(), data=st.data())
def test_the_repository_reads_in_our_files_what_we_mean(machine, data):
    theirs = Theirs(rm_text.to_rm_text(machine))
    word = data.draw(st.lists(st.sampled_from([*machine.observations, mrm.NULL]), max_size=8))
    assert theirs.rewards(word) == machine.rewards(tuple(word))


def test_we_read_in_a_file_of_theirs_what_the_repository_reads():
    machine, theirs = rm_text.from_rm_text(COFFEE_AND_MAIL), Theirs(COFFEE_AND_MAIL)
    assert machine.observations == ("e", "f", "n", "g")
    assert len(machine.nodes) == 5
    assert machine.rewards(("e", "null", "g", "f", "g", "g")) == (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    for word in product([*machine.observations, mrm.NULL], repeat=5):
        assert machine.rewards(word) == theirs.rewards(word)


def test_an_observation_without_a_guard_ends_the_episode():
    assert rm_text.from_rm_text(COFFEE_AND_MAIL).step(2, "n") == (1, 0.0)
    assert rm_text.from_rm_text(COFFEE_AND_MAIL).step(1, "g") == (1, 0.0)


def test_all_terminal_states_are_one_and_are_never_left():
    text = "'u'\n[7, 8]\n('u',8,'a',ConstantRewardFunction(1))\n(8,'u','a',ConstantRewardFunction(5))"
    assert rm_text.from_rm_text(text).transitions == {("u", "a"): (7, 1.0), (7, "a"): (7, 0.0)}


def machine_of(*edges, header="0\n[9]", reward="ConstantRewardFunction", **options):
    text = "\n".join([header, *(f"({u},{v},'{guard}',{reward}({r}))" for u, guard, v, r in edges)])
    return rm_text.from_rm_text(text, "t.txt", **options)


def test_observations_may_be_given_in_order():
    machine = machine_of((0, "b", 0, 1), (0, "!b", 0, 2), observations=["c", "b"])
    assert machine.observations == ("c", "b")
    assert machine.rewards(("c", "b", "null")) == (2.0, 1.0, 2.0)


def test_observations_may_make_several_propositions_true():
    letters = {"both": {"e", "g"}, "mail": {"e"}, "nothing": ()}
    machine = machine_of((0, "e&g&!n", 0, 1), (0, "!(e&g)", 9, -1), observations=letters, null_reward=3.0)
    assert machine.rewards(("both", "null", "mail", "both")) == (1.0, 3.0, -1.0, 0.0)


def test_what_null_pays_is_what_the_catch_all_pays_or_is_given():
    assert machine_of((0, "a", 0, 1), null_reward=7.0).null_reward == 7.0
    assert machine_of((0, "a", 0, 1), (0, "!a", 0, -2), null_reward=7.0).null_reward == -2.0


@pytest.mark.parametrize(("text", "line", "culprit"), [
    ("", 1, "expected the initial state, not ''"),
    ("__import__('os')\n[]", 1, "expected the initial state"),
    ("0\n", 1, "expected the list of terminal states"),
    ("0\n\n2", 3, "expected the list of terminal states, not '2'"),
    ("0\n[1 2]", 2, "expected the list of terminal states"),
    ("0\n[" + "7" * 5000 + "]", 2, "not a whole number of up to 18 digits"),
    ("0\n[]\n0,0,'a',1", 3, "expected (node,node,'guard',ConstantRewardFunction(number))"),
    ("0\n[]\n(0,0,'a',ConstantRewardFunction(1)", 3, "expected (node"),
    ("0\n[]\n(0,0,'a',RewardForward(1, 2))", 3, "the reward RewardForward(1, 2) is not a ConstantRewardFunction"),
    ("0\n[]\n(0,0,'a',ConstantRewardFunction(x))", 3, "the reward is 'x', not a finite number"),
    ("0\n[]\n(0,0,'a',ConstantRewardFunction(1e999))", 3, "the reward is '1e999', not a finite number"),
    ("0\n[]\n(0,0,'a&',ConstantRewardFunction(1))", 3, "the formula 'a&' has its end in column 3"),
    ("0\n[]\n(0,0,'\\x41',ConstantRewardFunction(1))", 3, r"the escape \x is not read"),
    ("0\n[]\n(0,0,'\"json:[\"',ConstantRewardFunction(1))", 3, "is not a name"),
    ("0\n[]\n(0,0,'a&b',ConstantRewardFunction(1))", 3, "no single observation makes the guard at 0 true"),
    ("0\n[]\n(0,0,'a',ConstantRewardFunction(1))\n(0,0,'!b',ConstantRewardFunction(2))", 4,
     "δ(0, 'a') is given twice, differently"),
    ("0\n[]\n(0,0,'a',ConstantRewardFunction(1))\n(0,1,'b',ConstantRewardFunction(2))", 4,
     "1 is not terminal, but no edge leaves it"),
    ("0\n[]\n(0,0,'a',ConstantRewardFunction(1))\n(1,1,'b',ConstantRewardFunction(2))", 3,
     "no guard at 0 covers 'b', and there is no terminal state"),
    ("0\n[1]\n(0,1,'!a',ConstantRewardFunction(1))", 3, "null, with which no proposition is true, leaves 0"),
    ("0\n[5]\n(0,0,'!a',ConstantRewardFunction(1))\n(1,1,'!a',ConstantRewardFunction(2))", 4,
     "null pays 2.0 at 1, and 1.0 before"),
    ("3\n[5]\n(0,0,'a',ConstantRewardFunction(1))", 1, "the start node 3 is not a node"),
    ("0\n[]\n(0,0,'true',ConstantRewardFunction(1))", 1, "the start node 0 is not a node"),
])
def test_what_is_outside_the_subset_is_refused_with_its_line(text, line, culprit):
    with pytest.raises(mrm.FormatError) as raised:
        rm_text.from_rm_text(text, "t.txt")
    assert str(raised.value).startswith(f"t.txt, line {line}: ")
    assert culprit in str(raised.value)
