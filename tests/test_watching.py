"""The panel that watches an agent learn, without a browser: its buttons, its story, and what it says in the end."""

import time
from math import inf

import pytest

from mrmlib import domains
from mrmlib.agents.events import Acted, Answered, EpochBegun, HypothesisBuilt, QueryPosed, Run
from mrmlib.widgets.watch.story import Attended, Story, known
from mrmlib.widgets.watch.watching import WatchItLearn

from .test_background import until


@pytest.fixture
def panel():
    made = WatchItLearn()
    yield made
    made.close()


def test_nothing_happens_until_run_is_pressed(panel):
    assert panel.background.state == "idle"
    assert panel.story.actions == 0
    assert "Ready" in panel.notice.value


@pytest.mark.parametrize("learner", ["table", "tree"])
@pytest.mark.parametrize("strategy", ["optimal", "tree_search"])
def test_a_life_is_lived_to_its_end_and_the_verdict_is_true(panel, learner, strategy):
    panel.learner.value, panel.strategy.value, panel.speed.value = learner, strategy, inf
    panel.run.click()
    panel.background.wait(60)
    world = domains.treasure_map()
    assert panel.story.machine.equivalent(world.machine)
    assert "right on everything" in panel.notice.value
    assert "<svg" in panel.machine.value
    assert panel.story.run.exploitation_actions == 300
    assert f"<td>{panel.story.run.total_reward:g}</td>" in panel.costs.value
    assert len(panel.grid.path) > 1


def test_one_step_is_one_action(panel):
    for number in range(1, 4):
        panel.step.click()
        until(lambda number=number: panel.story.actions == number)
    assert panel.background.state == "paused"
    assert "living" in panel.doing.value
    panel.run.click()
    until(lambda: panel.story.actions > 20)


def test_stop_ends_a_life_within_half_a_second_and_keeps_what_was_learnt(panel):
    panel.strategy.value = "random"  # would take longer than anyone waits
    panel.speed.value = inf
    panel.run.click()
    until(lambda: panel.story.actions > 1000)
    began = time.monotonic()
    panel.halt.click()
    assert time.monotonic() - began < 0.5
    assert panel.background.state == "idle"
    assert "Stopped before the first hypothesis" in panel.notice.value
    panel.clear.click()
    assert panel.story.actions == 0


def test_every_registered_world_can_be_watched(panel):
    for name in domains.registry():
        panel.domain.value, panel.speed.value = name, inf
        panel.run.click()
        until(lambda: panel.story.run.queries > 5)
        panel.halt.click()
        assert "mrm-wrong" not in panel.notice.value
    panel.domain.value = "cookie"
    assert panel.precision.disabled
    panel.domain.value = "assembly"
    assert not panel.precision.disabled


def test_an_error_in_the_background_is_shown(panel, monkeypatch):
    monkeypatch.setattr("mrmlib.widgets.watch.watching.distinguish", lambda *_: 1 / 0)
    panel.speed.value = inf
    panel.run.click()
    panel.background.wait(60)
    assert "ZeroDivisionError" in panel.notice.value
    assert "mrm-wrong" in panel.notice.value


def test_a_panel_that_nobody_looks_at_any_more_stops(panel):
    panel.strategy.value = "random"
    panel.run.click()
    until(lambda: panel.story.actions > 10)
    panel.grid._heard(None, {"views": 1}, None)
    assert panel.background.state == "running"
    panel.grid._heard(None, {"views": -1}, None)
    assert panel.background.state == "idle"


def test_a_story_tells_which_letters_of_the_word_were_met():
    story = Story()
    story.happened(QueryPosed(("m", "g", "t")), Run())
    story.placed("s0", machine=True)
    assert story.doing() == "living m·g·t"
    for state, z in (("s1", "m"), ("s2", "null"), ("s3", "e")):
        story.moved(state, z, -1.0)
    assert story.doing() == 'living <b class="mrm-now">m</b>·g·t', "e spoils the attempt: nothing more is met"
    assert story.costs()["this query: actions"] == 3
    story.placed("s0", machine=True)
    assert story.doing() == "living m·g·t"
    assert story.attempts == 2


def test_a_story_sums_up_what_exploiting_earns():
    story = Story()
    story.happened(HypothesisBuilt(domains.treasure_machine()), Run(epochs=0))
    assert story.doing() == "not begun", "the sum has no machine yet"
    story.happened(EpochBegun(1, "s0"), Run(epochs=1, machine=domains.treasure_machine()))
    story.happened(Acted("s0", "n", "s1", "null", -1.0), Run(epochs=1))
    story.happened(Acted("s1", "n", "s2", "m", 10.0), Run(epochs=1))
    assert story.doing() == "exploiting H"
    assert story.costs()["earned by exploiting"] == "9"


def test_an_attended_environment_ticks_before_each_action_and_not_for_a_reset():
    class World:
        def reset(self, state, machine):
            return "s0"

        def step(self, action):
            return "s1", "m", 10.0

    story, ticks = Story(), []
    world = Attended(World(), story, lambda: ticks.append(story.actions))
    assert world.reset() == "s0"
    assert world.step("n") == ("s1", "m", 10.0)
    assert ticks == [0]
    assert list(story.trail) == ["s0", "s1"]


def test_a_learner_without_a_table_shows_its_latest_answers():
    story = Story()
    story.happened(Answered(("m", "<t>"), (10.0, -1.0)), Run())
    assert "m·&lt;t&gt;" in known(None, story.answers)
