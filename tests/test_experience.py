"""Living a word: the answer is the machine's, everything is counted, and nothing goes on for ever."""

import itertools
import math
from statistics import fmean, stdev

import pytest

import mrmlib as mrm
from mrmlib.environment import Environment, FilteredEnvironment
from mrmlib.experience.lived import (
    Experience,
    OptimalExploration,
    PlannedExploration,
    RandomExploration,
    live,
    live_all,
)
from mrmlib.experience.querying import QueryPlanner
from mrmlib.lstar import learn
from mrmlib.mcts.search import ObservationPlanner
from mrmlib.store import Store
from mrmlib.table import ObservationTable
from mrmlib.teacher import MachineTeacher
from mrmlib.tree import DiscriminationTree
from mrmlib.within.agreement import distinguish, executable
from tests.proxy import Proxy
from tests.random_models import random_labelling, random_machine, random_nrmdp, rng


def lived_in(world, kind=Environment, seed=0):
    """(proxy of the world, planner, store)."""
    return (Proxy(kind(world.mdp, world.labelling, world.machine, seed)), QueryPlanner(world.mdp, world.labelling),
            Store(world.labelling.observations))


def explorations(world, planner):
    return {"random": RandomExploration(world.mdp.actions),
            "planned": PlannedExploration(ObservationPlanner(world.mdp, world.labelling)),
            "optimal": OptimalExploration(planner),
            "likeliest": OptimalExploration(planner, "probability")}


def random_world(seed):
    chance = rng(seed)
    mdp = random_nrmdp(chance, states=5, actions=2, branching=3)
    labelling = random_labelling(chance, mdp, letters=2, null=0.5)
    machine = random_machine(chance, nodes=3, letters=2, null_reward=-1.0)
    return mrm.domains.Domain("random", mdp, labelling, machine), chance


def agrees_with(store, machine):
    return all(machine.rewards(word) == rewards for word, rewards in store.words())


@pytest.mark.parametrize("name", ["random", "planned", "optimal", "likeliest"])
def test_every_exploration_gets_the_answer_of_the_machine(name, count):
    """On random worlds, for words that can be had; what was lived on the way agrees with the machine as well."""
    answered = 0
    for seed in range(count(20, 200)):
        world, chance = random_world(seed)
        environment, planner, store = lived_in(world)
        word = tuple(map(str, chance.choice(world.labelling.observations, size=2)))
        if planner.strategy([word], "probability").probability < 0.01:
            continue
        lived = live(environment, word, explorations(world, planner)[name], store, seed=seed, actions=10_000)
        if lived.outcome == "answered":
            answered += 1
            assert lived.rewards == world.machine.rewards(word) == store.rewards(word)
        assert (lived.actions, lived.attempts) == (environment.actions, environment.resets)
        assert lived.null_reward == (-1.0 if environment.outcomes[mrm.NULL] else None)
        assert agrees_with(store, world.machine)
    assert answered >= seed / 4


def test_living_is_the_same_again_from_the_same_seeds():
    world = mrm.domains.treasure_map(0.75)
    lives = []
    for seed in (1, 1, 2):
        environment, planner, store = lived_in(world)
        lives.append(live(environment, ("m", "g"), explorations(world, planner)["planned"], store, seed=seed))
    assert lives[0] == lives[1] != lives[2]


def test_what_the_store_knows_is_not_lived():
    world = mrm.domains.treasure_map()
    environment, planner, store = lived_in(world)
    store.record(("m", "g"), (10.0, 25.0))
    lived = live(environment, ("m",), OptimalExploration(planner), store)
    assert (lived.rewards, lived.outcome, lived.attempts) == ((10.0,), "answered", 0)
    assert (environment.actions, environment.resets) == (0, 0)


def test_the_optimal_exploration_takes_the_expected_actions(count):
    """m·g·t at APF .75: 24 moves, so 32 actions; the mean of many within 4 standard errors."""
    world, word = mrm.domains.treasure_map(0.75), ("m", "g", "t")
    environment, planner, _ = lived_in(world)
    explore = OptimalExploration(planner)
    taken = [live(environment, word, explore, Store(world.labelling.observations)).actions
             for _ in range(count(300, 3000))]
    assert abs(fmean(taken) - 32) < 4 * stdev(taken) / math.sqrt(len(taken))


def coin():
    """Heads or tails, each with chance ½; the machine pays 1 for heads and 2 for tails."""
    mdp = mrm.NRMDP("ht", ["flip"], lambda s, a: {"h": 0.5, "t": 0.5}, "h")
    machine = mrm.MealyRewardMachine({("u", "h"): ("u", 1.0), ("u", "t"): ("u", 2.0)}, "u")
    return mrm.domains.Domain("coin", mdp, mrm.Labelling(lambda a, s: s, "ht"), machine)


