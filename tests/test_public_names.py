"""The names that scripts outside the project call: they exist, and take their arguments in this order."""

import inspect

import pytest

import mrmlib as mrm

SIGNATURES = {
    "NRMDP": ("states", "actions", "transitions", "initial"),
    "MDP": ("states", "actions", "transitions", "initial", "reward"),
    "Labelling": ("function", "observations"),
    "MealyRewardMachine": ("transitions", "initial", "null_reward"),
    "product": ("mdp", "labelling", "machine"),
    "solve_discounted": ("mdp", "gamma"),
    "solve_mean_payoff": ("mdp",),
    "discounted_sum": ("rewards", "gamma"),
    "mean_payoff": ("rewards",),
    "ObservationTable": ("observations",),
    "learn": ("teacher", "observations"),
    "MachineTeacher": ("machine",),
    "w_method": ("hypothesis", "extra_nodes"),
    "wp_method": ("hypothesis", "extra_nodes"),
    "executable": ("mdp", "labelling", "word"),
    "minimal_within": ("mdp", "labelling", "machine"),
    "distinguish": ("mdp", "labelling", "one", "other"),
    "query_strategy": ("mdp", "labelling", "word", "objective"),
    "Environment": ("mdp", "labelling", "machine", "seed"),
    "FilteredEnvironment": ("mdp", "labelling", "machine", "seed"),
    "OptimalAgent": ("mdp", "labelling", "threshold", "max_nodes"),
    "ApproximateAgent": ("mdp", "labelling", "k"),
    "domains.treasure_map": ("apf", "c"),
    "domains.cookie": (),
}
MEMBERS = {
    "NRMDP": ("states", "actions", "initial", "successors", "sample"),
    "MDP": ("reward", "expected_reward"),
    "Labelling": ("observations", "with_null_as_letter", "__call__"),
    "MealyRewardMachine": ("nodes", "observations", "initial", "null_reward", "step", "rewards", "minimal",
                           "difference", "equivalent"),
    "Solution": ("value", "values", "policy", "lower", "upper"),
    "ObservationTable": ("is_closed", "is_consistent", "is_complete", "next_query", "resolve", "hypothesis",
                         "add_counterexample"),
    "LearningResult": ("machine", "membership_queries", "symbols", "equivalence_queries"),
    "MachineTeacher": ("rewards", "counterexample"),
    "QueryStrategy": ("probability", "expected_actions", "action"),
    "Environment": ("reset", "step", "actions", "resets"),
    "Run": ("machine", "outcome", "total_reward", "learning_actions", "exploitation_actions", "queries", "attempts",
            "counterexamples", "epochs", "learning_seconds", "exploitation_seconds"),
    "domains.Domain": ("mdp", "labelling", "machine", "name"),
}


def found(name):
    thing = mrm
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_public_name_takes_its_arguments_in_the_fixed_order(name):
    assert tuple(inspect.signature(found(name)).parameters)[:len(SIGNATURES[name])] == SIGNATURES[name]


@pytest.mark.parametrize("name", MEMBERS)
def test_a_public_class_has_its_members(name):
    described = {member for base in found(name).__mro__ for member in (*vars(base), *inspect.get_annotations(base))}
    assert set(MEMBERS[name]) <= described


def test_null_is_the_string_null():
    assert mrm.NULL == "null"


@pytest.mark.parametrize("name", [name for name, thing in vars(mrm).items()
                                  if not name.startswith("_") and not inspect.ismodule(thing) and callable(thing)])
def test_every_public_name_has_a_docstring(name):
    assert inspect.getdoc(getattr(mrm, name))
