"""The rival learner: its objective by an independent route, its search against brute force, its loop on the cookies."""

import math
from collections import Counter, defaultdict
from itertools import product

import pytest

import mrmlib as mrm
from mrmlib import domains
from mrmlib.environment import Environment
from mrmlib.experiment.tabu import LRM, REWARDS, Objective, learn_by_optimisation, tabu_search
from mrmlib.within.agreement import distinguish
from tests.random_models import LETTERS, random_minimal_machine, rng

BOTH = Objective(observations=0.5, rewards=3.0)


def random_traces(generator, machine, number=6, length=30):
    """Words drawn letter by letter, paid by the machine."""
    words = [tuple(str(z) for z in generator.choice(list(machine.observations), size=length)) for _ in range(number)]
    return [(word, machine.rewards(word)) for word in words]


def objective_by_hand(transitions, traces, objective):
    """Σ log|N(u, y)| over all steps, and the rewards that differ from the usual one at (u, z), from the definitions."""
    following, paid, steps = defaultdict(set), defaultdict(Counter), []
    for word, rewards in traces:
        u, y = 0, "start"
        for z, r in zip(word, rewards, strict=True):
            following[u, y].add(z)
            paid[u, z][r] += 1
            steps.append((u, y))
            u, y = transitions[u, z], z
    still_open = math.fsum(math.log(len(following[step])) for step in steps)
    wrong = sum(counts.total() - max(counts.values()) for counts in paid.values())
    return objective.observations * still_open + objective.rewards * wrong


def transitions_of(machine):
    return {(machine.nodes.index(u), z): machine.nodes.index(v) for (u, z), (v, _) in machine.transitions.items()}


@pytest.mark.parametrize("objective", [REWARDS, LRM, BOTH])
def test_the_cost_of_a_machine_is_its_objective(objective, count):
    """The sums are of some 200 logarithms, each right to 1e-16: 1e-9 is far more than their rounding."""
    for seed in range(count(20, 200)):
        generator = rng(seed)
        traces = random_traces(generator, random_minimal_machine(generator, nodes=3, letters=3))
        rival = random_minimal_machine(generator, nodes=4, letters=3)
        found = tabu_search(traces, LETTERS[:3], 4, seed, steps=0, objective=objective, rival=rival)
        assert found.cost == pytest.approx(objective_by_hand(transitions_of(rival), traces, objective), abs=1e-9)


@pytest.mark.parametrize("objective", [REWARDS, LRM, BOTH])
def test_the_rewards_it_says_it_gets_wrong_are_those_that_the_machine_gets_wrong(objective, count):
    for seed in range(count(20, 200)):
        generator = rng(seed)
        traces = random_traces(generator, random_minimal_machine(generator, nodes=4, letters=2))
        found = tabu_search(traces, "ab", 2, seed, steps=10, objective=objective)
        assert found.mispredicted == sum(
            paid != said for word, rewards in traces
            for paid, said in zip(rewards, found.machine.rewards(word), strict=True))
        by_hand = objective_by_hand(transitions_of(found.machine), traces, objective)
        assert found.cost == pytest.approx(by_hand, abs=1e-9)


@pytest.mark.parametrize("objective", [REWARDS, LRM, BOTH])
def test_on_small_tables_it_finds_the_best_of_all(objective, count):
    """Two nodes, two letters: 16 tables; 30 steps with restarts reach all of them."""
    for seed in range(count(20, 200)):
        generator = rng(seed)
        traces = random_traces(generator, random_minimal_machine(generator, nodes=4, letters=2), number=4, length=12)
        pairs = list(product(range(2), "ab"))
        best = min(objective_by_hand(dict(zip(pairs, targets, strict=True)), traces, objective)
                   for targets in product(range(2), repeat=4))
        found = tabu_search(traces, "ab", 2, seed, steps=30, objective=objective)
        assert found.cost == pytest.approx(best, abs=1e-9)


def test_it_learns_a_random_machine_from_enough_traces(count):
    """Three nodes, two letters, 40 words of 30 letters drawn at random: every difference shows up in them."""
    for seed in range(count(10, 100)):
        generator = rng(seed)
        machine = random_minimal_machine(generator, nodes=3, letters=2)
        found = tabu_search(random_traces(generator, machine, number=40), "ab", 3, seed, steps=500)
        assert found.mispredicted == 0
        assert found.machine.difference(machine) is None


