"""Exact strategies: closed forms, linear programmes, brute force and Storm as second opinions."""

from fractions import Fraction
from itertools import islice, product
from math import inf, nan

import numpy as np
import pytest
from scipy.optimize import linprog

import mrmlib as mrm
from benchmarks.solving import world
from mrmlib.interop import storm
from mrmlib.solve.exact import (
    backward_induction,
    evaluate_discounted,
    evaluate_mean_payoff,
    expected_return,
    follow,
    solve_discounted,
    solve_finite,
    solve_mean_payoff,
)

from .random_models import random_labelling, random_machine, random_mdp, random_nrmdp

TIGHT = 1e-6  # how far apart certified bounds may be, relative to max(1, |value|)
CLOSE = 1e-9  # HiGHS and matrix powers are good to about this on models of this size


def enclosed(value, solution):
    """Is the value between bounds that are close to each other, and to what the solver says?"""
    return (solution.upper - solution.lower <= TIGHT * max(1, abs(value))
            and solution.lower - CLOSE <= value <= solution.upper + CLOSE
            and solution.lower <= solution.value <= solution.upper
            and solution.value == pytest.approx(value, abs=CLOSE, rel=CLOSE))


def dense(mdp):
    """T as an array over (s, a, t) and R as an array over (s, a), read through the public methods."""
    states, actions = list(mdp.states), list(mdp.actions)
    T, R = np.zeros((len(states), len(actions), len(states))), np.zeros((len(states), len(actions)))
    for (i, s), (j, a) in product(enumerate(states), enumerate(actions)):
        for t, p in mdp.successors(s, a).items():
            T[i, j, states.index(t)] = p
            R[i, j] += p * mdp.reward(s, a, t)
    return T, R


def mean_payoff_programme(mdp):
    """The multichain linear programme: the least g ≥ T g with g + h ≥ R + T h is the optimal mean payoff."""
    T, R = dense(mdp)
    n, m = R.shape
    here = np.repeat(np.eye(n), m, axis=0)
    step = here - T.reshape(n * m, n)
    constraints = np.block([[step, np.zeros((n * m, n))], [here, step]])
    found = linprog(np.repeat([1.0, 0.0], n), A_ub=-constraints, b_ub=-np.concatenate([np.zeros(n * m), R.reshape(-1)]),
                    bounds=(None, None), method="highs")
    assert found.status == 0, found.message
    return found.x[:n]


def discounted_programme(mdp, gamma):
    """The linear programme of the discounted sum: the least v ≥ R + γ T v; dSum is γ v."""
    T, R = dense(mdp)
    n, m = R.shape
    constraints = np.repeat(np.eye(n), m, axis=0) - gamma * T.reshape(n * m, n)
    found = linprog(np.ones(n), A_ub=-constraints, b_ub=-R.reshape(-1), bounds=(None, None), method="highs")
    assert found.status == 0, found.message
    return gamma * found.x


def long_run(P):
    """lim (1/n) Σ P^k, as a high power of the lazy chain (I + P) / 2: it has the same long run and no period."""
    lazy = (np.eye(len(P)) + P) / 2
    for _ in range(50):
        lazy = lazy @ lazy
        lazy /= lazy.sum(axis=1, keepdims=True)
    return lazy


def strategies(mdp):
    """All deterministic memoryless strategies, as (P, r)."""
    T, R = dense(mdp)
    states = np.arange(len(R))
    for choice in product(range(R.shape[1]), repeat=len(R)):
        yield T[states, choice], R[states, choice]


def sparse_mdp(rng, size):
    """A random MDP that falls into several end components: most actions lead forward or stay."""
    moves = ["a0", "a1"]

    def row(s, a):
        ahead = [s, min(s + int(rng.integers(1, 4)), size - 1), max(s - 1, 0) if rng.random() < 0.3 else s]
        weights = rng.integers(1, 5, size=len(ahead))
        chances = {}
        for t, w in zip(ahead, weights.tolist(), strict=True):
            chances[t] = chances.get(t, 0.0) + w / weights.sum()
        return chances

    return mrm.MDP(range(size), moves, row, 0, lambda s, a, t: float(rng.choice([-1.0, 0.0, 1.0, 3.0])))


