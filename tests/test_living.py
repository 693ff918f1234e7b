"""Learning by living: what the stored trials say, and that they can be lived again."""

from pathlib import Path
from statistics import fmean

import pytest

from mrmlib.domains import treasure_map
from mrmlib.experience.querying import QueryPlanner
from mrmlib.experiment.living import LIVING, WAYS, Living, asked, living
from mrmlib.experiment.rows import RowFile, without_times
from mrmlib.experiment.trials import remake
from mrmlib.table import ObservationTable
from mrmlib.tree import DiscriminationTree

STORED = Path(__file__).parent.parent / "notebooks" / "rows" / "living.jsonl"
ROWS = list(RowFile(STORED).rows.values())
APFS = (0.75, 0.85, 0.95)


def actions(way, apf, shuffled=False):
    return fmean(row["actions"] for row in ROWS
                 if (row["way"], row["apf"], row["shuffled"]) == (way, apf, shuffled))


@pytest.mark.parametrize("way", WAYS)
def test_a_stored_trial_lived_again_is_the_same(way, count):
    of_this_way = [row for row in ROWS if row["way"] == way]
    assert len(of_this_way) == 10 * (len(APFS) + 1)
    for row in of_this_way[count(3, 0)::count(30, 1)]:
        assert without_times(remake(LIVING, row)) == without_times(row)


def test_every_stored_trial_learnt_the_exact_machine():
    assert len(ROWS) == 200
    assert all(row["exact"] for row in ROWS)


def test_a_wrong_machine_would_be_noticed(monkeypatch):
    wrong = treasure_map(c=0.0).machine
    monkeypatch.setitem(WAYS, "tree, optimal", lambda *_: (wrong, 0, 0))
    assert living(Living("tree, optimal"), seed=0)["exact"] is False


@pytest.mark.parametrize("apf", APFS)
def test_walking_takes_five_times_fewer_actions_than_the_table_with_mcts(apf):
    """In the declared order ten times; over shuffled orders, at APF .95, between five and ten."""
    assert actions("table, MCTS", apf) > 10 * actions("walking", apf)
    assert 5 < actions("table, MCTS", 0.95, shuffled=True) / actions("walking", 0.95, shuffled=True) < 10


@pytest.mark.parametrize(("name", "learner"), [("table", ObservationTable), ("tree", DiscriminationTree)])
def test_the_optimal_strategy_takes_the_sum_of_what_its_queries_are_expected_to_take(name, learner):
    """At APF .95 a query of about 26 actions has a standard deviation of about 1.2: 1 % is beyond 4 standard errors."""
    world = treasure_map(0.95)
    planner = QueryPlanner(world.mdp, world.labelling)
    expected = sum(planner.strategy([word]).expected_actions for word in asked(learner, world.machine))
    assert actions(f"{name}, optimal", 0.95) == pytest.approx(expected, rel=0.01)
