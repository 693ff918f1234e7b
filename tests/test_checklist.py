"""The checklist of a domain, against counting by hand and trying word by word."""

import re
from itertools import pairwise, product

import networkx as nx
import pytest
from hypothesis import given

import mrmlib as mrm
from mrmlib import domains
from mrmlib.domains import Domain, Grid, check, checklist, walk
from tests.random_models import worlds


def words_up_to(letters, length):
    return [word for n in range(1, length + 1) for word in product(letters, repeat=n)]


@given(worlds(max_letters=3))
def test_everything_that_it_finds_is_found_by_trying(world):
    """Steps as a graph for networkx, words one by one."""
    mdp, labelling, machine = world
    found = check(Domain("random", mdp, labelling, machine))
    steps = nx.DiGraph((s, t) for s in mdp.states for a in mdp.actions for t in mdp.successors(s, a))
    reached = steps.subgraph(nx.descendants(steps, mdp.initial) | {mdp.initial})
    assert found.unreachable == tuple(s for s in mdp.states if s not in reached)
    parts = nx.condensation(reached)
    assert found.parts == len(parts)
    assert found.strongly_connected == nx.is_strongly_connected(reached)
    assert sorted(found.closed) == sorted(len(parts.nodes[c]["members"]) for c in parts if not parts.out_degree(c))
    seen = {labelling(a, t) for s in reached for a in mdp.actions for t in mdp.successors(s, a)}
    assert found.unseen == tuple(z for z in labelling.observations if z not in seen)
    words = words_up_to(labelling.observations, 3)
    impossible = [word for word in words if not mrm.executable(mdp, labelling, word)]
    assert (found.words, found.impossible) == (len(words), len(impossible))
    assert set(found.examples) <= set(impossible)
    assert bool(found.examples) == bool(impossible)
    assert all(mrm.executable(mdp, labelling, word[:-1]) for word in found.examples)
    if impossible:
        assert found.every_word_executable is False
        assert len(found.shortest_impossible) == len(impossible[0])
        assert found.shortest_impossible in impossible


@given(worlds(max_states=4, max_letters=2))
def test_that_every_word_is_executable_is_claimed_only_where_longer_words_are_too(world):
    mdp, labelling, machine = world
    found = check(Domain("random", mdp, labelling, machine))
    longer = words_up_to(labelling.observations, 5)
    if found.every_word_executable:
        assert all(mrm.executable(mdp, labelling, word) for word in longer)
    else:
        assert not mrm.executable(mdp, labelling, found.shortest_impossible)
        shorter = [word for word in longer if len(word) < len(found.shortest_impossible)]
        assert all(mrm.executable(mdp, labelling, word) for word in shorter)


@pytest.mark.parametrize("name", ["treasure_map", "cookie", "assembly"])
def test_it_agrees_with_what_is_known_of_our_domains(name):
    domain = domains.make(name)
    found = check(domain)
    assert found.every_word_executable == domain.facts["every_word_executable"]
    assert found.nodes_needed == found.nodes == domain.facts["nodes"]
    assert not found.unseen
    assert not found.unreached_nodes


def flawed():
    """A walled-off tower, a letter that λ never shows, and a machine with one node too many and one out of reach."""
    mdp, _ = walk(Grid.from_map("* shop # tower"))
    seen = {("e", ((2, 1), True)): "shop", ("e", ((4, 1), True)): "tower"}
    labelling = mrm.Labelling(seen, ["shop", "tower", "bear"])
    machine = mrm.MealyRewardMachine(
        {(u, z): ("w", 1.0) if z == "bear" else (v, float(u == "w"))
         for u, v in pairwise(("u", "v", "u")) for z in labelling.observations}
        | {("w", z): ("w", 1.0) for z in labelling.observations}, "u")
    return Domain("flawed", mdp, labelling, machine)


def test_flaws_stand_out_in_the_text_and_in_the_table():
    found = check(flawed())
    assert found.unreachable == (((4, 1), False), ((4, 1), True))
    assert found.unseen == ("tower", "bear")
    assert found.unreached_nodes == ("w",)
    assert (found.nodes, found.nodes_needed) == (3, 2)
    assert found.shortest_impossible == ("tower",)
    marks = [row[""] for row in found.rows]
    assert marks == ["✓", "!", "!", "!", "!", "✓", "!", "!"]
    assert "! observations that are never seen: 2: tower, bear" in repr(found)
    assert re.findall("<td[^>]*>([^<]*)</td>", found._repr_html_())[6:9] == [
        "!", "observations that are never seen", "2: tower, bear"]


def test_an_absorbing_world_is_not_strongly_connected():
    mdp = mrm.NRMDP(["way", "trap"], ["go"], {("way", "go"): {"way": 0.5, "trap": 0.5}, ("trap", "go"): {"trap": 1.0}},
                    "way")
    domain = Domain("trap", mdp, mrm.Labelling({("go", "way"): "leaf"}, ["leaf"]),
                    mrm.MealyRewardMachine({("u", "leaf"): ("u", 0.0)}, "u"))
    found = check(domain)
    assert (found.parts, found.closed, found.every_word_executable) == (2, (1,), True)
    assert "no: 2 parts; never left again: 1 states" in repr(found)


def test_what_is_too_large_to_settle_is_left_open_and_said(monkeypatch):
    monkeypatch.setattr(checklist, "SETS", 1)
    found = check(domains.cookie())
    assert found.impossible is None
    assert "? words of up to 3 letters that cannot be executed: not counted: more than 1 sets of places" in repr(found)
    monkeypatch.setattr(checklist, "_all", lambda graph: (None, None))
    assert "? every word can be executed: not settled" in repr(check(domains.cookie()))


def test_thirty_letters_are_counted_and_not_tried():
    """30 + 30² + 30³ words; a ring shows its letters in one order only, so 3 of them can be executed."""
    letters = [f"z{i}" for i in range(30)]
    ring = mrm.NRMDP(range(30), ["go"], lambda s, a: {(s + 1) % 30: 1.0}, 0)
    labelling = mrm.Labelling(lambda a, s: letters[s], letters)
    machine = mrm.MealyRewardMachine({("u", z): ("u", 0.0) for z in letters}, "u")
    found = check(Domain("ring", ring, labelling, machine))
    assert (found.words, found.impossible) == (27_930, 27_927)
