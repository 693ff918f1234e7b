"""The two worlds of the paper, cell by cell and step by step, and the means to make one's own."""

import json
import pickle
import sys
from itertools import product

import pytest
from hypothesis import given

import mrmlib as mrm
from mrmlib import domains
from mrmlib.domains import Domain, Grid, cookie_machine, treasure_machine, walk
from tests.random_models import worlds

# ---- the treasure map

PLACES = {"e": (1, 1), "t": (5, 1), "j1": (9, 1), "m": (5, 5), "j2": (1, 9), "g": (9, 9)}
COMPASS = {"n": (0, -1), "e": (1, 0), "w": (-1, 0), "s": (0, 1)}  # (column, row), row 1 at the north


def treasure_step(cell, action):
    column, row = cell[0] + COMPASS[action][0], cell[1] + COMPASS[action][1]
    return (column, row) if 1 <= column <= 9 and 1 <= row <= 9 else cell


def test_the_treasure_map_has_81_cells_two_states_each():
    domain = domains.treasure_map()
    cells = [(column, row) for row in range(1, 10) for column in range(1, 10)]
    assert list(domain.mdp.states) == [(cell, moved) for cell in cells for moved in (False, True)]
    assert domain.mdp.actions == ("n", "e", "w", "s")
    assert domain.mdp.initial == ((5, 9), False)
    assert domain.epoch_starts == tuple((cell, False) for cell in cells)
    assert domain.name == "treasure_map"


@pytest.mark.parametrize("apf", [0.75, 0.95, 1.0])
def test_a_move_succeeds_with_probability_apf_and_else_the_agent_is_stuck(apf):
    mdp = domains.treasure_map(apf=apf).mdp
    for (cell, moved), action in product(mdp.states, mdp.actions):
        target = treasure_step(cell, action)
        expected = {(target, True): apf, (cell, False): 1 - apf} if target != cell else {(cell, False): 1.0}
        assert mdp.successors((cell, moved), action) == {s: p for s, p in expected.items() if p > 0}


def test_places_are_seen_on_entering_them_and_null_everywhere_else():
    domain = domains.treasure_map()
    mark = {cell: z for z, cell in PLACES.items()}
    for (cell, moved), action in product(domain.mdp.states, domain.mdp.actions):
        assert domain.labelling(action, (cell, moved)) == (mark.get(cell, mrm.NULL) if moved else mrm.NULL)
    assert domain.labelling.observations == ("m", "e", "g", "t", "j1", "j2")
    assert domain.grid.marks == mark


def test_the_treasure_machine_is_the_table_of_its_deals():
    table = {"u0": {"m": ("u1", 10)}, "u1": {"e": ("u2", 30), "g": ("u3", 25), "j1": ("u5", 60), "j2": ("u5", 50)},
             "u2": {"t": ("u4", 80)}, "u3": {"t": ("u4", 90)}, "u4": {"j1": ("u1", 30), "j2": ("u1", 35)}, "u5": {}}
    for c in (0.0, -1.0):
        machine = treasure_machine(c)
        assert machine.null_reward == c
        assert machine.transitions == {(u, z): table[u].get(z, (u, c)) for u in table for z in machine.observations}


def test_all_six_treasure_nodes_are_needed():
    for c in (0.0, -1.0):
        assert len(treasure_machine(c).minimal().nodes) == domains.treasure_map(c=c).facts["nodes"] == 6


@pytest.mark.parametrize("c", [0.0, -1.0])
def test_the_best_word_of_six_letters(c):
    """Forward over (node, total): the best word to each node, one letter at a time."""
    machine, (word, total) = treasure_machine(c), domains.treasure_map(c=c).facts["best_word"]
    best = {machine.initial: (0.0, ())}
    for _ in range(6):
        grown = {}
        for u, (earned, so_far) in best.items():
            for z in machine.observations:
                v, r = machine.step(u, z)
                if v not in grown or grown[v][0] < earned + r:
                    grown[v] = (earned + r, (*so_far, z))
        best = grown
    assert max(earned for earned, _ in best.values()) == total == 275
    assert sum(machine.rewards(word)) == total
    assert word == ("m", "g", "t", "j2", "g", "t")


