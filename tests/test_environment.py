"""The world an agent lives in: it moves as M, pays as the machine, and tells nothing else."""

import pickle
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.environment import Environment, FilteredEnvironment
from tests.random_models import rng, worlds


def treasure_world(kind=Environment, seed=0, apf=0.75):
    world = mrm.domains.treasure_map(apf)
    return world, kind(world.mdp, world.labelling, world.machine, seed)


def random_steps(environment, actions, count, seed=1):
    chosen = rng(seed).integers(len(actions), size=count)
    return [environment.step(actions[a]) for a in chosen]


@given(worlds(), st.integers(0, 2**32))
def test_it_moves_as_the_model_samples_and_pays_as_the_machine_reads(world, seed):
    """The same generator drives M.sample: the same states; the machine reads what λ shows."""
    mdp, labelling, machine = world
    environment, chance = Environment(mdp, labelling, machine, rng(seed)), rng(seed)
    state, node = mdp.initial, machine.initial
    for a in rng(seed + 1).integers(len(mdp.actions), size=30):
        action = mdp.actions[a]
        state = mdp.sample(state, action, chance)
        z = labelling(action, state)
        node, reward = machine.step(node, z)
        assert environment.step(action) == (state, z, reward)


def test_outcomes_are_as_likely_as_the_model_says():
    """10 000 tries of a move with chance ¾: within 4 standard errors."""
    _, environment = treasure_world()
    moved = 0
    for _ in range(10_000):
        environment.reset()
        moved += environment.step("n")[0][1]
    assert abs(moved / 10_000 - 0.75) < 4 * sqrt(0.75 * 0.25 / 10_000)


def test_the_same_seed_gives_the_same_life_and_another_seed_another():
    lives = []
    for seed in (3, 3, 4):
        world, environment = treasure_world(seed=seed)
        lives.append(random_steps(environment, world.mdp.actions, 200))
    assert lives[0] == lives[1] != lives[2]


def test_an_agent_with_the_same_seed_does_not_share_the_chance_of_the_world():
    """Where the agent draws a number below ½, half of the buttons still bring the cookie to the blue room.

    About 1000 buttons are counted: 4 standard errors are 0.064.
    """
    world = mrm.domains.cookie()
    environment, agent, blue = Environment(world.mdp, world.labelling, world.machine, 7), rng(7), []
    for _ in range(2000):
        environment.reset(((3, 3), None, None))
        state, _, _ = environment.step("push_button")
        if agent.random() < 0.5:
            blue.append(state[1] == "blue")
    assert abs(np.mean(blue) - 0.5) < 0.064


def test_a_pickled_environment_goes_on_where_it_stood():
    world, environment = treasure_world()
    random_steps(environment, world.mdp.actions, 100)
    copy = pickle.loads(pickle.dumps(environment))
    assert (copy.actions, copy.resets, copy.outcomes) == (100, 0, environment.outcomes)
    assert random_steps(copy, world.mdp.actions, 200) == random_steps(environment, world.mdp.actions, 200)


def test_actions_resets_and_steps_by_outcome_are_counted():
    world, environment = treasure_world()
    seen = [z for _, z, _ in random_steps(environment, world.mdp.actions, 3000)]
    environment.reset()
    assert (environment.actions, environment.resets) == (3000, 1)
    assert environment.outcomes == {z: seen.count(z) for z in (*world.labelling.observations, mrm.NULL)}


def test_a_reset_returns_to_the_start_and_the_machine_to_its_start_node():
    """At APF 1 four moves north reach the map, which pays 10 only with a fresh machine."""
    world, environment = treasure_world(apf=1.0)
    for _ in range(2):
        assert environment.reset() == world.mdp.initial
        assert [environment.step("n")[2] for _ in range(4)] == [-1.0, -1.0, -1.0, 10.0]


def test_a_reset_may_lead_elsewhere_and_may_leave_the_machine_alone():
    _, environment = treasure_world(apf=1.0)
    below = ((5, 6), False)
    assert environment.reset(below) == below
    assert environment.step("n") == (((5, 5), True), "m", 10.0)
    assert environment.reset(below, machine=False) == below
    assert environment.step("n") == (((5, 5), True), "m", -1.0)
    assert environment.resets == 2


