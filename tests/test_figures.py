"""Pictures are read back from their SVG: what is written where, measured with a real font."""

import hashlib
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from base64 import b64decode
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

import mrmlib as mrm
from mrmlib import domains, figures
from mrmlib.domains import Grid

from .random_models import random_machine, rng

NASTY = 'a<b & "c"'
MEANINGS = {"u0": "no map yet", "u1": "has the map", "u2": "equipped", "u3": "guided", "u4": "has treasure",
            "u5": "map sold"}


def elements(picture, kind):
    """The elements of a kind in a picture, each with where its group was moved to."""
    def below(element, x, y):
        if "transform" in element.attrib:
            right, down = element.attrib["transform"].removeprefix("translate(").removesuffix(")").split()
            x, y = x + float(right), y + float(down)
        if element.tag.endswith("}" + kind):
            yield element, x, y
        for child in element:
            yield from below(child, x, y)

    return list(below(ET.fromstring(picture.svg), 0.0, 0.0))


def written(picture):
    return [element.text for element, *_ in elements(picture, "text") if element.text]


@cache
def ems(text, weight):
    font = FontProperties(family="DejaVu Sans", weight=weight)
    return TextPath((0, 0), text, size=100, prop=font).get_extents().width / 100


def text_boxes(picture):
    """(text, left, top, right, bottom) of each line: as wide as in DejaVu Sans, the widest font a reader may have."""
    boxes = []
    for element, x, y in elements(picture, "text"):
        if not element.text:
            continue
        size, x, y = float(element.get("font-size")), x + float(element.get("x")), y + float(element.get("y"))
        width = size * ems(element.text, element.get("font-weight", "normal"))
        left = x - {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor")]
        boxes.append((element.text, left, y - 0.76 * size, left + width, y + 0.22 * size))
    return boxes


def overlaps(picture):
    return [(one[0], other[0]) for one, other in combinations(text_boxes(picture), 2)
            if one[1] < other[3] and other[1] < one[3] and one[2] < other[4] and other[2] < one[4]]


def on_nodes(picture):
    """The texts that touch a node (a rounded box) without lying inside it."""
    found, texts = [], text_boxes(picture)
    for node, x, y in elements(picture, "rect"):
        if "rx" in node.attrib:
            left, top, width, height = (float(node.get(key)) for key in ("x", "y", "width", "height"))
            left, top = left + x, top + y
            for name, a, b, c, d in texts:
                inside = left <= a and c <= left + width and top <= b and d <= top + height
                if a < left + width and left < c and b < top + height and top < d and not inside:
                    found.append(name)
    return found


def outside(picture):
    return [box for box in text_boxes(picture)
            if box[1] < 0 or box[2] < 0 or box[3] > picture.width or box[4] > picture.height]


def assert_legible(picture):
    assert overlaps(picture) == []
    assert on_nodes(picture) == []
    assert outside(picture) == []


def all_pictures():
    treasure, cookie = domains.treasure_map(), domains.cookie()
    north = dict.fromkeys(treasure.product.states, "n")
    return [
        figures.grid_figure(treasure.grid), figures.grid_figure(cookie.grid),
        figures.strategy_figure(treasure, north, meanings=MEANINGS, title="North"),
        figures.machine_figure(treasure.machine, meanings=MEANINGS, title="Treasure map"),
        figures.machine_figure(cookie.machine),
        figures.tree_figure([("s", "go", "t"), ("s", "wait", "u"), ("t", "go", "v")]),
    ]


def test_the_checker_sees_overlapping_texts():
    one = figures.Picture('<text x="5" y="20" font-size="12" text-anchor="start">abc</text>', 60, 40, "")
    both = figures.Picture(one.body + one.body.replace('x="5"', 'x="15"'), 60, 40, "")
    assert overlaps(one) == []
    assert overlaps(both) == [("abc", "abc")]


def test_pictures_are_the_same_every_time_and_whatever_the_hash_seed():
    code = ("import hashlib\nfrom tests import test_figures as t\n"
            "print([hashlib.sha256(p.svg.encode()).hexdigest() for p in t.all_pictures()])")
    here = [hashlib.sha256(picture.svg.encode()).hexdigest() for picture in all_pictures()]
    for seed in ("1", "2"):
        done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed},
                              capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(here)