def next_letters(domain, state):
    """The letters that can be the next one observed after `state`, with nothing but nulls before."""
    found, quiet = set(), [state]
    for s in quiet:
        for a in domain.mdp.actions:
            for t in domain.mdp.successors(s, a):
                z = domain.labelling(a, t)
                if z != mrm.NULL:
                    found.add(z)
                elif t not in quiet:
                    quiet.append(t)
    return found


@pytest.mark.parametrize("apf", [0.75, 1.0])
def test_every_word_is_executable_on_the_treasure_map(apf):
    domain = domains.treasure_map(apf=apf)
    assert domain.facts["every_word_executable"]
    for state in [domain.mdp.initial, *((cell, True) for cell in PLACES.values())]:
        assert next_letters(domain, state) == set(PLACES)


@pytest.mark.parametrize("apf", [0.75, 0.85, 0.95, 1.0])
def test_the_known_optimum_is_the_loop_along_row_one(apf):
    """e –4→ t –4→ j1 –8→ e: 16 moves, each takes 1/APF actions, pay 80 + 30 + 30; the other actions pay c."""
    for c in (0.0, -1.0):
        actions = 16 / apf
        loop = (80 + 30 + 30 + (actions - 3) * c) / actions
        assert domains.treasure_map(apf, c).facts["optimal_mean_payoff"] == pytest.approx(loop, rel=1e-14)
    assert domains.treasure_map(apf).facts["optimal_mean_payoff"] == pytest.approx(143 * apf / 16 - 1, rel=1e-14)


@pytest.mark.parametrize("apf", [0.0, -0.5, 1.5, float("nan")])
def test_an_apf_that_is_no_chance_of_moving_is_refused(apf):
    with pytest.raises(mrm.ModelError, match=f"precision {apf}"):
        domains.treasure_map(apf=apf)


# ---- the cookie domain

ROOMS = {"blue": [(1, 5), (2, 5)], "hall": [(1, 4), (1, 3), (1, 2), (2, 3)], "yellow": [(3, 3), (4, 3)],
         "red": [(1, 1), (2, 1)]}
ROOM_OF = {cell: room for room, cells in ROOMS.items() for cell in cells}
COOKIE_COMPASS = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}  # row 1 at the south


def cookie_successors(state, action):
    cell, cookie, crumbs = state
    if action == "push_button":
        return ({(cell, room, None): 0.5 for room in ("blue", "red")} if ROOM_OF[cell] == "yellow" else {state: 1.0})
    if action == "eat":
        return {(cell, None, cookie): 1.0} if cookie is not None and ROOM_OF[cell] == cookie else {state: 1.0}
    target = (cell[0] + COOKIE_COMPASS[action][0], cell[1] + COOKIE_COMPASS[action][1])
    return {(target if target in ROOM_OF else cell, cookie, crumbs): 1.0}


def test_the_cookie_domain_moves_as_it_is_told():
    mdp = domains.cookie().mdp
    assert mdp.initial == ((1, 3), None, None)
    assert mdp.actions == ("n", "s", "e", "w", "push_button", "eat")
    assert {cell for cell, _, _ in mdp.states} == set(ROOM_OF)
    assert len(mdp.states) == 10 * 3 * 3
    for state, action in product(mdp.states, mdp.actions):
        assert mdp.successors(state, action) == cookie_successors(state, action)


def test_the_button_brings_a_fresh_cookie_replaces_the_old_one_and_sweeps_the_crumbs():
    mdp = domains.cookie().mdp
    for cookie, crumbs in product((None, "blue", "red"), repeat=2):
        assert mdp.successors(((4, 3), cookie, crumbs), "push_button") == {
            ((4, 3), "blue", None): 0.5, ((4, 3), "red", None): 0.5}
        assert mdp.successors(((2, 3), cookie, crumbs), "push_button") == {((2, 3), cookie, crumbs): 1.0}


