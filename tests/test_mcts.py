"""UCT: the same decisions as a plain-Python search, the exact optimum in the limit, and what its settings do."""

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

import mrmlib as mrm
from benchmarks import uct_python
from mrmlib.mcts import uct
from mrmlib.mcts.search import FinalChoice, Following, ObservationPlanner, RewardPlanner, SearchSettings

from .random_models import random_labelling, random_mdp, random_nrmdp, rng

CHOICES = {FinalChoice.HIGHEST_MEAN: uct_python.highest_mean, FinalChoice.MOST_VISITS: uct_python.most_visits}


def exact_returns(mdp, rewards, stops, depth, discount):
    """Q(s, a) of the best strategy for so many actions, by backward induction, a loop over steps and arrays."""
    values = np.zeros(len(mdp.states))
    for _ in range(depth):
        after = rewards + discount * np.where(stops, 0.0, values[mdp.targets])
        returns = np.add.reduceat(mdp.probabilities * after, mdp.starts[:-1]).reshape(len(mdp.states), -1)
        values = returns.max(axis=1)
    return returns


def corridor(places, precision=1.0):
    """A walk along one row of places, and its λ."""
    return mrm.domains.walk(mrm.domains.Grid.from_map(places), precision)


def same_tree(tree, node, twin):
    """Is the library's tree below `node` the plain-Python one: same visits, tries, means and children, bit for bit?"""
    assert (tree.state(node), tree.visits[node]) == (twin.state, twin.visits)
    assert tree.tries[node].tolist() == list(twin.tries.values())
    assert np.nan_to_num(tree.means[node]).tolist() == list(twin.means.values())
    children = {(a, s): child for a in tree.mdp.actions for s, child in tree.children(node, a).items()}
    assert children.keys() == twin.children.keys()
    for key, child in children.items():
        same_tree(tree, child, twin.children[key])


def random_settings(generator):
    return SearchSettings(trajectories=int(generator.integers(1, 150)), depth=int(generator.integers(1, 20)),
                          exploration=float(generator.choice([0.0, 0.3, math.sqrt(2), 5.0])),
                          discount=float(generator.choice([0.5, 0.99, 1.0])),
                          stop_on_target=bool(generator.integers(2)),
                          final_choice=list(FinalChoice)[generator.integers(2)])


def plain(seed):
    return uct_python.SplitMix64(uct.random_stream(seed)[0])