def models(seed, number):
    """Random MDPs of several kinds: connected, not connected, deterministic (periodic), falling forward, products."""
    for i in range(number):
        rng = np.random.default_rng([seed, i])
        size = int(rng.integers(2, 15))
        yield random_mdp(rng, size, connected=True)
        yield random_mdp(rng, size, branching=3, connected=False)
        yield random_mdp(rng, size, branching=1, connected=False)
        yield sparse_mdp(rng, size)
        world = random_nrmdp(rng, int(rng.integers(2, 6)), connected=bool(i % 2))
        yield mrm.product(world, random_labelling(rng, world), random_machine(rng, null_reward=-1.0))


def test_mean_payoff_is_that_of_the_linear_programme_in_every_state(count):
    for mdp in models(1, count(60, 600)):
        solution, g = solve_mean_payoff(mdp), mean_payoff_programme(mdp)
        assert enclosed(g[mdp.states.index(mdp.initial)], solution)
        assert np.allclose(solution.values.array, g, atol=CLOSE)


def test_discounted_sum_is_that_of_the_linear_programme_in_every_state(count):
    for i, mdp in enumerate(models(2, count(30, 300))):
        gamma = (0.1, 0.9, 0.99)[i % 3]
        solution, v = solve_discounted(mdp, gamma), discounted_programme(mdp, gamma)
        assert enclosed(v[mdp.states.index(mdp.initial)], solution)
        assert np.allclose(solution.values.array, v, atol=1e-7)  # HiGHS stops at 1e-7 in what it minimises


def test_no_deterministic_memoryless_strategy_does_better_and_one_does_as_well(count):
    for i in range(count(40, 400)):
        rng = np.random.default_rng([3, i])
        mdp = random_mdp(rng, int(rng.integers(2, 6)), branching=2, connected=bool(i % 2))
        chains = list(strategies(mdp))
        best = np.max([long_run(P) @ r for P, r in chains], axis=0)
        assert np.allclose(solve_mean_payoff(mdp).values.array, best, atol=CLOSE)
        gamma = float(rng.uniform(0.1, 0.95))
        best = np.max([gamma * np.linalg.solve(np.eye(len(r)) - gamma * P, r) for P, r in chains], axis=0)
        assert np.allclose(solve_discounted(mdp, gamma).values.array, best, atol=CLOSE)


def test_the_policy_found_earns_the_value_found(count):
    for mdp in models(4, count(30, 300)):
        solution = solve_mean_payoff(mdp)
        P, r = next(strategies(follow(mdp, solution.policy)))
        assert np.allclose(long_run(P) @ r, solution.values.array, atol=CLOSE)
        assert np.allclose(evaluate_mean_payoff(mdp, solution.policy).values.array, solution.values.array, atol=CLOSE)
        solution = solve_discounted(mdp, 0.9)
        assert np.allclose(evaluate_discounted(mdp, solution.policy, 0.9).values.array, solution.values.array,
                           atol=CLOSE)


@pytest.mark.parametrize("apf", [0.75, 0.85, 0.95, 1.0])
def test_the_optimal_mean_payoff_of_the_treasure_map_is_143_sixteenths_of_apf_less_one(apf):
    domain = mrm.domains.treasure_map(apf=apf)
    solution = solve_mean_payoff(domain.product)
    assert domain.facts["optimal_mean_payoff"] == pytest.approx(143 * apf / 16 - 1, abs=1e-12)
    assert solution.value == pytest.approx(143 * apf / 16 - 1, abs=1e-9)
    assert solution.lower <= 143 * apf / 16 - 1 <= solution.upper <= solution.lower + TIGHT


def test_the_optimal_mean_payoff_of_the_cookie_domain_is_a_tenth():
    solution = solve_mean_payoff(mrm.domains.cookie().product)
    assert solution.value == pytest.approx(0.1, abs=1e-9)
    assert solution.lower <= 0.1 <= solution.upper <= solution.lower + TIGHT


def storm_values(mdp):
    """Storm's default environment is content with a relative error of 1e-6."""
    pytest.importorskip("stormpy")
    return pytest.approx(storm.solve_mean_payoff(mdp).array, rel=2e-6, abs=2e-6)


@pytest.mark.parametrize("domain", [mrm.domains.treasure_map(apf=0.85), mrm.domains.cookie()], ids=lambda d: d.name)
def test_storm_finds_the_same_mean_payoff_in_every_state_of_a_domain(domain):
    assert solve_mean_payoff(domain.product).values.array == storm_values(domain.product)


def test_storm_finds_the_same_mean_payoff_on_a_slipping_grid():
    P = mrm.product(*world(15, "slipping"))
    assert solve_mean_payoff(P).values.array == storm_values(P)


