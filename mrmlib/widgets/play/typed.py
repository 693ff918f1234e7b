"""Machines, words and rewards as one types them.

A machine is typed as one edge a line, `u0 m -> u1 10`: in node u0 the observation m leads to u1 and pays 10. The first
node is the start; a pair that is not typed stays and pays c. A `#` begins a remark.
"""

import re
from collections.abc import Hashable, Sequence

from ...errors import FormatError, QueryError, finite
from ...machine import MealyRewardMachine
from ...words import Word

EDGE = re.compile(r"(\S+)\s+(\S+?)\s*(?:->|→)\s*(\S+)\s+(\S+)")
APART = re.compile(r"[\s,·]+")
EXAMPLE = "u0 m -> u1 10"


def typed_machine(text: str, observations: Sequence[Hashable], null_reward: float = 0.0) -> MealyRewardMachine:
    """The machine that the lines describe; `null_reward` is c.

    >>> typed_machine("u0 m -> u1 10", ["m", "t"], null_reward=-1.0).rewards(("t", "m", "m"))
    (-1.0, 10.0, -1.0)
    >>> typed_machine("u0 m -> u1 10\\nu0 x -> u1 5", ["m", "t"])
    Traceback (most recent call last):
    mrmlib.errors.FormatError: line 2: 'x' is not one of the observations m, t
    """
    edges: dict[tuple[str, Hashable], tuple[str, float]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if content:
            u, z, v, reward = _edge(content, observations, f"line {number}")
            if (u, z) in edges:
                raise FormatError(f"line {number}: there is an edge for {u} {z} already")
            edges[u, z] = v, reward
    nodes = dict.fromkeys(node for (u, _), (v, _) in edges.items() for node in (u, v)) or {"u0": None}
    return MealyRewardMachine({(u, z): edges.get((u, z), (u, null_reward)) for u in nodes for z in observations},
                              next(iter(nodes)), null_reward)


def typed_word(text: str, observations: Sequence[Hashable]) -> Word:
    """The word whose letters stand apart by spaces, commas or dots.

    >>> typed_word("m·t m", ["m", "t"])
    ('m', 't', 'm')
    """
    return tuple(_letter(name, observations, "the word") for name in APART.split(text.strip()) if name)


def typed_rewards(text: str) -> tuple[float, ...]:
    """The rewards, apart by spaces or commas.

    >>> typed_rewards("10, 25 -1")
    (10.0, 25.0, -1.0)
    """
    return tuple(_reward(name, f"reward {i}") for i, name in enumerate(filter(None, APART.split(text)), start=1))


def typed_reward(text: str) -> float | None:
    """The one reward, or None if nothing is typed.

    >>> typed_reward(" -1 "), typed_reward("")
    (-1.0, None)
    """
    return _reward(text.strip(), "here") if text.strip() else None


def typed_answer(text: str, observations: Sequence[Hashable]) -> tuple[Word, tuple[float, ...]]:
    """A word and what it is paid, with an arrow between the two.

    >>> typed_answer("m t -> 10 -1", ["m", "t"])
    (('m', 't'), (10.0, -1.0))
    """
    parts = re.split("->|→", text)
    if len(parts) != 2:
        raise FormatError(f"{text.strip()!r} is not a word, an arrow and its rewards, such as a b -> 0 1")
    word, rewards = typed_word(parts[0], observations), typed_rewards(parts[1])
    if len(word) != len(rewards):
        raise QueryError(f"the word has {len(word)} letters and {len(rewards)} rewards: there is one for each")
    return word, rewards


def _edge(content: str, observations: Sequence[Hashable], where: str) -> tuple[str, Hashable, str, float]:
    match = EDGE.fullmatch(content)
    if match is None:
        raise FormatError(f"{where}: {content!r} is not an edge such as {EXAMPLE}")
    u, z, v, reward = match.groups()
    return u, _letter(z, observations, where), v, _reward(reward, where)


def _letter(name: str, observations: Sequence[Hashable], where: str) -> Hashable:
    named = {str(z): z for z in observations}
    if name not in named:
        raise FormatError(f"{where}: {name!r} is not one of the observations {', '.join(named)}")
    return named[name]


def _reward(name: str, where: str) -> float:
    try:
        value = float(name)
    except ValueError:
        raise FormatError(f"{where}: {name!r} is not a number") from None
    return finite(value, f"{where}: the reward")
