"""Storm, asked: it agrees with `solve` and with arithmetic, and says what it cannot answer."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import mrmlib as mrm
from mrmlib.interop import storm
from mrmlib.interop.watch import watch

from .random_models import nrmdps, random_mdp

stormpy = pytest.importorskip("stormpy")

EXACT = 1e-12  # a bounded question is answered by as many multiplications
ITERATED = 2e-6  # else Storm is content with a relative error of 1e-6
SALES = [("u4", "j1"), ("u4", "j2")]


def random_models(seed, number):
    for i in range(number):
        rng = np.random.default_rng([seed, i])
        yield random_mdp(rng, int(rng.integers(1, 9)), branching=3, connected=bool(i % 2))


def reaching(mdp, goal, stay):
    """The MDP that ends at the goal, pays 1 for getting there, and `stay` for each action there."""
    def row(s, a):
        return {s: 1.0} if s in goal else mdp.successors(s, a)

    return mrm.MDP(mdp.states, mdp.actions, row, mdp.initial,
                   lambda s, a, t: stay if s in goal else float(t in goal))


def test_the_model_handed_over_is_bit_for_bit_ours(count):
    for mdp in random_models(1, count(20, 200)):
        model = storm.to_storm(mdp, reachable=False)
        rows = [{entry.column: entry.value for entry in model.transition_matrix.get_row(row)}
                for row in range(model.nr_choices)]
        assert rows == [{mdp.states.index(t): p for t, p in mdp.successors(s, a).items()}
                        for s in mdp.states for a in mdp.actions]
        assert model.reward_models["paid"].state_action_rewards == mdp.expected_rewards.tolist()
        assert model.initial_states == [mdp.states.index(mdp.initial)]
        assert storm.to_storm(mdp).nr_states == len(mdp.reachable().states)


@given(nrmdps(max_states=6, max_actions=3), st.data())
def test_reachability_is_what_our_own_solvers_find(mdp, data):
    """Within n actions it is the best sum of a reward paid once; without a bound, the best mean payoff at the goal."""
    goal = data.draw(st.sets(st.sampled_from(mdp.states)).filter(lambda goal: mdp.initial not in goal))
    n = data.draw(st.integers(1, 8))
    labels = {"goal": goal}
    assert storm.ask(mdp, f'Pmax=? [ F<={n} "goal" ]', labels) == pytest.approx(
        mrm.solve_finite(reaching(mdp, goal, 0.0), n).value, abs=EXACT)
    assert storm.ask(mdp, 'Pmax=? [ F "goal" ]', labels) == pytest.approx(
        mrm.solve_mean_payoff(reaching(mdp, goal, 1.0)).value, abs=ITERATED)


def test_expected_sums_are_what_our_own_solver_finds(count):
    for mdp in random_models(2, count(30, 300)):
        for n in (1, 2, 7):
            assert storm.ask(mdp, f'R{{"paid"}}max=? [ C<={n} ]') == pytest.approx(
                mrm.solve_finite(mdp, n).value, abs=EXACT)


def test_mean_payoffs_and_discounted_sums_are_what_our_own_solvers_find_in_every_state(count):
    for i, mdp in enumerate(random_models(3, count(30, 300))):
        gamma = (0.1, 0.5, 0.9)[i % 3]
        ours, theirs = mrm.solve_mean_payoff(mdp).values, storm.solve_mean_payoff(mdp)
        assert dict(theirs) == pytest.approx(dict(ours), abs=3 * ITERATED)  # rewards go up to 3
        ours, theirs = mrm.solve_discounted(mdp, gamma).values, storm.solve_discounted(mdp, gamma)
        assert dict(theirs) == pytest.approx(dict(ours), rel=ITERATED, abs=ITERATED)


def test_a_mean_payoff_of_zero_is_found():
    """Round the three states: −1, 1 and 0. Asked for this one as it stands, Storm iterates for ever."""
    rows = {(0, "a"): {1: 1.0}, (1, "a"): {1: 2 / 7, 0: 3 / 7, 2: 2 / 7}, (2, "a"): {1: 2 / 7, 0: 4 / 7, 2: 1 / 7},
            (0, "b"): {1: 1.0}, (1, "b"): {2: 1.0}, (2, "b"): {0: 1.0}}
    mdp = mrm.MDP(range(3), "ab", rows, 0, lambda s, a, t: (-1.0, 1.0, 0.0)[s] if a == "b" else -1.0)
    assert list(storm.solve_mean_payoff(mdp).values()) == pytest.approx([0.0] * 3, abs=ITERATED)


def test_the_discounted_sum_follows_the_paper():
    """One state that pays 1: dSum = γ + γ² + … = γ / (1 − γ)."""
    one = mrm.MDP(["s"], ["a"], {("s", "a"): {"s": 1.0}}, "s", {("s", "a", "s"): 1.0})
    assert storm.solve_discounted(one, 0.75)["s"] == pytest.approx(3.0, rel=ITERATED)


@pytest.mark.parametrize("apf", [0.75, 0.85, 0.95, 1.0])
def test_treasure_is_sold_within_n_actions_as_likely_as_twenty_of_n_moves_succeed(apf):
    """The way by m, e, t and j1 takes 4 + 8 + 4 + 4 moves, and the walker is stuck where a move fails."""
    domain = mrm.domains.treasure_map(apf=apf)
    product = mrm.product(domain.mdp, domain.labelling, watch(domain.machine, SALES))
    for n in (19, 20, 22, 25, 60):
        chance = binom.sf(19, n, apf)
        assert storm.ask(product, f'Pmax=? [ F<={n} "node_seen" ]') == pytest.approx(chance, abs=EXACT)
        assert mrm.solve_finite(product, n).value == pytest.approx(chance, abs=EXACT)
    assert storm.ask(product, 'Tmin=? [ F "node_seen" ]') == pytest.approx(20 / apf, rel=ITERATED)


def test_treasure_is_sold_without_equipment_as_likely_as_28_of_n_moves_succeed():
    """With a guide it is m, g, t and j1: 4 + 8 + 12 + 4 moves."""
    domain = mrm.domains.treasure_map(apf=0.95)
    product = mrm.product(domain.mdp, domain.labelling, watch(domain.machine, SALES))
    for n in (27, 28, 30, 40):
        assert storm.ask(product, f'Pmax=? [ !"node_u2" U<={n} "node_seen" ]') == pytest.approx(
            binom.sf(27, n, 0.95), abs=EXACT)


@pytest.mark.parametrize("domain", [mrm.domains.treasure_map(apf=0.85), mrm.domains.cookie()], ids=lambda d: d.name)
def test_storm_finds_the_same_discounted_sums_on_a_domain(domain):
    ours = mrm.solve_discounted(domain.product, 0.9).values.array
    assert storm.solve_discounted(domain.product, 0.9).array == pytest.approx(ours, rel=ITERATED, abs=ITERATED)


def test_a_question_about_all_strategies_is_answered_by_yes_or_no():
    coin = mrm.NRMDP("ht", ["flip"], lambda s, a: {"h": 0.5, "t": 0.5}, "h")
    assert storm.ask(coin, 'P>=0.75 [ F<=2 "tails" ]', {"tails": "t"}) is True
    assert storm.ask(coin, 'P>0.75 [ F<=2 "tails" ]', {"tails": "t"}) is False


@pytest.mark.parametrize(("formula", "reason"), [
    ("Pmax=? [ F ", "expecting"),
    ('Pmax=? [ F "nowhere" ]', "unknown label 'nowhere'"),
    ('P=? [ F "goal" ]', "minimal or maximal"),
    ('R{"tips"}max=? [ C<=3 ]', "'tips' does not exist"),
    ('Pmax=? [ F "goal" ]; Pmin=? [ F "goal" ]', "exactly one property"),
    ("", "exactly one property"),
    ('multi(Pmax=? [ F "goal" ], R{"paid"}max=? [ C<=3 ])', "a curve of trade-offs"),
    ('quantile(min n, Pmax>=0.9 [ F<=n "goal" ])', "no form for its result"),
])
def test_a_question_that_has_no_answer_is_named_and_nothing_is_printed(formula, reason, capfd):
    mdp = mrm.MDP("st", ["go"], lambda s, a: {"t": 1.0}, "s", lambda s, a, t: 1.0)
    with pytest.raises(mrm.QueryError, match=reason) as caught:
        storm.ask(mdp, formula, labels={"goal": "t"})
    assert repr(formula) in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_what_pays_nothing_cannot_be_solved():
    with pytest.raises(mrm.ModelError, match="pays nothing"):
        storm.solve_mean_payoff(mrm.domains.cookie().mdp)
    with pytest.raises(mrm.ModelError, match="discount"):
        storm.solve_discounted(mrm.domains.cookie().product, 1.0)


def test_storm_is_loaded_only_when_it_is_asked():
    script = "import sys, mrmlib.interop.storm; sys.exit('stormpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
