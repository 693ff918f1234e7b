"""The observation table, query by query, against one that is computed anew each time."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.counterexample import all_prefixes, rivest_schapire, shahbaz_groz
from mrmlib.store import Store
from mrmlib.table import ObservationTable
from tests.random_models import machines

PROCESSINGS = (all_prefixes, rivest_schapire, shahbaz_groz)


def row(table, prefix):
    return tuple(table.store.rewards(prefix + suffix) and table.store.rewards(prefix + suffix)[len(prefix):]
                 for suffix in table.suffixes)


def by_definition(table):
    """(closed, consistent), by the definitions, from the words in S, S·Z and E."""
    inside, outside = table.prefixes, table.extensions
    if any(None in row(table, word) for word in inside + outside):
        return False, False
    rows = {row(table, s) for s in inside}
    closed = all(row(table, word) in rows for word in outside)
    consistent = all(row(table, (*s, z)) == row(table, (*t, z)) for s, t in combinations(inside, 2)
                     if row(table, s) == row(table, t) for z in table.observations)
    return closed, consistent


def snapshot(table):
    return table.prefixes, table.extensions, table.suffixes, list(table.store.words()), table.next_query()


def finish(table, machine):
    while (word := table.next_query()) is not None:
        table.resolve(word, machine.rewards(word))


@given(machines(max_nodes=5, max_letters=2), st.sampled_from(PROCESSINGS))
def test_closed_and_consistent_are_what_the_definitions_say_after_every_answer(machine, processing):
    table = ObservationTable(machine.observations, processing=processing)
    while True:
        while (word := table.next_query()) is not None:
            assert table.store.rewards(word) is None
            assert not (table.is_closed and table.is_consistent)
            table.resolve(word, machine.rewards(word))
            assert (table.is_closed, table.is_consistent) == by_definition(table)
        assert table.is_closed
        assert table.is_consistent
        assert table.is_complete
        assert set(table.extensions) == {(*s, z) for s in table.prefixes for z in machine.observations} \
            - set(table.prefixes)
        hypothesis = table.hypothesis()
        word = hypothesis.difference(machine)
        if word is None:
            break
        table.add_counterexample(word, machine.rewards(word))


def test_the_table_shows_which_row_is_not_closed():
    table = ObservationTable("a")
    table.resolve(("a", "a", "a"), (0.0, 1.0, 0.0))
    assert table.unclosed == ("a",)
    assert table.inconsistent is None
    html = table._repr_html_()
    assert re.findall(r"<tr><td>(.*?)</td><th>(.*?)</th><td>(.*?)</td>(.*?)</tr>", html) == [
        ("S", "ε", "0", ""), ("S·Z", "a", "1", "<td><b>← equals no row of S</b></td>")]
    assert table.next_query() is None or table.prefixes == ((), ("a",))


def test_the_table_shows_which_rows_are_not_consistent():
    """Paid 0 0 1 for a a a: as counter-example its prefixes enter S, where ε and a are equal, but not after a."""
    table = ObservationTable("a")
    table.resolve(("a", "a"), (0.0, 0.0))
    assert len(table.hypothesis().nodes) == 1
    table.add_counterexample(("a", "a", "a"), (0.0, 0.0, 1.0))
    assert table.prefixes == ((), ("a",), ("a", "a"), ("a", "a", "a"))
    assert "?" in table._repr_html_()
    table.resolve(("a",) * 5, (0.0, 0.0, 1.0, 1.0, 1.0))
    assert table.inconsistent == ((), ("a",), "a")
    assert table._repr_html_().count("equal rows, unequal after a") == 2
    finish(table, mrm.MealyRewardMachine({(0, "a"): (1, 0.0), (1, "a"): (2, 0.0), (2, "a"): (2, 1.0)}, 0))
    assert table.suffixes == (("a",), ("a", "a"))
    assert len(table.hypothesis().nodes) == 3


@pytest.fixture
def treasure():
    machine = mrm.domains.treasure_map().machine
    table = ObservationTable(machine.observations)
    finish(table, machine)
    return machine, table


def test_one_hypothesis_is_enough_on_the_treasure_map(treasure):
    machine, table = treasure
    assert table.hypothesis(null_reward=-1.0).minimal() == machine.minimal()
    assert table.prefixes == ((), ("m",), ("m", "e"), ("m", "g"), ("m", "j1"), ("m", "e", "t"))


@pytest.mark.parametrize(("word", "rewards", "error", "names"), [
    (("m", "x"), (10.0, 0.0), mrm.QueryError, "'x'"),
    (("m",), (10.0, 0.0), mrm.QueryError, "2 rewards"),
    (("m",), (9.0,), mrm.NondeterminismError, r"\('m',\) was paid \(10.0,\) before and \(9.0,\) now"),
    (("m", "m", "m"), (10.0, -1.0, -1.0), mrm.QueryError, "no counter-example"),
])
def test_a_bad_counterexample_is_refused_and_leaves_the_table_as_it_was(treasure, word, rewards, error, names):
    machine, table = treasure
    before = snapshot(table)
    with pytest.raises(error, match=names):
        table.add_counterexample(word, rewards)
    assert snapshot(table) == before
    assert table.hypothesis(null_reward=-1.0).equivalent(machine)


@pytest.mark.parametrize(("word", "rewards", "error"), [
    (("a", "x"), (0.0, 0.0), mrm.QueryError), (("a", "a"), (0.0,), mrm.QueryError),
    (("a", "a"), (5.0, 0.0), mrm.NondeterminismError), (("a",), (float("inf"),), mrm.QueryError)])
def test_a_bad_answer_is_refused_and_leaves_the_table_as_it_was(word, rewards, error):
    table = ObservationTable("ab")
    table.resolve(("a",), (0.0,))
    before = snapshot(table)
    with pytest.raises(error):
        table.resolve(word, rewards)
    assert snapshot(table) == before


def test_there_is_no_hypothesis_and_no_counterexample_before_the_answers():
    table = ObservationTable("ab")
    for attempt in (table.hypothesis, lambda: table.add_counterexample(("a",), (0.0,))):
        with pytest.raises(mrm.QueryError, match="unanswered"):
            attempt()


def test_a_store_over_other_letters_is_refused():
    with pytest.raises(mrm.ModelError, match="store"):
        ObservationTable("ab", store=Store("ba"))


@given(machines(max_nodes=4, max_letters=2), st.lists(st.lists(st.integers(0, 1), max_size=7), max_size=6))
def test_what_was_lived_for_other_reasons_is_never_asked(machine, lived):
    store = Store(machine.observations)
    for draw in lived:
        word = tuple(machine.observations[z % len(machine.observations)] for z in draw)
        store.record(word, machine.rewards(word))
    table = ObservationTable(machine.observations, store=store)
    while (word := table.next_query()) is not None:
        assert store.rewards(word) is None
        table.resolve(word, machine.rewards(word))
    assert table.is_closed
    assert table.is_consistent
