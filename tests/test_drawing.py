"""Drawing a machine: what is typed is what is solved, what is wrong is said beside its field, what is exported runs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ipywidgets import Text
from ipywidgets.widgets.widget import _instances as widgets

import mrmlib as mrm
from mrmlib import domains
from mrmlib.domains import Domain, Grid, walk
from mrmlib.domains import domain as registered
from mrmlib.interop.dot import from_dot
from mrmlib.widgets.draw.drawing import DISCOUNTED, DrawYourMachine, drawable
from mrmlib.widgets.draw.editing import MOST_NODES, Original, map_of, with_node, without_node
from mrmlib.widgets.draw.export import code

AWKWARD = '"""', "a\\b", "{x}", "it's"


def sale(grid, *chances):
    """A world on a grid, where the machine pays for what is seen; its two nodes take turns."""
    M, lam = walk(grid, *chances)
    turns = {("idle", z): ("busy", 1.5) for z in lam.observations} | {("busy", z): ("idle", 0.1)
                                                                     for z in lam.observations}
    return Domain("sale", M, lam, mrm.MealyRewardMachine(turns, "idle", -0.25), grid)


@pytest.fixture
def panel():
    made = DrawYourMachine()
    yield made
    made.close()


@pytest.fixture
def registry(monkeypatch):
    """A registry of one's own, for a while."""
    monkeypatch.setattr(registered, "_registry", dict(domains.registry()))


class TestSheets:
    @pytest.mark.parametrize("name", drawable())
    def test_a_domain_that_is_not_edited_stays_what_it_is(self, name):
        original = Original(domains.make(name), name)
        drawn, errors = original.read(original.sheet)
        assert errors == {}
        assert drawn.product == original.domain.product
        assert (drawn.grid, drawn.epoch_starts) == (original.domain.grid, original.domain.epoch_starts)

    @given(st.data())
    def test_every_machine_and_map_comes_back_from_its_sheet(self, data):
        letters = data.draw(st.lists(st.sampled_from(("a", "b", "long_name", *AWKWARD)), min_size=1, unique=True))
        cells = [*letters, "*", *data.draw(st.lists(st.sampled_from([".", "#", *letters]), max_size=6))]
        cells = data.draw(st.permutations(cells))
        grid = Grid.from_map(" ".join(cells), {z: z for z in letters})
        nodes = [f"u{i}" for i in range(data.draw(st.integers(1, MOST_NODES)))]
        rewards = st.floats(allow_nan=False, allow_infinity=False) | st.just(-0.25)
        pays = {(u, z): (data.draw(st.sampled_from(nodes)), data.draw(rewards))
                for u in nodes for z in grid.observations}
        M, lam = walk(grid, 0.7, 0.2)
        domain = Domain("any", M, lam, mrm.MealyRewardMachine(pays, "u0", -0.25), grid)
        original = Original(domain)
        drawn, errors = original.read(original.sheet)
        assert errors == {}
        assert drawn.machine == domain.machine
        assert drawn.grid == grid

    def test_the_chances_of_a_walk_are_found_and_of_nothing_else(self):
        world = "a . .\n. * .\n. . b"
        assert Original(sale(Grid.from_map(world), 0.7, 0.2)).chances == (0.7, 0.2)
        assert Original(sale(Grid.from_map(world))).chances == (1.0, 0.0)
        assert Original(sale(Grid.from_map("a . * ."), 0.7, 0.2)).chances == (0.7, 0.2)
        assert Original(domains.cookie()).chances is None
        marked = replace(Grid.from_map(world), marks={(1, 1): "a", (2, 2): "b"})  # the start is seen: no map says that
        assert Original(sale(marked)).chances is None
        upside_down = replace(Grid.from_map(world), moves={"n": (0, 1), "e": (1, 0), "w": (-1, 0), "s": (0, -1)})
        assert Original(sale(upside_down)).chances is None

    def test_a_walk_that_slips_in_one_place_only_is_no_plain_walk(self):
        plain = sale(Grid.from_map("a . *"))
        odd = mrm.NRMDP(plain.mdp.states, plain.mdp.actions, lambda s, a: plain.mdp.successors(s, a)
                        if s[0] != (2, 1) else {s: 1.0}, plain.mdp.initial)
        assert Original(replace(plain, mdp=odd)).chances is None

    def test_a_map_is_read_as_it_was_written(self):
        grid = Grid.from_map("shop # .\n.    * wood\n#    . .")
        assert Grid.from_map(map_of(grid)) == grid

    def test_nodes_come_and_go_up_to_a_limit_and_down_to_one(self):
        sheet = Original(domains.treasure_map()).sheet
        while len(sheet.nodes) < MOST_NODES:
            sheet = with_node(sheet)
        with pytest.raises(mrm.ModelError, match="8 nodes are the most"):
            with_node(sheet)
        for u in list(sheet.nodes)[:-1]:
            sheet = without_node(sheet, u)
        assert (tuple(sheet.nodes), sheet.start, set(sheet.edges.values())) == (("u7",), "u7", set())
        with pytest.raises(mrm.ModelError, match="u7 is the only node"):
            without_node(sheet, "u7")


