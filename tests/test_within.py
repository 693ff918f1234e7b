"""Executable words, machines compared on these, the smallest one: against plain searches over sets of states."""

import pickle
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.within.agreement import (
    SmallestMachine,
    WordGraph,
    clique,
    distinguish,
    executable,
    incompatible,
    minimal_within,
)

from .random_models import (
    LETTERS,
    machines,
    nrmdps,
    random_labelling,
    random_minimal_machine,
    random_nrmdp,
    rng,
    worlds,
)


def possible(mdp, lam, states):
    """{z: states} that may be reached next with z seen, nulls skipped: by the names, not the arrays."""
    states, found = list(states), {}
    for s in states:  # grows by what null leads to
        for a in mdp.actions:
            for t in mdp.successors(s, a):
                z = lam(a, t)
                if z in lam.observations:
                    found.setdefault(z, set()).add(t)
                elif t not in states:
                    states.append(t)
    return found


def shortest_difference(mdp, lam, one, other):
    """The length of a shortest executable word paid differently, or None: breadth first over sets of states."""
    level, seen, length = [(frozenset({mdp.initial}), one.initial, other.initial)], set(), 1
    while level:
        after = []
        for states, u, v in level:
            for z, reached in possible(mdp, lam, states).items():
                (u2, r), (v2, q) = one.step(u, z), other.step(v, z)
                if r != q:
                    return length
                triple = (frozenset(reached), u2, v2)
                if triple not in seen:
                    seen.add(triple)
                    after.append(triple)
        level, length = after, length + 1
    return None


def every_machine(nodes, letters, rewards):
    """All machines with these nodes, the first one first; nodes that are not reached are listed too."""
    pairs = list(product(range(nodes), letters))
    for choice in product(product(range(nodes), rewards), repeat=len(pairs)):
        yield mrm.MealyRewardMachine(dict(zip(pairs, choice, strict=True)), 0)


def varied(draw, machine):
    """The machine with one transition changed: differences that are hard to find."""
    pair = draw(st.sampled_from(list(machine.transitions)))
    changed = (draw(st.sampled_from(machine.nodes)), draw(st.sampled_from([0.0, 1.0])))
    return mrm.MealyRewardMachine(machine.transitions | {pair: changed}, machine.initial, machine.null_reward)


@st.composite
def worlds_with_rivals(draw):
    mdp, lam, machine = draw(worlds())
    return mdp, lam, machine, varied(draw, varied(draw, machine))


@given(nrmdps(), st.data())
def test_executable_words_are_those_that_can_be_walked(mdp, data):
    seen = st.sampled_from((mrm.NULL, "a", "b"))
    lam = mrm.Labelling({(a, s): data.draw(seen) for a in mdp.actions for s in mdp.states}, "ab")
    lam = data.draw(st.sampled_from([lam, lam.with_null_as_letter()]))
    for word in (word for length in range(5) for word in product(lam.observations, repeat=length)):
        states = {mdp.initial}
        for z in word:
            states = possible(mdp, lam, states).get(z, set())
        assert executable(mdp, lam, word) == bool(states)


@given(worlds_with_rivals())
def test_distinguish_finds_a_shortest_executable_difference(world):
    mdp, lam, one, other = world
    word = distinguish(mdp, lam, one, other)
    assert (word and len(word)) == shortest_difference(mdp, lam, one, other)
    if word is not None:
        assert executable(mdp, lam, word)
        assert one.rewards(word)[:-1] == other.rewards(word)[:-1]
        assert one.rewards(word)[-1] != other.rewards(word)[-1]


