"""Certified bounds hold whatever approximate solution they are computed from; a good one makes them tight."""

from fractions import Fraction

import numpy as np

import mrmlib as mrm
from mrmlib.solve import certify, howard
from mrmlib.solve.certify import drift_bounds
from mrmlib.solve.components import end_components, quotient, restrict
from mrmlib.solve.exact import solve_discounted, solve_mean_payoff
from mrmlib.solve.twins import without_twins

from .random_models import random_mdp


def test_the_drift_over_fractions_lies_between_its_bounds(count):
    for i in range(count(30, 300)):
        rng = np.random.default_rng([1, i])
        mdp = random_mdp(rng, 6, branching=4, connected=False, rewards=(0.1, -0.7, 1 / 3, 1e3))
        gamma = float(rng.choice([1.0, 0.999, 0.3]))
        model, action, place = without_twins(mdp)
        first = np.unique(place, return_index=True)[1]
        x = rng.normal(size=len(first)) * 10.0 ** rng.integers(-3, 9)
        low, high = drift_bounds(*model, gamma, x, np.abs(mdp.rewards).max())
        for row, s in enumerate(model.owners):
            pair = mdp.states[first[s]], mdp.actions[action[row]]
            chances = {t: Fraction(p) for t, p in mdp.successors(*pair).items()}
            drift = sum(p * (Fraction(mdp.reward(*pair, t)) + Fraction(gamma) * Fraction(x[place[t]]) - Fraction(x[s]))
                        for t, p in chances.items()) / sum(chances.values())
            assert Fraction(low[row]) <= drift <= Fraction(high[row])


def test_bounds_from_a_spoilt_solution_still_enclose_the_optimum(count):
    """All numbers that the bounds are computed from are disturbed at random, and the policies too."""
    for i in range(count(150, 1500)):
        rng = np.random.default_rng([2, i])
        mdp = random_mdp(rng, 8, branching=3, connected=bool(i % 3 == 0))
        spoil = 10.0 ** rng.integers(-6, 1)

        def noise(array, rng=rng, spoil=spoil):
            return array + spoil * rng.normal(size=array.shape)

        lower, upper = disturbed_discounted(mdp, rng, noise)
        assert lower <= solve_discounted(mdp, 0.9).value <= upper
        lower, upper = disturbed_mean_payoff(mdp, rng, noise)
        assert lower <= solve_mean_payoff(mdp).value <= upper


def any_policy(model, policy, rng):
    other = rng.integers(model.choices[:-1], model.choices[1:])
    return np.where(rng.random(len(policy)) < 0.2, other, policy)


def disturbed_discounted(mdp, rng, noise):
    model, _, place = without_twins(mdp)
    *_, (x, policy) = howard.best_total(model, 0.9)
    return certify.discounted(model, 0.9, noise(x), any_policy(model, policy, rng), place[0], np.abs(mdp.rewards).max())


def disturbed_mean_payoff(mdp, rng, noise):
    """The steps of solve_mean_payoff, each result disturbed before the bounds are computed."""
    model, _, place = without_twins(mdp)
    inside, component = end_components(model)
    (within, _, _), home = restrict(model, inside, component), component[component >= 0]
    *_, (gain, bias, stay) = howard.best_gain(within, home)
    bounds = certify.gains(within, home, noise(bias), any_policy(within, stay, rng), np.abs(mdp.rewards).max())
    between, _, node = quotient(model, inside, component, noise(gain))
    *_, (w, way) = howard.best_total(between, 1.0)
    *_, (time, _) = howard.best_total(between._replace(rewards=np.ones(len(between.rewards))), 1.0)
    return certify.mixture(between, noise(w), noise(time), any_policy(between, way, rng), node[place[0]], *bounds)


def test_bounds_on_the_domains_are_as_tight_as_rounding_allows():
    for domain in (mrm.domains.treasure_map(), mrm.domains.cookie()):
        solution = solve_mean_payoff(domain.product)
        assert 0 < solution.upper - solution.lower < 1e-11
