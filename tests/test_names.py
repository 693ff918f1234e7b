"""Names in declared order, and names that are never written out."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.names import ByName, Names, Pairs, Subset

WORDS = st.lists(st.text(max_size=2), unique=True, max_size=6)


@given(WORDS, WORDS)
def test_pairs_behave_as_the_tuple_of_all_pairs(left, right):
    pairs, written = Pairs(Names(left), Names(right)), tuple((s, u) for s in left for u in right)
    assert pairs == written
    assert written == pairs
    assert len(pairs) == len(written)
    assert [pairs[i] for i in range(-len(pairs), len(pairs))] == [*written, *written]
    assert [pairs.index(pair) for pair in written] == list(range(len(written)))
    assert pairs[1:-1:2] == written[1:-1:2]
    for outside in (len(written), -len(written) - 1):
        with pytest.raises(IndexError):
            pairs[outside]


@given(WORDS, st.data())
def test_a_subset_behaves_as_the_tuple_of_its_names(names, data):
    kept = [name for name in names if data.draw(st.booleans())]
    subset = Subset(Names(names), np.array([names.index(name) for name in kept], dtype=np.int64))
    assert subset == tuple(kept)
    assert subset[::-1] == tuple(kept[::-1])
    assert [subset.index(name) for name in kept] == list(range(len(kept)))
    assert all((name in subset) == (name in kept) for name in names)


def test_what_is_looked_up_in_vain_is_named():
    pairs = Pairs(Names("st", "state"), Names(["u0"], "node"))
    for wanted, message in [("s", "unknown state 's': a state of a product is a pair"),
                            (("x", "u0"), "unknown state 'x'"), (("s", "u9"), "unknown node 'u9'"),
                            ((["s"], "u0"), r"unknown state \['s'\]")]:
        assert wanted not in pairs
        with pytest.raises(mrm.ModelError, match=message):
            pairs.index(wanted)
    with pytest.raises(mrm.ModelError, match="'b' was trimmed away"):
        Subset(Names("abc"), np.array([0, 2])).index("b")


def test_a_name_declared_twice_is_refused_by_name():
    with pytest.raises(mrm.ModelError, match="the action 'n' is declared twice"):
        Names(["n", "e", "n"], "action")
    with pytest.raises(mrm.ModelError, match="declared twice"):
        Names([1, True])  # the two are equal, so they name the same thing


def test_a_name_must_be_hashable():
    with pytest.raises(mrm.ModelError, match=r"every state must be hashable: .*list"):
        Names([["a"]], "state")
    assert ["a"] not in Names("a")


def test_names_survive_copying_and_pickling():
    names = Names(["n", ("e", 1)], "action")
    for again in (pickle.loads(pickle.dumps(names)), copy.deepcopy(names)):
        assert again == names
        assert again.index(("e", 1)) == 1
        assert again.kind == "action"


def test_a_million_pairs_show_only_their_first():
    assert repr(Pairs(Names(range(1000)), Names(range(1000)))) == "((0, 0), (0, 1), (0, 2), …) of 1000000"


def test_an_array_reads_as_a_mapping_by_name():
    values = ByName(Names("stu", "state"), np.array([0.5, 2.0, 1.0]))
    assert dict(values) == {"s": 0.5, "t": 2.0, "u": 1.0}
    assert repr(values) == "{'s': 0.5, 't': 2.0, 'u': 1.0}"
    assert "x" not in values
    with pytest.raises(KeyError):
        values["x"]
