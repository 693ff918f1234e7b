"""DOT: machines come back unchanged, AALpy reads what we write and we read what it writes."""

import random
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.interop import dot, files
from tests.odd_machines import NAMES, assert_unchanged, odd_machines
from tests.random_models import machines, random_machine, rng

SALE = """digraph g {

\t__start0 [label="" shape="none"];   // as LearnLib writes it
\ts0 [shape="circle" style="filled" label="0"];
\ts1 [shape="circle" label="u 1"];
\ts0 -> s1 [label="map / 10.5"];
\ts0 -> s0 [label="shop / 0"]
\ts1 -> s1 [label="map / 0"] s1 -> s0 [label="shop / 6e1", color=red];

\t__start0 -> s0;
}
"""
SOLD = {(0, "map"): ("u 1", 10.5), (0, "shop"): (0, 0.0), ("u 1", "map"): ("u 1", 0.0), ("u 1", "shop"): (0, 60.0)}


@given(odd_machines(NAMES | st.none()))
def test_a_machine_with_odd_names_comes_back_unchanged(machine):
    assert_unchanged(dot.from_dot(dot.to_dot(machine)), machine)


def outputs_along_all_words(mealy, letters, length):
    """What AALpy's machine pays for every word of a length, letters being those it read, as floats."""
    for word in product(letters, repeat=length):
        mealy.reset_to_initial()
        yield tuple(float(mealy.step(z)) for z in word)


@given(machine=odd_machines(NAMES | st.none()))
def test_aalpy_reads_what_we_write(machine, tmp_path_factory):
    """AALpy keeps entities as they are: the k-th input it meets is the k-th observation, under whatever name."""
    from aalpy.utils import load_automaton_from_file

    path = tmp_path_factory.mktemp("dot") / "machine.dot"
    path.write_text(dot.to_dot(machine), encoding="utf-8")
    mealy = load_automaton_from_file(path, "mealy")
    inputs = list(mealy.initial_state.transitions)
    assert (len(mealy.states), len(inputs)) == (len(machine.nodes), len(machine.observations))
    assert list(outputs_along_all_words(mealy, inputs, 3)) == [
        machine.rewards(word) for word in product(machine.observations, repeat=3)]


def test_aalpy_reads_plain_names_as_they_are(tmp_path):
    from aalpy.utils import load_automaton_from_file

    path = tmp_path / "machine.dot"
    path.write_text(dot.to_dot(mrm.domains.treasure_map().machine), encoding="utf-8")
    mealy = load_automaton_from_file(path, "mealy")
    machine = mrm.domains.treasure_map().machine
    assert [state.state_id for state in mealy.states] == [str(u) for u in machine.nodes]
    assert set(mealy.get_input_alphabet()) == set(machine.observations)


@given(machines())
def test_we_read_what_aalpy_writes(machine):
    from aalpy.automata import MealyMachine
    from aalpy.utils import save_automaton_to_file

    setup = {f"q {u}": {z: (machine.step(u, z)[1], f"q {machine.step(u, z)[0]}") for z in machine.observations}
             for u in machine.nodes}
    again = dot.from_dot(save_automaton_to_file(MealyMachine.from_state_setup(setup), "m", "string"),
                         null_reward=machine.null_reward)
    assert again.equivalent(machine)
    assert again.nodes == tuple(f"q {u}" for u in machine.nodes)
    assert again.observations == machine.observations


def test_we_read_a_file_that_aalpy_saved(tmp_path, capsys):
    from aalpy.utils import generate_random_deterministic_automata, save_automaton_to_file

    random.seed(1)  # AALpy draws from Python's own generator
    mealy = generate_random_deterministic_automata("mealy", 6, 3, 4)
    save_automaton_to_file(mealy, tmp_path / "saved", "dot")
    capsys.readouterr()
    text = (tmp_path / "saved.dot").read_text().replace("/o", "/")  # its outputs are o0, o1, …
    (tmp_path / "saved.dot").write_text(text)
    machine = files.read(tmp_path / "saved.dot", dot.from_dot)
    for word in product(machine.observations, repeat=4):
        mealy.reset_to_initial()
        assert machine.rewards(word) == tuple(float(str(mealy.step(z)).lstrip("o")) for z in word)


def test_what_learnlib_writes_is_read():
    machine = dot.from_dot(SALE)
    assert machine.transitions == SOLD
    assert (machine.initial, machine.null_reward) == (0, 0.0)


@pytest.mark.parametrize(("old", "new"), [
    ("digraph g {", "strict DIGRAPH {"), (";", ""), ("// as", "/* one\ntwo */ // as"), ("\n\ts0", "\n# odd\n\ts0"),
    ("digraph g {", 'digraph "a b" { rankdir=LR; node [shape=box]; edge [color="x"]; graph [a=b, c="d"]'),
    ('[label="map / 10.5"]', "[x=1][label=<map / 10.5>;y=<a<b>c>]"), ('"map / ', '"map/'), ('"map', '"ma\\\np'),
    ("\ts1 -> s1", '\t"s1" -> "s1"'), ("10.5", "1.05E+1"), ("\n", "\r\n"), ('shape="none"', "color=<a -- b>"),
])
def test_another_way_to_write_the_same_is_read_the_same(old, new):
    assert old in SALE
    assert dot.from_dot(SALE.replace(old, new)).transitions == SOLD


