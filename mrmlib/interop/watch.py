"""A machine that watches another one: has one of these steps been taken yet?

A step of a machine, such as selling the treasure, is a pair (u, z): the letter z read at the node u. A state of a
product shows the node, not the step that led there; the watcher turns the step into a node of its own.
"""

from collections.abc import Collection, Hashable

from ..errors import ModelError
from ..machine import MealyRewardMachine

SEEN = "seen"


def watch(machine: MealyRewardMachine, pairs: Collection[tuple[Hashable, Hashable]]) -> MealyRewardMachine:
    """The machine that moves as this one does until it takes one of the pairs (u, z), pays 1 for that, and stops.

    It stops in the node "seen". In its product with an M the best chance of getting there within n actions is
    therefore the best sum of rewards over n actions.

    >>> door = MealyRewardMachine({("shut", "push"): ("open", 5.0), ("open", "push"): ("shut", 0.0)}, "shut")
    >>> watch(door, [("open", "push")]).rewards(("push", "push", "push", "push"))
    (0.0, 1.0, 0.0, 0.0)
    """
    if SEEN in machine.nodes:
        raise ModelError(f"the machine has a node {SEEN!r} of its own")
    steps = machine.transitions
    for pair in pairs:
        if pair not in steps:
            raise ModelError(f"{pair!r} is not a pair (node, observation) of the machine")
    moves = {pair: (SEEN, 1.0) if pair in pairs else (v, 0.0) for pair, (v, _) in steps.items()}
    return MealyRewardMachine(moves | {(SEEN, z): (SEEN, 0.0) for z in machine.observations}, machine.initial)