def test_spoilt_attempts_are_counted_and_remembered(count):
    """Three heads take 8 attempts on average, with a variance of 56; a spoilt one leaves a word that ends in tails."""
    attempts = []
    for seed in range(count(300, 3000)):
        environment, planner, store = lived_in(coin(), seed=seed)
        lived = live(environment, ("h",) * 3, OptimalExploration(planner), store)
        attempts.append(lived.attempts)
        assert environment.resets == lived.attempts
        assert agrees_with(store, coin().machine)
        spoilt = [word for word, _ in store.words() if word != ("h",) * 3]
        assert len(spoilt) <= lived.attempts - 1
        assert all(word[-1] == "t" and "t" not in word[:-1] for word in spoilt)
    assert abs(fmean(attempts) - 8) < 4 * math.sqrt(56 / len(attempts))


def test_a_budget_of_attempts_or_actions_ends_the_search_with_a_clear_result():
    environment, planner, store = lived_in(coin())
    word, explore = ("h",) * 200, OptimalExploration(planner)
    lived = live(environment, word, explore, store, attempts=7)
    assert (lived.word, lived.rewards, lived.outcome, lived.attempts) == (word, None, "out of attempts", 7)
    lived = live(environment, word, explore, store, actions=50)
    assert (lived.word, lived.rewards, lived.outcome, lived.actions) == (word, None, "out of actions", 50)
    assert len(store) > 0
    with pytest.raises(mrm.QueryError, match=r"not answered: out of actions \(attempts: \d+, actions: 90\)"):
        Experience(environment, planner, actions=90).rewards(word)


def test_a_word_that_cannot_be_lived_does_not_start_an_endless_loop():
    world = mrm.domains.cookie()
    environment, planner, store = lived_in(world)
    assert live(environment, ("yel_bd",), OptimalExploration(planner), store).outcome == "impossible"
    lived = live(environment, ("yel_bd",), RandomExploration(world.mdp.actions), store, actions=5000, seed=0)
    assert (lived.outcome, lived.actions) == ("out of actions", 5000)


@pytest.mark.parametrize("name", ["random", "planned", "optimal"])
def test_impossible_steps_are_answered_with_the_constant(name, count):
    """Every word of three letters in a ring that shows a b a b …: lived up to the first impossible step, then −7."""
    mdp = mrm.NRMDP("st", ["go"], lambda s, a: {"t" if s == "s" else "s": 1.0}, "s")
    labelling = mrm.Labelling({("go", "t"): "a", ("go", "s"): "b"}, "ab")
    machine = mrm.MealyRewardMachine({("u", "a"): ("v", 1.0), ("u", "b"): ("u", 2.0),
                                      ("v", "a"): ("v", 3.0), ("v", "b"): ("u", 4.0)}, "u")
    world = mrm.domains.Domain("ring", mdp, labelling, machine)
    environment, planner, store = lived_in(world)
    experience = Experience(environment, planner, explorations(world, planner)[name], store, constant=-7.0, seed=0)
    for word in itertools.product("ab", repeat=3):
        possible = max(i for i in range(4) if executable(mdp, labelling, word[:i]))
        assert experience.rewards(word) == machine.rewards(word)[:possible] + (-7.0,) * (3 - possible)
    assert list(store.words()) == [(("a", "b", "a"), (1.0, 4.0, 1.0))]
    assert (experience.queries, experience.attempts, experience.actions) == (8, 2, 1 + 3)  # a, then a·b·a


@pytest.mark.parametrize("name", ["random", "optimal"])
def test_through_a_filter_every_word_gets_the_answer_of_the_machine(name):
    world = mrm.domains.cookie()
    environment, planner, _ = lived_in(world, FilteredEnvironment)
    explore = RandomExploration(world.mdp.actions) if name == "random" else None
    experience = Experience(environment, planner, explore, filtered=True, seed=0)
    for word in itertools.product(world.labelling.observations, repeat=2):
        assert experience.rewards(word) == world.machine.rewards(word)
    assert experience.attempts <= experience.queries  # nothing spoils


def test_several_words_are_lived_in_the_order_of_their_cost_and_prefixes_on_the_way():
    """At APF 1: j2 takes 4 actions, m·g 12, m·t 8; m is not lived for itself."""
    world = mrm.domains.treasure_map(1.0)
    environment, planner, store = lived_in(world)
    words = [("m", "g"), ("m",), ("m", "t"), ("j2",), ("m",)]
    lived = list(live_all(environment, words, planner, store))
    assert [one.word for one in lived] == [("j2",), ("m", "t"), ("m", "g")]
    assert [one.actions for one in lived] == [4, 8, 12]
    assert all(store.rewards(word) == world.machine.rewards(word) for word in words)
    assert list(live_all(environment, words, planner, store)) == []


def test_a_letter_that_spoils_one_word_serves_another():
    """All 8 words of three flips: every episode is one of those still open, or is spoilt late; none is lived twice."""
    environment, planner, store = lived_in(coin())
    words = list(itertools.product("ht", repeat=3))
    lived = list(live_all(environment, words, planner, store))
    assert sorted(one.word for one in lived) == sorted(words)
    assert environment.resets == sum(one.attempts for one in lived)
    assert environment.actions == sum(one.actions for one in lived)
    assert lived[0].attempts == 1
    assert all(one.rewards == coin().machine.rewards(one.word) for one in lived)


