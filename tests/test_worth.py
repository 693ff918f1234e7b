"""What a world is worth to one who does not see its state: against brute force, and on the cookies."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import mrmlib as mrm
from mrmlib import domains
from mrmlib.nrmdp import MDP
from mrmlib.solve.worth import belief_mdp, best_without_memory
from tests.random_models import rng


def random_mdp(generator, states=5, actions=2):
    """Rows with one or two successors of probability 1 or ½, rewards 0 to 3."""
    rows = {}
    for pair in product(range(states), range(actions)):
        targets = [int(t) for t in generator.integers(states, size=2)]
        sure = targets[0] == targets[1] or generator.random() < 0.5
        rows[pair] = {targets[0]: 1.0} if sure else dict.fromkeys(targets, 0.5)
    pays = generator.integers(4, size=(states, actions)).astype(float)
    return MDP(range(states), range(actions), rows, 0, lambda s, a, t: pays[s, a])


def by_brute_force(mdp, sight):
    """The best of all strategies without memory, each evaluated by itself."""
    looks = list(dict.fromkeys(map(sight, mdp.states)))
    return max(mrm.evaluate_mean_payoff(mdp, lambda s, actions=actions: actions[looks.index(sight(s))]).value
               for actions in product(mdp.actions, repeat=len(looks)))


def test_without_memory_it_is_the_best_of_all_strategies(count):
    """Values are solutions of linear systems of five unknowns: 1e-9 is far above their rounding."""
    for seed in range(count(40, 400)):
        generator = rng(seed)
        mdp = random_mdp(generator)
        looks = generator.integers(3, size=5)
        found = best_without_memory(mdp, lambda s, looks=looks: int(looks[s]))
        assert found.value == pytest.approx(by_brute_force(mdp, lambda s, looks=looks: int(looks[s])), abs=1e-9)
        policy = lambda s, looks=looks, found=found: found.policy.get(int(looks[s]), 0)  # noqa: E731
        assert mrm.evaluate_mean_payoff(mdp, policy).value == pytest.approx(found.value, abs=1e-9)


def test_who_sees_everything_loses_nothing(count):
    for seed in range(count(20, 200)):
        mdp = random_mdp(rng(seed))
        best = mrm.solve_mean_payoff(mdp).value
        assert best_without_memory(mdp, lambda s: s).value == pytest.approx(best, abs=1e-9)
        assert mrm.solve_mean_payoff(belief_mdp(mdp, lambda a, s: s)).value == pytest.approx(best, abs=1e-9)


def test_a_belief_is_what_bayes_says():
    """A fair coin under a cup; peeping (heads or tails) settles it."""
    coin = MDP(["heads", "tails"], ["flip", "peep"],
               lambda s, a: {"heads": 0.5, "tails": 0.5} if a == "flip" else {s: 1.0}, "heads", lambda s, a, t: 0.0)
    beliefs = belief_mdp(coin, lambda a, s: s if a == "peep" else "cup")
    fair = (("heads", Fraction(1, 2)), ("tails", Fraction(1, 2)))
    assert beliefs.successors(beliefs.initial, "flip") == {fair: 1.0}
    assert beliefs.successors(fair, "peep") == {(("heads", Fraction(1)),): 0.5, (("tails", Fraction(1)),): 0.5}


def test_memory_is_never_worse_than_none(count):
    """Where all beliefs are few: each action of the random world shows the state or shows nothing."""
    for seed in range(count(20, 200)):
        generator = rng(seed)
        mdp = random_mdp(generator, states=4)
        pairs = np.arange(4) // 2  # two states look alike
        try:
            remembering = mrm.solve_mean_payoff(belief_mdp(mdp, lambda a, s, p=pairs: int(p[s]), limit=200)).value
        except mrm.errors.BudgetError:
            continue
        assert remembering >= best_without_memory(mdp, lambda s, p=pairs: int(p[s])).value - 1e-9


@pytest.mark.parametrize("search", [lambda mdp: belief_mdp(mdp, lambda a, s: 0, limit=1),
                                    lambda mdp: best_without_memory(mdp, lambda s: 0, limit=1)])
def test_a_limit_that_is_too_low_is_said(search):
    swap = MDP("lr", ["left", "right"], lambda s, a: {"l": 0.5, "r": 0.5}, "l", lambda s, a, t: float(a[0] == s))
    with pytest.raises(mrm.errors.BudgetError, match="1"):
        search(swap)


@pytest.fixture(scope="module")
def cookies():
    return domains.cookie()


def seeing_cell_and_node(domain, machine):
    sighted = mrm.product(domain.mdp, domain.labelling, machine)
    return best_without_memory(sighted, lambda pair: (pair[0][0], pair[1]))


def test_on_cookies_no_memory_beats_that_of_the_perfect_machine(cookies):
    """Who sees the cell and the observations, and remembers all, earns 1/12; the node is all it has to remember."""
    beliefs = belief_mdp(cookies.product, lambda a, pair: (pair[0][0], cookies.labelling(a, pair[0])))
    assert mrm.solve_mean_payoff(beliefs).value == pytest.approx(1 / 12, abs=1e-12)
    assert seeing_cell_and_node(cookies, cookies.machine).value == pytest.approx(1 / 12, abs=1e-12)


def test_a_smallest_machine_predicts_all_and_is_worth_less(cookies):
    smallest = mrm.minimal_within(cookies.mdp, cookies.labelling, cookies.machine)
    assert len(smallest.nodes) == 2
    assert seeing_cell_and_node(cookies, smallest).value < 1 / 12 - 0.01