@given(worlds())
def test_what_a_machine_is_paid_for_survives_merging_and_pruning(world):
    """The rows that the searches work on pay for every executable word what the machine pays, and know no others."""
    mdp, lam, machine = world
    graph = WordGraph(mdp, lam)
    rows = graph.paid_by(machine)
    for word in (word for length in range(5) for word in product(lam.observations, repeat=length)):
        places, paid = {0}, []
        for z in map(graph.position, word):
            edges = {(r, t) for p in places for (letter, r), t in rows[p] if letter == z}
            places = {t for _, t in edges}
            paid.append({r for r, _ in edges})
        assert bool(places) == graph.executable(word)
        if places:
            assert paid == [{r} for r in machine.rewards(word)]


def test_the_cookie_world_has_one_place_for_a_room_and_what_lies_about():
    """yel_bd is never first, nothing can be eaten before a push."""
    world = mrm.domains.cookie()
    graph = WordGraph(world.mdp, world.labelling)
    assert graph.executable(("yel", "yel_bd", "blu_cook", "blu_crum"))
    for word in (("yel_bd",), ("blu_cook",), ("yel", "blu_crum"), ("yel", "yel_bd", "blu_cook", "red_cook")):
        assert not graph.executable(word)


def test_every_word_is_executable_on_the_treasure_map():
    world = mrm.domains.treasure_map()
    assert WordGraph(world.mdp, world.labelling).moves == [[(z, 0) for z in range(6)]]


def test_unknown_letters_are_named():
    world = mrm.domains.cookie()
    with pytest.raises(mrm.QueryError, match="unknown observation 'green'"):
        executable(world.mdp, world.labelling, ("yel", "green"))
    with pytest.raises(mrm.QueryError, match="'green'"):
        executable(world.mdp, world.labelling, ("yel_bd", "green"))  # also where the word ends before
    with pytest.raises(mrm.QueryError, match=r"'\['"):
        executable(world.mdp, world.labelling, ("[",))
    with pytest.raises(mrm.ModelError, match="does not read 'blu'"):
        distinguish(world.mdp, world.labelling, world.machine, mrm.domains.treasure_map().machine)


def test_what_null_pays_is_no_word_unless_null_is_a_letter():
    world = mrm.domains.treasure_map(c=-1.0)
    generous = mrm.MealyRewardMachine(world.machine.transitions, "u0", null_reward=5.0)
    assert distinguish(world.mdp, world.labelling, world.machine, generous) is None
    assert not world.machine.equivalent(generous)
    assert distinguish(world.mdp, world.labelling.with_null_as_letter(), world.machine, generous) == (mrm.NULL,)


def test_a_world_that_shows_nothing_has_the_empty_word_only():
    dark = mrm.NRMDP("s", ["go"], lambda s, a: {"s": 1.0}, "s")
    lam = mrm.Labelling({}, "ab")
    assert executable(dark, lam, ())
    assert not executable(dark, lam, ("a",))
    found = minimal_within(dark, lam, random_minimal_machine(rng(0), 4))
    assert (len(found.nodes), found.proved) == (1, True)


def test_two_nodes_suffice_for_the_cookie():
    """One fewer than the two it takes: a crumb is paid once, so not every time."""
    world = mrm.domains.cookie()
    found = minimal_within(world.mdp, world.labelling, world.machine)
    assert (len(found.nodes), found.lower_bound, found.proved) == (2, 2, True)
    assert distinguish(world.mdp, world.labelling, found, world.machine) is None
    assert found.difference(world.machine) is not None
    assert found.null_reward == world.machine.null_reward


def test_where_every_word_is_executable_the_minimal_machine_is_the_answer():
    world = mrm.domains.treasure_map()
    found = minimal_within(world.mdp, world.labelling, world.machine)
    assert found.proved
    assert found == world.machine.minimal()


