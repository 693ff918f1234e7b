"""Drawing a domain by hand: what is typed into fields becomes a machine and a world, or says which field is wrong.

An edge is written `u1 | 10`, the node it leads to and what it pays; an empty field stays and pays c. The places of a
world are edited as a map where the world is a plain walk of a grid; other worlds keep theirs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ...domains import Domain, Grid, walk
from ...errors import FormatError, ModelError, MrmError
from ...labelling import Labelling
from ...machine import MealyRewardMachine
from ...names import Names
from ...nrmdp import NRMDP
from ...words import NULL

MOST_NODES = 8
MOST_CELLS = 400  # more would not be legible as a map, nor quick to draw

Field = tuple[str, ...]
"""Which field: ("map",), ("c",), or ("edge", node, observation)."""


@dataclass(frozen=True)
class Sheet:
    """All that is typed: nodes with their meanings, the start, c, an edge for each pair, the map and its precision.

    The map is empty where a world keeps its places; then precision means nothing.
    """

    nodes: Mapping[str, str]
    start: str
    c: str
    edges: Mapping[tuple[str, str], str] = field(default_factory=dict)
    map: str = ""
    precision: float = 1.0


@dataclass(frozen=True)
class Original:
    """The domain that editing begins with, under the name by which it is registered.

    >>> from mrmlib import domains
    >>> original = Original(domains.treasure_map())
    >>> original.chances, original.sheet.edges["u1", "j1"], original.sheet.edges["u1", "m"]
    ((0.95, 0.0), 'u5 | 60', '')
    >>> Original(domains.cookie()).sheet.map
    ''
    """

    domain: Domain
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.domain.name)

    @cached_property
    def chances(self) -> tuple[float, float] | None:
        """Precision and sideways of the walk, where the domain is one and a map can draw its grid; else None."""
        domain, grid = self.domain, self.domain.grid
        found = None if grid is None or _redrawn(grid) != grid else _chances(domain)
        if found is None or not found[0] > 0:
            return None
        M, lam = walk(grid, *found)
        same = _alike(M, domain.mdp) and tuple(lam.observations) == tuple(domain.labelling.observations)
        return found if same and np.array_equal(lam.table(M), domain.labelling.table(M)) else None

    @cached_property
    def sheet(self) -> Sheet:
        """The domain as it is typed."""
        machine, chances = self.domain.machine, self.chances
        nodes, letters = Names(map(str, machine.nodes), "node"), self.domain.labelling.observations
        edges = {(str(u), str(z)): _edge(machine, u, z) for u in machine.nodes for z in letters}
        meanings = {str(u): meaning for u, meaning in self.domain.meanings.items()}
        return Sheet({u: meanings.get(u, "") for u in nodes}, str(machine.initial), written(machine.null_reward), edges,
                     map_of(self.domain.grid) if chances else "", chances[0] if chances else 1.0)

    def grid(self, sheet: Sheet) -> Grid | None:
        """The grid that the map draws, its observations in the order in which they were known."""
        if self.chances is None:
            return self.domain.grid
        drawn = Grid.from_map(sheet.map)
        if NULL in drawn.observations:
            raise ModelError(f"a place cannot be called {NULL}: that is what is seen where there is none")
        if not drawn.observations:
            raise ModelError("there is nothing to see: put a name on some cell")
        if len(drawn.cells) > MOST_CELLS:
            raise ModelError(f"the map has {len(drawn.cells)} cells: this panel takes at most {MOST_CELLS}")
        known = [z for z in self.domain.labelling.observations if z in drawn.observations]
        return Grid.from_map(sheet.map, {z: z for z in dict.fromkeys((*known, *drawn.observations))})

    def world(self, sheet: Sheet) -> tuple[NRMDP, Labelling]:
        """M and λ: the walk of the map, or what they were."""
        if self.chances is None:
            return self.domain.mdp, self.domain.labelling
        return walk(self.grid(sheet), sheet.precision, self.chances[1])

    def letters(self, sheet: Sheet) -> tuple[str, ...]:
        """The observations, as text; raises where the map is wrong."""
        found = self.domain.labelling.observations if self.chances is None else self.grid(sheet).observations
        return tuple(Names(map(str, found), "observation"))

    def read(self, sheet: Sheet) -> tuple[Domain | None, dict[Field, str]]:
        """The domain that the sheet describes and no errors; or None, and what is wrong with which field.

        >>> from mrmlib import domains
        >>> original = Original(domains.treasure_map())
        >>> sheet = replace(original.sheet, edges={("u0", "m"): "u9 | 10", ("u0", "e"): "u1 | much"})
        >>> original.read(sheet)[1][("edge", "u0", "m")]
        "there is no node 'u9': the nodes are u0, u1, u2, u3, u4, u5"
        """
        errors: dict[Field, str] = {}
        letters: tuple[str, ...] = ()
        c = 0.0
        try:
            c = number(sheet.c, "c")
        except MrmError as error:
            errors["c",] = str(error)
        try:
            letters = self.letters(sheet)
        except MrmError as error:
            errors["map",] = str(error)
        delta = {}
        for u in sheet.nodes:
            for z in letters or dict.fromkeys(z for _, z in sheet.edges):
                try:
                    delta[u, z] = edge(sheet.edges.get((u, z), ""), u, c, tuple(sheet.nodes))
                except MrmError as error:
                    errors["edge", u, z] = str(error)
        return (None if errors else self._domain(sheet, delta, c)), errors

    def _domain(self, sheet: Sheet, delta: Mapping, c: float) -> Domain:
        M, lam = self.world(sheet)
        by_name = {str(z): z for z in lam.observations}
        machine = MealyRewardMachine({(u, by_name[z]): went for (u, z), went in delta.items()}, sheet.start, c)
        grid = self.grid(sheet)
        starts = self.domain.epoch_starts
        if starts and self.chances:
            starts = tuple((cell, False) for cell in grid.cells)
        return Domain(re.sub(r"\W", "_", f"my_{self.name}"), M, lam, machine, grid, starts,
                      meanings={u: meaning for u, meaning in sheet.nodes.items() if meaning})


def number(typed: str, what: str) -> float:
    """The finite number that was typed; `what` is what the error calls it.

    >>> number(" 2.5 ", "c")
    2.5
    >>> number("ten", "c")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: c is 'ten', not a number
    """
    try:
        value = float(typed)
    except ValueError:
        raise FormatError(f"{what} is {typed.strip()!r}, not a number") from None
    if not np.isfinite(value):
        raise FormatError(f"{what} is {typed.strip()!r}, not a finite number")
    return value


def edge(typed: str, node: str, c: float, nodes: tuple[str, ...]) -> tuple[str, float]:
    """(node, reward) of an edge that was typed for `node`; empty stays and pays c.

    >>> edge("u1 | 10", "u0", -1.0, ("u0", "u1")), edge("", "u0", -1.0, ("u0", "u1"))
    (('u1', 10.0), ('u0', -1.0))
    """
    if not typed.strip():
        return node, c
    parts = [part.strip() for part in typed.split("|")]
    if len(parts) != 2:
        raise FormatError(f"{typed.strip()!r} is not of the form  node | reward,  for example  {nodes[-1]} | 10")
    if parts[0] not in nodes:
        raise ModelError(f"there is no node {parts[0]!r}: the nodes are {', '.join(nodes)}")
    return parts[0], number(parts[1], "the reward")


def written(value: float) -> str:
    """A number in the fewest characters that read back to the same bits.

    >>> written(10.0), written(0.1), written(-1.0)
    ('10', '0.1', '-1')
    """
    return repr(value).removesuffix(".0")


def map_of(grid: Grid) -> str:
    """The grid as the map that `Grid.from_map` reads.

    >>> print(map_of(Grid.from_map("shop . #\\n. * .")))
    shop . #
    .    * .
    """
    signs = dict.fromkeys(grid.cells, ".") | {cell: str(z) for cell, z in grid.marks.items()} | {grid.start: "*"}
    columns, rows = (range(1, max(cell[axis] for cell in grid.cells) + 1) for axis in (0, 1))
    width = {x: max(len(signs.get((x, y), "#")) for y in rows) for x in columns}
    return "\n".join(" ".join(signs.get((x, y), "#").ljust(width[x]) for x in columns).rstrip() for y in rows)


def with_node(sheet: Sheet) -> Sheet:
    """The sheet with one node more, under the first free name.

    >>> tuple(with_node(Sheet({"u0": "", "u2": ""}, "u0", "0")).nodes)
    ('u0', 'u2', 'u1')
    """
    if len(sheet.nodes) >= MOST_NODES:
        raise ModelError(f"{MOST_NODES} nodes are the most that this panel takes")
    name = next(name for name in (f"u{i}" for i in range(MOST_NODES)) if name not in sheet.nodes)
    return replace(sheet, nodes={**sheet.nodes, name: ""})


def without_node(sheet: Sheet, node: str) -> Sheet:
    """The sheet without a node; edges that led there stay where they are, and the first node left is the start.

    >>> sheet = Sheet({"u0": "", "u1": ""}, "u1", "0", {("u0", "m"): "u1 | 10", ("u1", "m"): "u0 | 5"})
    >>> without_node(sheet, "u1")
    Sheet(nodes={'u0': ''}, start='u0', c='0', edges={('u0', 'm'): ''}, map='', precision=1.0)
    """
    if len(sheet.nodes) == 1:
        raise ModelError(f"{node} is the only node: a machine has at least one")
    nodes = {u: meaning for u, meaning in sheet.nodes.items() if u != node}
    edges = {(u, z): "" if typed.partition("|")[0].strip() == node else typed
             for (u, z), typed in sheet.edges.items() if u != node}
    return replace(sheet, nodes=nodes, edges=edges, start=next(iter(nodes)) if sheet.start == node else sheet.start)


def _edge(machine: MealyRewardMachine, u: object, z: object) -> str:
    v, r = machine.step(u, z)
    return "" if (v, r) == (u, machine.null_reward) else f"{v} | {written(r)}"


def _redrawn(grid: Grid) -> Grid | None:
    """The grid by way of its map; None where a map cannot draw it."""
    try:
        return Grid.from_map(map_of(grid), {str(z): z for z in grid.observations})
    except MrmError:
        return None


def _chances(domain: Domain) -> tuple[float, float] | None:
    """Precision and sideways, if it is a walk: the largest chance to arrive, and the largest to arrive elsewhere."""
    arrives, slips = 0.0, 0.0
    for cell in domain.grid.cells:
        for move in domain.grid.moves:
            if (cell, False) not in domain.mdp.states or move not in domain.mdp.actions:
                return None
            reached = domain.mdp.successors((cell, False), move)
            arrived = reached.get((domain.grid.neighbour(cell, move), True), 0.0)
            moved = sum(chance for s, chance in reached.items() if s[1:] == (True,))
            arrives, slips = max(arrives, arrived), max(slips, moved - arrived)
    return arrives, round(slips, 12)


def _alike(one: NRMDP, other: NRMDP) -> bool:
    """The same models, but for rounding."""
    return ((one.states, one.actions, one.initial) == (other.states, other.actions, other.initial)
            and np.array_equal(one.starts, other.starts) and np.array_equal(one.targets, other.targets)
            and np.allclose(one.probabilities, other.probabilities, rtol=0, atol=1e-12))
