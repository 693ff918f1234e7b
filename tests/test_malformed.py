"""Malformed files: every reader refuses them with file and line, in little time and memory, and executes nothing."""

import ast
import contextlib
import json
import re
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib import document
from mrmlib.agents.events import Run
from mrmlib.interop import dot, rm_text

MACHINE = mrm.MealyRewardMachine({("u", "y"): ("v", 1.5), ("u", "z"): ("u", 0.0),
                                  ("v", "y"): ("v", 2.0), ("v", "z"): ("u", 0.0)}, "u")
M = mrm.NRMDP("st", "ab", lambda s, a: {"s": 0.25, "t": 0.75}, "s")
STORE = mrm.Store("yz")
STORE.record("yz", (1.5, 0.0))


def spread(text):
    """JSON over many lines."""
    return json.dumps(json.loads(text), indent=1)


READERS = {
    "machine": (mrm.MealyRewardMachine.from_json, spread(MACHINE.to_json())),
    "nrmdp": (mrm.NRMDP.from_json, spread(M.to_json())),
    "mdp": (mrm.MDP.from_json, spread(mrm.MDP("st", "ab", M.successors, "s", lambda s, a, t: 1.5).to_json())),
    "labelling": (mrm.Labelling.from_json, spread(mrm.Labelling({("a", "t"): "z"}, ["z"]).to_json(M))),
    "store": (mrm.Store.from_json, spread(STORE.to_json())),
    "run": (Run.from_json, spread(Run(machine=MACHINE, store=STORE).to_json())),
    "dot": (dot.from_dot, dot.to_dot(MACHINE)),
    "rm_text": (rm_text.from_rm_text, rm_text.to_rm_text(MACHINE)),
}
JSON = [kind for kind in READERS if kind not in ("dot", "rm_text")]
FORMATS = pytest.mark.parametrize("kind", READERS)
BOMBS = {
    "run-on number": "1e999x", "brackets": "[" * 10**6, "braces": "{" * 10**6, "parentheses": "(" * 10**6,
    "angles": "<" * 10**6,
    "objects": '{"a":' * 10**5, "digits": "7" * 10**6, "quote": '"' + "a" * 10**6, "backslashes": '"' + "\\" * 10**6,
    "comment": "/*" * 10**6, "lines": "\n" * 10**6, "zeros": "\x00" * 10**6, "spaces": " " * 10**6,
    "open graph": "digraph {" * 10**5, "open label": "digraph { a [label=" + "<" * 10**6,
    "open attributes": "digraph { a " + "[" * 10**6, "long chain": "digraph { a" + " -> a" * 10**5,
    "open guard": "0\n[]\n(0,0,'" + "(" * 10**6,
    "deep guard": f"0\n[]\n(0,0,'{'(' * 10**5}',ConstantRewardFunction(1))",
    "open terminal": "0\n[" + "1," * 10**5, "deep name": f'digraph {{ a [label="json:{"[" * 10**5}"]; __start0 -> a }}',
    "huge reward": f'digraph {{ __start0 -> a; a -> a [label="z/{"7" * 10**6}"] }}',
}


def refused(kind, text):
    """The message with which a reader refuses a text."""
    with pytest.raises(mrm.FormatError) as raised:
        READERS[kind][0](text, "file.x")
    message = str(raised.value)
    assert re.match(r"file\.x, line [0-9]+: ", message), message
    assert int(message.split()[2][:-1]) <= text.count("\n") + 1
    return message


def read_or_refused(kind, text):
    with contextlib.suppress(mrm.FormatError):
        READERS[kind][0](text, "file.x")
        return
    refused(kind, text)


@FORMATS
def test_the_sound_files_are_sound(kind):
    read, text = READERS[kind]
    read(text, "file.x")


@FORMATS
def test_every_truncated_file_is_refused_with_its_line(kind):
    """A reward may be cut to a shorter one, but never the file as a whole; only the last line end can be spared."""
    text = READERS[kind][1].rstrip()
    for end in range(len(text)):
        cut = text[:end].rstrip()
        if kind == "rm_text" and cut.count("\n") > 1 and cut.endswith(")") and cut.count("(") == cut.count(")"):
            read_or_refused(kind, cut)  # whole lines: an edge less
        else:
            refused(kind, cut)


@FORMATS
@given(data=st.data())
def test_a_file_with_pieces_changed_is_read_or_refused(kind, data):
    text = READERS[kind][1]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        piece = st.sampled_from([*'{}[]()<>"\'\\/|&!,;:=#-\n\x00é0', "1e999", "->", "--", "null", "[[", "json:", "NaN",
                                 "null_reward", text[start:start + 20]]) | st.text(max_size=3)
        text = text[:start] + data.draw(piece) + text[start + data.draw(st.integers(0, 8)):]
    read_or_refused(kind, text)


@FORMATS
@given(text=st.text(max_size=60))
def test_junk_is_refused(kind, text):
    refused(kind, text)


