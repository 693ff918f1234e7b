"""Suites against all machines of a fault domain; testers; completeness relative to M against every small machine."""

from itertools import islice, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from benchmarks.suites import aalpys, missed
from mrmlib.conformance.rivals import CompleteTester
from mrmlib.conformance.suites import Suite, random_walks, random_words, w_method, wp_method
from mrmlib.conformance.testers import ChainTester, SuiteTester, up_to
from mrmlib.lstar import learn
from mrmlib.store import Store
from mrmlib.within.agreement import WordGraph, distinguish, executable

from .random_models import (
    LETTERS,
    machines,
    random_labelling,
    random_machine,
    random_minimal_machine,
    random_nrmdp,
    rng,
)
from .test_within import every_machine

METHODS = pytest.mark.parametrize("method", [w_method, wp_method])


def lone(letters="ab"):
    """One node that pays 0."""
    return mrm.MealyRewardMachine({("u", z): ("u", 0.0) for z in letters}, "u")


def different(machines):
    """The machines as small as possible, one of each kind."""
    return list({machine.to_json(): machine for machine in (machine.minimal() for machine in machines)}.values())


def passes(machine, H, suite):
    return all(machine.rewards(word) == H.rewards(word) for word in suite)


@METHODS
@pytest.mark.parametrize(("nodes", "letters"), [(2, "ab"), (3, "a")])
def test_no_other_machine_within_the_bound_passes(method, nodes, letters):
    """The whole fault domain: every hypothesis against every machine, one-node hypotheses included."""
    domain = different(every_machine(nodes, letters, (0.0, 1.0)))
    assert {len(H.nodes) for H in domain} == set(range(1, nodes + 1))
    for H in domain:
        suite = list(method(H, nodes - len(H.nodes)))
        assert [machine for machine in domain if passes(machine, H, suite)] == [H]


@METHODS
def test_no_machine_with_three_nodes_passes_for_another(method, count):
    """Two letters: 1 500 machines at random, or all of them; the first hypotheses have one node."""
    draw = rng(5)
    some = [lone(), *(random_machine(draw, 3, rewards=(0.0, 1.0)) for _ in range(1500))]
    domain = different(count(some, every_machine(3, "ab", (0.0, 1.0))))
    for i in [*range(3), *draw.integers(len(domain), size=count(5, 60)).tolist()]:
        H = domain[i]
        suite = list(method(H, 3 - len(H.nodes)))
        assert [machine for machine in domain if passes(machine, H, suite)] == [H]


@METHODS
@given(data=st.data())
def test_a_changed_machine_does_not_pass(method, data):
    """Changes of one or two transitions are the hard ones; nodes that H has not are added first."""
    H, extra = data.draw(machines(max_nodes=5, max_letters=3)), data.draw(st.integers(0, 2))
    nodes = [*H.minimal().nodes, *range(extra)]
    steps = st.tuples(st.sampled_from(nodes), st.sampled_from([0.0, 1.0]))
    table = H.minimal().transitions | {(u, z): data.draw(steps) for u in range(extra) for z in H.observations}
    for _ in range(3):
        pair = data.draw(st.sampled_from(list(table)))
        table[pair] = (data.draw(st.sampled_from(nodes)), table[pair][1])
    machine = mrm.MealyRewardMachine(table, "u0")
    assert passes(machine, H, method(H, extra)) == (machine.difference(H) is None)


