"""Worlds that end: where nothing more can be won, what an episode is worth, and agents that begin anew there."""

import gymnasium
import numpy as np
import pytest

import mrmlib as mrm
from mrmlib.agents import ApproximateAgent, DiscountedSum, EpisodeReturn, MeanPayoff
from mrmlib.interop.blackbox import BlackBox
from mrmlib.interop.gym import PaidByMachine, from_gymnasium
from mrmlib.solve.episodes import Reset, over, solve_episode, with_resets

from .random_models import random_labelling, random_minimal_machine, random_nrmdp, rng


def patrol(letters="abcd"):
    """A ring of rooms; who sees them in order is paid 1, and then the machine is at its end."""
    rooms = ["hall", *letters]
    after = dict(zip(rooms, [*rooms[1:], "hall"], strict=True))
    mdp = mrm.NRMDP(rooms, ["on", "stay"], lambda s, a: {after[s] if a == "on" else s: 1.0}, "hall")
    labelling = mrm.Labelling({("on", z): z for z in letters}, letters)
    end = len(letters)
    machine = mrm.MealyRewardMachine(
        {(u, z): (u + 1, float(u + 1 == end)) if u < end and z == letters[u] else (u, 0.0)
         for u in range(end + 1) for z in letters}, 0)
    return mdp, labelling, machine


def by_sweeps(mdp, sweeps=2000):
    """The best return of an episode by plain value iteration: act, or end it."""
    expected, width = mdp.expected_rewards, len(mdp.actions)
    x = np.zeros(len(mdp.states))
    for _ in range(sweeps):
        after = np.add.reduceat(mdp.probabilities * x[mdp.targets], mdp.starts[:-1])
        x = np.maximum(0.0, (expected + after).reshape(-1, width).max(axis=1))
    return x[mdp.states.index(mdp.initial)]


def test_the_return_of_an_episode_is_what_value_iteration_says(count):
    finite = 0
    for seed in range(count(40, 400)):
        g = rng(seed)
        mdp = random_nrmdp(g, states=5, connected=False)
        product = mrm.product(mdp, random_labelling(g, mdp, 2), random_minimal_machine(g, 3, 2, null_reward=-1.0))
        best = solve_episode(product)
        if best.value < np.inf:
            finite += 1
            assert best.value == pytest.approx(by_sweeps(product), abs=1e-6)
            assert best.lower <= best.value <= best.upper
        else:
            assert by_sweeps(product, 4000) > by_sweeps(product, 2000) + 1  # it grows and grows
    assert finite


@pytest.mark.parametrize("cost", [0, 1, 5])
def test_a_reset_that_costs_actions_costs_them(cost):
    """The patrol takes 4 moves and pays 1 once; then only a reset helps: 1 / (4 + cost)."""
    mdp, labelling, machine = patrol()
    product = mrm.product(mdp, labelling, machine)
    assert mrm.solve_mean_payoff(product).value == 0.0
    assert mrm.solve_mean_payoff(with_resets(product, cost=cost)).value == pytest.approx(1 / (4 + cost))
    agent = mrm.OptimalAgent(mdp, labelling, max_nodes=5, reset_actions=cost)
    run = agent.run(mrm.Environment(mdp, labelling, machine, 0), 400)
    assert run.solution.value == pytest.approx(1 / (4 + cost))
    assert run.exploitation_actions == pytest.approx(400, abs=cost)
    assert run.total_reward == (400 + cost) // (4 + cost)  # the last reset need not be paid for


@pytest.mark.parametrize("objective", [MeanPayoff(), DiscountedSum(0.95), EpisodeReturn()])
def test_an_agent_begins_anew_where_nothing_more_can_be_won(objective):
    mdp, labelling, machine = patrol()
    run = mrm.OptimalAgent(mdp, labelling, max_nodes=5, objective=objective).run(
        mrm.Environment(mdp, labelling, machine, 0), 400)
    assert (run.epochs, run.total_reward) == (100, 100.0)


def test_a_state_is_over_only_if_nothing_above_null_can_follow():
    mdp, labelling, machine = patrol()
    product = mrm.product(mdp, labelling, machine)
    ended = {product.states[i] for i in np.flatnonzero(over(product))}
    assert ended == {(s, 4) for s in mdp.states}
    assert not over(product, null_reward=-1.0).any()


def test_where_the_paper_has_an_optimum_without_resets_it_stays_as_it_is():
    """The map sold is a node without a way out; the treasure's loop never goes there."""
    world = mrm.domains.treasure_map()
    best = MeanPayoff().play(world.product, world.machine.null_reward)
    assert best.value == pytest.approx(143 * 0.95 / 16 - 1)
    assert not any(isinstance(choice, Reset) for choice in best.policy.values())


def test_without_max_nodes_the_patrol_is_found_and_played_or_the_bound_named_is_too_small():
    mdp, labelling, machine = patrol("abc")
    run = mrm.OptimalAgent(mdp, labelling, deepening=3000).run(mrm.Environment(mdp, labelling, machine, 0), 100)
    right = mrm.distinguish(mdp, labelling, run.machine, machine) is None
    assert right or run.bound < 4
    assert "bound chosen by the agent" in run.outcome


def test_without_max_nodes_nothing_wrong_is_called_proved_without_a_bound_below_the_truth(count):
    for seed in range(count(10, 150)):
        g = rng(seed)
        mdp = random_nrmdp(g, states=4, connected=seed % 2 == 0)
        labelling, machine = random_labelling(g, mdp, 2), random_minimal_machine(g, 1 + seed % 4, 2)
        run = mrm.OptimalAgent(mdp, labelling, deepening=300, conflicts=2000).run(
            mrm.Environment(mdp, labelling, machine, seed), 20)
        if mrm.distinguish(mdp, labelling, run.machine, machine) is not None:
            assert run.bound < len(machine.nodes)


def lake():
    """FrozenLake 8 × 8, slippery: first the flag, then the hut, then the gift, where the episode ends."""
    env = gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=True, max_episode_steps=-1)
    places = {3: "flag", 24: "hut", 63: "gift"}
    mdp, labelling = from_gymnasium(env, lambda a, s: places.get(s, mrm.NULL), ["flag", "hut", "gift"])
    transitions = {(u, z): (u, 0.0) for u in range(3) for z in places.values()}
    transitions |= {(0, "flag"): (1, 1.0), (1, "hut"): (2, 2.0), (2, "gift"): (0, 10.0), (0, "gift"): (0, 1.0)}
    machine = mrm.MealyRewardMachine(transitions, 0)
    return BlackBox(PaidByMachine(env, mdp, labelling, machine), mdp, labelling, seed=0), mdp, labelling, machine


def test_frozen_lake_is_learnt_proved_and_played_within_a_hundredth_of_the_optimum_per_episode():
    box, mdp, labelling, machine = lake()
    run = mrm.OptimalAgent(mdp, labelling, max_nodes=3, objective=EpisodeReturn()).run(box, 20_000)
    best = EpisodeReturn().solve(mrm.product(mdp, labelling, machine)).value
    assert mrm.distinguish(mdp, labelling, run.machine, machine) is None
    assert run.bound == 3
    assert np.mean(run.returns[:-1]) >= 0.99 * best  # the last episode was cut off


def test_tree_search_gives_up_an_attempt_on_frozen_lake_once_it_is_in_a_hole():
    box, mdp, labelling, _ = lake()
    agent = ApproximateAgent(mdp, labelling, k=2, actions=20_000)
    run = agent.run(box, 200)
    assert run.queries > 0
    assert run.exploitation_actions == 200 or run.outcome.startswith("budget spent: ")