@pytest.mark.parametrize("kind", ["plain", "slipping", "shuffled"])
def test_bounds_are_tight_on_grids_with_thousands_of_states(kind, count):
    for seed in range(count(2, 20)):
        solution = solve_mean_payoff(mrm.product(*world(40, kind, seed)))
        assert solution.upper - solution.lower <= TIGHT * max(1, abs(solution.value))
        assert solution.lower <= solution.value <= solution.upper


def eliminate(rows):
    """A solution of the linear equations `rows` (the last entry is the right-hand side), over fractions."""
    rows, pivots = [list(row) for row in rows], []
    for column in range(len(rows[0]) - 1):
        free = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if free is None:
            continue
        top = len(pivots)
        rows[top], rows[free] = rows[free], rows[top]
        rows[top] = [entry / rows[top][column] for entry in rows[top]]
        for i, row in enumerate(rows):
            if i != top and row[column]:
                rows[i] = [a - row[column] * b for a, b in zip(row, rows[top], strict=True)]
        pivots.append(column)
    found = [Fraction(0)] * (len(rows[0]) - 1)
    for row, column in zip(rows, pivots, strict=False):
        found[column] = row[-1]
    return found


def exact_values(P, r, gamma=None):
    """Of a chain over fractions: γ (I − γP)⁻¹ r; without γ the gain g of g = Pg, g + h − Ph = r, h + w − Pw = 0."""
    n = len(r)
    one, zero = [[Fraction(i == j) for j in range(n)] for i in range(n)], [[Fraction(0)] * n for _ in range(n)]
    leave = [[one[i][j] - P[i][j] for j in range(n)] for i in range(n)]
    if gamma is not None:
        v = eliminate([[one[i][j] - gamma * P[i][j] for j in range(n)] + [r[i]] for i in range(n)])
        return [gamma * entry for entry in v]
    blocks = [(leave, zero, zero), (one, leave, zero), (zero, one, leave)]
    rights = [[Fraction(0)] * n, r, [Fraction(0)] * n]
    return eliminate([a[i] + b[i] + c[i] + [right[i]] for (a, b, c), right in zip(blocks, rights, strict=True)
                      for i in range(n)])[:n]


def test_the_bounds_enclose_the_optimum_of_exact_arithmetic_without_any_tolerance(count):
    """A row of floats is read as divided by its sum; the best of all deterministic strategies over fractions."""
    for i in range(count(25, 250)):
        rng = np.random.default_rng([5, i])
        mdp = random_mdp(rng, int(rng.integers(2, 5)), branching=3, connected=bool(i % 2), rewards=(0.1, -0.7, 1 / 3))
        gamma = float(rng.uniform(0.1, 0.99))
        rows = {(s, a): mdp.successors(s, a) for s in mdp.states for a in mdp.actions}
        totals = {pair: sum(map(Fraction, row.values())) for pair, row in rows.items()}
        chance = {pair: {t: Fraction(p) / totals[pair] for t, p in row.items()} for pair, row in rows.items()}
        best = {None: -inf, gamma: -inf}
        for choice in product(mdp.actions, repeat=len(mdp.states)):
            pairs = list(zip(mdp.states, choice, strict=True))
            P = [[chance[pair].get(t, Fraction(0)) for t in mdp.states] for pair in pairs]
            r = [sum(p * Fraction(mdp.reward(*pair, t)) for t, p in chance[pair].items()) for pair in pairs]
            for kind in best:
                best[kind] = max(best[kind], exact_values(P, r, kind and Fraction(kind))[0])
        for optimum, solution in ((best[None], solve_mean_payoff(mdp)), (best[gamma], solve_discounted(mdp, gamma))):
            assert Fraction(solution.lower) <= optimum <= Fraction(solution.upper)
            assert solution.upper - solution.lower <= TIGHT


def test_the_bounds_of_long_walks_rare_leaks_and_large_rewards_stay_tight():
    """A fair walk to 0 or 1 over 500 states; a leak of 1e-9 that ruins what else earns most; rewards of a million."""
    def walk(s, a):
        return {s: 1.0} if s in (0, 500) else {s - 1: 0.5, s + 1: 0.5}

    def leak(s, a):
        return {"in": 1.0 - 1e-9, "out": 1e-9} if (s, a) == ("in", "risk") else {s: 1.0}

    cases = [
        (mrm.MDP(range(501), ["go"], walk, 125, lambda s, a, t: float(s == t == 500)), 0.25),
        (mrm.MDP(["in", "out"], ["risk", "safe"], leak, "in",
                 lambda s, a, t: {"risk": 1.0, "safe": 0.5}[a] if s == "in" else 0.0), 0.5),
        (mrm.MDP(range(4), ["on"], lambda s, a: {(s + 1) % 4: 1.0}, 0,
                 lambda s, a, t: (-1e6, 1e6, -1e6, 1e6 + 2)[s]), 0.5),
    ]
    for mdp, value in cases:
        assert enclosed(value, solve_mean_payoff(mdp))


