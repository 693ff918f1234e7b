"""Query strategies: second opinions by a linear programme, by trying every strategy, and by living them."""

import itertools
import math
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy.optimize import linprog

import mrmlib as mrm
from mrmlib.experience.episode import Episode
from mrmlib.experience.lived import RandomExploration
from mrmlib.experience.querying import QueryPlanner, Quest, query_strategy
from mrmlib.within.agreement import executable
from tests.random_models import random_labelling, random_nrmdp, rng

OBJECTIVES = ("probability", "actions")


def random_world(seed, states=5, actions=2, letters=2):
    chance = rng(seed)
    mdp = random_nrmdp(chance, states, actions, branching=3, connected=bool(chance.integers(2)))
    labelling = random_labelling(chance, mdp, letters, null=0.5)
    return mdp, labelling, chance


def random_word(labelling, chance, longest=3):
    return tuple(map(str, chance.choice(labelling.observations, size=chance.integers(1, longest + 1))))


def steps(mdp, labelling, words, filtered=False):
    """{((observed, s), a): ({next pair: chance}, chance of success)}, by the definition: no arrays of the library."""
    prefixes = {word[:i] for word in words for i in range(len(word) + 1)}
    table = {}
    for observed, s, a in itertools.product(sorted(prefixes), mdp.states, mdp.actions):
        after, success = {}, 0.0
        for t, p in mdp.successors(s, a).items():
            z = labelling(a, t)
            longer = observed if z == mrm.NULL else (*observed, z)
            if longer != observed and longer in words:
                success += p
            elif longer in prefixes or filtered:
                pair = (longer if longer in prefixes else observed, t)
                after[pair] = after.get(pair, 0.0) + p
        table[(observed, s), a] = after, success
    return table


def evaluate(table, start, choose):
    """(p, c) at `start` under choose(pair) -> action or None, summed over the first 2^40 steps by doubling."""
    pairs = list(dict.fromkeys(pair for pair, _ in table))
    place = {pair: i for i, pair in enumerate(pairs)}
    moves, gains = np.zeros((len(pairs),) * 2), np.zeros((len(pairs), 2))
    for pair in pairs:
        action = choose(pair)
        if action is not None:
            after, success = table[pair, action]
            gains[place[pair]] = success, 1.0
            for other, p in after.items():
                moves[place[pair], place[other]] += p
    for _ in range(40):
        gains, moves = gains + moves @ gains, moves @ moves
    p, c = gains[place[start]]
    return p, (c if c < 1e9 else math.inf)


def by_linear_programme(table, start):
    """(α, least expected actions): the least p ≥ every action's, and the greatest V ≤ every action's and ≤ V(start)."""
    pairs = list(dict.fromkeys(pair for pair, _ in table))
    place = {pair: i for i, pair in enumerate(pairs)}
    size, rows, successes = len(pairs), [], []
    spoilt = []
    for (pair, _), (after, success) in table.items():
        row = np.zeros(size)
        row[place[pair]] -= 1.0
        for other, p in after.items():
            row[place[other]] += p
        rows.append(row)
        successes.append(success)
        spoilt.append(1.0 - success - sum(after.values()))
    rows, successes = np.array(rows), np.array(successes)
    chance = linprog(np.ones(size), A_ub=rows, b_ub=-successes, bounds=(0, None)).x[place[start]]
    if chance < 1e-9:
        return 0.0, math.inf
    shift = np.zeros((len(rows), size))
    shift[:, place[start]] = np.array(spoilt)
    resets = np.eye(size)
    resets[:, place[start]] -= 1.0
    system = np.vstack([-(rows + shift), resets])
    limits = np.concatenate([np.ones(len(rows)), np.zeros(size)])
    return chance, linprog(-np.ones(size), A_ub=system, b_ub=limits, bounds=(0, None)).x[place[start]]


def test_chance_and_actions_agree_with_a_linear_programme(count):
    """To 1e-7, the precision of the programme; half of the quests are for one word, half for any of three."""
    possible = 0
    for seed in range(count(120, 1500)):
        mdp, labelling, chance = random_world(seed)
        words = [random_word(labelling, chance) for _ in range(1 if seed % 2 else 3)]
        filtered = seed % 4 == 1
        alpha, least = by_linear_programme(steps(mdp, labelling, words, filtered), ((), mdp.initial))
        planner = QueryPlanner(mdp, labelling)
        assert planner.strategy(words, "probability", filtered).probability == pytest.approx(alpha, abs=1e-7)
        assert planner.strategy(words, "actions", filtered).expected_actions == pytest.approx(least, rel=1e-6)
        possible += alpha > 0
    assert possible > seed / 2