def test_unknown_actions_and_states_are_refused_and_change_nothing():
    world, environment = treasure_world()
    with pytest.raises(mrm.ModelError, match="unknown action 'jump'"):
        environment.step("jump")
    with pytest.raises(mrm.ModelError, match="unknown state 'heaven'"):
        environment.reset("heaven")
    assert (environment.actions, environment.resets) == (0, 0)
    untouched = treasure_world()[1]
    assert random_steps(environment, world.mdp.actions, 50) == random_steps(untouched, world.mdp.actions, 50)


@pytest.mark.parametrize("kind", [Environment, FilteredEnvironment])
def test_only_reset_step_and_counters_are_public(kind):
    environment = treasure_world(kind)[1]
    assert {name for name in dir(environment) if not name.startswith("_")} == {
        "reset", "step", "actions", "resets", "outcomes"}
    with pytest.raises(AttributeError):
        environment.actions = 0


def test_null_as_a_letter_is_seen_counted_and_paid_as_the_machine_says():
    """Every step of this machine that reads null, its second letter, pays 7 and moves it on to a node that pays 8."""
    world = mrm.domains.treasure_map(apf=1.0)
    labelling = world.labelling.with_null_as_letter()
    move = {("u", z): ("u", 1.0) for z in world.labelling.observations} | {("u", mrm.NULL): ("v", 7.0)}
    move |= {("v", z): ("u", 2.0) for z in world.labelling.observations} | {("v", mrm.NULL): ("u", 8.0)}
    environment = Environment(world.mdp, labelling, mrm.MealyRewardMachine(move, "u"), 0)
    assert [environment.step("n")[1:] for _ in range(4)] == [("null", 7.0), ("null", 8.0), ("null", 7.0), ("m", 2.0)]
    assert environment.outcomes == {"m": 1, "e": 0, "g": 0, "t": 0, "j1": 0, "j2": 0, "null": 3}


def test_a_filter_hides_unwanted_observations_from_agent_and_machine_alike():
    """yel_bd as the first letter: the yel on the way is neither seen nor read, so u1 is reached by yel_bd alone."""
    world = mrm.domains.cookie()
    environment = FilteredEnvironment(world.mdp, world.labelling, world.machine, 0)
    seen = [environment.step(a, "yel_bd")[1] for a in ("e", "e", "push_button")]
    assert seen == [mrm.NULL, mrm.NULL, "yel_bd"]
    assert environment.outcomes["yel"] == 0
    assert environment.step("w")[1] == mrm.NULL
    assert environment.step("e")[1] == "yel"


@given(worlds(), st.integers(0, 2**32))
def test_filtered_for_one_letter_is_a_world_that_shows_no_other(world, seed):
    mdp, labelling, machine = world
    wanted = labelling.observations[0]
    only = mrm.Labelling(lambda a, s: wanted if labelling(a, s) == wanted else mrm.NULL, labelling.observations)
    filtered, plain = FilteredEnvironment(*world, seed), Environment(mdp, only, machine, seed)
    for a in rng(seed).integers(len(mdp.actions), size=20):
        assert filtered.step(mdp.actions[a], wanted) == plain.step(mdp.actions[a])


def test_a_filter_for_an_unknown_observation_is_refused():
    environment = treasure_world(FilteredEnvironment)[1]
    with pytest.raises(mrm.QueryError, match="unknown observation 'gold'"):
        environment.step("n", "gold")
    assert environment.actions == 0


def test_a_start_that_is_drawn_is_drawn_at_every_reset_and_costs_nothing():
    """10 000 draws of a coin with chance ¾: within 4 standard errors; a state that is asked for is not drawn."""
    coin = mrm.NRMDP("ht", ["keep"], lambda s, a: {s: 1.0}, "h").starting_from({"h": 0.75, "t": 0.25})
    machine = mrm.MealyRewardMachine({("u", "h"): ("u", 1.0), ("u", "t"): ("u", 2.0)}, "u", -1.0)
    world = Environment(coin, mrm.Labelling(lambda a, s: s if s in "ht" else mrm.NULL, "ht"), machine, seed=0)
    assert world.step("keep")[0] in "ht"
    heads = sum(world.reset() == "h" for _ in range(10_000))
    assert abs(heads / 10_000 - 0.75) < 4 * sqrt(0.75 * 0.25 / 10_000)
    assert {world.reset("t") for _ in range(20)} == {"t"}
    assert world.step("keep") == ("t", "t", 2.0)
    assert world.actions == 2
