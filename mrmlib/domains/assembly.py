"""An assembly line with a forbidden process (paper, §7): never seal a battery pack while it is hot.

The paper only names the danger; the line is ours. A pack is stacked from cells, welded, cooled, sealed and shipped. The
cooler lies off the way: to seal a hot pack would be quicker, and the pack could explode.
"""

from ..machine import MealyRewardMachine
from .domain import Domain, register
from .grid import Grid, walk

MAP = """
cells . weld .
.     * .    seal
cool  . .    ship
"""
OBSERVATIONS = ("cells", "weld", "cool", "seal", "ship")
MEANINGS = {"u0": "empty", "u1": "stacked", "u2": "hot", "u3": "cooled", "u4": "sealed"}

STEPS = {
    ("u0", "cells"): ("u1", 1.0),
    ("u1", "weld"): ("u2", 2.0),
    ("u2", "cool"): ("u3", 1.0),
    ("u3", "seal"): ("u4", 5.0),
    ("u4", "ship"): ("u0", 20.0),
}
DANGER = ("u2", "seal")


def assembly_machine(penalty: float = 30.0) -> MealyRewardMachine:
    """The machine that pays for each step of the work, and takes `penalty` for sealing a hot pack.

    >>> assembly_machine().rewards(("cells", "weld", "seal", "ship"))
    (1.0, 2.0, -30.0, 20.0)
    """
    steps = STEPS | {DANGER: ("u4", -penalty)}
    return MealyRewardMachine({(u, z): steps.get((u, z), (u, 0.0)) for u in MEANINGS for z in OBSERVATIONS}, "u0")


def hot_sealing() -> MealyRewardMachine:
    """The forbidden process as a machine of its own: it pays 1 exactly when a hot pack is sealed.

    >>> hot_sealing().rewards(("cells", "weld", "seal", "ship"))
    (0.0, 0.0, 1.0, 0.0)
    """
    steps = assembly_machine().transitions
    return MealyRewardMachine({pair: (v, float(pair == DANGER)) for pair, (v, _) in steps.items()}, "u0")


@register
def assembly(precision: float = 0.9, penalty: float = 30.0) -> Domain:
    """A line of twelve cells where a move succeeds with probability `precision`.

    >>> assembly().machine.rewards(("cells", "weld", "cool", "seal", "ship"))
    (1.0, 2.0, 1.0, 5.0, 20.0)
    """
    grid = Grid.from_map(MAP, legend={z: z for z in OBSERVATIONS})
    mdp, labelling = walk(grid, precision)
    safe, quick = 29 / 16, (23 - penalty) / 10  # what a pack earns, over the moves that it takes
    return Domain(
        "assembly", mdp, labelling, assembly_machine(penalty), grid,
        epoch_starts=tuple((cell, False) for cell in grid.cells),
        facts={
            "nodes": 5,
            "optimal_mean_payoff": max(safe, quick) * precision,
            "every_word_executable": True,
            "forbidden": hot_sealing(),
        },
        meanings=MEANINGS,
    )