def test_importing_the_library_does_not_load_matplotlib():
    code = "import sys, mrmlib, mrmlib.figures; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize("i", range(6))
def test_every_picture_is_legible_xml_with_alternative_text(i):
    picture = all_pictures()[i]
    root = ET.fromstring(picture.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == root[0].text == picture.alt != ""
    assert_legible(picture)


def test_a_notebook_gets_svg_and_an_image_with_the_same_alternative_text():
    picture = figures.machine_figure(domains.cookie_machine(), alt=NASTY)
    bundle = picture._repr_mimebundle_()
    image = ET.fromstring(bundle["text/html"].removesuffix(">") + "/>")
    assert image.get("alt") == NASTY
    assert b64decode(image.get("src").split(",")[1]).decode() == bundle["image/svg+xml"] == picture.svg


def test_names_with_markup_are_escaped_and_read_back():
    machine = mrm.MealyRewardMachine({(NASTY, z): (NASTY, 1.0) for z in ("<z>", "&", "\x00")}, NASTY)
    drawn = [
        figures.machine_figure(machine, title=NASTY),
        figures.grid_figure(Grid(((1, 1), (2, 1)), (1, 1), {(2, 1): NASTY}), figures.Panel(NASTY)),
        figures.tree_figure([(NASTY, NASTY, 1)], title=NASTY),
    ]
    for picture in drawn:
        assert NASTY in written(picture)
        assert NASTY in ET.fromstring(picture.svg).get("aria-label")


def test_side_by_side_pictures_keep_all_texts_and_do_not_overlap():
    one, other = all_pictures()[:2]
    both = one.beside(other)
    assert written(both) == written(one) + written(other)
    assert both.height == max(one.height, other.height)
    assert_legible(both)
    assert_legible(figures.arranged([one, other, one], columns=2, title="A title"))
    with pytest.raises(mrm.ModelError, match="nothing to arrange"):
        figures.arranged([], columns=2)


# Machines

@pytest.mark.parametrize("machine", [domains.treasure_machine(), domains.cookie_machine()])
def test_a_machine_shows_every_transition_that_matters_once(machine):
    labels = [f"{z} | {r:g}" for (u, z), (v, r) in machine.transitions.items() if (u, machine.null_reward) != (v, r)]
    shown = written(figures.machine_figure(machine))
    assert sorted(text for text in shown if " | " in text) == sorted(labels)
    assert set(machine.nodes) <= set(shown)
    everything = written(figures.machine_figure(machine, every_loop=True))
    assert sum(" | " in text for text in everything) == len(machine.transitions)
    assert any("not drawn" in text for text in shown)
    assert not any("not drawn" in text for text in everything)


def test_no_text_of_a_random_machine_overlaps(count):
    for seed in range(count(30, 200)):
        nodes, letters = 2 + seed % 7, 1 + seed % 8
        picture = figures.machine_figure(random_machine(rng(seed), nodes, letters), title="A random machine")
        assert_legible(picture)


def test_machines_of_one_node_and_with_long_names_are_legible():
    alone = mrm.MealyRewardMachine({("u", z): ("u", float(i)) for i, z in enumerate("abc")}, "u")
    assert_legible(figures.machine_figure(alone))
    silent = figures.machine_figure(mrm.MealyRewardMachine({("u", "a"): ("u", 0.0)}, "u"))
    assert_legible(silent)
    long = mrm.MealyRewardMachine({((i, "a long name"), z): ((1 - i, "a long name"), 0.125) for i in (0, 1)
                                   for z in ("one observation", "another observation")}, (0, "a long name"))
    assert_legible(figures.machine_figure(long, meanings={(0, "a long name"): "with a meaning that is longer still"}))


def test_given_places_are_kept():
    machine = domains.treasure_machine()
    places = {u: (i % 3, i // 3) for i, u in enumerate(machine.nodes)}
    at = {element.text: (x + float(element.get("x")), y + float(element.get("y")))
          for element, x, y in elements(figures.machine_figure(machine, places=places), "text")}
    assert at["u0"][0] == at["u3"][0] < at["u1"][0] < at["u2"][0]
    assert at["u0"][1] == at["u1"][1] < at["u3"][1]


def test_a_highlighted_word_stands_out_even_where_it_stays():
    machine = domains.treasure_machine()
    pairs = figures.walked(machine, ("m", "g", "e"))
    picture = figures.machine_figure(machine, highlight=pairs, highlight_nodes=["u3"])
    loud = [element.text for element, *_ in elements(picture, "text") if element.get("fill") == "#b34700"]
    assert loud == ["m | 10", "g | 25", "e | -1"]
    assert_legible(picture)


def test_the_caption_does_not_speak_of_null_where_it_is_a_letter():
    machine = mrm.MealyRewardMachine({("u", "null"): ("v", 1.0), ("v", "null"): ("v", 0.0)}, "u")
    said = " ".join(written(figures.machine_figure(machine)))
    assert said.endswith("Not drawn: observations that stay at their node and pay 0.")


def test_pairs_and_places_that_do_not_exist_are_named():
    machine = domains.cookie_machine()
    with pytest.raises(mrm.ModelError, match="unknown node 'u9'"):
        figures.machine_figure(machine, highlight=[("u9", "red")])
    with pytest.raises(mrm.QueryError, match="unknown observation 'green'"):
        figures.machine_figure(machine, highlight=[("u0", "green")])
    with pytest.raises(mrm.ModelError, match="the node 'u1' has no place"):
        figures.machine_figure(machine, places={"u0": (0, 0)})


# Grids

def places_of(picture, names):
    return {element.text: (x + float(element.get("x")), y + float(element.get("y")))
            for element, x, y in elements(picture, "text") if element.text in names}


def test_north_is_up_whichever_way_rows_are_counted():
    treasure = places_of(figures.grid_figure(domains.treasure_map().grid), ("e", "j2", "j1"))
    assert treasure["e"][1] < treasure["j2"][1]
    assert treasure["e"][0] < treasure["j1"][0]
    cookie = places_of(figures.grid_figure(domains.cookie().grid), ("blue", "red"))
    assert cookie["blue"][1] < cookie["red"][1]


@pytest.mark.parametrize("make", [domains.treasure_map, domains.cookie])
def test_an_arrow_points_where_the_move_leads(make):
    grid = make().grid
    for move, (sideways, along) in {"n": (0, -1), "s": (0, 1), "e": (1, 0), "w": (-1, 0)}.items():
        picture = figures.grid_figure(grid, figures.Panel(policy={grid.start: move}))
        head = next(path.get("d") for path, *_ in elements(picture, "path")
                    if path.get("fill") == "#1b1b1b").strip("Mz")
        tip, *base = (np.array(point.split(","), dtype=float) for point in head.split())
        assert np.sign(tip - np.mean(base, axis=0)).tolist() == [sideways, along]


def test_numbers_on_the_grid_are_the_values_given():
    grid = Grid.from_map("a . *\n. # .")
    values = {cell: i * 12.345 - 20 for i, cell in enumerate(grid.cells)}
    picture = figures.grid_figure(grid, figures.Panel(values=values), digits=2)
    texts = text_boxes(picture)
    shown = [text for text, *_ in texts if text[-3:-2] == "."]
    low, high = f"{min(values.values()):.2f}", f"{max(values.values()):.2f}"
    assert shown == [f"{value:.2f}" for value in values.values()] + [low, high]
    middles = {cell: next(((a + c) / 2, b) for text, a, b, c, _ in texts if text == f"{value:.2f}")
               for cell, value in values.items()}
    assert middles[1, 1][0] < middles[2, 1][0] < middles[3, 1][0]
    assert middles[1, 1][1] < middles[1, 2][1]
    wide = figures.grid_figure(grid, figures.Panel(values=dict.fromkeys(grid.cells, 123456.0)))
    assert written(wide).count("123456") == 2, "numbers that do not fit stand at the scale alone"


def test_a_strategy_is_drawn_with_one_panel_for_each_node_and_the_solution_s_values():
    domain = domains.treasure_map(apf=0.75)
    values = {(s, u): len(str(u)) + 10.0 * domain.machine.nodes.index(u) + s[0][0] + s[0][1] / 10
              for s, u in domain.product.states}
    picture = figures.strategy_figure(domain, dict.fromkeys(values, "e"), values, meanings=MEANINGS, digits=1)
    shown = [text for text in written(picture) if text[-2:-1] == "."]
    reached = domain.product.reachable().states
    expected = [f"{values[((cell, False), u)]:.1f}" for u in domain.machine.nodes for cell in domain.grid.cells
                if ((cell, False), u) in reached or ((cell, True), u) in reached]
    assert sorted(shown[:-2]) == sorted(expected)
    assert [text for text in written(picture) if ": " in text and text[0] == "u"] == [
        f"{u}: {meaning}" for u, meaning in MEANINGS.items()]
    assert_legible(picture)


def test_a_node_has_two_panels_where_the_strategy_peeks_at_more_than_the_cell():
    domain = domains.cookie()
    policy = {(s, u): "push_button" if s[1] == "blue" and u == "u1" else "eat" for s, u in domain.product.states}
    picture = figures.strategy_figure(domain, policy, situation=lambda rest: f"cookie in {rest[0]}")
    titles = [text for text in written(picture) if text[0] == "u" and text[1].isdigit()]
    assert titles == ["u0", "u1 · cookie in blue", "u1 · cookie in red", "u2", "u3"]
    assert "pb" in written(picture)
    assert any("pb = push_button." in text for text in written(picture))
    assert_legible(picture)


def test_a_path_goes_from_cell_to_cell():
    grid = domains.treasure_map().grid
    picture = figures.grid_figure(grid, figures.Panel(path=[(5, 9), (5, 8), (6, 8)]))
    [(line, *_)] = elements(picture, "polyline")
    (a, b), (c, d), (e, f) = (map(float, point.split(",")) for point in line.get("points").split())
    assert (a, d) == (c, f)
    assert d < b
    assert e > c


def test_actions_with_the_same_initials_have_different_signs():
    grid = Grid.from_map("* .")
    policy = {(1, 1): "push_button", (2, 1): "pull_button"}
    picture = figures.grid_figure(grid, figures.Panel(policy=policy))
    assert [text for text in written(picture) if text in ("pb", "pb'")] == ["pb", "pb'"]
    assert_legible(picture)


def test_cells_off_the_grid_and_domains_without_one_are_named():
    with pytest.raises(mrm.ModelError, match=r"the value of \(1, 1\) is nan"):
        figures.grid_figure(Grid.from_map("* ."), figures.Panel(values={(1, 1): float("nan")}))
    with pytest.raises(mrm.ModelError, match=r"\(7, 7\) is not a cell"):
        figures.grid_figure(Grid.from_map("* ."), figures.Panel(values={(7, 7): 1.0}))
    domain = domains.cookie()
    bare = domains.Domain("bare", domain.mdp, domain.labelling, domain.machine)
    with pytest.raises(mrm.ModelError, match="'bare' has no grid"):
        figures.strategy_figure(bare, {})


# Trees

def test_no_text_of_a_random_tree_overlaps(count):
    for seed in range(count(20, 100)):
        random = rng(seed)
        edges = [(int(random.integers(i)), "a long action" if i % 5 == 0 else "n", i) for i in range(1, 25)]
        labels = {i: f"N {i}\nQ {i / 7:.2f}" for i in range(0, 25, 2)}
        picture = figures.tree_figure(edges, labels, highlight={0, 5, 10}, title="A tree")
        assert sum(text == "a long action" for text in written(picture)) == 4
        assert_legible(picture)


@pytest.mark.parametrize("edges", [[], [("a", "", "b"), ("b", "", "a")], [("a", "", "c"), ("b", "", "c")],
                                   [("a", "", "b"), ("c", "", "d"), ("d", "", "c")]])
def test_what_is_no_tree_is_refused(edges):
    with pytest.raises(mrm.ModelError, match="no tree"):
        figures.tree_figure(edges)


# Curves

TRIALS = [{"agent": agent, "actions": actions, "return": float(rng(i).normal(actions)), "APF": apf}
          for apf in (0.75, 0.95) for agent in ("MCTS", "mine") for actions in (20, 10) for i in range(5)]
LABELS = {"title": "It pays", "x_label": "actions", "y_label": "return (reward)"}


def returns(agent, actions, apf):
    return np.array([row["return"] for row in TRIALS
                     if (row["agent"], row["actions"], row["APF"]) == (agent, actions, apf)])


def test_a_curve_is_the_mean_of_the_rows_and_its_band_their_spread():
    """numpy as the second opinion; 1e-12 is rounding."""
    chart = figures.curve_figure(TRIALS, "actions", "return", "agent", facet="APF", **LABELS)
    assert len(chart.rows) == 8
    for row in chart.rows:
        values = returns(row["agent"], row["actions"], row["APF"])
        assert (row["n"], row["mean"]) == (5, pytest.approx(values.mean(), abs=1e-12))
        assert row["high"] - row["mean"] == pytest.approx(values.std(ddof=1), abs=1e-12)
        assert row["mean"] - row["low"] == pytest.approx(values.std(ddof=1), abs=1e-12)
    for axes, apf in zip(chart.figure.axes, (0.75, 0.95), strict=True):
        for line, agent in zip(axes.lines, ("MCTS", "mine"), strict=True):
            assert line.get_xdata().tolist() == [10, 20]
            expected = [returns(agent, actions, apf).mean() for actions in (10, 20)]
            assert line.get_ydata() == pytest.approx(expected, abs=1e-12)


def test_a_confidence_interval_covers_the_mean_as_often_as_it_says():
    """1,000 samples of 5: 95 % of them, ± 4 standard errors of that share (0.0069 each)."""
    samples = rng(1).normal(size=(1000, 5))
    half = np.array([figures.CI95.half_width(5, sample.std(ddof=1)) for sample in samples])
    covered = (np.abs(samples.mean(axis=1)) <= half).mean()
    assert abs(covered - 0.95) < 4 * 0.0069


def test_bars_are_as_high_as_the_means():
    rows = [row for row in TRIALS if row["APF"] == 0.75]
    chart = figures.bar_figure(rows, "actions", "return", "agent", references={"paper": 15.0}, **LABELS)
    heights = [bar.get_height() for group in chart.figure.axes[0].containers[::2] for bar in group]
    expected = [returns(agent, actions, 0.75).mean() for agent in ("MCTS", "mine") for actions in (20, 10)]
    assert heights == pytest.approx(expected, abs=1e-12)


def test_a_chart_says_what_its_band_is_and_how_many_values_it_has():
    chart = figures.curve_figure(TRIALS, "actions", "return", "agent", band=figures.CI95, **LABELS)
    assert chart.figure.get_supxlabel() == "mean, 95 % confidence interval of the mean"
    assert chart.figure.get_suptitle() == "It pays"
    legend = [text.get_text() for text in chart.figure.legends[0].get_texts()]
    assert legend == ["MCTS (n = 10)", "mine (n = 10)"]


def test_an_algorithm_has_one_colour_in_every_chart():
    colour = figures.COLOURS["MCTS"]
    for names in (["MCTS", "mine"], ["mine", "MCTS"]):
        rows = sorted(TRIALS, key=lambda row: names.index(row["agent"]))
        chart = figures.curve_figure(rows, "actions", "return", "agent", **LABELS)
        drawn = {line.get_label().split()[0]: line.get_color() for line in chart.figure.axes[0].lines}
        assert drawn["MCTS"] == colour != drawn["mine"]


def test_a_chart_shows_itself_as_png_with_alternative_text():
    chart = figures.curve_figure(TRIALS, "actions", "return", "agent", **LABELS)
    data, metadata = chart._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert metadata == {"image/png": {"alt": chart.alt}}
    assert data["text/plain"] == f"<Chart: {chart.alt}>"


def test_rows_that_cannot_be_drawn_are_named():
    with pytest.raises(mrm.ModelError, match="no rows"):
        figures.curve_figure([], "actions", "return", "agent", **LABELS)
    with pytest.raises(mrm.ModelError, match="a row has no 'gain'"):
        figures.curve_figure(TRIALS, "actions", "gain", "agent", **LABELS)
    with pytest.raises(mrm.ModelError, match="the column 'n' has a name"):
        figures.curve_figure([{"n": 1, "y": 2, "who": "a"}], "n", "y", "who", **LABELS)


def test_a_hole_in_the_map_cannot_be_taken_for_a_free_cell():
    """The middle of a ring is dark; what lies outside, a notch in the edge too, is left white."""
    ring, notch = (figures.grid_figure(Grid.from_map(drawn)).svg for drawn in ("* . .\n. # .\n. . .", "* # .\n. . ."))
    assert ring.count("#8a8a8a") == 1
    assert "#8a8a8a" not in notch
