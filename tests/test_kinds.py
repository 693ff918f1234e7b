"""The kinds of trial: what they measure, and that a seed gives the same trial again."""

from itertools import product

import pytest

from mrmlib import domains
from mrmlib.experiment.kinds import TRIALS, Cookie, CookieByOptimisation, executable_words
from mrmlib.experiment.rows import without_times
from mrmlib.experiment.trials import remake, run
from mrmlib.within.agreement import executable
from mrmlib.within.wordgraph import WordGraph


@pytest.mark.parametrize("name", TRIALS)
def test_every_kind_of_trial_can_be_re_made_from_its_row(name):
    kind = TRIALS[name]
    (row,) = run(kind, [kind.warm_up], trials=1)
    assert without_times(remake(kind, row)) == without_times(row)


@pytest.mark.parametrize(("settings", "nodes"), [
    (Cookie("filtered", "random"), 4), (Cookie("filtered", "optimal"), 4), (Cookie("filtered", "random", "tree"), 4),
    (Cookie("constant", "optimal"), 9), (Cookie("dont_care", "optimal"), 2),
], ids=str)
def test_each_treatment_learns_a_machine_that_is_right_within_m(settings, nodes, count):
    rows = run(TRIALS["cookie"], [settings], trials=count(1, 10))
    assert all(row["exact"] and row["nodes"] == nodes for row in rows)
    assert all(row["same_machine"] == (settings.treatment == "filtered") for row in rows)
    assert all(row["proved_smallest"] is (True if settings.treatment == "dont_care" else None) for row in rows)
    assert all(row["actions_until_exact"] <= row["learning_actions"] for row in rows)


def test_the_executable_words_are_all_of_them_and_shortest_first():
    domain = domains.cookie()
    words = list(executable_words(WordGraph(domain.mdp, domain.labelling), 3))
    by_hand = [word for n in (1, 2, 3) for word in product(domain.labelling.observations, repeat=n)
               if executable(domain.mdp, domain.labelling, word)]
    assert words == by_hand


def test_the_rival_learner_gets_the_cookie_machine_right_from_a_few_thousand_random_actions(count):
    rows = run(TRIALS["cookie_by_optimisation"], [CookieByOptimisation(u_max=2)], trials=count(3, 10))
    assert all(row["exact"] and row["nodes"] == 2 and row["predicts_all"] for row in rows)
    assert all(row["learning_actions"] == row["actions_until_exact"] + 20_000 for row in rows)
    assert all(row["resets"] * 500 == row["learning_actions"] for row in rows)
