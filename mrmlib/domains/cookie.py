"""The cookie domain (paper, §6.2, after Toro Icarte et al. 2019): push a button, find the cookie, eat it.

The paper's figure is lost: the cells are ours. The rooms, the button, the eat action with its crumbs and the
observations are the paper's; the machine is the "perfect" one of Toro Icarte et al., written as a Mealy machine.
"""

from collections.abc import Hashable

from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..words import NULL
from .domain import Domain, register
from .grid import Cell, Grid

ROOM = {
    (1, 5): "blue", (2, 5): "blue",
    (1, 4): "hall", (1, 3): "hall", (1, 2): "hall", (2, 3): "hall",
    (3, 3): "yellow", (4, 3): "yellow",
    (1, 1): "red", (2, 1): "red",
}
MOVES = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}  # row 1 is at the south
BUTTON, EAT = "push_button", "eat"
OBSERVATIONS = ("blu", "blu_cook", "blu_crum", "red", "red_cook", "red_crum", "yel", "yel_bd")

State = tuple[Cell, str | None, str | None]
"""(cell, the room with the cookie or None, the room with crumbs or None)"""

RECIPE = {
    ("u0", "yel_bd"): ("u1", 0.0),
    ("u1", "red_cook"): ("u2", 0.0), ("u1", "blu"): ("u2", 0.0),
    ("u1", "blu_cook"): ("u3", 0.0), ("u1", "red"): ("u3", 0.0),
    ("u2", "red_crum"): ("u0", 1.0), ("u2", "yel_bd"): ("u1", 0.0),
    ("u3", "blu_crum"): ("u0", 1.0), ("u3", "yel_bd"): ("u1", 0.0),
}
MEANINGS = {"u0": "no cookie", "u1": "somewhere", "u2": "in red", "u3": "in blue"}


def cookie_machine() -> MealyRewardMachine:
    """The "perfect" machine: it pays 1 exactly when a cookie is eaten.

    >>> cookie_machine().rewards(("yel", "yel_bd", "blu", "red_cook", "red_crum"))
    (0.0, 0.0, 0.0, 0.0, 1.0)
    """
    return MealyRewardMachine({(u, z): RECIPE.get((u, z), (u, 0.0)) for u in MEANINGS for z in OBSERVATIONS}, "u0")


def observe(action: str, state: State) -> Hashable:
    """λ: the room, and what lies in it.

    >>> observe("eat", ((1, 5), None, "blue")), observe("n", ((1, 4), "blue", None))
    ('blu_crum', 'null')
    """
    cell, cookie, crumbs = state
    room = ROOM[cell]
    if room == "hall":
        return NULL
    if room == "yellow":
        return "yel_bd" if action == BUTTON else "yel"
    return {"blue": "blu", "red": "red"}[room] + ("_cook" if cookie == room else "_crum" if crumbs == room else "")


@register
def cookie() -> Domain:
    """Ten cells, two rooms where a cookie may lie, one with the button.

    >>> cookie().mdp.successors(((3, 3), None, "red"), "push_button")
    {((3, 3), 'blue', None): 0.5, ((3, 3), 'red', None): 0.5}
    """
    grid = Grid(tuple(ROOM), (1, 3), {cell: room for cell, room in ROOM.items() if room != "hall"}, MOVES)

    def transitions(state: State, action: str) -> dict[State, float]:
        cell, cookie, crumbs = state
        if action == BUTTON and ROOM[cell] == "yellow":
            return {(cell, "blue", None): 0.5, (cell, "red", None): 0.5}
        if action == EAT and ROOM[cell] == cookie:
            return {(cell, None, cookie): 1.0}
        return {(grid.neighbour(cell, action) if action in MOVES else cell, cookie, crumbs): 1.0}

    places = (None, "blue", "red")
    states = [(cell, cookie, crumbs) for cell in grid.cells for cookie in places for crumbs in places]
    return Domain(
        "cookie",
        NRMDP(states, (*MOVES, BUTTON, EAT), transitions, (grid.start, None, None)),
        Labelling(observe, OBSERVATIONS),
        cookie_machine(),
        grid,
        facts={"nodes": 4, "optimal_mean_payoff": 0.1, "every_word_executable": False},
        meanings=MEANINGS,
    )
