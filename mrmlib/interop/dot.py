"""Machines as DOT, the graph language that AALpy and LearnLib write Mealy machines in: u -> v [label="z/r"].

The start node is the one that `__start0` leads to. Names stand in labels as `labels` writes them; a character that some
reader would trip over stands as an HTML entity, which Graphviz shows as the character it is. What null pays is the
graph's attribute `null_reward`. Names, their order, and every bit of a reward come back.
"""

import re
import sys
from collections.abc import Hashable, Iterable
from reprlib import repr as shortened

from ..document import at, bounded
from ..errors import FormatError
from ..machine import MealyRewardMachine
from ..names import Names
from .digraph import START, Digraph, Node
from .labels import name_from_text, name_to_text, number_from_text

_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|quot|amp|lt|gt);")
_NAMED = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}


def to_dot(machine: MealyRewardMachine) -> str:
    r"""The machine as DOT that AALpy, LearnLib and Graphviz read.

    >>> print(to_dot(MealyRewardMachine({("u", "and/or"): ("u", 0.1)}, "u")), end="")
    digraph machine {
        null_reward="0.0";
        s0 [label="u"];
        s0 -> s0 [label="and&#47;or/0.1"];
        __start0 [label="", shape=none];
        __start0 -> s0;
    }
    """
    key = {u: f"s{i}" for i, u in enumerate(machine.nodes)}
    lines = [f'null_reward="{machine.null_reward!r}";', *(f'{key[u]} [label="{_escaped(u)}"];' for u in machine.nodes)]
    letters = {z: _escaped(z) for z in machine.observations}
    lines += [f'{key[u]} -> {key[v]} [label="{letters[z]}/{r!r}"];' for (u, z), (v, r) in machine.transitions.items()]
    lines += [f'{START} [label="", shape=none];', f"{START} -> {key[machine.initial]};"]
    return "digraph machine {\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def from_dot(text: str, source: str = "text", null_reward: float = 0.0,
             observations: Iterable[Hashable] | None = None) -> MealyRewardMachine:
    """The machine in a DOT text; `null_reward` and the order of `observations` hold where the text is silent of them.

    >>> text = 'digraph g { s0 [shape="circle" label="u"]; s0 -> s0 [label="map / 10"]; __start0 -> s0 }'
    >>> from_dot(text).transitions
    {('u', 'map'): ('u', 10.0)}
    >>> from_dot(text.replace("10", "ten"), "sale.dot")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: sale.dot, line 1: the reward of 'map / ten' is 'ten', not a finite number
    """
    graph = Digraph(bounded(text, source), source)
    names, given = _names(graph.nodes, source), Names(observations or (), "observation")
    delta, letters = {}, dict.fromkeys(given)
    for edge in graph.edges:
        with at(source, edge.line):
            u, (z, r) = names[edge.tail], _split(edge.label)
            if given and z not in given:
                raise FormatError(f"the observation {z!r} is not among those given: {', '.join(map(repr, given))}")
            if (u, z) in delta:
                raise FormatError(f"a second edge leaves {u!r} with {z!r}")
            delta[u, z] = names[edge.head], r
            letters[z] = None
    for key, u in names.items():
        for z in letters:
            if (u, z) not in delta:
                raise FormatError(f"{source}, line {graph.nodes[key].line}: no edge leaves {u!r} with {z!r}")
    if "null_reward" in graph.attributes:
        _, number, line = graph.attributes["null_reward"]
        with at(source, line):
            null_reward = number_from_text(number, "null_reward")
    with at(source, graph.start.line):
        return MealyRewardMachine({(u, z): delta[u, z] for u in names.values() for z in letters},
                                  names[graph.start.head], null_reward)


def _names(nodes: dict[str, Node], source: str) -> dict[str, Hashable]:
    """The name of each node; no two may have the same."""
    names, known = {}, set()
    for key, (label, line) in nodes.items():
        with at(source, line):
            names[key] = name_from_text(_unescaped(label))
            if names[key] in known:
                raise FormatError(f"the node {names[key]!r} is declared twice")
            known.add(names[key])
    return names


def _split(label: str | None) -> tuple[Hashable, float]:
    """The observation and the reward in an edge's label."""
    z, slash, r = (label or "").rpartition("/")
    if not slash:
        raise FormatError(f"an edge must have a label observation/reward, not {shortened(label)}")
    return name_from_text(_unescaped(z.strip())), number_from_text(r.strip(), f"the reward of {shortened(label)}")


def _escaped(name: Hashable) -> str:
    """A name as it stands in a label."""
    text = "".join(f"&#{ord(c)};" if c in '"\\/&<>' else c for c in name_to_text(name))
    text = re.sub("^ +| +$", lambda spaces: "&#32;" * len(spaces[0]), text)
    return text.replace(START, f"&#95;{START[1:]}")  # AALpy looks for it anywhere in a line


def _unescaped(text: str) -> str:
    return _ENTITY.sub(lambda entity: _NAMED.get(entity[0]) or _character(entity), text)


def _character(entity: re.Match) -> str:
    code = int(entity[1])
    return chr(code) if code <= sys.maxunicode else entity[0]
