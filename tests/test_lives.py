"""Lives as trials: on the treasure map, and in any domain by the same body."""

from dataclasses import replace
from pathlib import Path

import pytest

import mrmlib as mrm
from mrmlib import domains
from mrmlib.agents import ApproximateAgent, AsPublished, OptimalAgent, Sound
from mrmlib.experiment.kinds import TRIALS
from mrmlib.experiment.lives import Life, TreasureMap, _pays_alike, agent_of, life_trial, treasure_map_trial
from mrmlib.experiment.rows import RowFile, without_times
from mrmlib.experiment.trials import remake, run

SHORT = TreasureMap(actions=250)
STORED = Path(__file__).parent.parent / "notebooks/rows/experiments.jsonl"


@pytest.mark.parametrize(("settings", "kind", "reading"), [
    (SHORT, ApproximateAgent, AsPublished),
    (replace(SHORT, agent="sound"), ApproximateAgent, Sound),
    (replace(SHORT, agent="optimal", explore="optimal"), OptimalAgent, None),
])
def test_settings_name_the_agent(settings, kind, reading):
    agent = agent_of(settings, domains.treasure_map())
    assert type(agent) is kind
    assert reading is None or type(agent.reading) is reading


@pytest.mark.parametrize("change", [
    {}, {"agent": "sound"}, {"exploit": "random"}, {"exploit": "rewards"}, {"explore": "optimal"},
    {"agent": "optimal", "explore": "optimal"}, {"trajectories": 20, "depth": 10, "k": 2},
], ids=str)
def test_a_life_on_the_treasure_map_is_measured(change):
    settings = replace(SHORT, **change)
    measures = treasure_map_trial(settings, seed=4)
    assert measures["exact"]
    assert measures["nodes"] == 6
    assert measures["exploitation_actions"] == settings.actions
    assert measures["lower"] <= measures["value"] <= measures["upper"]
    assert measures["value"] == pytest.approx(domains.treasure_map(0.95).facts["optimal_mean_payoff"])
    assert len(measures["reward_after"]) == settings.actions // settings.checkpoint
    assert measures["resets"] == measures["attempts"] + measures["epochs"]
    assert measures["counterexamples"] == measures["spurious"], "the first hypothesis is right: there is no other kind"
    assert len(measures["hypothesis_after"]) == len(measures["hypothesis_nodes"]) == measures["hypotheses"] == 1


def test_the_tree_begins_with_a_smaller_hypothesis_and_ends_with_the_right_one():
    measures = treasure_map_trial(replace(SHORT, agent="optimal", explore="optimal", learner="tree"), seed=4)
    assert measures["exact"]
    assert measures["hypothesis_nodes"][0] < measures["hypothesis_nodes"][-1] == 6


def test_what_is_earned_on_the_way_adds_up():
    measures = treasure_map_trial(replace(SHORT, actions=200), seed=4)
    assert measures["reward_after"][-1] == measures["total_reward"]


# ---- in any domain


@pytest.mark.parametrize("agent", ["optimal", "sound"])
def test_a_life_on_the_treasure_map_is_the_same_under_either_name(agent):
    choices = {"agent": agent, "explore": "optimal", "actions": 250}
    one = treasure_map_trial(TreasureMap(0.75, **choices), seed=3)
    other = life_trial(Life(domain="treasure_map", options="apf=0.75", **choices), seed=3)
    assert without_times(one) == without_times(other)


def test_a_stored_life_is_still_lived_as_it_was():
    wanted = {"kind": "treasure_map", "agent": "optimal", "apf": 0.85, "trial": 2}
    (row,) = [row for row in RowFile(STORED).rows.values() if wanted.items() <= row.items()]
    assert without_times(remake(TRIALS["treasure_map"], row)) == without_times(row)


@pytest.mark.parametrize("name", ["cookie", "assembly"])
def test_a_life_elsewhere_ends_with_a_machine_that_is_right_within_m(name):
    domain = domains.make(name)
    measures = life_trial(Life(domain=name, actions=200, tests=20), seed=1)
    assert measures["exact"]
    assert measures["value"] == pytest.approx(domain.facts["optimal_mean_payoff"])
    assert measures["exploitation_actions"] == 200


def test_a_machine_that_is_wrong_about_null_is_not_exact():
    """The cookie domain has nulls, in the hall; an agent that took them to pay 1 would be wrong."""
    domain = domains.cookie()
    right = domain.machine
    wrong = mrm.MealyRewardMachine(right.transitions, right.initial, null_reward=1.0)
    assert _pays_alike(domain, right)
    assert not _pays_alike(domain, wrong)


def test_ways_of_no_return_end_after_so_many_actions():
    """Explored at random, a hole is for ever; an attempt is given up, and the machine is found all the same."""

    def pit():
        steps = {("edge", "walk"): "shop", ("edge", "jump"): "pit", ("shop", "walk"): "edge", ("shop", "jump"): "pit"}
        mdp = mrm.NRMDP(["edge", "shop", "pit"], ["walk", "jump"], lambda s, a: {steps.get((s, a), "pit"): 1.0}, "edge")
        pays = mrm.MealyRewardMachine({("u", "bread"): ("v", 1.0), ("v", "bread"): ("v", 2.0)}, "u")
        return domains.Domain("pit", mdp, mrm.Labelling({("walk", "shop"): "bread"}, ["bread"]), pays)

    settings = Life(agent="optimal", explore="random", episode_actions=10, actions=10)
    agent, domain = agent_of(settings, pit()), pit()
    run = agent.run(mrm.Environment(domain.mdp, domain.labelling, domain.machine, 0), 10)
    assert run.machine.equivalent(domain.machine)


def test_settings_of_no_domain_are_refused_when_they_are_made():
    with pytest.raises(mrm.ModelError, match="unknown domain 'moon': there are"):
        Life(domain="moon")
    with pytest.raises(mrm.ModelError, match="cookie has no setting 'apf': it has none"):
        Life(domain="cookie", options="apf=0.5")


def test_a_row_that_names_a_module_imports_nothing(tmp_path, monkeypatch):
    """Whoever re-makes a row loads the domain first; what a file says is looked up, never imported."""
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    (row,) = run(TRIALS["life"], [Life(actions=10)], trials=1)
    with pytest.raises(mrm.ModelError, match="unknown domain 'trap:world'"):
        remake(TRIALS["life"], row | {"domain": "trap:world"})


def test_a_life_without_a_hypothesis_says_why(monkeypatch):
    monkeypatch.setattr("mrmlib.experiment.lives.agent_of", lambda settings, domain: OptimalAgent(
        domain.mdp, domain.labelling, actions=1))
    with pytest.raises(mrm.BudgetError, match=r"no hypothesis in treasure_map: budget spent: .* out of actions"):
        life_trial(Life(), seed=0)
