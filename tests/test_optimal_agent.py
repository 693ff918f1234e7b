"""Algorithm 1: what it proves, what it earns, when it stops."""

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

import mrmlib as mrm
from mrmlib import domains
from mrmlib.agents import (
    AtMost,
    DiscountedSum,
    Fixed,
    HighestOf,
    MeanPayoff,
    OptimalAgent,
    Rising,
    WhileItPays,
    events,
)
from mrmlib.agents.patience import Prospect
from mrmlib.experience.lived import OptimalExploration, PlannedExploration, RandomExploration
from mrmlib.experience.querying import QueryPlanner
from mrmlib.mcts.search import ObservationPlanner
from mrmlib.solve.episodes import with_resets
from mrmlib.table import ObservationTable
from mrmlib.tree import DiscriminationTree

from .agent_worlds import RARE_LETTERS, random_world, rare_world, world_of
from .random_models import random_labelling, random_minimal_machine, random_nrmdp, rng

OBJECTIVES = {"mean payoff": MeanPayoff(), "discounted sum": DiscountedSum(0.9)}
LEARNERS = {"table": ObservationTable, "tree": DiscriminationTree}
QUERIES = {
    "fewest actions": lambda mdp, lam: OptimalExploration(QueryPlanner(mdp, lam)),
    "greatest chance": lambda mdp, lam: OptimalExploration(QueryPlanner(mdp, lam), "probability"),
    "tree search": lambda mdp, lam: PlannedExploration(ObservationPlanner(mdp, lam)),
    "random": lambda mdp, lam: RandomExploration(mdp.actions),
}


def worth(mdp, labelling, hidden, played, objective):
    """What a strategy that follows machine `played` is worth where `hidden` pays: exactly, on M ⊗ (H, MR)."""
    hypothesis, policy = played
    both = mrm.MealyRewardMachine(
        {((u, v), z): ((hypothesis.step(u, z)[0], hidden.step(v, z)[0]), hidden.step(v, z)[1])
         for u in hypothesis.nodes for v in hidden.nodes for z in labelling.observations},
        (hypothesis.initial, hidden.initial), hidden.null_reward)
    chain = mrm.follow(with_resets(mrm.product(mdp, labelling, both), hidden.null_reward),
                       lambda pair: policy[pair[0], pair[1][0]])
    return objective.solve(chain).value


def needed(mdp, labelling, machine):
    return len(mrm.minimal_within(mdp, labelling, machine).nodes)


def assert_right_and_optimal(mdp, labelling, machine, run, objective):
    assert mrm.distinguish(mdp, labelling, run.machine, machine) is None
    optimum = objective.play(mrm.product(mdp, labelling, machine), machine.null_reward)
    value = worth(mdp, labelling, machine, (run.machine, run.solution.policy), objective)
    assert value == pytest.approx(optimum.value, abs=1e-9)  # linear solves on a few dozen states
    assert run.solution.lower - 1e-9 <= optimum.value <= run.solution.upper + 1e-9
    assert run.outcome.startswith("proved: no machine with at most ")
    assert run.bound


