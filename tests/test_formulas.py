"""Edges with propositional formulas: the parser agrees with Python's, the expansion with looking at every letter."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.interop import formulas, guards

PROPOSITIONS = ("a", "b", "c")
TEXTS = st.recursive(
    st.sampled_from([*PROPOSITIONS, "true", "false", '"a"']),
    lambda inner: (inner.map(lambda f: f"!{f}") | inner.map(lambda f: f"( {f})")
                   | st.tuples(inner, st.sampled_from("&|"), inner).map(" ".join)), max_leaves=8)
LETTERS = formulas.all_letters(PROPOSITIONS)


def python_says(text, true):
    """Python's own operators, which bind as ours do: `not` before `and` before `or`."""
    python = {"!": " not ", "&": " and ", "|": " or ", "true": "True", "false": "False", '"a"': "a"}
    translated = re.sub(r'[!&|]|true|false|"a"', lambda token: python[token[0]], text)
    return bool(eval(translated, {p: p in true for p in PROPOSITIONS}))


@given(TEXTS)
def test_a_formula_means_what_python_says(text):
    formula = guards.parse(text)
    for true in LETTERS.values():
        assert guards.holds(formula, true) == python_says(text, true)


@given(TEXTS)
def test_the_letters_of_a_formula_are_those_with_which_it_holds(text):
    where = formulas.Expansion(LETTERS).where(guards.parse(text))
    assert where == sum(python_says(text, true) << i for i, true in enumerate(LETTERS.values()))


@given(st.text(max_size=5))
def test_any_text_can_be_a_proposition(text):
    assert guards.parse(guards.quoted(text)) == text
    assert guards.parse(f"!{guards.quoted(text)} & x") == ("&", ("!", text), "x")


@st.composite
def edge_lists(draw):
    """At each of two nodes a formula and its opposite; now and then one edge more, or one less."""
    effect = st.tuples(st.sampled_from("uv"), st.sampled_from([0.0, 1.0]))
    edges = []
    for u in "uv":
        text = draw(TEXTS)
        edges += [(u, text, *draw(effect)), (u, f"!({text})", *draw(effect))]
    more = draw(st.lists(st.tuples(st.sampled_from("uv"), TEXTS), max_size=1))
    return edges[draw(st.sampled_from([0, 0, 0, 1])):] + [(*edge, *draw(effect)) for edge in more]


@given(edge_lists())
def test_a_machine_is_what_its_edges_say_letter_by_letter_or_is_refused(edges):
    """Every node and letter must have one effect."""
    effects = {(u, z): {(v, r) for w, f, v, r in edges if w == u and python_says(f, true)}
               for u in {u for u, _, _, _ in edges} for z, true in LETTERS.items()}
    if any(len(one) != 1 for one in effects.values()):
        with pytest.raises(mrm.ModelError):
            formulas.from_formulas(edges, LETTERS, "u")
    else:
        machine = formulas.from_formulas(edges, LETTERS, "u", null_reward=-1.0)
        assert {pair: {effect} for pair, effect in machine.transitions.items()} == effects
        assert machine.observations == tuple(LETTERS)
        assert machine.null_reward == -1.0


def test_without_letters_all_sets_of_propositions_are_letters():
    machine = formulas.from_formulas([("u", "b & !a", "u", 1.0), ("u", "!b | a", "u", 0.0)], None, "u")
    sets = [tuple(sorted(true)) for size in range(3) for true in combinations("ab", size)]
    assert machine.observations == tuple(sets)
    assert machine.rewards(tuple(sets)) == (0.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize(("edges", "letters", "culprit"), [
    ([("u", "a", "u", 1.0)], {"z": {"a"}, "y": set()}, "δ('u', 'y') is missing"),
    ([("u", "a", "u", 1.0), ("u", "true", "u", 2.0)], {"z": {"a"}}, "δ('u', 'z') is given twice, differently"),
    ([("u", "a", "v", 1.0)], {"z": {"a"}}, "leads to 'v', which has no transitions of its own"),
    ([("u", "a", "u")], {"z": {"a"}}, "an edge is (node, formula, node, reward), not ('u', 'a', 'u')"),
    ([("u", None, "u", 1.0)], {"z": {"a"}}, "is not text"),
    ([("u", "a", "u", float("nan"))], {"z": {"a"}}, "the reward of the edge ('u', 'a', 'u', nan) is nan"),
    ([("v", "a", "v", 1.0)], {"z": {"a"}}, "the start node 'u' is not a node"),
    ([("u", "|".join(f"p{i}" for i in range(13)), "u", 1.0)], None, "13 propositions make more than 4096 letters"),
    ([("u", "a", "u", 1.0)], {i: {"a"} for i in range(4097)}, "4097 letters are more than 4096"),
    ([(i, "a", i, 1.0) for i in range(1025)], {i: {"a"} for i in range(1024)}, "more than 1048576 pairs"),
])
def test_what_is_no_machine_is_refused_by_name(edges, letters, culprit):
    with pytest.raises(mrm.ModelError) as raised:
        formulas.from_formulas(edges, letters, "u")
    assert culprit in str(raised.value)


@pytest.mark.parametrize(("text", "column"), [
    ("", 1), ("a b", 3), ("a & & b", 5), ("(a", 3), ("a)", 2), ("!", 2), ("a ^ b", 3), ('"a', 1), ('"\\q"', 1),
    ("a\n&", 4)])
def test_what_is_no_formula_is_refused_with_its_column(text, column):
    with pytest.raises(mrm.FormatError, match=rf"^the formula .* in column {column}, where .* is expected$"):
        guards.parse(text)


def test_parentheses_nest_to_a_depth_and_nothing_else_counts():
    assert guards.parse("(" * 100 + "a" + ")" * 100) == "a"
    assert guards.parse("!" * 100_001 + "a") == ("!", "a")
    assert len(guards.parse("&".join(["a"] * 100_000))) == 100_001
    with pytest.raises(mrm.FormatError, match="is nested too deeply"):
        guards.parse("(" * 1_000_000)
