"""A checklist for a domain, beyond the paper: is all of M reached, is every letter seen, can every word be executed?

Words are followed as sets of places of the `WordGraph`: each set stands for all words that lead to it, so that words
are counted and not tried one by one.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from html import escape

import numpy as np

from ..nrmdp import NRMDP
from ..solve.components import components
from ..within.wordgraph import WordGraph
from ..words import Word
from .domain import Domain

LENGTH = 3  # words of up to so many letters are counted
SETS = 2_000  # so many sets of places are looked at; what needs more is left open
SHOWN = 3  # examples of what was found

Places = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Checklist:
    """What `check` found.

    `unreachable` are states that s0 does not lead to, `unseen` letters that are never observed, `unreached_nodes` nodes
    that the machine cannot come to in this world. What s0 leads to falls into `parts`, within which each state leads
    to every other; `closed` are the sizes of those that are never left. Of all `words` with up to LENGTH letters
    `impossible` ones cannot be executed, beginning with `examples`; `shortest_impossible` has any length. Where a
    bound left a question open, `impossible` or `every_word_executable` is None.

    >>> from mrmlib import domains
    >>> found = domains.check(domains.treasure_map())
    >>> found.strongly_connected, found.words, found.impossible, found.every_word_executable
    (True, 258, 0, True)
    """

    name: str
    states: int
    actions: int
    observations: int
    nodes: int
    nodes_needed: int
    unreachable: tuple[Hashable, ...]
    unseen: tuple[Hashable, ...]
    unreached_nodes: tuple[Hashable, ...]
    parts: int
    closed: tuple[int, ...]
    words: int
    impossible: int | None
    examples: tuple[Word, ...]
    every_word_executable: bool | None
    shortest_impossible: Word | None

    @property
    def strongly_connected(self) -> bool:
        """Does each state that s0 leads to lead to every other?"""
        return self.parts == 1

    @property
    def rows(self) -> tuple[dict[str, str], ...]:
        """The checklist, line by line: ✓ fine, ! worth a look, ? not settled."""
        sizes = {"states": self.states, "actions": self.actions, "observations": self.observations, "nodes": self.nodes}
        lines = (
            ("✓", "sizes", ", ".join(f"{name} {size:,}" for name, size in sizes.items())),
            _none("states that s0 never leads to", self.unreachable),
            _none("observations that are never seen", self.unseen),
            _none("nodes that are never reached", self.unreached_nodes),
            ("✓" if self.nodes == self.nodes_needed else "!", "nodes that the machine needs", f"{self.nodes_needed}"),
            self._connection(),
            self._short_words(),
            self._all_words(),
        )
        return tuple(dict(zip(("", "check", "found"), line, strict=True)) for line in lines)

    def _connection(self) -> tuple[str, str, str]:
        if self.strongly_connected:
            return "✓", "strongly connected", "yes"
        sizes = " or ".join(f"{size:,}" for size in self.closed[:SHOWN]) + _more(self.closed)
        return "!", "strongly connected", f"no: {self.parts:,} parts; never left again: {sizes} states"

    def _short_words(self) -> tuple[str, str, str]:
        question = f"words of up to {LENGTH} letters that cannot be executed"
        if self.impossible is None:
            return "?", question, f"not counted: more than {SETS:,} sets of places"
        if not self.impossible:
            return "✓", question, f"none of {self.words:,}"
        shown = ", ".join(map(_shown, self.examples))
        return "!", question, f"{self.impossible:,} of {self.words:,}, beginning with {shown}"

    def _all_words(self) -> tuple[str, str, str]:
        question = "every word can be executed"
        if self.every_word_executable is None:
            return "?", question, f"not settled: more than {SETS:,} sets of places"
        if self.every_word_executable:
            return "✓", question, "yes, proved"
        return "!", question, f"no; a shortest that cannot: {_shown(self.shortest_impossible)}"

    def __repr__(self) -> str:
        return "\n".join([f"Checklist of {self.name}",
                          *(f"{row['']} {row['check']}: {row['found']}" for row in self.rows)])

    def _repr_html_(self) -> str:
        cell = '<td style="text-align: left">{}</td>'.format
        body = "".join(f"<tr>{''.join(cell(escape(part)) for part in row.values())}</tr>" for row in self.rows)
        return f"<table><caption>Checklist of {escape(self.name)}</caption><tbody>{body}</tbody></table>"


def _none(question: str, found: tuple[Hashable, ...]) -> tuple[str, str, str]:
    """A line that is fine if nothing was found."""
    if not found:
        return "✓", question, "none"
    return "!", question, f"{len(found):,}: {', '.join(map(str, found[:SHOWN]))}{_more(found)}"


def _more(found: tuple) -> str:
    return ", …" if len(found) > SHOWN else ""


def _shown(word: Word) -> str:
    return "·".join(map(str, word))


def check(domain: Domain) -> Checklist:
    """The checklist of a domain.

    >>> from mrmlib import domains
    >>> check(domains.cookie())
    Checklist of cookie
    ✓ sizes: states 90, actions 6, observations 8, nodes 4
    ! states that s0 never leads to: 40: ((1, 5), 'blue', 'blue'), ((1, 5), 'blue', 'red'), ((1, 5), 'red', 'blue'), …
    ✓ observations that are never seen: none
    ✓ nodes that are never reached: none
    ✓ nodes that the machine needs: 4
    ! strongly connected: no: 2 parts; never left again: 40 states
    ! words of up to 3 letters that cannot be executed: 535 of 584, beginning with blu_cook, blu_crum, red_cook
    ! every word can be executed: no; a shortest that cannot: blu_cook
    """
    mdp, labelling, machine = domain.mdp, domain.labelling, domain.machine
    letters, reached, graph = labelling.observations, mdp.reachable(), WordGraph(mdp, labelling)
    parts, closed = _parts(reached)
    impossible, examples = _short(graph)
    every_word, shortest = _all(graph)
    return Checklist(
        domain.name, len(mdp.states), len(mdp.actions), len(letters), len(machine.nodes), len(machine.minimal().nodes),
        unreachable=_without(mdp.states, reached.states),
        unseen=_without(letters, (letters[z] for row in graph.moves for z, _ in row)),
        unreached_nodes=_without(machine.nodes, (u for _, u in domain.product.reachable().states)),
        parts=parts, closed=closed, words=_words(len(letters)), impossible=impossible, examples=examples,
        every_word_executable=every_word, shortest_impossible=shortest,
    )


def _without(names: Iterable[Hashable], found: Iterable[Hashable]) -> tuple[Hashable, ...]:
    found = set(found)
    return tuple(name for name in names if name not in found)


def _parts(mdp: NRMDP) -> tuple[int, tuple[int, ...]]:
    """How many strongly connected parts there are, and the sizes of those that no step leaves."""
    bounds = mdp.starts[::len(mdp.actions)]
    _, starts, part = components(bounds[:-1].copy(), bounds[1:].copy(), mdp.targets,
                                 np.zeros(len(mdp.states), dtype=np.bool_))
    left, entered = np.repeat(part, np.diff(bounds)), part[mdp.targets]
    closed = np.setdiff1d(part, left[left != entered])
    return len(starts) - 1, tuple(np.diff(starts)[closed].tolist())


def _words(letters: int) -> int:
    return sum(letters**n for n in range(1, LENGTH + 1))


def _after(graph: WordGraph, places: Places) -> list[Places]:
    """For each letter, where one may be after it; nowhere, if it cannot come next."""
    found: list[set[int]] = [set() for _ in graph.letters]
    for here in places:
        for z, place in graph.moves[here]:
            found[z].add(place)
    return [tuple(sorted(after)) for after in found]


def _short(graph: WordGraph) -> tuple[int | None, tuple[Word, ...]]:
    """How many words of up to LENGTH letters cannot be executed, and the first that only their last letter spoils."""
    layer: dict[Places, tuple[int, Word]] = {(0,): (1, ())}  # how many words lead to the places, and the first of them
    executable, examples = 0, []
    for _ in range(LENGTH):
        longer: dict[Places, tuple[int, Word]] = {}
        for places, (count, word) in layer.items():
            for z, after in zip(graph.letters, _after(graph, places), strict=True):
                if after:
                    known, first = longer.get(after, (0, (*word, z)))
                    longer[after] = known + count, first
                elif len(examples) < SHOWN:
                    examples.append((*word, z))
        if len(longer) > SETS:
            return None, ()
        executable += sum(count for count, _ in longer.values())
        layer = longer
    return _words(len(graph.letters)) - executable, tuple(examples)


def _all(graph: WordGraph) -> tuple[bool | None, Word | None]:
    """Whether every word can be executed (None: not settled), and a shortest one that cannot."""
    found: dict[Places, Word] = {(0,): ()}
    queue = list(found)
    for places in queue:  # grows as it is read: breadth first
        for z, after in zip(graph.letters, _after(graph, places), strict=True):
            if not after:
                return False, (*found[places], z)
            if after not in found:
                found[after] = (*found[places], z)
                queue.append(after)
        if len(queue) > SETS:
            return None, None
    return True, None