def test_no_strategy_does_better_when_every_one_is_tried(count):
    """All 3^6 strategies on three states and up to two letters, valued by doubling; of the likeliest, the shortest."""
    for seed in range(count(12, 150)):
        mdp, labelling, chance = random_world(seed, states=3)
        word = random_word(labelling, chance, longest=2)
        table, start = steps(mdp, labelling, [word]), ((), mdp.initial)
        pairs = list(dict.fromkeys(pair for pair, _ in table if pair[0] != word))
        values = []
        for choices in itertools.product((*mdp.actions, None), repeat=len(pairs)):
            strategy = dict(zip(pairs, choices, strict=True))
            if strategy[start] is not None:
                values.append(evaluate(table, start, strategy.get))
        alpha = max(p for p, _ in values)
        likeliest = query_strategy(mdp, labelling, word, "probability")
        quickest = query_strategy(mdp, labelling, word, "actions")
        assert likeliest.probability == pytest.approx(alpha, abs=1e-9)
        if alpha == 0:
            assert likeliest.expected_actions == quickest.expected_actions == math.inf
            continue
        shortest = min(c for p, c in values if p > alpha - 1e-9)
        assert likeliest.expected_actions == pytest.approx(shortest / alpha, rel=1e-6)
        assert quickest.expected_actions == pytest.approx(min(c / p for p, c in values if p > 1e-12), rel=1e-6)


def test_a_strategy_attains_what_it_says(count):
    """Its own actions, valued by doubling, give its own figures: in particular it does not dawdle."""
    for seed in range(count(60, 600)):
        mdp, labelling, chance = random_world(seed + 10_000)
        word = random_word(labelling, chance)
        table = steps(mdp, labelling, [word])
        for objective in OBJECTIVES:
            strategy = query_strategy(mdp, labelling, word, objective)
            p, c = evaluate(table, ((), mdp.initial),
                            lambda pair, strategy=strategy: strategy.action(pair[1], len(pair[0])))
            assert strategy.probability == pytest.approx(p, abs=1e-9)
            if p:
                assert strategy.action(mdp.initial, 0) is not None
                assert strategy.expected_actions == pytest.approx(c / p, rel=1e-6)


def lived(mdp, labelling, word, choose, chance):
    """(first episode succeeded, actions until the word has been observed)."""
    actions, episodes, state, observed = 0, 1, mdp.initial, 0
    while observed < len(word):
        action = choose(state, observed)
        if action is not None:
            state, actions = mdp.sample(state, action, chance), actions + 1
            z = labelling(action, state)
            if z == word[observed]:
                observed += 1
                continue
        if action is None or z != mrm.NULL:
            state, observed, episodes = mdp.initial, 0, episodes + 1
    return episodes == 1, actions


def worlds_to_live_in(how_many, least=0.05):
    """Random worlds with a word that is neither sure nor hopeless."""
    for seed in itertools.count(20_000):
        mdp, labelling, chance = random_world(seed)
        word = random_word(labelling, chance)
        if least < query_strategy(mdp, labelling, word, "probability").probability < 0.95:
            yield mdp, labelling, word, chance
            how_many -= 1
            if not how_many:
                return


def test_lived_chances_and_actions_agree_within_four_standard_errors(count):
    runs = count(600, 3000)
    for mdp, labelling, word, chance in worlds_to_live_in(count(4, 30)):
        for objective in OBJECTIVES:
            strategy = query_strategy(mdp, labelling, word, objective)
            results = [lived(mdp, labelling, word, strategy.action, chance) for _ in range(runs)]
            first, actions = zip(*results, strict=True)
            p = strategy.probability
            assert abs(fmean(first) - p) <= 4 * math.sqrt(p * (1 - p) / runs) + 1e-9
            assert abs(fmean(actions) - strategy.expected_actions) <= 4 * stdev(actions) / math.sqrt(runs) + 1e-9


