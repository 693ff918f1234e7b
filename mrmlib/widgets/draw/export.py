"""An edited domain to take away: as code to paste into a cell, as JSON, as a graph."""

from collections.abc import Callable, Mapping

from ...domains import Domain
from ...interop.dot import to_dot
from .editing import Original, map_of

HEAD = """\
import mrmlib as mrm
from mrmlib.domains import {names}

NODES = {nodes}
EDGES = {{  # (node, observation): (next node, reward); every other pair stays and pays C
{edges}}}
START, C = {start!r}, {c!r}
"""

WALK = '''
MAP = """
{map}
"""
LETTERS = {letters}


@register
def {name}(precision: float = {precision!r}) -> Domain:
    """Edited from {original}."""
    grid = Grid.from_map(MAP, legend={{z: z for z in LETTERS}})
    mdp, labelling = walk(grid, precision{sideways})
    machine = mrm.MealyRewardMachine(
        {{(u, z): EDGES.get((u, z), (u, C)) for u in NODES for z in LETTERS}}, START, C)
    return Domain({name!r}, mdp, labelling, machine, grid{starts},
                  meanings={{u: meaning for u, meaning in NODES.items() if meaning}})


domain = {name}()
'''

KEPT = '''

@register
def {name}() -> Domain:
    """Edited from {original}: another machine in the same world."""
    world = make({original!r})
    machine = mrm.MealyRewardMachine(
        {{(u, z): EDGES.get((u, str(z)), (u, C)) for u in NODES for z in world.labelling.observations}}, START, C)
    return Domain({name!r}, world.mdp, world.labelling, machine, world.grid, world.epoch_starts,
                  meanings={{u: meaning for u, meaning in NODES.items() if meaning}})


domain = {name}()
'''


def code(original: Original, domain: Domain, precision: float) -> str:
    """Python that makes the edited domain again and lists it among the registered ones.

    >>> from mrmlib import domains
    >>> original = Original(domains.assembly())
    >>> cell = code(original, original.read(original.sheet)[0], 0.9)
    >>> print(cell.splitlines()[5])
        ('u0', 'cells'): ('u1', 1.0),
    """
    machine = domain.machine
    parts = {
        "nodes": {u: domain.meanings.get(u, "") for u in machine.nodes},
        "edges": "".join(f"    ({u!r}, {str(z)!r}): {went!r},\n" for (u, z), went in machine.transitions.items()
                         if went != (u, machine.null_reward)),
        "start": machine.initial,
        "c": machine.null_reward,
        "name": domain.name,
        "original": original.name,
    }
    if original.chances is None:
        return (HEAD + KEPT).format(names="Domain, make, register", **parts)
    sideways = original.chances[1]
    return (HEAD + WALK).format(
        names="Domain, Grid, register, walk", map=_quoted(map_of(domain.grid)),
        letters=tuple(domain.labelling.observations), precision=precision,
        sideways=f", sideways={sideways!r}" if sideways else "",
        starts=", tuple((cell, False) for cell in grid.cells)" if domain.epoch_starts else "", **parts)


def _quoted(text: str) -> str:
    """Text as it stands between three quotation marks."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


FORMS: Mapping[str, tuple[str, Callable[[Original, Domain, float], str]]] = {
    "Python cell": ("py", code),
    "domain (JSON)": ("json", lambda original, domain, precision: domain.to_json()),
    "machine (JSON)": ("json", lambda original, domain, precision: domain.machine.to_json()),
    "machine (DOT)": ("dot", lambda original, domain, precision: to_dot(domain.machine)),
}
"""By name: how a file of that form ends, and how it is written."""