class TestThePanel:
    def test_the_value_follows_an_edge_as_the_arithmetic_says(self, panel):
        """The loop e, t, j1 takes 16 moves: (30 + 80 + x) + 13·c a round, where a stuck action pays c too."""
        assert panel.solution.value == pytest.approx(143 * 0.95 / 16 - 1)
        panel.edges.fields["u4", "j1"].value = "u1 | 60"
        assert panel.solution.value == pytest.approx(173 * 0.95 / 16 - 1)
        assert panel.solution.lower <= 173 * 0.95 / 16 - 1 <= panel.solution.upper
        assert "+1.781250" in panel.figures.value
        panel.c.value = "0"
        assert panel.solution.value == pytest.approx(170 * 0.95 / 16)

    def test_the_value_follows_the_precision(self, panel):
        panel.precision.value = 0.5
        assert panel.solution.value == pytest.approx(143 * 0.5 / 16 - 1)

    def test_the_value_follows_the_map(self, panel):
        """With t beside e and j1 beside t, the round e, t, j1, t takes 4 moves: 30 + 80 + 30 + c; stuck pays c too."""
        panel.map.value = "* m e t j1\n. . . . ."
        assert panel.errors == {}
        assert panel.solution.value == pytest.approx(139 * 0.95 / 4 - 0.05)
        assert panel.edges.letters == ("m", "e", "t", "j1")

    def test_the_objective_may_be_a_discounted_sum(self, panel):
        before = panel.figures.value
        panel.objective.value = DISCOUNTED
        panel.discount.value = 0.9
        assert panel.solution.value == mrm.solve_discounted(domains.treasure_map().product, 0.9).value
        assert "reward per action" in before
        assert "optimum (reward)" in panel.figures.value
        assert "change" not in panel.figures.value

    def test_another_start_node_is_another_machine(self, panel):
        panel.start.value = "u5"
        assert panel.solution.value == pytest.approx(-1)
        assert "u0 cannot be reached" in panel.strategy.value
        panel.node.value = "u5"
        assert panel.strategy.value.startswith("<svg")

    @pytest.mark.parametrize(("typed", "said"), [
        ("u9 | 10", "there is no node &#x27;u9&#x27;: the nodes are u0, u1"),
        ("u1 | ten", "the reward is &#x27;ten&#x27;, not a number"),
        ("u1 | inf", "not a finite number"),
        ("u1", "not of the form  node | reward"),
        ("u1 | 2 | 3", "not of the form  node | reward"),
        ("| 3", "there is no node &#x27;&#x27;"),
    ])
    def test_a_wrong_edge_is_told_beside_its_row_and_everything_else_stays(self, panel, typed, said):
        value, pictures = panel.solution.value, (panel.machine.value, panel.strategy.value, panel.text.value)
        panel.edges.fields["u1", "g"].value = typed
        told = {u: line.value for u, line in panel.edges._errors.items()}
        assert "g: " in told.pop("u1")
        assert set(told.values()) == {""}
        assert said in panel.edges._errors["u1"].value
        assert [pair for pair, field in panel.edges.fields.items() if "transparent" not in field.layout.border] == [
            ("u1", "g")]
        assert panel.solution.value == value
        assert (panel.machine.value, panel.strategy.value, panel.text.value) == pictures
        assert "mrm-stale" in panel.machine._dom_classes
        assert "Not updated: 1 field is wrong" in panel.notice.value
        panel.edges.fields["u1", "g"].value = "u3 | 25"
        assert panel.edges._errors["u1"].value == ""
        assert "mrm-stale" not in panel.machine._dom_classes
        assert "Up to date" in panel.notice.value

    @pytest.mark.parametrize(("typed", "said"), [
        ("* m\n. . .", "row 2 of the map has 3 symbols, the first row 2"),
        ("m .", "a map has one start *, not 0"),
        ("* m *", "a map has one start *, not 2"),
        ("", "a map has one start *, not 0"),
        (". *", "there is nothing to see"),
        ("* null", "a place cannot be called null"),
        ("* m " + ". " * 400, "the map has 402 cells: this panel takes at most 400"),
    ])
    def test_a_wrong_map_is_told_below_it(self, panel, typed, said):
        panel.map.value = typed
        assert said in panel.map_error.value
        assert panel.drawn.grid == domains.treasure_map().grid
        assert len(panel.edges.letters) == 6

    def test_a_wrong_c_is_told_beside_it_together_with_what_else_is_wrong(self, panel):
        panel.c.value = "none"
        panel.edges.fields["u0", "m"].value = "u0"
        assert "c is &#x27;none&#x27;, not a number" in panel.c_error.value
        assert set(panel.errors) == {("c",), ("edge", "u0", "m")}
        assert "2 fields are wrong" in panel.notice.value

    def test_nonsense_of_another_objective_is_shown_as_not_up_to_date(self, panel):
        panel.c.value = "none"
        panel.objective.value = DISCOUNTED
        assert "mrm-stale" in panel.figures._dom_classes
        assert "Not updated" in panel.notice.value

    def test_a_place_taken_off_the_map_and_put_back_finds_its_edges_again(self, panel):
        whole = panel.map.value
        panel.map.value = whole.replace("g", ".")
        assert panel.edges.letters == ("m", "e", "t", "j1", "j2")
        assert ("u1", "g") not in panel.edges.fields
        shown = [field for field in panel.edges.children if isinstance(field, Text) and field.layout.display != "none"]
        assert len(shown) == 6 * (1 + 5)  # six nodes, each with a meaning and five edges
        panel.map.value = whole
        assert panel.edges.fields["u1", "g"].value == "u3 | 25"
        assert panel.drawn.machine == domains.treasure_machine()

    def test_a_new_place_on_the_map_can_be_used_by_the_machine(self, panel):
        panel.map.value = panel.map.value.replace("*", "* inn", 1).replace("g", "", 1)
        panel.edges.fields["u0", "inn"].value = "u0 | 7"
        assert panel.errors == {}
        assert panel.drawn.machine.step("u0", "inn") == ("u0", 7.0)

    def test_nodes_are_added_and_removed_with_their_edges(self, panel):
        panel.add.click()
        assert tuple(panel.edges.nodes)[-1] == "u6"
        panel.edges.fields["u0", "e"].value = "u6 | 3"
        assert panel.drawn.machine.rewards(("e", "m")) == (3.0, -1.0)
        panel.edges.removers["u6"].click()
        assert panel.edges.fields["u0", "e"].value == ""
        assert panel.drawn.machine == domains.treasure_machine()
        panel.edges.removers["u0"].click()
        assert (panel.start.value, panel.drawn.machine.initial) == ("u1", "u1")
        for _ in range(3):
            panel.add.click()
        assert panel.add.disabled
        assert len(panel.drawn.machine.nodes) == MOST_NODES

    def test_the_last_node_stays(self, panel):
        for u in ("u0", "u1", "u2", "u3", "u4", "u5"):
            panel.edges.removers[u].click()
        assert tuple(panel.edges.nodes) == ("u5",)
        assert "u5 is the only node" in panel.notice.value

    def test_a_world_that_is_no_plain_walk_keeps_its_places_but_not_its_machine(self, panel):
        panel.world.value = "cookie"
        assert panel.map.disabled
        assert panel.precision.disabled
        assert "cannot be edited here" in panel.map.value
        assert panel.solution.value == pytest.approx(0.1)
        panel.edges.fields["u2", "red_crum"].value = panel.edges.fields["u3", "blu_crum"].value = ""
        panel.edges.fields["u2", "red_crum"].value = "u0 | 2"
        panel.edges.fields["u3", "blu_crum"].value = "u0 | 2"
        assert panel.solution.value == pytest.approx(0.2)
        panel.world.value = "treasure_map"
        assert not panel.map.disabled
        assert panel.solution.value == pytest.approx(143 * 0.95 / 16 - 1)

    def test_restore_brings_the_registered_world_back(self, panel):
        panel.edges.fields["u0", "m"].value = "nonsense"
        panel.map.value = "* m"
        panel.restore.click()
        assert panel.errors == {}
        assert panel.drawn.product == domains.treasure_map().product


