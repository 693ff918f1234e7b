"""The treasure map (paper, §4, running example, and §6.1): find the map, get help, find the treasure, sell it.

The paper's figures are lost: the places on the grid are ours, and so are four of the machine's rewards. Its text fixes
m·j1·j2 → 10, 60, 0 and m·g·t·j2 → 10, 25, 90, 35, and that the map can be had again only after a reset.
"""

from ..machine import MealyRewardMachine
from .domain import Domain, register
from .grid import Grid, walk

MAP = """
e  .  .  .  t  .  .  .  j1
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  m  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
j2 .  .  .  *  .  .  .  g
"""
OBSERVATIONS = ("m", "e", "g", "t", "j1", "j2")
MEANINGS = {"u0": "no map", "u1": "has map", "u2": "equipped", "u3": "guided", "u4": "has treasure", "u5": "map sold"}

DEALS = {
    ("u0", "m"): ("u1", 10.0),
    ("u1", "e"): ("u2", 30.0),  # ours
    ("u1", "g"): ("u3", 25.0),
    ("u1", "j1"): ("u5", 60.0),
    ("u1", "j2"): ("u5", 50.0),  # ours
    ("u2", "t"): ("u4", 80.0),  # ours
    ("u3", "t"): ("u4", 90.0),
    ("u4", "j1"): ("u1", 30.0),  # ours
    ("u4", "j2"): ("u1", 35.0),
}


def treasure_machine(c: float = -1.0) -> MealyRewardMachine:
    """The machine of the treasure map; whatever is not a deal stays and pays c.

    >>> treasure_machine(c=0.0).rewards(("m", "g", "t", "j2"))
    (10.0, 25.0, 90.0, 35.0)
    """
    return MealyRewardMachine({(u, z): DEALS.get((u, z), (u, c)) for u in MEANINGS for z in OBSERVATIONS}, "u0", c)


@register
def treasure_map(apf: float = 0.95, c: float = -1.0) -> Domain:
    """The 9 × 9 grid where a move succeeds with probability `apf`, the action precision factor.

    >>> treasure_map(apf=0.75).mdp.successors(((5, 9), False), "n")
    {((5, 8), True): 0.75, ((5, 9), False): 0.25}
    """
    grid = Grid.from_map(MAP, legend={z: z for z in OBSERVATIONS})
    mdp, labelling = walk(grid, precision=apf)
    return Domain(
        "treasure_map", mdp, labelling, treasure_machine(c), grid,
        epoch_starts=tuple((cell, False) for cell in grid.cells),
        facts={
            "nodes": 6,
            # The loop e, t, j1 along row 1: 16 moves earn 30 + 80 + 30, every other action pays c.
            "optimal_mean_payoff": (140 - 3 * c) * apf / 16 + c,
            "best_word": (("m", "g", "t", "j2", "g", "t"), 275.0),
            "every_word_executable": True,
        },
        meanings=MEANINGS,
    )