def test_every_step_inside_a_room_observes_also_a_bump_into_its_wall():
    domain = domains.cookie()
    observations = ("blu", "blu_cook", "blu_crum", "red", "red_cook", "red_crum", "yel", "yel_bd")
    assert domain.labelling.observations == observations
    for (cell, cookie, crumbs), action in product(domain.mdp.states, domain.mdp.actions):
        room, seen = ROOM_OF[cell], domain.labelling(action, (cell, cookie, crumbs))
        if room == "hall":
            assert seen == mrm.NULL
        elif room == "yellow":
            assert seen == ("yel_bd" if action == "push_button" else "yel")
        else:
            assert seen == room[:3] + ("_cook" if cookie == room else "_crum" if crumbs == room else "")
    bumped = ((1, 5), "blue", None)
    assert domain.mdp.successors(bumped, "n") == {bumped: 1.0}
    assert domain.labelling("n", bumped) == "blu_cook"


def test_the_perfect_machine_is_the_table_of_its_recipe():
    table = {"u0": {"yel_bd": ("u1", 0)},
             "u1": {"red_cook": ("u2", 0), "blu": ("u2", 0), "blu_cook": ("u3", 0), "red": ("u3", 0)},
             "u2": {"red_crum": ("u0", 1), "yel_bd": ("u1", 0)}, "u3": {"blu_crum": ("u0", 1), "yel_bd": ("u1", 0)}}
    machine = cookie_machine()
    assert machine.null_reward == 0
    assert machine.transitions == {(u, z): table[u].get(z, (u, 0)) for u in table for z in machine.observations}
    assert len(machine.minimal().nodes) == domains.cookie().facts["nodes"] == 4


def test_the_perfect_machine_pays_1_exactly_when_a_cookie_is_eaten():
    trimmed = domains.cookie().product.reachable()
    paid = 0
    for pair, action in product(trimmed.states, trimmed.actions):
        (cell, cookie, _), _ = pair
        eaten = action == "eat" and ROOM_OF[cell] == cookie
        for after in trimmed.successors(pair, action):
            assert trimmed.reward(pair, action, after) == float(eaten)
            paid += eaten
    assert paid > 0


def test_the_perfect_machine_knows_where_the_cookie_must_be():
    """On every reachable pair: u0 no cookie, u1 one somewhere, u2 one in the red room, u3 one in the blue room."""
    where = {"u0": {None}, "u1": {"blue", "red"}, "u2": {"red"}, "u3": {"blue"}}
    for (_, cookie, _), node in domains.cookie().product.reachable().states:
        assert cookie in where[node]


def test_many_cookie_words_are_not_executable():
    domain = domains.cookie()
    assert not domain.facts["every_word_executable"]
    assert next_letters(domain, domain.mdp.initial) == {"blu", "red", "yel"}  # no yel_bd first, no cookie yet


def test_a_cookie_takes_ten_actions_at_best_when_one_peeks():
    """Push, four moves to the nearer cell of the right room, eat, four moves back: 10 actions for either room."""
    mdp = domains.cookie().mdp

    def distance(start, goal):
        layer, seen, steps = {start}, {start}, 0
        while goal not in layer:
            layer = {t[0] for cell in layer for a in "nsew" for t in mdp.successors((cell, None, None), a)} - seen
            seen |= layer
            steps += 1
        return steps

    loops = [2 * distance((3, 3), room) + 2 for room in ((1, 5), (1, 1))]
    assert 1 / (sum(loops) / 2) == domains.cookie().facts["optimal_mean_payoff"]


# ---- domains and grids of one's own


def test_the_registry_lists_makes_and_takes_domains(monkeypatch):
    monkeypatch.setattr(domains.domain, "_registry", dict(domains.registry()))
    before = tuple(domains.registry())
    assert before[:2] == ("cookie", "treasure_map")
    assert domains.make("treasure_map", apf=0.75).mdp == domains.treasure_map(apf=0.75).mdp
    with pytest.raises(mrm.ModelError, match="unknown domain 'moon': there are cookie, treasure_map"):
        domains.make("moon")

    @domains.register
    def corner_shop(c=0.0):
        mdp, labelling = walk(Grid.from_map("* bread"))
        return Domain("corner_shop", mdp, labelling, mrm.MealyRewardMachine({("u", "bread"): ("u", 1.0)}, "u", c))

    assert tuple(domains.registry()) == (*before, "corner_shop")
    assert domains.make("corner_shop", c=-2.0).machine.null_reward == -2.0
    with pytest.raises(TypeError):
        domains.registry()["moon"] = corner_shop