def test_a_chain_of_nodes_is_a_chain_of_edges():
    machine = dot.from_dot('digraph { __start0 -> a; a -> b -> a [label="z/1"] }')
    assert machine.transitions == {("a", "z"): ("b", 1.0), ("b", "z"): ("a", 1.0)}


@pytest.mark.parametrize(("label", "z", "r"), [
    ("a/b/1", "a/b", 1.0), ("a / b / -2", "a / b", -2.0), ("/1", "", 1.0), ("5/3", 5, 3.0), ("1.5/3", "1.5", 3.0),
    ("true/0", "true", 0.0), ("null/0", "null", 0.0), ("[1, 2]/0", "[1, 2]", 0.0), ("(1, 2)/0", "(1, 2)", 0.0),
    (r"a\"b/1", 'a"b', 1.0), (r"a\\b/1", "a\\b", 1.0), (r"a\w/1", r"a\w", 1.0), ("a&lt;&nbsp;b/1", "a<&nbsp;b", 1.0),
    ("a&#9999999;/1", "a&#9999999;", 1.0), ("x&y/1", "x&y", 1.0), ("z/.5", "z", 0.5), ("z/5.", "z", 5.0),
])
def test_a_label_is_an_observation_and_a_reward(label, z, r):
    machine = dot.from_dot(f'digraph {{ __start0 -> u; u -> u [label="{label}"] }}')
    assert repr(machine.transitions) == repr({("u", z): ("u", r)})


def test_the_observations_given_are_the_order():
    assert dot.from_dot(SALE, observations=["shop", "map"]).observations == ("shop", "map")


def test_what_null_pays_is_in_the_text_or_given():
    machine = random_machine(rng(0), null_reward=-0.1)
    text = dot.to_dot(machine)
    assert dot.from_dot(text, null_reward=7.0).null_reward == -0.1
    assert dot.from_dot(re.sub("null_reward.*", "", text), null_reward=7.0).null_reward == 7.0


@pytest.mark.parametrize(("old", "new", "line", "culprit"), [
    ("digraph", "graph", 1, "expected a directed graph: digraph, not 'graph'"),
    ("s0 -> s1", "s0 -- s1", 6, "expected a name, '->', '[' or '}', not '--'"),
    ("s0 -> s1", "s0 => s1", 6, "unexpected '> s1"),
    ("s0 -> s1", "s0:n -> s1", 6, "unexpected ':n"),
    ("s0 -> s1", "subgraph x { s0 -> s1", 6, "not 'subgraph'"),
    ("s0 -> s1", "{ s0 -> s1", 6, "not '{'"),
    ("s0 -> s1", "/* s0 -> s1", 6, "unexpected '/"),
    ("map / 10.5", "shop / 10.5", 7, "a second edge leaves 0 with 'shop'"),
    ("shop / 0", "shop / zero", 7, "the reward of 'shop / zero' is 'zero', not a finite number"),
    ("shop / 0", "shop / 1e999", 7, "not a finite number"),
    ("shop / 0", "shop / nan", 7, "not a finite number"),
    ("shop / 0", "shop", 7, "must have a label observation/reward, not 'shop'"),
    ('[label="shop / 0"]', "", 7, "must have a label observation/reward, not None"),
    ('[label="shop / 0"]', "[label]", 7, "expected a value for the attribute 'label'"),
    ('"shop / 0"', '"shop / 0', 8, "unexpected '/ 0"),
    ('s1 -> s0 [label="shop / 6e1", color=red];', "", 5, "no edge leaves 'u 1' with 'shop'"),
    ('label="u 1"', 'label="0"', 5, "the node 0 is declared twice"),
    ('label="u 1"', 'label="json:[1"', 5, "is not a name"),
    ('label="u 1"', 'label="json:{}"', 5, "is not a name"),
    ('label="u 1"', 'label="json:NaN"', 5, "is not a name"),
    ("__start0 -> s0", "__start0 -> s7", 10, "no edge leaves 's7' with 'map'"),
    ("__start0 -> s0;", "__start0 -> s0; __start0 -> s1", 10, "a second start, 's1'"),
    ("__start0 -> s0;", "s0 -> __start0", 10, "an edge leads to __start0"),
    ("__start0 -> s0;", "", 12, "expected an edge from __start0 to the start node, not the end"),
    ("__start0 -> s0;", 'null_reward="x"; __start0 -> s0;', 10, "null_reward is 'x', not a finite number"),
    ("s0;\n}", "s0;\n} }", 11, "not '}'"),
    ("s0;\n}\n", "s0;", 10, "not the end"),
    ("s0;\n}", "s0 [color=<a<b>]", 10, "'<' without its '>'"),
])
def test_what_is_not_a_machine_is_refused_with_its_line(old, new, line, culprit):
    assert old in SALE
    with pytest.raises(mrm.FormatError, match=rf"^sale\.dot, line {line}: ") as raised:
        dot.from_dot(SALE.replace(old, new, 1), "sale.dot")
    assert culprit in str(raised.value)


def test_an_observation_that_is_not_given_is_refused():
    with pytest.raises(mrm.FormatError, match="line 7: the observation 'shop' is not among those given: 'map'"):
        dot.from_dot(SALE, observations=["map"])


def test_a_name_that_has_no_text_is_refused_by_name():
    with pytest.raises(mrm.FormatError, match="has no JSON form"):
        dot.to_dot(mrm.MealyRewardMachine({("u", frozenset("a")): ("u", 1.0)}, "u"))