def test_splitmix64_gives_its_published_numbers():
    """The first outputs for the seed 1234567, as listed for the reference implementation."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    random = uct_python.SplitMix64(1234567)
    assert [random.bits() for _ in expected] == expected
    counters = [np.uint64((1234567 + n * int(uct.GOLDEN)) % 2**64) for n in range(1, 5)]
    assert [int(uct._mix(counter)) for counter in counters] == expected


def test_planning_for_rewards_grows_the_tree_of_the_plain_python_search(count):
    for seed in range(count(60, 600)):
        generator = rng(seed)
        mdp = random_mdp(generator, actions=int(generator.integers(1, 5)), branching=4)
        settings = random_settings(generator)
        tree = RewardPlanner(mdp, settings).search(mdp.initial, seed)
        twin = uct_python.search(uct_python.Simulator(mdp), lambda s, a, t, mdp=mdp: (mdp.reward(s, a, t), False),
                                 uct_python.uniform(mdp.actions), mdp.initial, settings, plain(seed))
        same_tree(tree, 0, twin)
        assert tree.action == CHOICES[settings.final_choice](twin)


def test_planning_for_observations_grows_the_tree_of_the_plain_python_search(count):
    for seed in range(count(60, 600)):
        generator = rng(seed)
        mdp, settings = random_nrmdp(generator, actions=3), random_settings(generator)
        lam = random_labelling(generator, mdp)
        z = next(z for z in lam.observations if any(
            lam(a, t) == z for s in mdp.states for a in mdp.actions for t in mdp.successors(s, a)))
        towards = uct_python.pursuit(lam, 0.7, 1.9, settings.stop_on_target)
        tree = ObservationPlanner(mdp, lam, 0.7, 1.9, settings).search(mdp.initial, z, seed)
        twin = uct_python.search(uct_python.Simulator(mdp), towards(z), uct_python.uniform(mdp.actions), mdp.initial,
                                 settings, plain(seed))
        same_tree(tree, 0, twin)


def test_a_rollout_policy_is_followed_as_in_the_plain_python_search(count):
    for seed in range(count(20, 200)):
        generator = rng(seed)
        mdp = random_mdp(generator, actions=3)
        policy = {s: mdp.actions[generator.integers(3)] for s in mdp.states}
        settings = SearchSettings(trajectories=50, depth=8, rollout=Following(policy))

        def follow(state, random, policy=policy):
            random.bits()  # the library spends a number on every rollout action
            return policy[state]

        tree = RewardPlanner(mdp, settings).search(mdp.initial, seed)
        twin = uct_python.search(uct_python.Simulator(mdp), lambda s, a, t, mdp=mdp: (mdp.reward(s, a, t), False),
                                 follow, mdp.initial, settings, plain(seed))
        same_tree(tree, 0, twin)


def test_the_same_seed_gives_the_same_search_and_a_generator_moves_on():
    domain = mrm.domains.treasure_map()
    planner = ObservationPlanner(domain.mdp, domain.labelling)
    start = domain.mdp.initial
    one, same, other = (planner.search(start, "g", seed).means[0].tolist() for seed in (5, 5, 6))
    assert one == same != other
    moving = rng(5)
    assert planner.search(start, "g", moving).means[0].tolist() == one
    assert planner.search(start, "g", moving).means[0].tolist() != one


def test_action_search_and_the_end_of_growth_agree():
    domain = mrm.domains.treasure_map()
    planner = ObservationPlanner(domain.mdp, domain.labelling)
    for seed in range(30):
        state = domain.epoch_starts[(seed * 37) % 81]
        tree = planner.search(state, "t", seed)
        assert planner.action(state, "t", seed) == tree.action
        *_, last = planner.growth(state, "t", seed, stride=7)
        assert last.action == tree.action
        np.testing.assert_array_equal(last.means, tree.means)


def test_a_growing_tree_gains_one_trajectory_at_a_time_and_earlier_trees_keep():
    mdp = random_mdp(rng(3))
    trees = list(RewardPlanner(mdp, SearchSettings(trajectories=40, depth=5)).growth(mdp.initial, 0))
    assert [tree.visits[0] for tree in trees] == list(range(1, 41))
    sizes = [len(tree) for tree in trees]
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(sizes))


def test_an_outline_of_two_levels_holds_that_of_each_child():
    mdp = random_mdp(rng(0))
    tree = RewardPlanner(mdp, SearchSettings(trajectories=40, depth=4)).search(0, seed=0)
    assert repr(tree) == f"SearchTree({len(tree)} nodes, 40 trajectories, action {tree.action!r})"
    outline = tree.outline(2).splitlines()
    for action in mdp.actions:
        for child in tree.children(0, action).values():
            assert all(f"    {line}" in outline for line in tree.outline(1, child).splitlines())


def test_a_tree_counts_every_trajectory_once():
    """Visits go to the actions tried there, but for one: the visit that made the node, or that ended in it."""
    mdp = random_mdp(rng(1), actions=3, branching=3)
    tree = RewardPlanner(mdp, SearchSettings(trajectories=500, depth=4)).search(mdp.initial, 0)
    assert len(tree) <= 501
    assert tree.visits[0] == tree.tries[0].sum() == 500
    graph = tree.to_networkx()
    assert nx.is_arborescence(graph)
    for node in graph:
        depth = nx.shortest_path_length(graph, 0, node)
        assert tree.tries[node].sum() == (0 if depth == 4 else tree.visits[node] - (node > 0))
        for a, action in enumerate(mdp.actions):
            below = tree.children(node, action)
            assert sum(tree.visits[child] for child in below.values()) == tree.tries[node, a]
            assert below.keys() <= mdp.successors(tree.state(node), action).keys()
            assert all(graph.edges[node, child]["action"] == action for child in below.values())


def test_successors_come_as_often_as_their_probabilities_say():
    """Each of 40 counts, of 20 000 draws, within 5 standard deviations of its mean."""
    weights = rng(0).integers(1, 30, size=40)
    chances = weights / weights.sum()
    mdp = mrm.MDP(range(40), ["go"], lambda s, a: dict(enumerate(chances.tolist())), 0, lambda s, a, t: 0.0)
    draws = 20_000
    tree = RewardPlanner(mdp, SearchSettings(trajectories=draws, depth=1)).search(0, 7)
    counts = np.array([tree.visits[child] for _, child in sorted(tree.children(0, "go").items())])
    assert (abs(counts - draws * chances) < 5 * np.sqrt(draws * chances * (1 - chances))).all()


def test_uniform_rollouts_take_every_action_equally_often():
    """Actions that pay 0, 1 and 5 a third of the time each pay 2 on average, with variance 14/3: 5 standard errors."""
    pay, steps = {"none": 0.0, "one": 1.0, "five": 5.0}, 20_000
    mdp = mrm.MDP("s", pay, lambda s, a: {s: 1.0}, "s", lambda s, a, t: pay[a])
    tree = RewardPlanner(mdp, SearchSettings(trajectories=3, depth=steps + 1, discount=1.0)).search("s", 1)
    for action, mean in tree.mean_returns().items():
        assert abs((mean - pay[action]) / steps - 2) < 5 * math.sqrt(14 / 3 / steps)


def test_regret_falls_to_nothing_as_the_budget_grows():
    """Mean regret of the chosen action against backward induction, on random MDPs, for ten times the budget each time.

    C = 6, half of what three rewards in [−1, 3] can differ by: UCB's constant is in the units of the return. The mean
    of the best action errs by the exploration below it, which shrinks as well.
    """
    regret, error = {}, {}
    for trajectories in (2, 20, 200, 20_000):
        settings = SearchSettings(trajectories, depth=3, exploration=6.0)
        regrets, errors = [], []
        for seed in range(100):
            mdp = random_mdp(rng(seed), states=5)
            never = np.zeros(len(mdp.targets), dtype=bool)
            returns = exact_returns(mdp, mdp.rewards, never, settings.depth, settings.discount)[0]
            tree = RewardPlanner(mdp, settings).search(mdp.initial, seed)
            regrets.append(returns.max() - returns[mdp.actions.index(tree.action)])
            errors.append(abs(returns.max() - np.nanmax(tree.means[0])))
        regret[trajectories], error[trajectories] = np.mean(regrets), max(errors)
    assert regret[2] > 5 * regret[20] > 25 * regret[200] > 0
    assert regret[20_000] < 1e-12  # the same action in every model
    assert error[20_000] < 0.1 < error[200]


def test_pursuit_takes_the_optimal_action_in_every_state_once_the_budget_suffices():
    M, lam = corridor("a . * . b", precision=0.8)
    settings = SearchSettings(trajectories=20_000, depth=6, exploration=10.0)
    planner = ObservationPlanner(M, lam, settings=settings)
    world = planner.world("b")
    returns = exact_returns(M, world.rewards, world.stops, settings.depth, settings.discount)
    for i, state in enumerate(M.states):
        chosen = M.actions.index(planner.action(state, "b", i))
        assert returns[i, chosen] == pytest.approx(returns[i].max(), abs=1e-12)


def test_a_small_exploration_constant_can_settle_on_a_wrong_action():
    """C = √2 is far below the returns' range here: beside a, the way to b is judged by its bad rollouts and dropped."""
    M, lam = corridor("a . * . b", precision=0.8)
    planner = ObservationPlanner(M, lam, settings=SearchSettings(trajectories=20_000, depth=6))
    tree = planner.search(((1, 1), False), "b", 0)
    assert tree.action != "e"
    assert tree.tries[0, M.actions.index("e")] < 50


