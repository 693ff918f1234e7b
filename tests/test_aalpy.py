"""AALpy's Mealy machines: the same rewards for the same words, and AALpy's own learner learns ours."""

from itertools import product

import pytest
from hypothesis import given

import mrmlib as mrm
from mrmlib.interop.aalpy import from_aalpy, to_aalpy
from tests.odd_machines import assert_unchanged, odd_machines
from tests.random_models import machines

automata = pytest.importorskip("aalpy.automata")


@given(odd_machines())
def test_a_machine_with_odd_names_comes_back_unchanged_but_for_what_null_pays(machine):
    assert_unchanged(from_aalpy(to_aalpy(machine), machine.null_reward), machine)


@given(machines())
def test_aalpy_pays_as_the_machine_does(machine):
    mealy = to_aalpy(machine)
    for word in product(machine.observations, repeat=3):
        mealy.reset_to_initial()
        assert tuple(map(mealy.step, word)) == machine.rewards(word)


def test_aalpy_learns_the_machine_that_it_is_given():
    from aalpy.learning_algs import run_Lstar
    from aalpy.oracles import WMethodEqOracle
    from aalpy.SULs import AutomatonSUL

    machine = mrm.domains.treasure_map().machine
    alphabet, system = list(machine.observations), AutomatonSUL(to_aalpy(machine))
    oracle = WMethodEqOracle(alphabet, system, max_number_of_states=len(machine.nodes))
    learnt = run_Lstar(alphabet, system, oracle, automaton_type="mealy", print_level=0)
    assert from_aalpy(learnt, machine.null_reward).equivalent(machine)


def test_outputs_that_are_text_of_numbers_are_numbers():
    mealy = automata.MealyMachine.from_state_setup({"s": {"z": ("0.1", "s"), "y": (3, "s")}})
    assert from_aalpy(mealy).transitions == {("s", "z"): ("s", 0.1), ("s", "y"): ("s", 3.0)}


def mealy_of(*states):
    for state in states:
        state.transitions.setdefault("z", states[0])
        state.output_fun.setdefault("z", 1.0)
    return automata.MealyMachine(states[0], list(states))


def test_what_is_no_reward_machine_is_refused_by_name():
    worded = automata.MealyMachine.from_state_setup({"s": {"z": ("much", "s")}})
    partial = automata.MealyMachine.from_state_setup({"s": {"z": (1, "t")}, "t": {}})
    twins = mealy_of(automata.MealyState("s"), automata.MealyState("s"))
    for mealy, culprit in ((worded, "the output of 's' with 'z' is 'much'"), (twins, "two states are named 's'"),
                           (partial, "the state 't' has no transition with 'z'")):
        with pytest.raises(mrm.MrmError) as raised:
            from_aalpy(mealy)
        assert culprit in str(raised.value)