def test_random_exploration_takes_what_is_expected_of_it(count):
    """By doubling on the mean of all actions, and by living it, within 4 standard errors."""
    runs = count(400, 2000)
    for mdp, labelling, word, chance in worlds_to_live_in(count(5, 40)):
        expected = QueryPlanner(mdp, labelling).expected_actions_random(word)
        table = steps(mdp, labelling, [word])
        mean = {}
        for (pair, _), (after, success) in table.items():
            chances, total = mean.get((pair, "any"), ({}, 0.0))
            for other, p in after.items():
                chances[other] = chances.get(other, 0.0) + p / len(mdp.actions)
            mean[pair, "any"] = chances, total + success / len(mdp.actions)
        p, c = evaluate(mean, ((), mdp.initial), lambda pair: "any")
        assert expected == pytest.approx(c / p, rel=1e-6)
        if expected < 500:
            explore = RandomExploration(mdp.actions)(word, chance)
            actions = [lived(mdp, labelling, word, explore, chance)[1] for _ in range(runs)]
            assert abs(fmean(actions) - expected) <= 4 * stdev(actions) / math.sqrt(runs)


def test_words_that_are_not_executable_have_no_chance_and_take_for_ever(count):
    impossible = 0
    for seed in range(count(150, 1500)):
        mdp, labelling, chance = random_world(seed + 30_000, letters=3)
        word, planner = random_word(labelling, chance, longest=5), QueryPlanner(mdp, labelling)
        lengths = [i for i in range(len(word) + 1) if executable(mdp, labelling, word[:i])]
        assert planner.executable_letters(word) == lengths[-1]
        if lengths[-1] < len(word):
            impossible += 1
            for objective in OBJECTIVES:
                strategy = planner.strategy([word], objective)
                assert (strategy.probability, strategy.expected_actions) == (0.0, math.inf)
                assert strategy.action(mdp.initial, 0) is None
                assert strategy.episodes(0.9) == math.inf
            assert planner.expected_actions_random(word) == math.inf
        else:
            assert planner.strategy([word], "probability").probability > 0
    assert impossible > seed / 10


@pytest.mark.parametrize("apf", [0.75, 0.85, 0.95])
def test_words_of_the_treasure_map_take_the_length_of_the_way_divided_by_the_precision(apf):
    """Each move is tried 1/APF times; m·g·t·j2·g·t is 4 + 8 + 12 + 12 + 8 + 12 moves, and e·e is 12 + 2, out and in."""
    world = mrm.domains.treasure_map(apf)
    for word, moves in ((("m",), 4), (("m", "g", "t", "j2", "g", "t"), 56), (("e", "e"), 14)):
        for objective in OBJECTIVES:
            strategy = query_strategy(world.mdp, world.labelling, word, objective)
            assert strategy.probability == pytest.approx(1.0, abs=1e-12)
            assert strategy.expected_actions == pytest.approx(moves / apf, rel=1e-12)
            assert strategy.episodes(0.999) == 1


def heads():
    mdp = mrm.NRMDP("ht", ["flip"], lambda s, a: {"h": 0.5, "t": 0.5}, "h")
    return mdp, mrm.Labelling(lambda a, s: s, "ht")


def test_a_tiny_chance_is_exact():
    """60 heads: α = 2^−60; an episode lasts 2 − 2^−59 flips, so it takes 2^61 − 2 in all."""
    mdp, labelling = heads()
    for objective in OBJECTIVES:
        strategy = query_strategy(mdp, labelling, ("h",) * 60, objective)
        assert strategy.probability == pytest.approx(2.0**-60, rel=1e-12)
        assert strategy.expected_actions == pytest.approx(2.0**61 - 2, rel=1e-12)


@pytest.mark.parametrize(("confidence", "episodes"), [(0.5, 3), (0.9, 9), (0.99, 17), (0.25, 1)])
def test_so_many_episodes_give_that_confidence(confidence, episodes):
    """Two heads have α = ¼: the least k with 1 − (¾)^k ≥ confidence."""
    mdp, labelling = heads()
    strategy = query_strategy(mdp, labelling, "hh", "probability")
    assert strategy.episodes(confidence) == episodes
    assert 1 - 0.75**episodes >= confidence > 1 - 0.75**(episodes - 1)


