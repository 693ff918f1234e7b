"""The JSON form of models: it comes back bit for bit, and nothing malformed comes in."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib import document
from tests.random_models import worlds

NAMES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)
REWARDS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.1, 1e-320, -0.0, 1e308, 5e-324, 1 / 3])


def distinct_names(size):
    return st.lists(NAMES, unique=True, min_size=1, max_size=size)


@st.composite
def oddly_named_worlds(draw):
    """(M, MDP, λ, machine) with names of every kind and rewards of every size."""
    states, actions, nodes = (draw(distinct_names(3)) for _ in range(3))
    letters = draw(distinct_names(3).filter(lambda names: mrm.NULL not in names))

    def row():
        weights = [draw(st.integers(0, 7)) for _ in states]
        weights[draw(st.integers(0, len(states) - 1))] += 1
        return {s: w / sum(weights) for s, w in zip(states, weights, strict=True)}

    mdp = mrm.NRMDP(states, actions, lambda s, a: row(), draw(st.sampled_from(states)))
    paying = mrm.MDP(states, actions, mdp.successors, mdp.initial, lambda s, a, t: draw(REWARDS))
    labelling = mrm.Labelling({(a, s): draw(st.sampled_from([mrm.NULL, *letters])) for a in actions for s in states},
                              letters)
    machine = mrm.MealyRewardMachine({(u, z): (draw(st.sampled_from(nodes)), draw(REWARDS))
                                      for u in nodes for z in letters}, draw(st.sampled_from(nodes)), draw(REWARDS))
    return mdp, paying, labelling, machine


def bits(model):
    """All there is to a model: reprs tell 1 from True and 0.0 from -0.0, bytes tell one float from the next."""
    return {key: value.tobytes() if hasattr(value, "tobytes") else repr(value) for key, value in vars(model).items()}


@given(oddly_named_worlds())
def test_json_keeps_every_bit(world):
    mdp, paying, labelling, machine = world
    for model in (mdp, paying, machine):
        again = type(model).from_json(model.to_json())
        assert bits(again) == bits(model)
        assert again.to_json() == model.to_json()
    again = mrm.Labelling.from_json(labelling.to_json(mdp))
    assert repr(again.observations) == repr(labelling.observations)
    assert again.table(mdp).tobytes() == labelling.table(mdp).tobytes()
    assert again.to_json(mdp) == labelling.to_json(mdp)


@given(worlds())
def test_a_product_comes_back_whole_or_trimmed(world):
    for mdp in (mrm.product(*world), mrm.product(*world).reachable()):
        assert mrm.MDP.from_json(mdp.to_json()) == mdp


def test_the_form_is_plain_to_read():
    mdp = mrm.NRMDP([(1, 2), "t"], ["a"], {((1, 2), "a"): {"t": 0.1, (1, 2): 0.9}, ("t", "a"): {"t": 1}}, "t")
    assert json.loads(mdp.to_json()) == {
        "mrmlib": "nrmdp", "version": 1, "states": [[1, 2], "t"], "actions": ["a"], "initial": "t",
        "transitions": [[[1, 0.1], [0, 0.9]], [[1, 1.0]]],
    }


def test_null_as_a_letter_comes_back_as_a_letter():
    mdp = mrm.NRMDP("st", ["a"], lambda s, a: {"t": 1.0}, "s")
    lettered = mrm.Labelling({("a", "t"): "z"}, ["z"]).with_null_as_letter()
    assert mrm.Labelling.from_json(lettered.to_json(mdp)).table(mdp).tolist() == [[1, 0]]


@pytest.mark.parametrize("name", [frozenset("a"), b"a", math.nan, math.inf, 1j, ("a", object())])
def test_a_name_without_a_json_form_is_refused_by_name(name):
    with pytest.raises(mrm.FormatError, match="has no JSON form"):
        mrm.NRMDP([name], ["a"], lambda s, a: {s: 1.0}, name).to_json()


# What comes in. Each kind of document: how to read it, and a good one.
DELTA = {("u", "y"): ("v", 1.5), ("u", "z"): ("u", 0.0), ("v", "y"): ("v", 2.0), ("v", "z"): ("u", 0.0)}
M = mrm.NRMDP("st", "ab", lambda s, a: {"s": 0.25, "t": 0.75}, "s")
READERS = {
    "nrmdp": (mrm.NRMDP.from_json, json.loads(M.to_json())),
    "mdp": (mrm.MDP.from_json, json.loads(mrm.MDP("st", "ab", M.successors, "s", lambda s, a, t: 1.5).to_json())),
    "labelling": (mrm.Labelling.from_json, json.loads(mrm.Labelling({("a", "t"): "z"}, ["z"]).to_json(M))),
    "machine": (mrm.MealyRewardMachine.from_json, json.loads(mrm.MealyRewardMachine(DELTA, "u").to_json())),
}
KINDS = pytest.mark.parametrize("kind", READERS)
HUGE = 10**400


def changed(form, path, value):
    """The same JSON with the value at a path of keys and positions replaced; `del_` takes it out."""
    if not path:
        return value
    first, *rest = path
    copied = dict(form) if isinstance(form, dict) else list(form)
    if not rest and value is del_:
        del copied[first]
    else:
        copied[first] = changed(form[first], rest, value)
    return copied


def del_():
    """Stands for: take it out."""


def paths(form):
    """Every path into a JSON value."""
    yield ()
    inner = form.items() if isinstance(form, dict) else enumerate(form) if isinstance(form, list) else ()
    for key, value in inner:
        yield from ((key, *path) for path in paths(value))


def refusal_of(kind, text):
    with pytest.raises(mrm.FormatError) as raised:
        READERS[kind][0](text, "saved.json")
    assert str(raised.value).startswith("saved.json, line ")
    return str(raised.value)


@KINDS
def test_the_good_documents_are_good(kind):
    read, good = READERS[kind]
    read(json.dumps(good))


@KINDS
def test_every_truncated_document_is_refused_with_its_line(kind):
    text = json.dumps(READERS[kind][1], indent=1)
    for end in range(len(text)):
        assert "saved.json, line " in refusal_of(kind, text[:end])
    assert f"line {text.count(chr(10)) + 1}" in refusal_of(kind, text[:-1])


@KINDS
@pytest.mark.parametrize("text", ["", "null", "[]", "7", '"nrmdp"', "{}", '{"mrmlib": "story", "version": 1}'])
def test_another_thing_is_refused_and_the_kind_wanted_is_named(kind, text):
    message = refusal_of(kind, text)
    assert not text or f"expected an mrmlib document of kind '{kind}'" in message


@KINDS
@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_version_is_refused(kind, version):
    assert f"version {version!r}, expected 1" in refusal_of(kind, json.dumps(READERS[kind][1] | {"version": version}))


@KINDS
def test_a_missing_part_is_named(kind):
    good = READERS[kind][1]
    for key in good.keys() - {"mrmlib", "version"}:
        assert f"a {kind} needs '{key}'" in refusal_of(kind, json.dumps(changed(good, [key], del_)))


@pytest.mark.parametrize("kind", ["nrmdp", "mdp", "machine"])
@pytest.mark.parametrize(("number", "culprit"), [("NaN", "NaN"), ("-Infinity", "-Infinity"), ("1e999", "1e999"),
                                                 ("7" * 5000, "digits")])
def test_a_number_that_is_none_is_refused(kind, number, culprit):
    good = json.dumps(READERS[kind][1])
    assert culprit in refusal_of(kind, good.replace("1.5" if "1.5" in good else "0.25", number))


@KINDS
@pytest.mark.parametrize(("damage", "culprit"), [
    (lambda text: text[:-1] + ', "version": 1}', "a key is repeated among"),
    (lambda text: text + "x", "line 1: Extra data"),
    (lambda text: "[" * 100_000, "nested too deeply"),
])
def test_what_a_lenient_reader_would_let_pass_is_refused(kind, damage, culprit):
    assert culprit in refusal_of(kind, damage(json.dumps(READERS[kind][1])))


@pytest.mark.parametrize(("kind", "path", "value", "culprit"), [
    ("nrmdp", ["states"], "st", "expected a list of states, not 'st'"),
    ("nrmdp", ["states"], [], "transitions must be a list with one row for each of 0 pairs"),
    ("nrmdp", ["states"], ["s", "s"], "the state 's' is declared twice"),
    ("nrmdp", ["states", 0], {"s": 1}, "every state must be hashable"),
    ("nrmdp", ["actions"], {"a": 1, "b": 2}, "expected a list of actions"),
    ("nrmdp", ["initial"], "moon", "the initial state 'moon' is not a state"),
    ("nrmdp", ["initial"], {}, "the initial state {} is not a state"),
    ("nrmdp", ["transitions", 0], del_, "one row for each of 4 pairs"),
    ("nrmdp", ["transitions"], None, "one row for each of 4 pairs"),
    ("nrmdp", ["transitions", 0], {}, "T('s', 'a') sums to 0"),
    ("nrmdp", ["transitions", 0, 0], [0], "the row of ('s', 'a') must list entries [t, p]"),
    ("nrmdp", ["transitions", 0, 0], [0, 0.25, 1.0], "the row of ('s', 'a') must list entries [t, p]"),
    ("nrmdp", ["transitions", 0, 0, 0], -1, "not a position in states: [-1, 1]"),
    ("nrmdp", ["transitions", 0, 0, 0], 2, "not a position in states: [2, 1]"),
    ("nrmdp", ["transitions", 0, 0, 0], True, "not a position in states: [True, 1]"),
    ("nrmdp", ["transitions", 0, 0, 0], 0.0, "not a position in states: [0.0, 1]"),
    ("nrmdp", ["transitions", 0, 0, 0], 1, "lists a successor twice: [1, 1]"),
    ("nrmdp", ["transitions", 0, 0, 1], "0.25", "T('s', 'a') gives 's' the probability '0.25'"),
    ("nrmdp", ["transitions", 0, 0, 1], HUGE, "T('s', 'a') gives 's' the probability"),
    ("nrmdp", ["transitions", 0, 0, 1], 0.5, "T('s', 'a') sums to 1.25, not 1"),
    ("mdp", ["transitions", 0, 0], [0, 0.25], "the row of ('s', 'a') must list entries [t, p, r]"),
    ("mdp", ["transitions", 3, 1, 2], None, "the reward R('t', 'b', 't') is None"),
    ("mdp", ["transitions", 3, 1, 2], HUGE, "the reward R('t', 'b', 't') is too large"),
    ("labelling", ["observations"], ["z", "z"], "the observation 'z' is declared twice"),
    ("labelling", ["observations"], "z", "expected a list of observations"),
    ("labelling", ["labels"], [["a", "t", "z"], ["a", "t", "z"]], "('a', 't') is declared twice"),
    ("labelling", ["labels", 0, 2], "moon", "λ('a', 't') is 'moon', which is neither"),
    ("labelling", ["labels", 0], ["a", "t"], "not the form of a labelling"),
    ("labelling", ["labels"], 7, "not the form of a labelling"),
    ("machine", ["nodes"], ["u", "u"], "the node 'u' is declared twice"),
    ("machine", ["observations"], ["y", "y"], "the observation 'y' is declared twice"),
    ("machine", ["nodes"], "uv", "expected a list of nodes"),
    ("machine", ["initial"], "w", "the start node 'w' is not a node"),
    ("machine", ["null_reward"], None, "the reward of null is None"),
    ("machine", ["null_reward"], HUGE, "the reward of null is too large"),
    ("machine", ["transitions", 0], del_, "transitions must have a row for each of 2 nodes"),
    ("machine", ["transitions", 1, 0], del_, "an entry for each of 2 observations"),
    ("machine", ["transitions", 1, 0, 0], -1, "a transition leads to -1"),
    ("machine", ["transitions", 1, 0, 0], 2, "a transition leads to 2"),
    ("machine", ["transitions", 1, 0, 0], "u", "a transition leads to 'u'"),
    ("machine", ["transitions", 1, 0, 1], "2", "the reward of δ('v', 'y') is '2'"),
    ("machine", ["transitions", 1, 0], 2.0, "not the form of a machine"),
])
def test_a_wrong_part_is_named(kind, path, value, culprit):
    assert culprit in refusal_of(kind, json.dumps(changed(READERS[kind][1], path, value)))


@pytest.mark.parametrize(("depth", "fate"), [(100, contextlib.nullcontext()), (5_000, pytest.raises(
    mrm.FormatError, match="nested too deeply")), (900, contextlib.suppress(mrm.FormatError))])
def test_a_name_nested_ever_more_deeply_is_read_until_it_is_refused(depth, fate):
    with fate:
        read = mrm.NRMDP.from_json(M.to_json().replace('"t"', "[" * depth + "]" * depth))
        assert len(read.states) == 2


JSON = st.recursive(st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([HUGE, 0.5, "s", "u", "z", ""]),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=2),
                    max_leaves=5)


@KINDS
@given(data=st.data())
def test_whatever_stands_in_any_place_a_document_is_read_or_refused(kind, data):
    read, good = READERS[kind]
    path = data.draw(st.sampled_from([path for path in paths(good) if path]))
    with contextlib.suppress(mrm.FormatError):  # no other error may come
        read(json.dumps(changed(good, path, data.draw(JSON | st.just(del_)))))


def test_a_document_of_ones_own():
    text = document.dump("greeting", {"word": "größer"})
    assert document.load(text, "greeting", lambda content: content["word"]) == "größer"
    with pytest.raises(ValueError, match="Out of range float"):
        document.dump("greeting", {"word": math.nan})
