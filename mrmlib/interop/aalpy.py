"""Machines as AALpy's Mealy machines, whose states are the nodes, inputs the observations and outputs the rewards.

AALpy knows no null: what it pays is said when a machine comes back. AALpy is imported only when a function is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..machine import MealyRewardMachine
from .labels import number_from_text

if TYPE_CHECKING:
    from aalpy.automata import MealyMachine


def to_aalpy(machine: MealyRewardMachine) -> MealyMachine:
    """The machine as an `aalpy.automata.MealyMachine`; a state's `state_id` is the node's name.

    >>> mealy = to_aalpy(MealyRewardMachine({("u", "map"): ("v", 10.0), ("v", "map"): ("v", 0.0)}, "u"))
    >>> mealy.reset_to_initial(), mealy.step("map"), mealy.step("map")
    (None, 10.0, 0.0)
    """
    from aalpy.automata import MealyMachine, MealyState

    states = {u: MealyState(u) for u in machine.nodes}
    for (u, z), (v, r) in machine.transitions.items():
        states[u].transitions[z], states[u].output_fun[z] = states[v], r
    return MealyMachine(states[machine.initial], list(states.values()))


def from_aalpy(mealy: MealyMachine, null_reward: float = 0.0) -> MealyRewardMachine:
    """The machine that a Mealy machine is, if its outputs are numbers, or text of numbers as AALpy's files have it.

    >>> machine = MealyRewardMachine({("u", "map"): ("v", 10.0), ("v", "map"): ("v", 0.0)}, "u")
    >>> from_aalpy(to_aalpy(machine)) == machine
    True
    """
    letters = dict.fromkeys(z for state in mealy.states for z in state.transitions)
    known, delta = set(), {}
    for state in mealy.states:
        u = state.state_id
        if u in known:
            raise ModelError(f"two states are named {u!r}")
        known.add(u)
        for z in letters:
            if z not in state.transitions:
                raise ModelError(f"the state {u!r} has no transition with {z!r}")
            delta[u, z] = state.transitions[z].state_id, _reward(state.output_fun[z], f"the output of {u!r} with {z!r}")
    return MealyRewardMachine(delta, mealy.initial_state.state_id, null_reward)


def _reward(output: Any, what: str) -> Any:
    return number_from_text(output, what) if isinstance(output, str) else output