def test_the_budget_of_several_words_is_for_all_together():
    environment, planner, store = lived_in(coin())
    lived = list(live_all(environment, [("h",) * 100, ("t",)], planner, store, attempts=30))
    assert [one.outcome for one in lived] == ["answered", "out of attempts"]
    assert environment.resets == 30
    world = mrm.domains.cookie()
    environment, planner, store = lived_in(world)
    lived = list(live_all(environment, [("yel_bd",), ("yel",)], planner, store))
    assert [one.outcome for one in lived] == ["answered", "impossible"]


LEARNERS = [ObservationTable, DiscriminationTree]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", ["planned", "optimal"])
def test_the_treasure_map_is_learnt_exactly_by_living_it(name, learner, count):
    for seed, apf in zip(range(count(1, 10)), itertools.cycle((0.85, 0.75, 0.95))):
        world = mrm.domains.treasure_map(apf)
        environment, planner, store = lived_in(world, seed=seed)
        experience = Experience(environment, planner, explorations(world, planner)[name], store,
                                tester=MachineTeacher(world.machine), seed=seed)
        learnt = learn(experience, world.labelling.observations, learner, store=store, null_reward=-1.0)
        assert learnt.machine.equivalent(world.machine)
        assert len(learnt.machine.nodes) == 6
        assert experience.null_reward == -1.0
        assert (experience.actions, experience.attempts) == (environment.actions, environment.resets)


def test_the_cookie_machine_is_learnt_node_for_node_through_the_filter_by_random_exploration():
    world = mrm.domains.cookie()
    environment, planner, store = lived_in(world, FilteredEnvironment)
    experience = Experience(environment, planner, RandomExploration(world.mdp.actions), store, filtered=True,
                            tester=MachineTeacher(world.machine), seed=0)
    learnt = learn(experience, world.labelling.observations, store=store)
    assert learnt.machine == world.machine.minimal()


class WithinTester:
    """Counter-examples among the executable words."""

    def __init__(self, world):
        self.world = world

    def counterexample(self, hypothesis):
        return distinguish(self.world.mdp, self.world.labelling, hypothesis, self.world.machine)


def test_the_cookie_machine_learnt_with_constants_is_larger_and_agrees_on_all_that_can_be_lived():
    world = mrm.domains.cookie()
    environment, planner, store = lived_in(world)
    experience = Experience(environment, planner, store=store, constant=0.0, tester=WithinTester(world))
    learnt = learn(experience, world.labelling.observations, DiscriminationTree, store=store,
                   null_reward=0.0)
    assert distinguish(world.mdp, world.labelling, learnt.machine, world.machine) is None
    assert len(learnt.machine.nodes) > len(world.machine.nodes)


class Told:
    """A world of one state, whose every step tells the same."""

    def __init__(self, z, reward):
        self.told = "s", z, reward

    def reset(self):
        return "s"

    def step(self, action):
        return self.told


@pytest.mark.parametrize(("z", "reward", "culprit"), [
    ("boat", 1.0, "unknown observation 'boat' in 's', reached by 'go'"),
    ("ship", None, "paid for 'ship' in 's', reached by 'go', is None"),
    (mrm.NULL, math.nan, "paid for 'null' in 's', reached by 'go', is nan")])
def test_what_an_environment_tells_must_fit(z, reward, culprit):
    explore = RandomExploration(("go",))
    with pytest.raises(mrm.MrmError, match=culprit):
        live(Told(z, reward), ("ship",), explore, Store(["ship"]))


def test_null_is_a_letter_to_live_where_it_is_declared():
    lived = live(Told(mrm.NULL, 3), (mrm.NULL,), RandomExploration(("go",)), Store(["ship", mrm.NULL]))
    assert (lived.rewards, lived.null_reward) == ((3.0,), None)


def two_islands():
    """An episode begins on one of two islands, and each shows itself alone."""
    islands = mrm.NRMDP("ab", ["look"], lambda s, a: {s: 1.0}, "a").starting_from({"a": 0.5, "b": 0.5})
    machine = mrm.MealyRewardMachine({("u", "a"): ("u", 1.0), ("u", "b"): ("u", 2.0)}, "u")
    return mrm.domains.Domain("islands", islands, mrm.Labelling(lambda a, s: s if s in "ab" else mrm.NULL, "ab"),
                              machine)


def test_where_the_start_is_drawn_an_attempt_may_be_another_draw():
    """b can be had from b alone: from a, the next attempt follows at once; ab cannot be had at all."""
    world = two_islands()
    for seed in range(20):
        environment, planner, store = lived_in(world, seed=seed)
        lived = live(environment, ("b",), OptimalExploration(planner), store)
        assert (lived.rewards, lived.actions, environment.actions) == ((2.0,), 1, 1)
        assert lived.attempts == environment.resets
        assert live(environment, ("a", "b"), OptimalExploration(planner), store).outcome == "impossible"


def test_an_agent_learns_where_the_start_is_drawn():
    world = two_islands()
    run = mrm.OptimalAgent(world.mdp, world.labelling, max_nodes=1).run(lived_in(world)[0], 100)
    assert distinguish(world.mdp, world.labelling, run.machine, world.machine) is None
