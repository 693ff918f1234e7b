"""λ, alone and joined to an M."""

import pickle

import numpy as np
import pytest
from hypothesis import given

import mrmlib as mrm
from mrmlib.names import Names
from tests.random_models import worlds
from tests.refusal import refusal

STREET = mrm.NRMDP(["street", "shop"], ["go", "stay"], lambda s, a: {"shop": 1.0}, "street")


@given(worlds())
def test_a_mapping_and_a_function_give_the_same_table(world):
    mdp, labelling, _ = world
    as_function = mrm.Labelling(lambda a, s: labelling(a, s), labelling.observations)
    assert np.array_equal(labelling.table(mdp), as_function.table(mdp))


@given(worlds())
def test_the_table_says_what_lambda_says(world):
    mdp, labelling, _ = world
    table = labelling.table(mdp)
    for i, a in enumerate(mdp.actions):
        for j, s in enumerate(mdp.states):
            assert labelling(a, s) == (mrm.NULL if table[i, j] < 0 else labelling.observations[table[i, j]])


@given(worlds())
def test_with_null_as_letter_only_null_changes_and_only_inside(world):
    mdp, labelling, _ = world
    lettered = labelling.with_null_as_letter()
    assert lettered.observations == (*labelling.observations, mrm.NULL)
    assert all(lettered(a, s) == labelling(a, s) for a in mdp.actions for s in mdp.states)
    table = labelling.table(mdp)
    assert np.array_equal(lettered.table(mdp), np.where(table < 0, len(labelling.observations), table))
    assert lettered.with_null_as_letter() is lettered


def test_missing_pairs_of_a_mapping_are_null():
    labelling = mrm.Labelling({("go", "shop"): "bread"}, ["bread"])
    assert labelling.table(STREET).tolist() == [[-1, 0], [-1, -1]]


@pytest.mark.parametrize("seen", ["cake", None, ["bread"]])
@pytest.mark.parametrize("form", [lambda seen: {("go", "shop"): seen},
                                  lambda seen: lambda a, s: seen if (a, s) == ("go", "shop") else mrm.NULL])
def test_an_observation_that_was_not_declared_is_refused_by_name(form, seen):
    labelling = mrm.Labelling(form(seen), ["bread"])
    for join in (lambda: labelling("go", "shop"), lambda: labelling.table(STREET), lambda: labelling.to_json(STREET)):
        with pytest.raises(mrm.ModelError) as raised:
            join()
        assert f"λ('go', 'shop') is {seen!r}, which is neither an observation nor null" in str(raised.value)


@pytest.mark.parametrize("key", [("shop", "go"), ("go", "moon"), ("fly", "shop"), "go", ("go", "shop", "bread")])
def test_a_mapping_for_what_is_not_a_pair_of_the_model_is_refused_by_name(key):
    labelling = mrm.Labelling({key: "bread"}, ["bread"])
    for join in (labelling.table, labelling.to_json):
        with pytest.raises(mrm.ModelError) as raised:
            join(STREET)
        assert repr(key) in str(raised.value)


def test_observations_are_distinct_and_hashable():
    assert "the observation 'bread' is declared twice" in refusal(mrm.Labelling, {}, ["bread", "bread"])
    assert "every observation must be hashable" in refusal(mrm.Labelling, {}, [["bread"]])


def test_a_labelling_is_frozen():
    given_labels = {("go", "shop"): "bread"}
    labelling = mrm.Labelling(given_labels, ["bread"])
    given_labels["go", "street"] = "bread"
    assert labelling("go", "street") == mrm.NULL
    with pytest.raises(AttributeError, match="'observations' cannot be changed"):
        labelling.observations = Names(["cake"])
    with pytest.raises(AttributeError, match="'function' cannot be changed"):
        del labelling.function
    with pytest.raises(TypeError):
        labelling.function["go", "street"] = "bread"


def test_a_labelling_survives_pickling():
    labelling = pickle.loads(pickle.dumps(mrm.Labelling({("go", "shop"): "bread"}, ["bread"])))
    assert labelling.table(STREET).tolist() == [[-1, 0], [-1, -1]]
    assert repr(labelling) == "Labelling(bread)"
