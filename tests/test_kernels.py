"""The compiled kernels run by Python itself: the same results, and every position within its array.

Numba checks no bounds, and coverage does not see what it compiles; so each kernel is replaced by its Python source.
"""

import sys

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import mrmlib as mrm
from mrmlib.experiment.tabu import Objective, tabu_search
from mrmlib.mcts import Following
from tests.agent_worlds import random_world
from tests.random_models import random_mdp, random_minimal_machine, rng

SEEDS = range(6)


def kernels():
    """(module, name, kernel) for each name under which a module of the library knows a compiled kernel."""
    return [(module, name, thing) for path, module in sorted(sys.modules.items()) if path.startswith("mrmlib.")
            for name, thing in vars(module).items() if isinstance(thing, Dispatcher)]


@pytest.fixture
def both_ways(monkeypatch):
    """What a function gives with the kernels compiled, and then interpreted."""
    def run(function, *arguments):
        compiled = function(*arguments)
        with monkeypatch.context() as patch, np.errstate(over="ignore"):  # random streams are counted modulo 2^64
            for module, name, kernel in kernels():
                patch.setattr(module, name, kernel.py_func)
            return compiled, function(*arguments)
    return run


def same(compiled, interpreted):
    """Equal but for rounding: a compiler may add in another order."""
    assert compiled == pytest.approx(interpreted, rel=1e-9, abs=1e-9)


def test_every_kernel_is_found_and_none_is_left_compiled(both_ways):
    assert {"plan", "sweep", "_synchronise", "_walk"} <= {name for _, name, _ in kernels()}
    assert both_ways(lambda: len(kernels()))[1] == 0


def numbers(solution):
    return [solution.lower, solution.upper, *solution.values.values()]


@pytest.mark.parametrize("seed", SEEDS)
def test_strategies_are_worth_the_same(seed, both_ways):
    mdp, labelling, machine = random_world(seed)

    def values():
        joined = mrm.product(mdp, labelling, machine)
        return [*numbers(mrm.solve_mean_payoff(joined)), *numbers(mrm.solve_discounted(joined, 0.9)),
                mrm.solve_finite(joined, 5).value, *numbers(mrm.solve_mean_payoff(joined.reachable()))]
    same(*both_ways(values))


def test_a_large_component_is_worth_the_same(both_ways):
    """Beyond 100 states a component is solved by sparse elimination, block by block."""
    mdp = random_mdp(rng(0), states=130, actions=1)
    same(*both_ways(lambda: numbers(mrm.solve_mean_payoff(mdp))))
    same(*both_ways(lambda: numbers(mrm.solve_discounted(mdp, 0.9))))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_word_is_lived_with_the_same_chance_and_effort(seed, both_ways):
    mdp, labelling, _ = random_world(seed)
    words = [(z, y) for z in labelling.observations for y in labelling.observations]

    def strategies():
        for word in filter(lambda word: mrm.executable(mdp, labelling, word), words):
            for objective in ("probability", "actions"):
                found = mrm.query_strategy(mdp, labelling, word, objective)
                yield from (found.probability, found.expected_actions)
    same(*both_ways(lambda: list(strategies())))


@pytest.mark.parametrize("seed", SEEDS)
def test_machines_differ_by_the_same_words(seed, both_ways):
    mdp, labelling, machine = random_world(seed)
    other = mrm.MealyRewardMachine({(u, z): (v, r + (u == machine.nodes[-1]))
                                    for (u, z), (v, r) in machine.transitions.items()}, machine.initial)
    pairs = [(machine, other), (machine, machine)]
    compiled, interpreted = both_ways(lambda: [
        (one.difference(two), mrm.distinguish(mdp, labelling, one, two)) for one, two in pairs])
    assert compiled == interpreted


@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_grows_the_same_tree(seed, both_ways):
    mdp, labelling, machine = random_world(seed)
    joined = mrm.product(mdp, labelling, machine)
    settings = mrm.SearchSettings(trajectories=60, depth=6, rollout=Following(dict.fromkeys(joined.states, "a0")))

    def trees():
        planned = mrm.ObservationPlanner(mdp, labelling, settings=mrm.SearchSettings(trajectories=60, depth=6))
        pursued = labelling.table(mdp).max()
        return [mrm.RewardPlanner(joined, settings).search(joined.initial, seed=seed).outline(3),
                planned.action(mdp.initial, labelling.observations[pursued], seed=seed)]
    compiled, interpreted = both_ways(trees)
    assert compiled == interpreted


@pytest.mark.parametrize("seed", SEEDS)
def test_optimisation_finds_the_same_machine(seed, both_ways):
    generator = rng(seed)
    machine = random_minimal_machine(generator, nodes=3, letters=2)
    words = [tuple(str(z) for z in generator.choice(list("ab"), size=20)) for _ in range(3)]
    traces = [(word, machine.rewards(word)) for word in words]
    compiled, interpreted = both_ways(
        lambda: tabu_search(traces, "ab", 3, seed, steps=8, objective=Objective(observations=0.5, rewards=3.0)))
    same(compiled.cost, interpreted.cost)
    assert compiled.machine == interpreted.machine