def test_values_differ_between_states_that_cannot_reach_each_other():
    """Two islands that pay 1 and 2, and a bridge to both: 2 on the second island and on the bridge, 1 on the first."""
    mdp = mrm.MDP(["one", "two", "bridge"], ["left", "right"],
                  lambda s, a: {s: 1.0} if s != "bridge" else {"one" if a == "left" else "two": 1.0}, "bridge",
                  lambda s, a, t: {"one": 1.0, "two": 2.0, "bridge": 9.0}[s])
    solution = solve_mean_payoff(mdp)
    assert dict(solution.values) == {"one": 1.0, "two": 2.0, "bridge": 2.0}
    assert solution.policy["bridge"] == "right"


def test_a_component_that_is_better_left_is_left_from_all_of_its_states():
    """A ring of five that pays nothing, with a way out at one state, to where each action pays 1."""
    mdp = mrm.MDP([0, 1, 2, 3, 4, "out"], ["on", "leave"],
                  lambda s, a: {"out": 1.0} if s == "out" or (s, a) == (3, "leave") else {(s + 1) % 5: 1.0}, 4,
                  lambda s, a, t: float(s == "out"))
    solution = solve_mean_payoff(mdp)
    assert set(solution.values.values()) == {1.0}
    assert solution.policy[3] == "leave"
    assert evaluate_mean_payoff(mdp, solution.policy).value == 1.0


def test_a_prize_that_can_be_won_once_is_not_left_lying_although_it_adds_nothing_to_the_mean():
    """Waiting pays 0 for ever; taking the prize pays 10, going back for it costs 10: every strategy has the mean 0."""
    mdp = mrm.MDP(["start", "end"], ["wait", "go"], lambda s, a: {s: 1.0} if a == "wait" else
                  {"end" if s == "start" else "start": 1.0}, "start",
                  lambda s, a, t: 0.0 if s == t else 10.0 if t == "end" else -10.0)
    solution = solve_mean_payoff(mdp)
    assert (solution.value, dict(solution.policy)) == (0.0, {"start": "go", "end": "wait"})


def test_ties_go_to_the_declared_order_of_actions():
    for order in (["a", "b", "c"], ["c", "b", "a"]):
        ring = mrm.MDP(range(6), order, lambda s, a: {(s + 1) % 6: 1.0} if a != "b" else {s: 1.0}, 0,
                       lambda s, a, t: float(a != "b"))
        still = mrm.MDP(range(6), order, lambda s, a: {(s + "abc".index(a)) % 6: 1.0}, 0, lambda s, a, t: -1.0)
        for solution in (solve_mean_payoff(ring), solve_discounted(ring, 0.9), solve_finite(ring, 5),
                         solve_mean_payoff(still), solve_discounted(still, 0.9), solve_finite(still, 5)):
            assert set(solution.policy.values()) == {order[0]}


def test_the_discounted_optimum_follows_the_paper_and_counts_the_first_reward_once_discounted():
    """One state that pays 1: dSum = γ + γ² + … = γ / (1 − γ)."""
    one = mrm.MDP(["s"], ["a"], {("s", "a"): {"s": 1.0}}, "s", {("s", "a", "s"): 1.0})
    assert solve_discounted(one, 0.75).value == pytest.approx(3.0, abs=1e-12)
    assert mrm.discounted_sum([1.0] * 400, 0.75) == pytest.approx(solve_discounted(one, 0.75).value, abs=1e-12)


def test_the_finite_optimum_is_that_of_the_best_time_dependent_strategy(count):
    """Brute force by recursion over the public methods of the model."""
    def best(mdp, s, n):
        return 0.0 if n == 0 else max(sum(p * (mdp.reward(s, a, t) + best(mdp, t, n - 1))
                                          for t, p in mdp.successors(s, a).items()) for a in mdp.actions)

    for i in range(count(30, 300)):
        mdp = random_mdp(np.random.default_rng([6, i]), 4, connected=bool(i % 2))
        for horizon in (1, 2, 5):
            solution = solve_finite(mdp, horizon)
            assert enclosed(best(mdp, mdp.initial, horizon), solution)


