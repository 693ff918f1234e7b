"""A strategy for the product M ⊗ MR drawn on the domain's grid, one panel for each node of the machine."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping

from ..domains import Domain
from ..errors import ModelError
from ..machine import MealyRewardMachine
from ..synchronise import product
from .grid import Panel, grid_figure
from .picture import Picture


def strategy_figure(domain: Domain, policy: Mapping, values: Mapping | None = None, *,
                    machine: MealyRewardMachine | None = None, meanings: Mapping[Hashable, str] | None = None,
                    situation: Callable[[tuple], str] | None = None, columns: int | None = None,
                    digits: int | None = None, title: str = "", alt: str | None = None) -> Picture:
    """A strategy for M ⊗ MR on the domain's grid, one panel for each node, with the states that can be reached.

    `policy` and `values` go by product states ((cell, …), u). Where they depend on more of the state than the cell,
    a node has several panels, called by `situation(rest of the state)`. `machine` is a hypothesis in place of the
    domain's machine; `meanings` adds a word to nodes.

    >>> from mrmlib import domains
    >>> domain = domains.treasure_map()
    >>> everywhere_north = dict.fromkeys(domain.product.states, "n")
    >>> strategy_figure(domain, everywhere_north).alt[-24:]
    '; u0; u1; u2; u3; u4; u5'
    """
    if domain.grid is None:
        raise ModelError(f"the domain {domain.name!r} has no grid to draw a strategy on")
    machine = domain.machine if machine is None else machine
    reached = product(domain.mdp, domain.labelling, machine).reachable().states
    states = [(s, u) for s, u in reached if (s, u) in policy]
    panels = []
    for u in machine.nodes:
        name = f"{u}: {meanings[u]}" if u in (meanings or {}) else str(u)
        parts = _situations([s for s, v in states if v == u], u, policy, values or {})
        for rests, moves, worth in parts:
            shown = " or ".join(map(situation or _plain, rests))
            panels.append(Panel(f"{name} · {shown}" if len(parts) > 1 else name, worth, moves))
    return grid_figure(domain.grid, *panels, columns=columns, digits=digits, title=title, alt=alt)


def _situations(states: Iterable[tuple], u: Hashable, policy: Mapping,
                values: Mapping) -> list[tuple[list, dict, dict]]:
    """The rests of the states, in groups that agree on every cell; with each group its policy and values by cell."""
    by_rest: dict[tuple, list[tuple]] = {}
    for s in states:
        by_rest.setdefault(s[1:], []).append(s)
    groups: list[tuple[list, dict, dict]] = []
    for rest, members in by_rest.items():
        moves = {s[0]: policy[s, u] for s in members}
        worth = {s[0]: values[s, u] for s in members if (s, u) in values}
        for rests, their_moves, their_worth in groups:
            if (all(moves[cell] == their_moves[cell] for cell in moves.keys() & their_moves.keys())
                    and all(math.isclose(worth[cell], their_worth[cell], rel_tol=1e-6, abs_tol=1e-9)
                            for cell in worth.keys() & their_worth.keys())):
                rests.append(rest)
                their_moves.update(moves)
                their_worth.update(worth)
                break
        else:
            groups.append(([rest], moves, worth))
    return groups


def _plain(rest: tuple) -> str:
    return ", ".join(map(str, rest))