def test_a_domain_whose_parts_do_not_fit_is_refused_by_name():
    mdp, labelling = walk(Grid.from_map("* bread"))
    machine = mrm.MealyRewardMachine({("u", "bread"): ("u", 1.0)}, "u")
    with pytest.raises(mrm.ModelError, match="does not read 'bread', but cake"):
        Domain("shop", mdp, labelling, mrm.MealyRewardMachine({("u", "cake"): ("u", 1.0)}, "u"))
    with pytest.raises(mrm.ModelError, match=r"\('fly', 'moon'\)"):
        Domain("shop", mdp, mrm.Labelling({("fly", "moon"): "bread"}, ["bread"]), machine)
    with pytest.raises(mrm.ModelError, match="unknown state 'moon'"):
        Domain("shop", mdp, labelling, machine, epoch_starts=("moon",))


@pytest.mark.parametrize("make", [domains.treasure_map, domains.cookie])
def test_a_domain_survives_pickling_and_its_json_parts_agree(make):
    domain = make()
    again = pickle.loads(pickle.dumps(domain))
    assert again.product == domain.product
    read = mrm.product(mrm.NRMDP.from_json(domain.mdp.to_json()),
                       mrm.Labelling.from_json(domain.labelling.to_json(domain.mdp)),
                       mrm.MealyRewardMachine.from_json(domain.machine.to_json()))
    assert read == domain.product


def same(one, other):
    """Equal in all but λ, which is compared where M has it."""
    return (one.product == other.product and one.mdp == other.mdp and one.machine == other.machine
            and one.labelling.observations == other.labelling.observations
            and (one.labelling.table(one.mdp) == other.labelling.table(other.mdp)).all()
            and all(getattr(one, name) == getattr(other, name)
                    for name in ("name", "grid", "epoch_starts", "facts", "meanings")))


@pytest.mark.parametrize("name", ["treasure_map", "cookie", "assembly"])
def test_a_whole_domain_survives_json(name):
    domain = domains.make(name)
    again = Domain.from_json(domain.to_json())
    assert same(again, domain)
    assert again.to_json() == domain.to_json()


@given(worlds())
def test_any_world_survives_json(world):
    domain = Domain("random", *world, epoch_starts=(0,), facts={"words": (("a",), 1.5), "none": None})
    assert same(Domain.from_json(domain.to_json()), domain)


@pytest.mark.parametrize(("change", "culprit"), [
    ({"name": 7}, "the name of a domain is a string, not 7"),
    ({"mdp": {}}, "mdp, line 1: expected an mrmlib document of kind 'nrmdp'"),
    ({"machine": None}, "machine, line 1: expected an mrmlib document of kind 'machine'"),
    ({"epoch_starts": ["moon"]}, "unknown state 'moon'"),
    ({"facts": {"best": {"mrmlib": "spell"}}}, "a fact, line 1: expected an mrmlib document of kind 'machine'"),
    ({"meanings": [["u0"]]}, "not the form of a domain"),
    ({"grid": {"mrmlib": "grid", "version": 1, "cells": [[1, 2.5]], "start": [1, 2], "marks": [], "moves": []}},
     r"a pair of whole numbers, not \[1, 2.5\]"),
    ({"grid": {"mrmlib": "grid", "version": 1, "cells": [[1, 2]], "start": [2, 2], "marks": [], "moves": []}},
     r"\(2, 2\) is not a cell of the grid"),
])
def test_a_document_that_is_no_domain_is_refused_by_name(change, culprit):
    content = json.loads(domains.cookie().to_json()) | change
    with pytest.raises(mrm.FormatError, match=f"mine.json, line .*{culprit}"):
        Domain.from_json(json.dumps(content), "mine.json")


