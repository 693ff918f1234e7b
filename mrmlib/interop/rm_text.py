"""Reward machines in the text format of the reward_machines repository (Toro Icarte et al.), for constant rewards.

    0 # initial state
    [2] # terminal state
    (0,1,'map',ConstantRewardFunction(10))
    (0,0,'!map',ConstantRewardFunction(0))

An edge has a formula over propositions for a guard (see `guards`). Each proposition is an observation: it is observed
when it is true and all others are false. So a guard is one proposition, perhaps with negations, or a catch-all such as
'!map'; one that no observation makes true, such as 'map&shop', is refused unless `observations` says which propositions
are true together. When none is true, null is observed: a guard that covers it must stay, and pay the same everywhere.

As in that repository, all terminal states are one, which is never left, and an observation that no guard covers ends
the episode and pays 0. The machine then goes to the terminal state and stays there for 0; where there is none, the file
is refused. A file is parsed, never evaluated; what is written comes back unchanged.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from reprlib import repr as shortened
from typing import NamedTuple

from ..document import at, bounded
from ..errors import FormatError
from ..machine import MealyRewardMachine
from .formulas import Expansion, Letters
from .guards import Formula, holds, parse, propositions, quoted
from .labels import name_from_text, name_to_text, number_from_text

_TEXT = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
_NODE = rf"(?:[0-9]++|{_TEXT})"
_REST = r"\s*+(?:\#.*+)?"
_INITIAL = re.compile(rf"({_NODE}){_REST}")
_TERMINAL = re.compile(rf"\[\s*+((?:{_NODE}(?:\s*+,\s*+{_NODE})*+)?+)\s*+\]{_REST}")
_EDGE = re.compile(rf"\(\s*+({_NODE})\s*+,\s*+({_NODE})\s*+,\s*+({_TEXT})\s*+,"
                   rf"\s*+(\w++)\s*+\(\s*+([^()]*+)\s*+\)\s*+\){_REST}")
_REWARD = "ConstantRewardFunction"

Lines = Iterator[tuple[int, str]]


class _Edge(NamedTuple):
    line: int
    u: Hashable
    v: Hashable
    guard: Formula
    reward: float


def to_rm_text(machine: MealyRewardMachine) -> str:
    """The machine in the format of reward_machines; there is no terminal state, and a last edge of each node is null.

    That repository reads it too where the nodes are whole numbers and the observations are words.

    >>> machine = MealyRewardMachine({(0, "map"): (1, 10.0), (1, "map"): (1, 0.0)}, 0, null_reward=-1.0)
    >>> print(to_rm_text(machine), end="")
    0 # initial state
    [] # terminal state
    (0,1,'map',ConstantRewardFunction(10.0))
    (0,0,'!map',ConstantRewardFunction(-1.0))
    (1,1,'map',ConstantRewardFunction(0.0))
    (1,1,'!map',ConstantRewardFunction(-1.0))
    """
    guards = {z: quoted(name_to_text(z)) for z in machine.observations}
    silence = "&".join(f"!{guard}" for guard in guards.values())
    lines = [f"{_node(machine.initial)} # initial state", "[] # terminal state"]
    for u in machine.nodes:
        lines += [_edge(u, v, guards[z], r) for z in guards for v, r in [machine.step(u, z)]]
        lines.append(_edge(u, u, silence, machine.null_reward))
    return "\n".join(lines) + "\n"


def from_rm_text(text: str, source: str = "text", observations: Letters | Iterable[Hashable] | None = None,
                 null_reward: float = 0.0) -> MealyRewardMachine:
    """The machine in such a text; `observations` lists them in order, or says which propositions are true with each.

    >>> lines = "0 # start", "[2]", "(0,2,'e&!n',ConstantRewardFunction(1))", "(0,0,'!e&!n',ConstantRewardFunction(0))"
    >>> from_rm_text("\\n".join(lines)).transitions
    {(0, 'e'): (2, 1.0), (0, 'n'): (2, 0.0), (2, 'e'): (2, 0.0), (2, 'n'): (2, 0.0)}
    >>> from_rm_text("0\\n[]\\n(0,0,'true',RewardControl())", "t1.txt")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: t1.txt, line 3: the reward RewardControl() is not a ConstantRewardFunction
    """
    lines = _lines(bounded(text, source))
    start, initial = _header(lines, _INITIAL, "the initial state", source)
    second, terminal = _header(lines, _TERMINAL, "the list of terminal states", source)
    with at(source, second):
        ends = dict.fromkeys(_name(node) for node in re.findall(_NODE, terminal))
    end = next(iter(ends), None)
    edges = [edge._replace(v=end if edge.v in ends else edge.v)
             for edge in (_read(line, number, source) for number, line in lines) if edge.u not in ends]
    letters = _letters(edges, observations, source)
    with at(source, 1):
        expansion = Expansion(letters)
    if not isinstance(observations, Mapping):
        _check_each_is_for_one(edges, expansion, source)
    delta = _expanded(edges, expansion, [end] if ends else [], source)
    if all(letters.values()):  # none of the letters stands for silence
        null_reward = _null_reward(edges, null_reward, source)
    with at(source, start):
        initial = _name(initial)
        return MealyRewardMachine(delta, end if initial in ends else initial, null_reward)


def _lines(text: str) -> Lines:
    """The lines that say something, with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.strip()
        if line and not line.startswith("#"):
            yield number, line