def test_waiting_costs_the_chance_nothing_but_is_never_chosen():
    """`wait`, declared first, keeps every chance as it is; a strategy that took it would never arrive."""
    mdp = mrm.NRMDP("stu", ["wait", "go"], lambda s, a: {s if a == "wait" else {"s": "t"}.get(s, "u"): 1.0}, "s")
    labelling = mrm.Labelling({("go", "u"): "there"}, ["there"])
    for objective in OBJECTIVES:
        strategy = query_strategy(mdp, labelling, ("there",), objective)
        assert (strategy.probability, strategy.expected_actions) == (1.0, 2.0)
        assert [strategy.action(s, 0) for s in "st"] == ["go", "go"]


def test_an_episode_that_cannot_succeed_any_more_is_given_up_and_a_bad_one_when_that_is_quicker():
    """From s0 `go` leads to the dead end d, the slow s or the quick q, each with chance ⅓; from s it takes 100 tries.

    Giving s up: an episode takes 1 + ⅓ actions and succeeds with ⅓, so 4 in all. Never giving up: 1 + ⅓·101 = 34⅔ a
    an episode, with chance ⅔: 52 in all. The chance α = ⅔ needs the latter.
    """
    move = {"s0": {"d": 1 / 3, "s": 1 / 3, "q": 1 / 3}, "d": {"d": 1.0}, "s": {"s": 0.99, "end": 0.01},
            "q": {"end": 1.0}, "end": {"end": 1.0}}
    mdp = mrm.NRMDP(move, ["go"], lambda s, a: move[s], "s0")
    labelling = mrm.Labelling({("go", "end"): "z"}, ["z"])
    likeliest, quickest = (query_strategy(mdp, labelling, ("z",), objective) for objective in OBJECTIVES)
    assert (quickest.action("s", 0), likeliest.action("s", 0)) == (None, "go")
    assert quickest.action("d", 0) is likeliest.action("d", 0) is None
    assert (quickest.probability, quickest.expected_actions) == pytest.approx((1 / 3, 4.0))
    assert (likeliest.probability, likeliest.expected_actions) == pytest.approx((2 / 3, (1 + 1 / 3 + 100 / 3) * 1.5))


def test_ties_go_to_the_declared_order():
    """To j1 in the north-east n and e are as good, but at (8, 9), where e enters g; further west a reset is quicker."""
    world = mrm.domains.treasure_map()
    M = world.mdp
    reversed_M = mrm.NRMDP(M.states, reversed(M.actions), M.successors, M.initial)
    for mdp, first in ((M, "n"), (reversed_M, "e")):
        for objective, west in (("actions", None), ("probability", first)):
            strategy = query_strategy(mdp, world.labelling, ("j1",), objective)
            taken = [strategy.action(((column, 9), False), 0) for column in (4, 5, 6, 7, 8)]
            assert taken == [west, first, first, first, "n"]


def test_the_actions_that_remain_are_told_for_every_place():
    """At APF ½ and on the way to m: twice the moves that remain, 8 from s0."""
    world = mrm.domains.treasure_map(apf=0.5)
    strategy = query_strategy(world.mdp, world.labelling, ("m",), "actions")
    column = [world.mdp.states.index(((5, row), False)) for row in (9, 8, 7, 6)]
    assert strategy.remaining[0, column] == pytest.approx([8.0, 6.0, 4.0, 2.0])
    assert strategy.remaining[0].max() <= strategy.expected_actions * (1 + 1e-12)  # else a reset would be quicker


def test_of_several_words_the_nearest_is_pursued_and_any_of_them_is_welcome():
    world = mrm.domains.treasure_map(apf=1.0)
    planner = QueryPlanner(world.mdp, world.labelling)
    both = planner.strategy([("m", "t"), ("j2",), ("m", "e")])
    assert both.expected_actions == pytest.approx(4.0)
    assert both.action(world.mdp.initial, 0) == "w"
    assert both.action(((5, 5), True), both.quest.nodes.index(("m",))) == "n"


def test_a_quest_takes_no_longer_than_any_of_its_words(count):
    for seed in range(count(40, 400)):
        mdp, labelling, chance = random_world(seed + 40_000)
        planner, words = QueryPlanner(mdp, labelling), [random_word(labelling, chance) for _ in range(4)]
        together = planner.strategy(words).expected_actions
        assert together <= min(planner.strategy([word]).expected_actions for word in words) * (1 + 1e-9)


