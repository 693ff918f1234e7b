"""The store against a plain dictionary of words, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrmlib.errors import FormatError, NondeterminismError, QueryError
from mrmlib.store import Store
from tests.random_models import machines

WORDS = st.lists(st.lists(st.sampled_from("ab"), max_size=5).map(tuple), max_size=12)


def state(store):
    return list(store.words()), len(store)


@pytest.fixture
def store():
    store = Store("ab")
    store.record(("a", "b"), (1.0, 2.0))
    return store


@given(machines(max_nodes=4, max_letters=2), WORDS)
def test_store_knows_every_prefix_of_what_was_recorded_and_nothing_else(machine, words):
    store, known = Store("ab"), {}
    machine = machine if len(machine.observations) == 2 else None
    for word in words:
        rewards = machine.rewards(word) if machine else tuple(float(len(word[:i + 1])) for i in range(len(word)))
        store.record(word, rewards)
        known |= {word[:i]: rewards[:i] for i in range(len(word) + 1)}
    assert len(store) == len(known.keys() - {()})
    assert all(store.rewards(word) == rewards for word, rewards in known.items())
    assert all(store.rewards((*word, z)) == known.get((*word, z)) for word in known for z in "ab")
    longest = {word for word in known if word and not any((*word, z) in known for z in "ab")}
    assert list(store.words()) == [(word, known[word]) for word in sorted(longest)]


@given(WORDS)
def test_json_brings_the_store_back_bit_for_bit(words):
    store = Store([("x", 1), None, "b"][:2])
    for word in words:
        named = tuple(store.observations["ab".index(z)] for z in word)
        store.record(named, tuple(0.1 * ("ab".index(z) + i) for i, z in enumerate(word)))
        store.counterexamples.append(named)
    again = Store.from_json(store.to_json())
    assert again.counterexamples == store.counterexamples
    assert (state(again), again.observations) == (state(store), store.observations)
    assert again.to_json() == store.to_json()


@pytest.mark.parametrize(("word", "rewards", "error", "names"), [
    (("a", "c"), (1.0, 0.0), QueryError, "unknown observation 'c'"),
    (("a", ["b"]), (1.0, 0.0), QueryError, r"unknown observation \['b'\]"),
    (("a", "a"), (1.0,), QueryError, r"\(1.0,\) has 1 rewards, the word \('a', 'a'\) has 2"),
    (("a",), (1.0, 2.0), QueryError, "has 2 rewards"),
    (("a", "a", "a"), (1.0, 0.0, float("nan")), QueryError, "nan"),
    (("a", "a"), (1.0, "2"), QueryError, "'2'"),
    (("a", "a"), (1.0, 10**400), QueryError, "finite"),
    (("a", "b", "a"), (1.0, 3.0, 0.0), NondeterminismError,
     r"\('a', 'b'\) was paid \(1.0, 2.0\) before and \(1.0, 3.0\) now"),
])
def test_a_wrong_answer_is_refused_by_name_and_leaves_no_trace(store, word, rewards, error, names):
    before = state(store)
    with pytest.raises(error, match=names):
        store.record(word, rewards)
    assert state(store) == before


def test_every_kind_of_number_is_kept_as_a_float(store):
    store.record(("b", "b"), np.array([1, 2]))
    assert store.rewards(("b", "b")) == (1.0, 2.0)
    assert {type(r) for _, rewards in store.words() for r in rewards} == {float}


def test_the_same_answer_may_be_recorded_again(store):
    before = state(store)
    store.record(("a",), (1,))
    assert state(store) == before


def document(words):
    return ('{"mrmlib": "store", "version": 1, "observations": ["a", "b"], '
            f'"words": {words}, "counterexamples": [[0]]}}')


def test_a_document_is_read_as_it_is_written():
    store = Store.from_json(document("[[[0, 1], [1, 2]]]"))
    assert state(store) == ([(("a", "b"), (1.0, 2.0))], 2)
    assert store.counterexamples == [("a",)]


@pytest.mark.parametrize("words", ["[[[0, 2], [1, 2]]]", "[[[-1], [1]]]", "[[[0], [1, 2]]]", "[[[0, 1]]]", "3",
                                   "[[[0], [1]], [[0], [2]]]", "[[[true], [1]]]", '[["a", [1]]]'])
def test_a_document_that_is_no_store_is_refused(words):
    with pytest.raises(FormatError, match="note"):
        Store.from_json(document(words), "note")