def _header(lines: Lines, pattern: re.Pattern, what: str, source: str) -> tuple[int, str]:
    number, line = next(lines, (1, ""))
    match = pattern.fullmatch(line)
    if match is None:
        raise FormatError(f"{source}, line {number}: expected {what}, not {shortened(line)}")
    return number, match[1]


def _read(line: str, number: int, source: str) -> _Edge:
    with at(source, number):
        match = _EDGE.fullmatch(line)
        if match is None:
            raise FormatError(f"expected (node,node,'guard',{_REWARD}(number)), not {shortened(line)}")
        u, v, guard, function, argument = match.groups()
        if function != _REWARD:
            raise FormatError(f"the reward {shortened(f'{function}({argument})')[1:-1]} is not a {_REWARD}")
        return _Edge(number, _name(u), _name(v), parse(_unquoted(guard)),
                     number_from_text(argument.strip(), "the reward"))


def _letters(edges: Iterable[_Edge], observations: Letters | Iterable[Hashable] | None, source: str) -> Letters:
    """The propositions that are true with each observation."""
    if isinstance(observations, Mapping):
        return observations
    if observations is not None:
        return {z: {name_to_text(z)} for z in observations}
    letters = {}
    for edge in edges:
        with at(source, edge.line):
            letters |= {name_from_text(p): {p} for p in propositions(edge.guard)}
    return letters


def _check_each_is_for_one(edges: Iterable[_Edge], expansion: Expansion, source: str) -> None:
    """Some observation, or null, makes each guard true although it makes only one proposition true."""
    for line, u, _, guard, _ in edges:
        if not expansion.where(guard) and not holds(guard, ()):
            raise FormatError(f"{source}, line {line}: no single observation makes the guard at {u!r} true: say with "
                              "`observations` which propositions are true together")


def _expanded(edges: list[_Edge], expansion: Expansion, sinks: list[Hashable], source: str) -> dict:
    """δ, made total by the terminal state, if there is one in `sinks`."""
    for line, u, v, guard, r in edges:
        with at(source, line):
            expansion.add(u, guard, v, r)
    delta, nodes = expansion.transitions(), dict.fromkeys([*expansion.nodes, *sinks])
    for line, u, v, _, _ in edges:
        if v not in nodes:
            raise FormatError(f"{source}, line {line}: {v!r} is not terminal, but no edge leaves it")
        if not sinks and (uncovered := expansion.uncovered(u)):
            raise FormatError(f"{source}, line {line}: no guard at {u!r} covers {uncovered[0]!r}, "
                              "and there is no terminal state")
    return {(u, z): delta[u, z] if (u, z) in delta else (sinks[0], 0.0)
            for u in nodes for z in expansion.letters}


def _null_reward(edges: Iterable[_Edge], default: float, source: str) -> float:
    """What the guards that hold when nothing is observed say that null pays."""
    paid = None
    for line, u, v, guard, r in edges:
        if holds(guard, ()):
            if u != v:
                raise FormatError(f"{source}, line {line}: null, with which no proposition is true, leaves {u!r}")
            if paid is not None and r != paid:
                raise FormatError(f"{source}, line {line}: null pays {r!r} at {u!r}, and {paid!r} before")
            paid = r
    return default if paid is None else paid


def _edge(u: Hashable, v: Hashable, guard: str, r: float) -> str:
    return f"({_node(u)},{_node(v)},{_in_quotes(guard)},{_REWARD}({r!r}))"


def _node(name: Hashable) -> str:
    text = name_to_text(name)
    return text if text.isdecimal() else _in_quotes(text)  # -1 would be that repository's own terminal state


def _name(node: str) -> Hashable:
    if not node.isdecimal():
        return name_from_text(_unquoted(node))
    name = name_from_text(node)
    if not isinstance(name, int):
        raise FormatError(f"the node {shortened(node)} is not a whole number of up to 18 digits")
    return name


def _in_quotes(text: str) -> str:
    return "'" + re.sub(r"(['\\])", r"\\\1", text) + "'"


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", _character, text[1:-1])


def _character(escape: re.Match) -> str:
    if escape[1] not in "'\"\\":
        raise FormatError(f"the escape {escape[0]} is not read")
    return escape[1]