def test_filtered_for_one_letter_is_a_world_that_shows_no_other(count):
    for seed in range(count(40, 400)):
        mdp, labelling, _ = random_world(seed + 50_000)
        z = labelling.observations[0]
        only = mrm.Labelling(lambda a, s, z=z, full=labelling: z if full(a, s) == z else mrm.NULL, [z])
        for objective in OBJECTIVES:
            filtered = QueryPlanner(mdp, labelling).strategy([(z, z)], objective, filtered=True)
            plain = query_strategy(mdp, only, (z, z), objective)
            assert filtered.probability == pytest.approx(plain.probability)
            assert filtered.expected_actions == pytest.approx(plain.expected_actions)


def test_every_word_of_the_cookie_domain_can_be_met_through_the_filter():
    world = mrm.domains.cookie()
    planner = QueryPlanner(world.mdp, world.labelling)
    for word in itertools.product(world.labelling.observations, repeat=2):
        assert planner.strategy([word], filtered=True).expected_actions < 60
        assert planner.executable_letters(word, filtered=True) == 2
    assert planner.executable_letters(("yel_bd",)) == 0


def test_null_may_be_a_letter():
    """At APF 1: null, null, null, m is what four steps north show; null, m cannot be."""
    world = mrm.domains.treasure_map(apf=1.0)
    labelling = world.labelling.with_null_as_letter()
    assert query_strategy(world.mdp, labelling, (*["null"] * 3, "m"), "actions").expected_actions == 4.0
    assert query_strategy(world.mdp, labelling, ("null", "m"), "actions").expected_actions == math.inf


def test_the_empty_word_is_observed_already():
    mdp, labelling = heads()
    for objective in OBJECTIVES:
        strategy = query_strategy(mdp, labelling, (), objective)
        assert (strategy.probability, strategy.expected_actions, strategy.episodes(0.5)) == (1.0, 0.0, 1)
    assert QueryPlanner(mdp, labelling).expected_actions_random(()) == 0.0


def test_random_exploration_that_may_be_lost_for_ever_takes_for_ever():
    """One of two actions leads to a state that shows null for ever; the optimal strategy never takes it."""
    mdp = mrm.NRMDP(["s", "lost", "end"], ["lose", "win"],
                    lambda s, a: {{"s": {"lose": "lost", "win": "end"}}.get(s, {}).get(a, s): 1.0}, "s")
    labelling = mrm.Labelling({("win", "end"): "z"}, ["z"])
    assert query_strategy(mdp, labelling, ("z",), "actions").expected_actions == 1.0
    assert QueryPlanner(mdp, labelling).expected_actions_random(("z",)) == math.inf


def test_a_quest_is_a_prefix_tree():
    quest = Quest.of([("a", "b"), ("a",), ("b",)], "abc")
    assert list(quest.nodes) == [(), ("a",), ("a", "b"), ("b",)]
    assert quest.follow.tolist() == [[1, 3, -1, 0], [-1, 2, -1, 1], [-1, -1, -1, 2], [-1, -1, -1, 3]]
    assert Quest.of([("a",)], "ab", filtered=True).follow.tolist() == [[1, 0, 0], [1, 1, 1]]


def test_an_episode_unfolds_into_what_may_happen():
    """One flip for heads: it succeeds with ½, is spoilt with ½, and never goes on."""
    mdp, labelling = heads()
    quest = Quest.of(["h"], "ht")
    episode = Episode.of(mdp, labelling.table(mdp), quest.follow, quest.wanted)
    assert episode.moves.nnz == 0
    assert episode.success.tolist() == [0.5, 0.5, 0.0, 0.0]
    assert episode.ends.tolist() == [1.0] * 4
    assert [v.tolist() for v in episode.value(episode.approach())] == [[0.5, 0.5, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]


def test_questions_that_make_no_sense_are_refused():
    mdp, labelling = heads()
    with pytest.raises(mrm.QueryError, match="unknown observation 'x' in the word"):
        query_strategy(mdp, labelling, ("h", "x"), "actions")
    with pytest.raises(mrm.QueryError, match="not 'speed'"):
        query_strategy(mdp, labelling, ("h",), "speed")
    strategy = query_strategy(mdp, labelling, ("h",), "actions")
    with pytest.raises(mrm.ModelError, match="unknown state 'x'"):
        strategy.action("x", 0)
    for letters in (-1, 2):
        with pytest.raises(mrm.QueryError, match="letters"):
            strategy.action("h", letters)
    for confidence in (0.0, 1.0, 1.5):
        with pytest.raises(mrm.QueryError, match="confidence"):
            strategy.episodes(confidence)