def test_no_smaller_machine_agrees_within_tiny_worlds(count):
    """All machines with one node less are tried; rewards that H never pays cannot help."""
    reduced = 0
    for seed in range(count(40, 400)):
        draw = rng(seed)
        mdp = random_nrmdp(draw, states=int(draw.integers(2, 6)), branching=2, connected=False)
        lam = random_labelling(draw, mdp, letters=2)
        H = random_minimal_machine(draw, nodes=3, rewards=(0.0, 1.0))
        found = minimal_within(mdp, lam, H)
        assert found.proved
        assert distinguish(mdp, lam, found, H) is None
        graph = WordGraph(mdp, lam)
        reduced += len(found.nodes) < 3
        if len(found.nodes) > 1:
            smaller = every_machine(len(found.nodes) - 1, "ab", (0.0, 1.0))
            assert all(graph.distinguish(H, K) for K in smaller)
    assert reduced > 3  # else this shows nothing


@given(worlds(max_states=4, max_nodes=5, max_letters=3))
def test_the_smallest_machine_agrees_and_needs_its_nodes(world):
    mdp, lam, machine = world
    found = minimal_within(mdp, lam, machine)
    assert found.proved
    assert len(found.nodes) <= len(machine.minimal().nodes)
    assert distinguish(mdp, lam, found, machine) is None
    again = minimal_within(mdp, lam, found)
    assert len(again.nodes) == len(found.nodes)


@given(machines(), st.integers(0, 3))
def test_places_that_are_apart_really_pay_differently_after_a_common_word(machine, seed):
    draw = rng(seed)
    mdp = random_nrmdp(draw, states=3)
    lam = random_labelling(draw, mdp, letters=len(machine.observations))
    rows = WordGraph(mdp, lam).paid_by(machine)
    apart = incompatible(rows)
    for p, q in product(range(len(rows)), repeat=2):
        level, seen, differ = [(p, q)], {(p, q)}, False
        for here, there in level:  # grows as it is read
            for (z, r), t in rows[here]:
                for (y, s), v in rows[there]:
                    differ |= y == z and r != s
                    if y == z and (t, v) not in seen:
                        seen.add((t, v))
                        level.append((t, v))
        assert apart[p, q] == differ
    chosen = clique(apart)
    assert all(apart[p, q] for p in chosen for q in chosen if p != q)


def test_a_budget_ends_the_search_and_the_result_says_so():
    """A world where eleven nodes take more than one conflict to find: then H itself is the best known."""
    draw = rng(7)
    mdp = random_nrmdp(draw, states=10, branching=1, connected=False)
    lam = random_labelling(draw, mdp, letters=2, null=0.1)
    H = random_minimal_machine(draw, nodes=12, rewards=(0.0, 1.0), tries=3000)
    best, hasty = minimal_within(mdp, lam, H), minimal_within(mdp, lam, H, budget=0)
    assert (len(best.nodes), best.lower_bound, best.proved) == (11, 11, True)
    assert (len(hasty.nodes), hasty.lower_bound, hasty.proved) == (12, 11, False)
    assert repr(hasty) == "SmallestMachine(12 nodes, at least 11 needed)"
    assert distinguish(mdp, lam, hasty, H) is None


def test_the_smallest_machine_is_a_machine_like_any_other():
    world = mrm.domains.cookie()
    found = minimal_within(world.mdp, world.labelling, world.machine)
    assert isinstance(found, mrm.MealyRewardMachine)
    assert tuple(found.observations) == tuple(world.machine.observations)
    assert mrm.MealyRewardMachine.from_json(found.to_json()) == found
    assert pickle.loads(pickle.dumps(found)).proved
    assert SmallestMachine.from_json(found.to_json()).lower_bound == 1  # a file proves nothing
    with pytest.raises(AttributeError, match="frozen"):
        found.lower_bound = 1


def test_letters_that_the_world_never_shows_are_read_all_the_same():
    ring = mrm.NRMDP("s", ["go"], lambda s, a: {"s": 1.0}, "s")
    lam = mrm.Labelling({("go", "s"): "a"}, "a")
    H = random_minimal_machine(rng(1), nodes=3, letters=2)
    found = minimal_within(ring, lam, H)
    assert tuple(found.observations) == LETTERS[:2]
    assert found.rewards(("a",) * 9) == H.rewards(("a",) * 9)
