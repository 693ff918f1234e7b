"""Algorithm 2: the word it pursues, its two readings, and how it acts."""

import math
from itertools import product

import numpy as np
import pytest

import mrmlib as mrm
from mrmlib import domains
from mrmlib.agents import (
    ApproximateAgent,
    AsPublished,
    Run,
    act_randomly,
    events,
    good_word,
    plan_observations,
    plan_rewards,
)
from mrmlib.agents.exploit import towards_good_letters
from mrmlib.mcts.search import SearchSettings
from mrmlib.tree import DiscriminationTree
from mrmlib.within.wordgraph import WordGraph

from .agent_worlds import random_world, rare_world, world_of


@pytest.fixture(scope="module")
def treasure():
    return domains.treasure_map()


@pytest.fixture(scope="module")
def learnt(treasure):
    """Everything there is to learn on the treasure map, so that a life need only exploit."""
    return ApproximateAgent(treasure.mdp, treasure.labelling, explore=None).run(world_of(treasure, 0), 0)


def test_the_good_word_is_that_of_brute_force(count):
    """Longest first, then best paid, then first in the declared order."""
    for seed in range(count(40, 400)):
        mdp, labelling, machine = random_world(seed)
        graph = WordGraph(mdp, labelling)
        for k in (1, 2, 4):
            words = [word for n in range(k + 1) for word in product(graph.letters, repeat=n) if graph.executable(word)]
            best = max(words, key=lambda word: (len(word), sum(machine.rewards(word))))  # the first of the best
            assert good_word(graph, machine, k) == best


def test_a_good_word_ends_where_the_world_ends():
    """Either b, which pays 1, or a·b, which pays -8: the longer one, as it comes nearer to the five letters wanted."""
    mdp = mrm.NRMDP("stuv", ["one", "two"], {
        ("s", "one"): {"t": 1.0}, ("s", "two"): {"u": 1.0}, ("t", "one"): {"u": 1.0}, ("t", "two"): {"u": 1.0},
        ("u", "one"): {"v": 1.0}, ("u", "two"): {"v": 1.0}, ("v", "one"): {"v": 1.0}, ("v", "two"): {"v": 1.0}}, "s")
    labelling = mrm.Labelling({(a, s): z for a in mdp.actions for s, z in (("t", "a"), ("u", "b"))}, "ab")
    machine = mrm.MealyRewardMachine({("n", "a"): ("n", -9.0), ("n", "b"): ("n", 1.0)}, "n")
    assert good_word(WordGraph(mdp, labelling), machine, 5) == ("a", "b")


def test_the_best_word_of_the_treasure_map_is_known(treasure):
    word, worth = treasure.facts["best_word"]
    found = good_word(WordGraph(treasure.mdp, treasure.labelling), treasure.machine, 6)
    assert (found, sum(treasure.machine.rewards(found))) == (word, worth)


def test_the_paper_s_queries_are_lived_by_tree_search(treasure):
    """The default: more than 10,000 actions, where the optimal query strategy takes fewer than 6000."""
    run = ApproximateAgent(treasure.mdp, treasure.labelling).run(world_of(treasure, 1), 0)
    assert run.machine.equivalent(treasure.machine)
    assert run.learning_actions > 10_000


def test_a_sound_epoch_starts_the_machine_and_ends_with_its_word(treasure, learnt):
    agent = ApproximateAgent(treasure.mdp, treasure.labelling, epoch_starts=treasure.epoch_starts)
    lived = list(agent.watched(world_of(treasure, 2), 2000, every_action=True, resume=learnt))
    run, epochs, starts = lived[-1][1], [], []
    for event, _ in lived:
        if isinstance(event, events.EpochBegun):
            epochs.append([])
            starts.append(event.state)
        elif isinstance(event, events.Acted):
            epochs[-1].append(event)
    assert run.counterexamples == 0
    assert len(epochs) == run.epochs > 8
    assert len(set(starts)) > 1
    assert set(starts) <= set(treasure.epoch_starts)
    for epoch in epochs[:-1]:
        observed = [event.observation for event in epoch if event.observation != mrm.NULL]
        assert _is_subsequence(treasure.facts["best_word"][0], observed)
        assert treasure.machine.rewards(tuple(observed)) == tuple(
            event.reward for event in epoch if event.observation != mrm.NULL)


def _is_subsequence(word, observed):
    rest = iter(observed)
    return all(z in rest for z in word)


def test_the_sound_reading_reports_no_spurious_counter_example(count):
    for seed in range(count(4, 100)):
        mdp, labelling, machine = random_world(seed)
        agent = ApproximateAgent(mdp, labelling, k=3, explore=None, exploit=act_randomly, learner=DiscriminationTree)
        lived = [event for event, _ in agent.watched(mrm.Environment(mdp, labelling, machine, seed), 10_000, seed)]
        for event in lived:
            if isinstance(event, events.CounterExample):  # each is real: H was wrong
                assert not event.spurious
                assert machine.rewards(event.word) == event.rewards != event.predicted