def test_the_best_cost_never_rises_and_a_seed_repeats_it():
    generator = rng(1)
    traces = random_traces(generator, random_minimal_machine(generator, nodes=4, letters=3))
    one, two = (tabu_search(traces, "abc", 3, 5, steps=40, objective=LRM) for _ in range(2))
    assert one == two
    assert len(one.costs) == 40
    assert list(one.costs) == sorted(one.costs, reverse=True)
    assert one.costs[-1] == one.cost
    assert len(one.machine.nodes) <= 3


def test_it_keeps_a_rival_that_it_cannot_beat():
    machine = random_minimal_machine(rng(2), nodes=3, letters=2)
    traces = random_traces(rng(3), machine, number=40)
    found = tabu_search(traces, "ab", 1, 0, rival=machine)
    assert (found.cost, found.costs) == (0.0, ())
    assert found.machine.difference(machine) is None


def test_a_tabu_list_that_forgets_still_ends():
    traces = random_traces(rng(4), random_minimal_machine(rng(4), nodes=4, letters=2))
    assert len(tabu_search(traces, "ab", 2, 0, steps=50, objective=LRM, tabu_size=1).costs) == 50


def test_what_was_never_paid_is_taken_to_be_null():
    found = tabu_search([(("a",), (5.0,))], "ab", 2, 0, null_reward=-1.0)
    assert found.machine.rewards(("b", "a")) == (-1.0, 5.0)
    assert found.machine.null_reward == -1.0


def test_without_traces_there_is_nothing_to_get_wrong():
    assert tabu_search([], "ab", 3, 0).machine.rewards(("a", "b")) == (0.0, 0.0)


@pytest.mark.parametrize(("arguments", "culprit"), [
    (([(("a", "b"), (1.0,))], "ab", 2, 0), "1 rewards"),
    (([], "ab", 0, 0), "u_max = 0"),
])
def test_what_makes_no_sense_is_refused(arguments, culprit):
    with pytest.raises(mrm.QueryError, match=culprit):
        tabu_search(*arguments)


def test_a_letter_that_is_no_observation_is_refused():
    with pytest.raises(mrm.ModelError, match="'c'"):
        tabu_search([(("c",), (1.0,))], "ab", 2, 0)


@pytest.fixture(scope="module")
def cookie():
    return domains.cookie()


def learnt(domain, seed, u_max=2, observations=None, **options):
    world, letters = Environment(domain.mdp, domain.labelling, domain.machine, seed), domain.labelling.observations
    return world, learn_by_optimisation(world, domain.mdp.actions, observations or letters, u_max, rng(seed), **options)


def test_on_cookies_it_predicts_everything_it_has_lived_and_counts_its_actions(cookie):
    world, result = learnt(cookie, seed=0)
    assert result.predicts_all
    assert result.actions == world.actions == 500 * world.resets
    assert result.actions == result.history[-1][0] + 20_000
    assert result.machine == result.history[-1][1]
    assert distinguish(cookie.mdp, cookie.labelling, result.machine, cookie.machine) is None


def test_a_machine_found_wrong_is_replaced(cookie):
    """From 500 actions hardly a cookie is seen: the first machine is wrong, and traces that say so mend it."""
    _, result = learnt(cookie, seed=1, first=500)
    assert len(result.history) > 1
    assert distinguish(cookie.mdp, cookie.labelling, result.history[0][1], cookie.machine) is not None
    assert distinguish(cookie.mdp, cookie.labelling, result.machine, cookie.machine) is None


def test_it_stops_at_its_limit(cookie):
    assert learnt(cookie, seed=0, limit=3_000)[1].actions == 3_000


def test_null_can_be_one_more_letter(cookie):
    letters = cookie.labelling.with_null_as_letter().observations
    _, result = learnt(cookie, seed=0, observations=letters, limit=5_000)
    assert tuple(result.machine.observations) == tuple(letters)


def test_for_lrm_the_perfect_machine_is_not_the_best_of_its_size(cookie):
    """On 20,000 random actions another machine with four nodes leaves 5 % less open, and gets rewards wrong."""
    generator = rng(0)
    world = Environment(cookie.mdp, cookie.labelling, cookie.machine, generator)
    traces = []
    for _ in range(40):
        world.reset()
        steps = [world.step(cookie.mdp.actions[a]) for a in generator.integers(6, size=500)]
        traces.append(mrm.words.without_nulls(tuple(z for _, z, _ in steps), tuple(r for _, _, r in steps)))
    letters = cookie.labelling.observations
    perfect = tabu_search(traces, letters, 4, 0, steps=0, objective=LRM, rival=cookie.machine)
    found = tabu_search(traces, letters, 4, 0, objective=LRM, rival=cookie.machine)
    assert perfect.mispredicted == 0
    assert found.cost < 0.95 * perfect.cost
    assert found.mispredicted > 0