def test_in_the_product_the_planner_fetches_the_map():
    P = mrm.domains.treasure_map().product
    planner = RewardPlanner(P)
    for cell, towards in (((5, 6), "n"), ((4, 5), "e"), ((6, 5), "w"), ((5, 4), "s")):
        assert planner.action(((cell, False), "u0"), 0) == towards


def test_a_trajectory_stops_on_the_target_if_told_to():
    """Every step shows z and pays y = 2: once, or 1 + γ + … + γ⁴ times over five steps."""
    M = mrm.NRMDP("s", ["go"], lambda s, a: {s: 1.0}, "s")
    lam = mrm.Labelling({("go", "s"): "z"}, ["z"])
    for stop, expected in ((True, 2.0), (False, 2 * sum(0.5**i for i in range(5)))):
        settings = SearchSettings(trajectories=10, depth=5, discount=0.5, stop_on_target=stop)
        tree = ObservationPlanner(M, lam, settings=settings).search("s", "z", 0)
        assert tree.means[0, 0] == pytest.approx(expected, rel=1e-15)
        assert len(tree) == (2 if stop else 6)


def test_the_reward_of_pursuit_is_the_papers():
    """One step along a . * b pays −x for null, −y for the wrong observation, y for the right one."""
    M, lam = corridor("a * b")
    settings = SearchSettings(trajectories=8, depth=1)
    means = ObservationPlanner(M, lam, 0.5, 3.0, settings).search(M.initial, "b", 0).mean_returns()
    assert dict(means) == {"n": -0.5, "e": 3.0, "w": -3.0, "s": -0.5}