def test_the_policies_of_backward_induction_played_in_turn_earn_the_finite_optimum(count):
    for i in range(count(20, 200)):
        mdp = random_mdp(np.random.default_rng([7, i]), 6, connected=bool(i % 2))
        solutions = list(islice(backward_induction(mdp), 8))
        value = np.zeros(len(mdp.states))
        for solution in solutions:
            P, r = next(strategies(follow(mdp, solution.policy)))
            value = r + P @ value
            assert np.allclose(value, solution.values.array, atol=CLOSE)


def test_the_expected_return_is_the_sum_over_the_powers_of_the_chain(count):
    for i in range(count(20, 200)):
        rng = np.random.default_rng([8, i])
        mdp = random_mdp(rng, 6, connected=bool(i % 2))
        chances = rng.dirichlet([1.0, 1.0], size=6)
        T, R = dense(mdp)
        P, r = np.einsum("sa,sat->st", chances, T), (chances * R).sum(axis=1)
        mixed = {s: dict(zip(mdp.actions, chances[s].tolist(), strict=True)) for s in mdp.states}
        expected = sum(np.linalg.matrix_power(P, k) @ r for k in range(25))[0]
        assert expected_return(mdp, mixed, 25) == pytest.approx(expected, abs=CLOSE)
        assert evaluate_discounted(mdp, mixed.get, 0.5).value == pytest.approx(
            0.5 * np.linalg.solve(np.eye(6) - 0.5 * P, r)[0], abs=CLOSE)


def test_over_many_actions_the_return_per_action_nears_the_mean_payoff():
    """On the treasure map the way to the loop costs a bounded amount: 2000 actions are off by less than 0.1 each."""
    P = mrm.domains.treasure_map().product
    solution = solve_mean_payoff(P)
    earned = expected_return(P, solution.policy, 2000)
    assert solution.value - 0.1 < earned / 2000 < solution.value + 0.1
    assert earned <= solve_finite(P, 2000).upper


def test_a_solution_speaks_of_every_state_also_of_those_never_reached():
    P = mrm.domains.treasure_map().product
    solution = solve_mean_payoff(P)
    assert len(solution.values) == len(solution.policy) == len(P.states) > len(P.reachable().states)
    assert solve_mean_payoff(P.reachable()).value == pytest.approx(solution.value, abs=CLOSE)
    with pytest.raises(KeyError):
        solution.policy["nowhere"]


@pytest.mark.parametrize("gamma", [0.0, 1.0, -0.5, 2.0, nan])
def test_a_discount_outside_0_to_1_is_refused(gamma):
    with pytest.raises(mrm.ModelError, match="discount"):
        solve_discounted(mrm.domains.cookie().product, gamma)


@pytest.mark.parametrize("horizon", [0, -3, 2.5])
def test_a_horizon_that_is_no_number_of_actions_is_refused(horizon):
    with pytest.raises(mrm.ModelError, match=f"not {horizon}"):
        solve_finite(mrm.domains.cookie().product, horizon)


@pytest.mark.parametrize(("strategy", "message"), [
    (lambda s: "fly", "unknown action 'fly'"),
    ({"s": "go"}, "no action in state 't'"),
    (lambda s: {"go": 0.5}, "not a distribution"),
    (lambda s: {"go": 1.5, "stay": -0.5}, "not a distribution"),
    (lambda s: {"go": nan, "stay": 1.0}, "probability of 'go'"),
])
def test_a_strategy_that_does_not_fit_is_refused(strategy, message):
    mdp = mrm.MDP("st", ["stay", "go"], lambda s, a: {"t": 1.0}, "s", lambda s, a, t: 0.0)
    with pytest.raises(mrm.ModelError, match=message):
        expected_return(mdp, strategy, 3)


def test_the_mean_payoff_strategy_wastes_nothing_on_its_way_to_where_it_settles():
    """In u0 the walker may wander for ever, so only the way out is at stake: from (5, 9) it is four moves north.

    Over n actions the strategy earns n·g plus a bias; no strategy earns more than the optimum for exactly n actions,
    which may also spend its last actions greedily: 30 more on the treasure map, less than one round.
    """
    model = mrm.domains.treasure_map(apf=1.0).product
    best = mrm.solve_mean_payoff(model)
    assert [best.policy[((5, row), True), "u0"] for row in (9, 8, 7, 6)] == ["n"] * 4
    assert 0 <= mrm.solve_finite(model, 2000).value - mrm.expected_return(model, best.policy, 2000) < 140