def test_the_published_reading_sees_counter_examples_where_there_are_none(treasure, learnt):
    agent = ApproximateAgent(treasure.mdp, treasure.labelling, epoch_starts=treasure.epoch_starts, explore=None,
                             reading=AsPublished())
    runs = [agent.run(world_of(treasure, seed), 2000, seed, resume=learnt) for seed in range(4)]
    for run in runs:
        assert run.machine.equivalent(treasure.machine)
        assert run.spurious == run.counterexamples > 2
    known = agent.run(world_of(treasure, 0), 2000, 0, resume=runs[0])
    assert known.exploitation_actions == 2000


def test_the_published_reading_goes_on_with_the_machine_where_it_was(treasure, learnt):
    """An epoch that ended without alarm leaves the machine with the treasure: the next word is paid from there."""
    agent = ApproximateAgent(treasure.mdp, treasure.labelling, epoch_starts=treasure.epoch_starts, explore=None,
                             reading=AsPublished())
    lived = [event for event, _ in agent.watched(world_of(treasure, 5), 2000, 5, every_action=True, resume=learnt)]
    word, node = treasure.facts["best_word"][0], "u0"
    expected, ended, resets = treasure.machine.rewards(word), 0, 0
    for i, event in enumerate(lived):
        if isinstance(event, events.Acted):
            node, reward = treasure.machine.step(node, event.observation)
            assert reward == event.reward
        elif isinstance(event, events.EpochEnded):
            ended += 1
            if isinstance(lived[i + 1], events.CounterExample):
                assert (lived[i + 1].word, lived[i + 1].predicted) == (word, expected)
                assert lived[i + 1].rewards != expected
                node, resets = "u0", resets + 1
    assert 0 < resets < ended


def test_a_real_counter_example_sends_the_agent_back_to_learning():
    """Every fourth bread pays 100, which an H with one node does not know; four letters are enough to see it."""
    mdp, labelling, machine = rare_world()
    for reading in (None, AsPublished()):
        agent = ApproximateAgent(mdp, labelling, k=4, explore=None, learner=DiscriminationTree, reading=reading)
        lived = list(agent.watched(mrm.Environment(mdp, labelling, machine, 0), 300))
        run, kinds = lived[-1][1], [type(event) for event, _ in lived]
        assert kinds.index(events.EpochBegun) < kinds.index(events.CounterExample)
        assert run.machine.equivalent(machine)
        assert run.counterexamples - run.spurious >= 1


def test_tree_search_for_rewards_earns_about_half_of_what_can_be_had(treasure, learnt):
    """With guided rollouts; with random ones it sells the map and is paid nothing ever after."""
    means = {}
    for name, exploit in (("guided", plan_rewards()), ("random", plan_rewards(SearchSettings(), guided=False)),
                          ("observations", plan_observations()), ("aimless", act_randomly)):
        agent = ApproximateAgent(treasure.mdp, treasure.labelling, exploit=exploit, epoch_starts=treasure.epoch_starts)
        means[name] = np.mean([agent.run(world_of(treasure, seed), 2000, seed, resume=learnt).total_reward
                               for seed in range(3)])
    assert means["aimless"] < 0
    assert means["random"] < 0
    assert 1500 < means["observations"] < 4000
    assert 6000 < means["guided"] < 12_000


def test_rollouts_go_for_the_letters_of_the_best_word(treasure):
    """Followed to the end, they collect m, g, t, j2, g, t …: the best word, and more than 6000 in 2000 actions."""
    way = towards_good_letters(treasure.mdp, treasure.labelling, treasure.machine)
    assert mrm.expected_return(treasure.product, way, 2000) > 6000


def test_a_world_that_shows_nothing_can_be_lived_in():
    mdp = mrm.NRMDP("s", ["wait"], lambda s, a: {"s": 1.0}, "s")
    labelling = mrm.Labelling({}, ["z"])
    machine = mrm.MealyRewardMachine({("u", "z"): ("u", 5.0)}, "u", null_reward=-1.0)
    agent = ApproximateAgent(mdp, labelling, explore=None, impossible=-7.0)
    run = agent.run(mrm.Environment(mdp, labelling, machine), 9)
    assert (run.total_reward, run.hypotheses, run.null_reward) == (-9.0, 2, -1.0)
    assert run.machine.rewards(("z",)) == (-7.0,)


def test_settings_that_make_no_sense_are_refused(treasure):
    with pytest.raises(mrm.ModelError, match="at least one letter"):
        ApproximateAgent(treasure.mdp, treasure.labelling, k=0)
    with pytest.raises(mrm.ModelError, match="moon"):
        ApproximateAgent(treasure.mdp, treasure.labelling, epoch_starts=("moon",))


def test_a_run_starts_from_nothing():
    assert Run().outcome == "not ended"
    assert math.isclose(Run().total_reward, 0.0)