class TestWorlds:
    def test_one_of_your_own_is_on_offer(self, registry):
        @domains.register
        def corner_shop() -> Domain:
            return sale(Grid.from_map("shop . *"), 0.8)

        panel = DrawYourMachine("corner_shop")
        assert panel.errors == {}
        assert panel.precision.value == 0.8
        assert tuple(panel.edges.nodes) == ("idle", "busy")
        panel.close()

    def test_what_has_no_grid_or_cannot_be_made_without_settings_is_not(self, registry):
        @domains.register
        def gridless() -> Domain:
            return replace(domains.assembly(), grid=None)

        @domains.register
        def demanding(size) -> Domain:
            return domains.assembly()

        assert not {"gridless", "demanding"} & set(drawable())
        with pytest.raises(mrm.ModelError, match="the world 'gridless' cannot be drawn here: there are cookie"):
            DrawYourMachine("gridless")


class TestExports:
    @pytest.mark.parametrize("name", drawable())
    def test_the_cell_makes_the_edited_domain_again(self, name, registry):
        panel = DrawYourMachine(name)
        u, z = next(iter(panel.edges.fields))
        panel.edges.fields[u, z].value = f"{u} | 0.1"
        panel.edges.meanings[u].value = "it's {odd} \"too\""
        cell = {"__name__": "__main__"}
        exec(panel.text.value, cell)
        assert cell["domain"].to_json() == panel.drawn.to_json()
        assert cell["domain"].machine.step(u, z) == (u, 0.1)
        assert domains.make(panel.drawn.name).product == panel.drawn.product
        panel.close()

    def test_awkward_names_survive_in_the_cell(self, registry):
        grid = Grid.from_map("* " + " ".join(AWKWARD) + "\n. . . . .")
        original = Original(sale(grid, 0.5, 0.25), "sale")
        drawn, _ = original.read(original.sheet)
        cell = {"__name__": "__main__"}
        exec(code(original, drawn, 0.5), cell)
        assert cell["domain"].to_json() == drawn.to_json()
        assert cell["domain"].product == original.domain.product

    def test_json_and_dot_read_back(self, panel):
        panel.edges.fields["u5", "m"].value = "u1 | 0.1"
        panel.form.value = "domain (JSON)"
        assert Domain.from_json(panel.text.value).product == panel.drawn.product
        panel.form.value = "machine (JSON)"
        assert mrm.MealyRewardMachine.from_json(panel.text.value) == panel.drawn.machine
        panel.form.value = "machine (DOT)"
        assert from_dot(panel.text.value) == panel.drawn.machine
        assert 'download="my_treasure_map.dot"' in panel.download.value


def test_nothing_is_left_behind():
    before = set(widgets)
    panel = DrawYourMachine()
    for count in range(12):
        panel.world.value = ("cookie", "treasure_map")[count % 2]
        panel.add.click()
        panel.edges.removers["u1"].click()
        panel.edges.fields["u0", panel.edges.letters[0]].value = "nonsense"
        if count == 3:
            settled = len(widgets)
    assert len(widgets) == settled
    panel.close()
    assert set(widgets) == before