@pytest.mark.parametrize("part", ["name", "mdp", "labelling", "machine", "grid", "epoch_starts", "facts", "meanings"])
def test_a_document_that_lacks_a_part_names_it(part):
    content = json.loads(domains.cookie().to_json())
    del content[part]
    with pytest.raises(mrm.FormatError, match=f"a domain needs '{part}'"):
        Domain.from_json(json.dumps(content))


def test_a_fact_that_has_no_json_form_is_named():
    parts = domains.cookie()
    with pytest.raises(mrm.FormatError, match="object"):
        Domain("odd", parts.mdp, parts.labelling, parts.machine, facts={"why": object()}).to_json()


# ---- the list of domains


@pytest.fixture
def own_list(monkeypatch):
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(domains.domain, "_registry", dict(domains.registry()))


@pytest.fixture
def my_worlds(own_list, monkeypatch, tmp_path):
    """A module of a user's."""
    (tmp_path / "my_worlds.py").write_text("""
from mrmlib import MealyRewardMachine, domains

number = 7

def corner_shop(price: float = 1.0, sale: bool = False, name="corner"):
    mdp, labelling = domains.walk(domains.Grid.from_map("* bread"))
    machine = MealyRewardMachine({("u", "bread"): ("u", -price if not sale else -price / 2)}, "u")
    return domains.Domain(name, mdp, labelling, machine)

def nothing():
    return None
""")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_worlds", raising=False)
    yield "my_worlds"
    sys.modules.pop("my_worlds", None)


def test_a_domain_of_ones_own_is_made_by_the_name_of_its_function(my_worlds):
    assert domains.make("my_worlds:corner_shop", price=3.0).machine.rewards(("bread",)) == (-3.0,)
    assert tuple(domains.registry())[-1] == "my_worlds:corner_shop"  # listed beside ours
    with pytest.raises(mrm.ModelError, match="'my_worlds:nothing' makes None, which is not a Domain"):
        domains.make("my_worlds:nothing")


@pytest.mark.parametrize(("name", "culprit"), [
    ("no_such_module:world", "No module named 'no_such_module'"),
    ("my_worlds:moon", "the module 'my_worlds' has no function 'moon'"),
    ("my_worlds:number", "has no function 'number'"),
    (":world", "a domain of yours is named package.module:function"),
    ("..os:system", "package.module:function"),
    ("my_worlds:", "package.module:function"),
    ("my_worlds:a b", "package.module:function"),
])
def test_a_name_that_leads_nowhere_is_refused(my_worlds, name, culprit):
    before = tuple(domains.registry())
    with pytest.raises(mrm.ModelError, match=f"domain '{name}'.*{culprit}"):
        domains.make(name)
    assert tuple(domains.registry()) == before


def test_a_name_is_not_taken_from_another_module(own_list):
    def cookie():
        return domains.treasure_map()

    with pytest.raises(mrm.ModelError, match=r"'cookie' is taken by mrmlib\.domains\.cookie\.cookie"):
        domains.register(cookie)

    def kiosk():
        return domains.cookie()

    domains.register(kiosk)
    domains.register(kiosk)  # a cell that runs twice
    assert domains.make("kiosk").name == "cookie"


@pytest.mark.parametrize(("text", "read"), [
    ("", {}), ("price=2", {"price": 2.0}), ("sale=yes,price=0.5", {"sale": True, "price": 0.5}),
    ("name=x=y", {"name": "x=y"}),
])
def test_settings_are_read_as_their_defaults_are(my_worlds, text, read):
    domains.load("my_worlds:corner_shop")
    assert domains.read_settings("my_worlds:corner_shop", text) == read


@pytest.mark.parametrize(("text", "culprit"), [
    ("colour=red", "no setting 'colour': it has price, sale, name"),
    ("price", "'price' of my_worlds:corner_shop is a number like 1.0, not ''"),
    ("price=much", "is a number like 1.0, not 'much'"),
    ("sale=perhaps", "is yes or no, not 'perhaps'"),
    ("price=1,price=2", "'price' of my_worlds:corner_shop is given twice"),
])
def test_settings_that_cannot_be_read_are_refused_by_name(my_worlds, text, culprit):
    domains.load("my_worlds:corner_shop")
    with pytest.raises(mrm.ModelError, match=culprit):
        domains.read_settings("my_worlds:corner_shop", text)