@FORMATS
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_at_once(kind, bomb):
    began = time.process_time()
    assert len(refused(kind, BOMBS[bomb])) < 500
    assert time.process_time() - began < 5


@FORMATS
def test_100_mb_of_junk_are_refused_without_a_look(kind):
    junk = "x" * 10**8
    tracemalloc.start()
    assert "100000000 characters are more than the 16777216 that are read" in refused(kind, junk)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_a_large_file_that_says_little_takes_time_in_proportion():
    """Each of 10⁴ nodes has an edge for one of as many observations: most of the 10⁸ pairs are never looked at."""
    edges = [f"({i},{i},'p{i}',ConstantRewardFunction(0))" for i in range(10_000)]
    for text in ("\n".join(["0", "[0]", *edges]), "\n".join(["0", "[]", *edges])):
        began = time.process_time()
        assert "letters are more than 4096" in refused("rm_text", text)
        assert time.process_time() - began < 10
    edges = [f'a{i} -> a{i} [label="z{i}/1"];' for i in range(10_000)]
    began = time.process_time()
    assert "no edge leaves 'a0' with 'z1'" in refused("dot", "digraph { __start0 -> a0;" + "\n".join(edges) + "}")
    assert time.process_time() - began < 10


@pytest.mark.parametrize("kind", JSON)
@pytest.mark.parametrize(("number", "culprit"), [("NaN", "NaN"), ("1e999", "1e999"), ("7" * 5000, "digits")])
def test_a_number_that_is_none_is_told_with_its_line(kind, number, culprit):
    text = READERS[kind][1].replace('"version": 1', f'"version": 1,\n "extra": [\n"{number}",\n  {number}]', 1)
    message = refused(kind, text)
    assert culprit in message
    assert message.startswith("file.x, line 6: ")


@pytest.mark.parametrize("kind", JSON)
@pytest.mark.parametrize(("more", "line"), [
    ('"a": 1,\n "a": 2', 5), ('"a": {\n"b": 1,\n"b": 2},\n"a": 3', 6), ('"version": 1', 4),
    (r'"a": ["a", "a"], "\u0061": 1', 4)])
def test_a_repeated_key_is_told_with_its_line(kind, more, line):
    message = refused(kind, READERS[kind][1].replace('"version": 1', f'"version": 1,\n {more}', 1))
    assert "a key is repeated among" in message
    assert message.startswith(f"file.x, line {line}: ")


@pytest.mark.parametrize(("kind", "old", "new", "part"), [
    ("machine", '"nodes": [', '"nodes": ["u",', "nodes"),
    ("machine", '"observations": [', '"observations": [5,', "transitions"),
    ("nrmdp", '"actions": [', '"actions": ["a",', "actions"), ("nrmdp", "0.25", "0.25, 1", "transitions"),
    ("mdp", '"states": [', '"states": {}, "no": [', "states"),
    ("labelling", '"observations": [', '"observations": ["z",', "observations"),
    ("store", "1.5", '"x"', "words"), ("store", '"counterexamples": [', '"counterexamples": [[7]', "counterexamples"),
])
def test_a_part_that_is_not_of_its_form_is_told_with_its_line(kind, old, new, part):
    text = READERS[kind][1]
    assert old in text
    changed = text.replace(old, new, 1)
    line = 1 + changed[:changed.index(f'"{part}"')].count("\n")
    assert refused(kind, changed).startswith(f"file.x, line {line}: ")
    assert line > 1


def test_a_model_that_contradicts_itself_is_told_at_the_first_line_and_once():
    text = READERS["run"][1].replace('"initial": "u"', '"initial": "moon"')
    assert refused("run", text) == "file.x, line 1: the start node 'moon' is not a node"


def test_whoever_trusts_a_larger_text_may_raise_the_limit(monkeypatch):
    text = READERS["machine"][1]
    monkeypatch.setattr(document, "LIMIT", len(text) - 1)
    assert "are more than" in refused("machine", text)
    monkeypatch.setattr(document, "LIMIT", len(text))
    assert mrm.MealyRewardMachine.from_json(text) == MACHINE


READING = ("document", "interop.files", "interop.labels", "interop.digraph", "interop.dot", "interop.guards",
           "interop.formulas", "interop.rm_text", "interop.multigraph", "interop.aalpy")


@pytest.mark.parametrize("module", READING)
def test_no_reader_executes_or_imports_what_it_reads(module):
    """Neither by name nor by import; `re.compile` compiles only a pattern."""
    names = {"eval", "exec", "compile", "__import__", "getattr", "globals"}
    attributes = {"literal_eval", "import_module", "__import__", "system", "eval", "exec"}
    modules = {"pickle", "importlib", "marshal", "shelve", "ast", "runpy", "subprocess", "yaml", "builtins", "os"}
    path = Path(document.__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not (isinstance(node, ast.Name) and node.id in names), node.lineno
        assert not (isinstance(node, ast.Attribute) and node.attr in attributes), node.lineno
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported = {alias.name.partition(".")[0] for alias in node.names}
            assert not modules & (imported | {getattr(node, "module", None)}), node.lineno
