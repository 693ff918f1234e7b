"""Machines with names that formats trip over and rewards that decimals trip over."""

from hypothesis import strategies as st

import mrmlib as mrm

TEXTS = st.text(max_size=4) | st.sampled_from([
    "", " ", " a ", "a b", "a/b", "/", "a / 1", "//", "/*", "->", "a -> b", "__start0", "__start0 -> s0", '"', '\\"',
    "\\", "\\n", "\n", "\r\n", "'", "[", "]", "{x}", "{}", "<b>", "&amp;", "&#65;", "&", "|", "!a", "(a)", "#",
    "label=x", "5", "-5", "007", "²", "1.5", "1e3", "nan", "true", "False", "null", "None", "json:", "json:5", "ü",
    "\u2028", "\x00", "\ud800"])
NAMES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=3)
REWARDS = (st.sampled_from([0.1, -0.0, 0.0, 1e300, 5e-324, 1e-7, 1e16, 1 / 3, 10, -3])
           | st.floats(allow_nan=False, allow_infinity=False))


@st.composite
def odd_machines(draw, names=NAMES):
    nodes, letters = (draw(st.lists(names, unique=True, min_size=1, max_size=4)) for _ in range(2))
    return mrm.MealyRewardMachine({(u, z): (draw(st.sampled_from(nodes)), draw(REWARDS))
                                   for u in nodes for z in letters}, draw(st.sampled_from(nodes)), draw(REWARDS))


def facts(machine):
    """All there is to a machine: reprs tell 1 from True and 0.0 from -0.0."""
    return repr((machine.transitions, machine.initial, machine.null_reward))


def assert_unchanged(again, machine):
    assert facts(again) == facts(machine)
    assert again == machine
    assert again.equivalent(machine)