def test_settings_are_read_of_listed_domains_only(my_worlds):
    """A name may come from a file here, so nothing is imported for it."""
    with pytest.raises(mrm.ModelError, match="unknown domain 'my_worlds:corner_shop'"):
        domains.read_settings("my_worlds:corner_shop", "")
    assert "my_worlds" not in sys.modules


# ---- grids


def test_a_map_is_read_with_its_legend():
    grid = Grid.from_map("""
        b . #
        * a b
    """, legend={"a": "apple", "b": ("bread", 1), "c": "cake"})
    assert grid.cells == ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2))
    assert grid.start == (1, 2)
    assert grid.marks == {(1, 1): ("bread", 1), (2, 2): "apple", (3, 2): ("bread", 1)}
    assert grid.observations == ("apple", ("bread", 1))  # the legend's order
    assert Grid.from_map("b a *").observations == ("b", "a")  # without one, the map's
    assert grid.neighbour((2, 2), "n") == (2, 1)
    assert grid.neighbour((3, 2), "n") == (3, 2)  # no cell there
    assert grid.neighbour((1, 2), "w") == (1, 2)  # off the map


@pytest.mark.parametrize(("text", "culprit"), [
    ("* .\n.", "row 2 of the map has 1 symbols, the first row 2"),
    (". .", r"one start \*, not 0"),
    ("", r"one start \*, not 0"),
    ("* *", r"one start \*, not 2"),
    ("* .\n. x", r"row 2 of the map has 'x', which is not in the legend \('a',\)"),
])
def test_a_map_that_cannot_be_read_is_refused_by_name(text, culprit):
    with pytest.raises(mrm.ModelError, match=culprit):
        Grid.from_map(text, legend={"a": "apple"})


def test_a_mark_or_start_outside_the_grid_is_refused_by_name():
    with pytest.raises(mrm.ModelError, match=r"\(2, 2\) is not a cell"):
        Grid(((1, 1),), (2, 2))
    with pytest.raises(mrm.ModelError, match=r"\(3, 3\) is not a cell"):
        Grid(((1, 1),), (1, 1), {(3, 3): "shop"})


def test_a_walk_may_slip_sideways():
    r"""In the middle of 3 × 3: 0.7 ahead, 0.1 to each side, 0.1 stuck. In the north-west corner going north:
    ahead and west are walls (0.7 + 0.1), and 0.1 is stuck anyway, so 0.9 stays; 0.1 slips east."""
    mdp, _ = walk(Grid.from_map(". . .\n. * .\n. . ."), precision=0.7, sideways=0.2)
    middle = {((2, 1), True): 0.7, ((1, 2), True): 0.1, ((3, 2), True): 0.1, ((2, 2), False): 0.1}
    assert mdp.successors(((2, 2), False), "n") == pytest.approx(middle)
    assert mdp.successors(((1, 1), True), "n") == pytest.approx({((1, 1), False): 0.9, ((2, 1), True): 0.1})


def test_a_walk_that_always_moves_is_never_stuck():
    """1 − 0.7 − 0.3 is 5.6e-17 in floats, which would add a state that cannot be."""
    mdp, _ = walk(Grid.from_map(". . .\n. * .\n. . ."), precision=0.7, sideways=0.3)
    assert set(mdp.successors(((2, 2), False), "n")) == {((2, 1), True), ((1, 2), True), ((3, 2), True)}


@pytest.mark.parametrize(("precision", "sideways"), [(0.9, 0.2), (0.0, 0.5), (0.5, -0.1), (float("nan"), 0.0)])
def test_chances_of_a_move_that_are_none_are_refused(precision, sideways):
    with pytest.raises(mrm.ModelError, match=f"precision {precision} and sideways {sideways}"):
        walk(Grid.from_map("* ."), precision, sideways)