def test_one_node_needs_no_suffix_but_is_tested_all_the_same():
    assert list(w_method(lone())) == [("a",), ("b",)]
    assert list(wp_method(lone(), 1)) == [("a",), ("b",), ("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    assert missed(extra=1, count=40)[0] == 0


@METHODS
@given(H=machines(), extra=st.integers(0, 2))
def test_no_word_is_a_prefix_of_one_in_its_level_or_before(method, H, extra):
    suite = method(H, extra)
    before = set()
    for level in range(extra + 2):
        words = list(suite._level(level))
        assert len(set(words)) == len(words)
        prefixes = {word[:i] for word in words for i in range(len(word))}
        assert not prefixes & set(words)
        assert not before & set(words)
        before |= prefixes | set(words)
    assert suite.size == len(list(suite)) <= suite.at_most


@given(machines(), st.integers(0, 2))
def test_the_w_suite_asks_what_the_textbook_asks(H, extra):
    """V·Z^≤(e+1)·W, put together plainly, has the same prefixes; W tells all nodes apart."""
    H = H.minimal()
    suite = w_method(H, extra)
    access = {H.initial: ()}
    for u in (order := [H.initial]):
        for z in H.observations:
            if (v := H.step(u, z)[0]) not in access:
                access[v] = (*access[u], z)
                order.append(v)
    W = [tuple(H.observations[z] for z in word) for word in suite._suffixes[0][0]]
    answers = {tuple(H.rewards(word, u) for word in W) for u in H.nodes}
    assert len(answers) == len(H.nodes)
    textbook = {v + x + s for v in access.values() for i in range(extra + 2)
                for x in product(H.observations, repeat=i) for s in W}
    asked = {word[:i] for word in suite for i in range(len(word) + 1)}
    assert asked == {word[:i] for word in textbook for i in range(len(word) + 1)}


@given(machines(max_nodes=6), st.integers(0, 1))
def test_the_wp_suite_is_a_part_of_the_w_suite(H, extra):
    whole = {word[:i] for word in w_method(H, extra) for i in range(len(word) + 1)}
    assert whole.issuperset(wp_method(H, extra))
    assert wp_method(H, extra).at_most <= w_method(H, extra).at_most


def test_never_more_tests_than_aalpys_wp(count):
    for seed in range(count(20, 300)):
        draw = rng(seed)
        H = random_minimal_machine(draw, int(draw.integers(2, 9)), int(draw.integers(2, 5)),
                                   (0.0, 1.0) if seed % 2 else (0.0, 1.0, 2.0), tries=1000)
        for extra in (0, 1):
            assert wp_method(H, extra).size <= aalpys(H, extra)[0]


@METHODS
def test_words_come_before_the_suite_is_made(method):
    H = random_minimal_machine(rng(0), nodes=5, letters=3)
    suite = method(H, extra_nodes=60)
    assert suite.at_most > 3**60
    first = list(islice(suite, 200))
    assert first == list(islice(suite, 200))  # from the start again
    assert max(map(len, first)) < 12


@METHODS
def test_extra_nodes_count_from_the_minimal_machine(method):
    H = random_minimal_machine(rng(1), nodes=3)
    double = mrm.MealyRewardMachine(
        {((u, i), z): ((v, 1 - i), r) for (u, z), (v, r) in H.transitions.items() for i in (0, 1)}, ("u0", 0))
    assert list(method(double, 1)) == list(method(H, 1))


@METHODS
def test_a_bound_below_the_hypothesis_is_an_error(method):
    H = random_minimal_machine(rng(1), nodes=3)
    with pytest.raises(mrm.QueryError, match="extra_nodes is -1: a bound below the 3 nodes"):
        method(H, -1)
    with pytest.raises(mrm.QueryError, match="below the 3 nodes"):
        SuiteTester(H.rewards, up_to(2, method)).counterexample(H)
    with pytest.raises(TypeError):
        method(H, 0.5)


def test_random_words_and_walks_are_lazy_seeded_and_as_many_as_said():
    words = list(random_words("abc", count=300, length=7, seed=3))
    assert words == list(random_words("abc", count=300, length=7, seed=3))
    assert words != list(random_words("abc", count=300, length=7, seed=4))
    assert {len(word) for word in words} == set(range(1, 8))
    walks = list(random_walks("abc", letters=1000, restart=0.1, seed=3))
    assert walks == list(random_walks("abc", letters=1000, restart=0.1, seed=3))
    assert sum(map(len, walks)) == 1000
    assert 60 < len(walks) < 140  # 100 on average, 10 = one standard deviation
    assert all(walks)
    assert len(list(islice(random_words("a", count=10**12, length=3), 2))) == 2
    assert len(list(islice(random_walks("a", letters=10**12), 2))) == 2


def lock(secret):
    """Pays 1 at the end of the secret word, and 0 for everything else; a wrong letter starts anew."""
    table = {(i, z): ((i + 1) % len(secret) if z == secret[i] else 0, float(z == secret[i] and i + 1 == len(secret)))
             for i in range(len(secret)) for z in "abcd"}
    return mrm.MealyRewardMachine(table, 0)


def test_random_words_miss_a_lock_that_the_w_method_opens():
    hidden, H = lock("abcda"), lone("abcd")
    rare = SuiteTester(hidden.rewards, lambda H: random_words(H.observations, 50, 8, seed=2))
    assert rare.counterexample(H) is None
    assert SuiteTester(hidden.rewards, up_to(5, wp_method)).counterexample(H) == tuple("abcda")
    assert ChainTester(rare, SuiteTester(hidden.rewards, up_to(5, w_method))).counterexample(H) == tuple("abcda")
    assert ChainTester().counterexample(H) is None


def test_a_chain_asks_the_later_testers_only_if_the_earlier_find_nothing():
    def never(word):
        raise AssertionError(word)

    wrong = mrm.MealyRewardMachine({("u", z): ("u", 1.0) for z in "abcd"}, "u")
    chain = ChainTester(SuiteTester(wrong.rewards, w_method), SuiteTester(never, w_method))
    assert chain.counterexample(lone("abcd")) == ("a",)


def test_a_counterexample_is_cut_after_the_first_wrong_reward():
    hidden = lock("ab")
    assert SuiteTester(hidden.rewards, lambda H: [tuple("cabcc")]).counterexample(lone("abcd")) == tuple("cab")


def test_answers_of_the_wrong_length_are_refused():
    with pytest.raises(mrm.QueryError, match="2 rewards, the word"):
        SuiteTester(lambda word: (0.0, 0.0), w_method).counterexample(lone())


def ring():
    """M only ever shows a b a b …"""
    return (mrm.NRMDP("st", ["go"], lambda s, a: {"t" if s == "s" else "s": 1.0}, "s"),
            mrm.Labelling({("go", "t"): "a", ("go", "s"): "b"}, "ab"))


def late():
    return mrm.MealyRewardMachine({("u0", "a"): ("u0", 0.0), ("u0", "b"): ("u1", 0.0),
                                   ("u1", "a"): ("u1", 0.0), ("u1", "b"): ("u1", 1.0)}, "u0")


def test_a_filtered_w_suite_is_not_complete_but_the_complete_tester_finds_abab():
    """Every executable word of the suite for two nodes passes, yet abab differs."""
    mdp, lam = ring()
    filtered = SuiteTester(late().rewards, lambda H: (w for w in w_method(H, 1) if executable(mdp, lam, w)))
    assert filtered.counterexample(lone()) is None
    tester = CompleteTester(mdp, lam, late().rewards, max_nodes=2)
    assert tester.counterexample(lone()) == tuple("abab")
    assert not tester.proved
    assert CompleteTester(mdp, lam, lone().rewards, max_nodes=2).counterexample(lone()) is None


def tiny_world(seed, nodes, letters, rewards=(0.0, 1.0)):
    draw = rng(seed)
    mdp = random_nrmdp(draw, states=int(draw.integers(1, 5)), branching=2, connected=False)
    lam = random_labelling(draw, mdp, letters=letters, null=0.3)
    return mdp, lam, random_machine(draw, nodes, letters, rewards)


@pytest.mark.parametrize(("nodes", "letters"), [(2, 2), (3, 1)])
def test_none_means_that_every_machine_that_pays_as_lived_agrees(nodes, letters, count):
    """Every machine with so many nodes is tried, with the rewards seen and one never seen."""
    domain = list(every_machine(nodes, LETTERS[:letters], (0.0, 1.0, 7.0)))
    for seed in range(count(12, 200)):
        mdp, lam, H = tiny_world(seed, nodes, letters)
        tester = CompleteTester(mdp, lam, H.rewards, max_nodes=nodes)
        assert tester.counterexample(H) is None
        assert tester.proved
        lived, graph = list(tester.store.words()), WordGraph(mdp, lam)
        assert all(graph.executable(word) for word, _ in lived)
        for K in domain:
            if all(K.rewards(word) == paid for word, paid in lived):
                assert graph.distinguish(H, K) is None


def test_a_wrong_hypothesis_is_refuted_exactly_if_it_differs_within_the_world(count):
    """Half of the hypotheses are the hidden machine with one transition changed."""
    refuted = 0
    for seed in range(count(60, 600)):
        mdp, lam, hidden = tiny_world(seed, 1 + seed % 4, 2, (0.0, 1.0, 2.0))
        H = random_machine(rng(seed), 1 + seed % 3, 2, (0.0, 1.0))
        if seed % 2:
            H = mrm.MealyRewardMachine(hidden.transitions | {("n0", "a"): ("n0", 0.0)}, "n0")
        tester = CompleteTester(mdp, lam, hidden.rewards, max_nodes=len(hidden.nodes))
        word = tester.counterexample(H)
        assert (word is None) == (distinguish(mdp, lam, H, hidden) is None)
        refuted += word is not None
        if word is not None:
            assert executable(mdp, lam, word)
            assert H.rewards(word)[:-1] == hidden.rewards(word)[:-1]
            assert H.rewards(word)[-1] != hidden.rewards(word)[-1]
    assert 10 < refuted < count(50, 500)  # both happen


def test_the_complete_tester_on_both_domains():
    """Treasure map: complete for its six nodes; cookie: for two nodes, the fewest that pay as it does."""
    for world, nodes in ((mrm.domains.treasure_map(), 6), (mrm.domains.cookie(), 2)):
        tester = CompleteTester(world.mdp, world.labelling, world.machine.rewards, nodes)
        assert tester.counterexample(world.machine) is None
        assert tester.proved


def test_a_learner_takes_a_tester_for_its_teacher():
    world = mrm.domains.treasure_map()
    for tester in (CompleteTester(world.mdp, world.labelling, world.machine.rewards, 6),
                   SuiteTester(world.machine.rewards, up_to(6, wp_method))):
        learnt = learn(tester, world.labelling.observations).machine
        assert learnt.difference(world.machine) is None


def test_what_was_lived_is_not_asked_again():
    mdp, lam = ring()
    tester = CompleteTester(mdp, lam, late().rewards, max_nodes=2)
    assert tester.counterexample(lone()) == tuple("abab")

    def never(word):
        raise AssertionError(word)

    again = CompleteTester(mdp, lam, never, max_nodes=2, store=tester.store)
    assert again.counterexample(lone()) == tuple("abab")


def test_the_part_of_a_word_that_the_world_cannot_show_is_ignored():
    """An answer made up for b·b, which cannot be seen, neither refutes H nor makes a rival."""
    mdp, lam = ring()
    store = Store("ab")
    store.record(tuple("abb"), (0.0, 0.0, 99.0))
    assert CompleteTester(mdp, lam, lone().rewards, 2, store).counterexample(lone()) is None


def test_a_bound_that_no_machine_meets_is_an_error():
    mdp, lam = ring()
    with pytest.raises(mrm.ModelError, match="no machine with at most 1 nodes pays as lived"):
        CompleteTester(mdp, lam, late().rewards, max_nodes=1).counterexample(late())
    with pytest.raises(mrm.QueryError, match="max_nodes is 0"):
        CompleteTester(mdp, lam, late().rewards, max_nodes=0)


def test_a_budget_ends_the_search_without_a_proof():
    world = mrm.domains.cookie()
    tester = CompleteTester(world.mdp, world.labelling, world.machine.rewards, max_nodes=4, budget=50)
    assert tester.counterexample(world.machine) is None
    assert not tester.proved


def test_suites_grow_by_the_number_of_letters_with_each_extra_node():
    H = random_minimal_machine(rng(7), nodes=4, letters=3)
    sizes = [Suite(H, extra, partial=True).size for extra in range(4)]
    assert all(2.5 < after / before < 4 for before, after in pairwise(sizes))