def test_with_theta_out_of_reach_the_agent_ends_with_a_right_machine_and_an_optimal_strategy(count):
    """Both kinds of M, both learners, both objectives, in every combination.

    The bound is how many nodes it takes to pay as the hidden machine does within M: a looser one is as good, but if M
    cannot reach half of the nodes, to exclude them all takes longer and longer words, and they have to be lived.
    """
    connected = set()
    for seed in range(count(16, 100)):
        mdp, labelling, machine = random_world(seed)
        graph = nx.DiGraph((s, t) for s in mdp.states for a in mdp.actions for t in mdp.successors(s, a))
        connected.add(nx.is_strongly_connected(graph))
        objective = list(OBJECTIVES.values())[seed // 4 % 2]
        agent = OptimalAgent(mdp, labelling, max_nodes=needed(mdp, labelling, machine), objective=objective,
                             learner=list(LEARNERS.values())[seed // 2 % 2])
        run = agent.run(mrm.Environment(mdp, labelling, machine, seed), 30, seed)
        assert_right_and_optimal(mdp, labelling, machine, run, objective)
        assert run.exploitation_actions == 30
    assert connected == {True, False}


@pytest.mark.parametrize("queries", QUERIES)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_query_strategy_leads_to_the_same_end(count, queries, objective):
    """Some worlds are not strongly connected: who acts at random there needs to give up now and then.

    Tree search gets the first three worlds only: planning letter by letter, it may never observe a word, see below.
    """
    for seed in range(3 if queries == "tree search" else count(3, 20)):
        g = rng(seed)
        mdp = random_nrmdp(g, states=4, connected=seed % 2 == 0)
        labelling, machine = random_labelling(g, mdp), random_minimal_machine(g, 3, null_reward=-1.0)
        agent = OptimalAgent(mdp, labelling, max_nodes=3, objective=OBJECTIVES[objective],
                             explore=QUERIES[queries](mdp, labelling), learner=LEARNERS["tree"], episode_actions=40)
        run = agent.run(mrm.Environment(mdp, labelling, machine, seed), 30, seed)
        assert_right_and_optimal(mdp, labelling, machine, run, OBJECTIVES[objective])


def test_tree_search_that_plans_letter_by_letter_may_never_observe_an_executable_word():
    """To the left z is near but a dead end, to the right it is one step further and y follows: z·y is never lived."""
    way = {("start", "left"): "pit", ("start", "right"): "path", ("path", "right"): "hill", ("hill", "right"): "top"}
    mdp = mrm.NRMDP(["start", "pit", "path", "hill", "top"], ["left", "right"],
                    lambda s, a: {way.get((s, a), s): 1.0}, "start")
    labelling = mrm.Labelling({("left", "pit"): "z", ("right", "hill"): "z", ("right", "top"): "y"}, ["z", "y"])
    machine = mrm.MealyRewardMachine({("u", "z"): ("v", 1.0), ("u", "y"): ("u", 0.0), ("v", "z"): ("v", 0.0),
                                      ("v", "y"): ("u", 5.0)}, "u", null_reward=-1.0)
    assert mrm.executable(mdp, labelling, ("z", "y"))
    outcomes = {"tree search": "budget spent: z·y was not answered", "fewest actions": "proved: no machine with at "}
    for queries, ends in outcomes.items():
        agent = OptimalAgent(mdp, labelling, max_nodes=2, explore=QUERIES[queries](mdp, labelling), actions=2000,
                             episode_actions=40)
        assert agent.run(mrm.Environment(mdp, labelling, machine, 0), 10).outcome.startswith(ends)


@pytest.mark.parametrize("learner", LEARNERS)
def test_an_agent_that_cannot_tell_null_apart_learns_it_as_a_letter(count, learner):
    for seed in range(count(3, 20)):
        g = rng(seed)
        mdp = random_nrmdp(g, states=4, connected=seed % 2 == 0)
        labelling, machine = random_labelling(g, mdp), random_minimal_machine(g, 3, null_reward=-1.0)
        blind, objective = labelling.with_null_as_letter(), MeanPayoff()
        agent = OptimalAgent(mdp, blind, max_nodes=3, learner=LEARNERS[learner])
        run = agent.run(mrm.Environment(mdp, labelling, machine, seed), 30, seed)
        assert run.machine.observations == (*labelling.observations, mrm.NULL)
        assert_right_and_optimal(mdp, blind, machine.with_null_as_letter(), run, objective)
        optimum = objective.solve(mrm.product(mdp, labelling, machine)).value
        assert run.solution.value == pytest.approx(optimum, abs=1e-9)


@pytest.mark.parametrize("apf", [0.75, 0.85, 0.95])
def test_on_the_treasure_map_the_return_is_what_theory_says(apf):
    """Ten trials of 2000 actions; their mean lies within 3 standard errors of the exact expectation."""
    world = domains.treasure_map(apf=apf)
    expected = mrm.expected_return(world.product, mrm.solve_mean_payoff(world.product).policy, 2000)
    agent = OptimalAgent(world.mdp, world.labelling, max_nodes=6)
    learnt = agent.run(world_of(world, 0), exploitation_actions=0)  # learning is free: once will do
    returns = [agent.run(world_of(world, seed), 2000, seed, resume=learnt).total_reward for seed in range(10)]
    assert learnt.machine.equivalent(world.machine)
    assert abs(np.mean(returns) - expected) < 3 * np.std(returns, ddof=1) / math.sqrt(10)
    assert 11_000 < expected < 15_500


def test_a_right_hypothesis_is_never_contradicted(count):
    """10,000 exploited actions from s0 in each of 100 random worlds, without learning: no false alarm."""
    for seed in range(count(4, 100)):
        mdp, labelling, machine = random_world(seed)
        agent = OptimalAgent(mdp, labelling, max_nodes=needed(mdp, labelling, machine))
        lived = list(agent.watched(mrm.Environment(mdp, labelling, machine, seed), 10_000, seed))
        kinds = [type(event) for event, _ in lived]
        assert lived[-1][1].exploitation_actions == 10_000
        assert events.CounterExample not in kinds[kinds.index(events.EpochBegun):]


def test_a_late_counter_example_sends_the_agent_back_to_learning():
    """The fourth bread pays 100. θ = 0.4 is promised by an H with one node, so nothing is tested: play finds it."""
    mdp, labelling, machine = rare_world()
    agent = OptimalAgent(mdp, labelling, threshold=0.4, learner=DiscriminationTree)
    lived = list(agent.watched(mrm.Environment(mdp, labelling, machine, 0), 500))
    kinds = [type(event) for event, _ in lived]
    run, first = lived[-1][1], kinds.index(events.EpochBegun)
    assert events.Tested not in kinds
    assert events.CounterExample in kinds[first:]
    assert events.QueryPosed in kinds[kinds.index(events.CounterExample):]
    assert run.machine.equivalent(machine)
    assert run.solution.value == pytest.approx(103 / 8)
    assert run.outcome.startswith("θ = 0.4 reached: certified value 12.875 in ")
    assert f"no counter-example in {500 - lived[kinds.index(events.EpochEnded)][0].actions} actions" in run.outcome


def test_a_theta_above_the_optimum_is_said_to_be_out_of_reach_and_below_it_reached():
    mdp, labelling, machine = rare_world()
    high, low = (OptimalAgent(mdp, labelling, threshold=theta, max_nodes=4).run(
        mrm.Environment(mdp, labelling, machine, 0), 80) for theta in (13.0, 12.0))
    assert high.outcome == ("proved: no machine with at most 4 nodes that pays as lived disagrees with H; "
                            "the optimum in M ⊗ H is 12.875, below θ = 13")
    assert high.exploitation_actions == 80
    assert low.outcome.startswith("θ = 12 reached: certified value 12.875 ")


def test_without_max_nodes_the_agent_raises_its_own_bound_and_says_so():
    mdp, labelling, machine = rare_world()
    shallow = mrm.MealyRewardMachine({(0, "bread"): (0, 1.0), (0, "rain"): (0, 0.0)}, 0)
    run = OptimalAgent(mdp, labelling, deepening=200).run(mrm.Environment(mdp, labelling, shallow, 0), 10)
    assert run.bound >= 2
    assert f"bound chosen by the agent: proved for ≤ {run.bound} nodes, nothing is known beyond" in run.outcome
    deeper = OptimalAgent(mdp, labelling, deepening=2000).run(mrm.Environment(mdp, labelling, machine, 0), 10)
    assert deeper.machine.equivalent(machine)
    assert deeper.bound >= RARE_LETTERS


def test_a_bound_that_what_was_lived_contradicts_is_raised_and_told():
    mdp, labelling, machine = rare_world()
    lived = list(OptimalAgent(mdp, labelling, max_nodes=2, deepening=500).watched(
        mrm.Environment(mdp, labelling, machine, 0), 50))
    run = lived[-1][1]
    assert run.outcome.startswith("max_nodes = 2 is too low for what was lived; bound chosen by the agent: proved for")
    assert run.machine.equivalent(machine)
    assert run.exploitation_actions == 50


def test_an_agent_that_is_asked_to_plays_an_epoch_before_it_raises_its_bound():
    mdp, labelling, machine = rare_world()
    agent = OptimalAgent(mdp, labelling, deepening=500, play_meanwhile=True, epoch_actions=20)
    lived = [type(event) for event, _ in agent.watched(mrm.Environment(mdp, labelling, machine, 0), 200)]
    tested = [i for i, event in enumerate(lived) if event is events.Tested]
    assert any(events.EpochEnded in lived[i:j] for i, j in pairwise(tested))


def test_testing_is_told_word_by_word():
    world = domains.assembly()
    agent = OptimalAgent(world.mdp, world.labelling, max_nodes=6)
    posed = [(event, run) for event, run in agent.watched(world_of(world, 0), 10) if type(event) is events.TestPosed]
    assert len(posed) > 5
    assert all(event.number <= event.at_most and event.bound == 6 for event, _ in posed)
    assert len({run.learning_actions for _, run in posed}) > 5  # each test's actions are counted when it ends


def test_an_epoch_below_theta_ends_with_a_reset_and_one_above_goes_on():
    """A coin decides once whether this street pays 1 or 0.25 for ever; θ = 0.625 is what it is worth on average."""
    mdp = mrm.NRMDP(["start", "good", "bad"], ["go"],
                    lambda s, a: {"good": 0.5, "bad": 0.5} if s == "start" else {s: 1.0}, "start")
    labelling = mrm.Labelling({("go", "good"): "yes", ("go", "bad"): "no"}, ["yes", "no"])
    machine = mrm.MealyRewardMachine({("u", "yes"): ("u", 1.0), ("u", "no"): ("u", 0.25)}, "u")
    agent = OptimalAgent(mdp, labelling, threshold=0.625, epoch_actions=10)
    for seed in range(8):
        lived = [event for event, _ in agent.watched(mrm.Environment(mdp, labelling, machine, seed), 200, seed)]
        ended = [event for event in lived if isinstance(event, events.EpochEnded)]
        assert all((event.actions, event.value) == (10, 0.25) for event in ended[:-1])
        assert ended[-1].value in (0.25, 1.0)
        assert ended[-1].actions == 200 - 10 * (len(ended) - 1)


def test_a_pre_trial_phase_sets_theta_to_the_highest_return():
    world = domains.assembly()
    agent = OptimalAgent(world.mdp, world.labelling, HighestOf(3), max_nodes=5, epoch_actions=200)
    lived = list(agent.watched(world_of(world, 1), 100))
    pretrials = [event.value for event, _ in lived if isinstance(event, events.Pretrial)]
    run = lived[-1][1]
    assert len(pretrials) == 3
    assert run.returns[:3] == tuple(pretrials)
    assert run.outcome.startswith(f"θ = {max(pretrials):g} reached")
    assert run.learning_actions >= 600  # they count as learning
    assert run.exploitation_actions == 100
    again = list(agent.watched(world_of(world, 2), 150, resume=run))
    assert not [event for event, _ in again if isinstance(event, events.Pretrial)]


def test_a_rising_theta_drives_the_agent_on_until_nothing_is_left_to_find():
    world = domains.assembly()
    agent = OptimalAgent(world.mdp, world.labelling, Rising(beta=1.0, pretrials=1), max_nodes=5, epoch_actions=100,
                         learner=DiscriminationTree)
    run = agent.run(world_of(world, 0), 4000)
    assert mrm.distinguish(world.mdp, world.labelling, run.machine, world.machine) is None
    assert run.epochs > 1
    assert run.solution.value == pytest.approx(world.facts["optimal_mean_payoff"])


def test_thresholds_and_settings_that_make_no_sense_are_refused():
    with pytest.raises(mrm.ModelError, match="not 0"):
        HighestOf(0)
    with pytest.raises(mrm.ModelError, match=r"not 1.5"):
        Rising(1.5)
    world = domains.assembly()
    with pytest.raises(mrm.ModelError, match="at least one action"):
        OptimalAgent(world.mdp, world.labelling, epoch_actions=0)
    for wrong in ("x", float("nan"), None):
        with pytest.raises(mrm.ModelError, match="threshold θ is"):
            OptimalAgent(world.mdp, world.labelling, threshold=wrong)
    for wrong in ("3", 2.5, 0):
        with pytest.raises(mrm.QueryError, match="max_nodes is"):
            OptimalAgent(world.mdp, world.labelling, max_nodes=wrong)
    with pytest.raises(mrm.ModelError, match="a reset takes a number of actions"):
        OptimalAgent(world.mdp, world.labelling, reset_actions=-1)
    with pytest.raises(mrm.ModelError, match="less than nothing"):
        WhileItPays(hidden=-1.0)


def test_theta_follows_the_returns():
    assert Fixed(2.0)((1.0, 5.0)) == 2.0
    assert HighestOf(2)((1.0, 3.0, 7.0)) == 3.0
    assert Rising(0.5)(()) == -math.inf
    assert Rising(0.5)((2.0,)) == 2.0
    assert Rising(0.5)((2.0, 4.0, 1.0)) == 5.0  # ρ = 4, ρ̇ = 2


def test_patience_ends_testing_when_the_next_test_costs_more_than_it_can_bring():
    """κ·(m − d) > d·(t + 2): with d = 10 and m = 100, t + 2 < 9; and where playing earns nothing, always."""
    rule = WhileItPays(hidden=1.0)
    for passed in range(20):
        assert rule(Prospect(passed, left=100, cost=10, value=2.0, earned=1.0)) == (passed + 2 < 9)
        assert rule(Prospect(passed, left=100, cost=10, value=1.0, earned=1.0))
    assert not WhileItPays(hidden=0.0)(Prospect(0, 100, 10, 2.0, 1.0))


def test_an_impatient_agent_says_that_nothing_is_proved():
    world = domains.assembly()
    agent = OptimalAgent(world.mdp, world.labelling, max_nodes=7, patience=AtMost(3))
    run = agent.run(world_of(world, 0), 50)
    assert run.outcome.startswith("not proved: H was tested with 3 words and no more; the optimum in ")


def test_where_learning_costs_patience_pays(count):
    """The treasure map, 12,000 actions in all, a bound of 7 nodes: the proof would take more than there is."""
    world = domains.treasure_map()
    earned = {}
    for patience in (None, WhileItPays()):
        agent = OptimalAgent(world.mdp, world.labelling, max_nodes=7, patience=patience, free_learning=False)
        runs = [agent.run(world_of(world, seed), 12_000, seed) for seed in range(count(1, 5))]
        earned[patience] = np.mean([run.learning_reward + run.total_reward for run in runs])
        assert all(run.learning_actions + run.exploitation_actions == 12_000 for run in runs)
    assert earned[WhileItPays()] > 2 * earned[None] > 0
