"""The assembly line: what it is, and that a reward above the threshold proves a word safe."""

import math
from itertools import product

import pytest

import mrmlib as mrm
from mrmlib import domains
from mrmlib.agents import OptimalAgent, events, good_word, highest_unsafe
from mrmlib.within.wordgraph import WordGraph

from .agent_worlds import random_world, world_of
from .random_models import random_machine, rng

PACK = ("cells", "weld", "cool", "seal", "ship")


def graph_of(domain):
    return WordGraph(domain.mdp, domain.labelling)


def test_the_line_pays_for_a_pack_and_takes_for_a_hot_one():
    line = domains.assembly()
    assert sum(line.machine.rewards(PACK)) == 29
    assert sum(line.machine.rewards(("cells", "weld", "seal", "ship"))) == -7
    assert sum(line.machine.rewards(("seal", "ship", "cool", "weld"))) == 0
    assert len(line.machine.minimal().nodes) == line.facts["nodes"]
    assert domains.make("assembly", penalty=10.0).machine.rewards(("cells", "weld", "seal"))[-1] == -10.0


@pytest.mark.parametrize("precision", [0.7, 0.9, 1.0])
@pytest.mark.parametrize("penalty", [30.0, 6.0, 4.0, 0.0])
def test_its_optimum_is_one_of_two_loops(precision, penalty):
    """A safe pack takes 16 moves and earns 29, a hot one 10 moves and 23 minus the penalty: hot is best below 4.875."""
    line = domains.assembly(precision, penalty)
    best = mrm.solve_mean_payoff(line.product)
    assert best.value == pytest.approx(line.facts["optimal_mean_payoff"], abs=1e-9)
    reached = mrm.follow(line.product, best.policy).reachable().states
    seals_hot = {(((4, 2), True), "u4")} <= set(reached) and not any(u == "u3" for _, u in reached)
    assert seals_hot == (penalty < 4.875)


def test_every_word_is_executable_on_the_line():
    line = domains.assembly()
    assert line.facts["every_word_executable"]
    assert graph_of(line).moves == [[(z, 0) for z in range(5)]]


def test_the_watcher_pays_exactly_when_a_hot_pack_is_sealed():
    line = domains.assembly()
    for word in product(line.labelling.observations, repeat=5):
        node, alarms = "u0", []
        for z in word:
            alarms.append(float(node == "u2" and z == "seal"))
            node, _ = line.machine.step(node, z)
        assert line.facts["forbidden"].rewards(word) == tuple(alarms)


def unsafe_rewards(graph, machine, forbidden, k):
    """By brute force: the total of every executable word with at most k letters that contains the forbidden process."""
    for length in range(k + 1):
        for word in product(graph.letters, repeat=length):
            if any(forbidden.rewards(word)) and graph.executable(word):
                yield sum(machine.rewards(word))


@pytest.mark.parametrize("k", range(7))
def test_the_highest_unsafe_reward_is_that_of_brute_force(k):
    line = domains.assembly()
    found = highest_unsafe(graph_of(line), line.machine, line.facts["forbidden"], k)
    assert found == max(unsafe_rewards(graph_of(line), line.machine, line.facts["forbidden"], k), default=-math.inf)
    assert (found == -math.inf) == (k < 3)


def test_the_highest_unsafe_reward_holds_where_not_every_word_is_executable(count):
    unsafe = 0
    for seed in range(count(30, 300)):
        mdp, labelling, machine = random_world(seed)
        g, graph = rng(seed), WordGraph(mdp, labelling)
        forbidden = random_machine(g, nodes=3, letters=len(graph.letters), rewards=(0.0, 0.0, 0.0, 1.0))
        for k in (1, 3, 5):
            rewards = list(unsafe_rewards(graph, machine, forbidden, k))
            assert highest_unsafe(graph, machine, forbidden, k) == max(rewards, default=-math.inf)
            unsafe += bool(rewards)
    assert unsafe > 10


def test_every_word_above_the_highest_unsafe_reward_is_safe():
    line, k = domains.assembly(), 6
    forbidden = line.facts["forbidden"]
    bound = highest_unsafe(graph_of(line), line.machine, forbidden, k)
    above = [word for word in product(line.labelling.observations, repeat=k) if sum(line.machine.rewards(word)) > bound]
    assert above
    assert not any(any(forbidden.rewards(word)) for word in above)
    best = good_word(graph_of(line), line.machine, k)
    assert sum(line.machine.rewards(best)) > bound


def test_a_penalty_that_is_too_small_gives_no_guarantee():
    """With penalty 1, cells·weld·seal·ship earns 22 in four letters: more than any safe word of four letters."""
    line = domains.assembly(penalty=1.0)
    best = good_word(graph_of(line), line.machine, 4)
    assert best == ("cells", "weld", "seal", "ship")
    assert sum(line.machine.rewards(best)) == highest_unsafe(graph_of(line), line.machine, line.facts["forbidden"], 4)


def test_what_an_optimal_agent_does_above_the_threshold_is_safe():
    """Any ten letters in a row that begin with an empty line and earn more than the bound contain no hot sealing."""
    line, k = domains.assembly(), 10
    agent = OptimalAgent(line.mdp, line.labelling, max_nodes=5)
    acted = [event for event, _ in agent.watched(world_of(line, 0), 3000, every_action=True)
             if isinstance(event, events.Acted)]
    word = tuple(event.observation for event in acted if event.observation != mrm.NULL)
    bound = highest_unsafe(graph_of(line), line.machine, line.facts["forbidden"], k)
    assert bound == 23.0  # one safe pack, one hot one, and cells
    pieces = [word[i:i + k] for i in range(len(word)) if i == 0 or word[i - 1] == "ship"]
    above = [piece for piece in pieces if sum(line.machine.rewards(piece)) > bound]
    assert len(above) > 10
    assert not any(any(line.facts["forbidden"].rewards(piece)) for piece in above)