class Table:
    """A planner that looks its action up."""

    def __init__(self, domain, best):
        self.mdp, self.labelling, self._best = domain.mdp, domain.labelling, best

    def action(self, state, z, seed):
        return self.mdp.actions[self._best[self.mdp.states.index(state)]]


def mean_actions_until(planner, start, z, attempts, seed, limit=150):
    """How many actions the planner takes on average to observe z."""
    generator, M, lam = rng(seed), planner.mdp, planner.labelling
    total = 0
    for _ in range(attempts):
        state, observed, used = start, None, 0
        while observed != z and used < limit:
            action = planner.action(state, z, generator)
            state, used = M.sample(state, action, generator), used + 1
            observed = lam(action, state)
        total += used
    return total / attempts


def test_with_y_ten_times_x_the_search_stalls_although_the_reward_does_not_ask_it_to(count):
    """From below m to t. With y = 2 UCT needs about 13 actions, with y = 10 about four times as many: its random
    rollouts bump into wrong observations, and dear ones outweigh the right one. The exact optimum of the same reward
    over the same 30 actions does not stall: 5 moves through m while that is cheap, 7 around it, each 1/APF actions.
    """
    domain = mrm.domains.treasure_map(apf=0.95)
    start, attempts, needed = ((5, 6), False), count(20, 100), {}
    for y, moves in ((2.0, 5), (10.0, 7)):
        planner = ObservationPlanner(domain.mdp, domain.labelling, 1.0, y)
        world = planner.world("t")
        exact = Table(domain, exact_returns(domain.mdp, world.rewards, world.stops, 30, 0.99).argmax(axis=1))
        assert mean_actions_until(exact, start, "t", 200, seed=0) == pytest.approx(moves / 0.95, rel=0.05)
        needed[y] = mean_actions_until(planner, start, "t", attempts, seed=0)
    assert needed[10.0] > 2 * needed[2.0]


def test_the_final_choice_is_what_the_settings_say():
    differ = 0
    for seed in range(40):
        mdp = random_mdp(rng(seed), actions=4, branching=3)
        trees = [RewardPlanner(mdp, SearchSettings(trajectories=12, depth=6, exploration=20.0, final_choice=choice))
                 .search(mdp.initial, seed) for choice in (FinalChoice.HIGHEST_MEAN, FinalChoice.MOST_VISITS)]
        by_mean, by_visits = trees
        assert by_mean.action == mdp.actions[np.nanargmax(by_mean.means[0])]
        assert by_visits.action == mdp.actions[np.argmax(by_visits.tries[0])]
        differ += by_mean.action != by_visits.action
    assert differ > 0


@pytest.mark.parametrize("choice", list(FinalChoice))
def test_ties_go_to_the_declared_order_and_untried_actions_are_not_chosen(choice):
    mdp = mrm.MDP("s", "abc", lambda s, a: {s: 1.0}, "s", lambda s, a, t: -1.0)
    for trajectories in (1, 2, 3, 30):
        tree = RewardPlanner(mdp, SearchSettings(trajectories, depth=4, final_choice=choice)).search("s", 0)
        assert tree.action == "a"
        assert (tree.tries[0] > 0).tolist() == [trajectories > i for i in range(3)]


@pytest.mark.parametrize(("wrong", "culprit"), [
    ({"trajectories": 0}, "trajectories .* not 0"),
    ({"trajectories": 2.5}, "trajectories .* not 2.5"),
    ({"depth": -1}, "depth .* not -1"),
    ({"exploration": -0.1}, "exploration constant -0.1"),
    ({"exploration": math.nan}, "exploration constant is nan"),
    ({"discount": 0.0}, r"discount .* not 0\.0"),
    ({"discount": 1.01}, r"discount .* not 1\.01"),
    ({"rollout": "uniform"}, "rollout policy 'uniform'"),
    ({"final_choice": "mean"}, "final choice 'mean'"),
])
def test_wrong_settings_are_named(wrong, culprit):
    with pytest.raises(mrm.ModelError, match=culprit):
        SearchSettings(**wrong)


@pytest.mark.parametrize(("x", "y"), [(2.0, 1.0), (1.0, 1.0), (-1.0, 2.0), (math.nan, 2.0), (1.0, math.inf)])
def test_the_reward_of_pursuit_needs_y_above_x(x, y):
    M, lam = corridor("a *")
    with pytest.raises(mrm.ModelError, match=r"y = |x is nan|y is inf"):
        ObservationPlanner(M, lam, x, y)


def test_unknown_states_and_observations_are_named():
    M, lam = corridor("a * b")
    planner = ObservationPlanner(M, lam)
    for ask in (planner.action, planner.search, planner.growth):
        with pytest.raises(mrm.ModelError, match="unknown state 'nowhere'"):
            ask("nowhere", "a", 0)
        with pytest.raises(mrm.QueryError, match="unknown observation 'q'"):
            ask(M.initial, "q", 0)
    with pytest.raises(mrm.ModelError, match="unknown state"):
        RewardPlanner(random_mdp(rng(0))).action(99, 0)


def test_an_observation_that_no_action_can_make_is_refused():
    M = mrm.NRMDP("st", ["go"], lambda s, a: {"s": 1.0}, "s")
    lam = mrm.Labelling({("go", "s"): "seen", ("go", "t"): "never"}, ["seen", "never"])
    with pytest.raises(mrm.QueryError, match="'never' cannot be observed"):
        ObservationPlanner(M, lam).action("s", "never", 0)


def test_a_model_without_rewards_or_a_rollout_policy_that_does_not_fit_is_refused():
    mdp = random_mdp(rng(0), states=3)
    with pytest.raises(mrm.ModelError, match="needs an MDP"):
        RewardPlanner(random_nrmdp(rng(0)))
    for rollout, culprit in ((Following({0: "a0"}), "no action for the state 1"),
                             (Following(dict.fromkeys(range(3), "up")), "unknown action 'up'"),
                             (lambda mdp: np.ones((3, 2)), "in the state 0 do not sum to 1"),
                             (lambda mdp: np.ones((2, 2)), r"shape \(2, 2\), not \(3, 2\)")):
        with pytest.raises(mrm.ModelError, match=culprit):
            RewardPlanner(mdp, SearchSettings(rollout=rollout))
    with pytest.raises(mrm.ModelError, match="not by 0"):
        RewardPlanner(mdp).growth(0, 0, stride=0)


def test_null_as_a_letter_can_be_pursued_like_any_other():
    M, lam = corridor("* a")
    planner = ObservationPlanner(M, lam.with_null_as_letter())
    assert planner.action(M.initial, "a", 0) == "e"
    assert planner.action(M.initial, mrm.NULL, 0) == "n"  # the first that bumps into a wall
