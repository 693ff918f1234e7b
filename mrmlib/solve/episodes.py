"""Episodes (paper, §5.1, the reset): the best an agent can do that may begin anew, and the best return of one episode.

A state is *over* if nothing more can be won from there: no step that can still happen pays more than null does. A world
in which such states can be reached is episodic: there a player may reset, at no cost or for a number of actions that
pay nothing, and play from the initial state on.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from ..names import ByName, Names
from ..nrmdp import MDP
from .chains import earnings
from .components import Rows
from .exact import Solution, solve_mean_payoff
from .howard import best_total, drifts, noise


@dataclass(frozen=True)
class Reset:
    """A choice: begin anew, and then do this action; None: the episode ends, and nothing after it counts."""

    action: Hashable | None = None


def over(mdp: MDP, null_reward: float = 0.0) -> np.ndarray:
    """Which states, by position, can be reached and are over; never the initial one, from where a reset leads nowhere.

    >>> shop = MDP(["out", "in", "home"], ["go"], {("out", "go"): {"in": 1.0}, ("in", "go"): {"home": 1.0},
    ...            ("home", "go"): {"home": 1.0}}, "out", lambda s, a, t: float(t == "home" != s))
    >>> [shop.states[s] for s in np.flatnonzero(over(shop))]
    ['home']
    """
    size, source = len(mdp.states), len(mdp.states)
    owners = np.repeat(np.arange(size), np.diff(mdp.starts[::len(mdp.actions)]))
    winning = np.unique(owners[mdp.rewards > null_reward])
    start = mdp.states.index(mdp.initial)
    hopeful = _reached(np.append(mdp.targets, np.full(len(winning), source)), np.append(owners, winning), source)
    reached = _reached(owners, mdp.targets, start, size)
    reached[start] = False
    return reached & ~hopeful[:size]


def _reached(left: np.ndarray, right: np.ndarray, origin: int, size: int | None = None) -> np.ndarray:
    """What the edges left → right lead to from `origin`."""
    size = size or origin + 1
    graph = csr_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(size, size))
    found = np.zeros(size, dtype=bool)
    found[breadth_first_order(graph, origin, return_predecessors=False)] = True
    return found


def with_resets(mdp: MDP, null_reward: float = 0.0, cost: int = 0) -> MDP:
    """The MDP in which a player may reset wherever it is over; a reset takes `cost` actions, which pay nothing.

    Each action a then has a companion `Reset(a)`. If nothing is ever over, it is the same MDP.

    >>> shop = MDP(["out", "in", "home"], ["go"], {("out", "go"): {"in": 1.0}, ("in", "go"): {"home": 1.0},
    ...            ("home", "go"): {"home": 1.0}}, "out", lambda s, a, t: float(t == "home" != s))
    >>> solve_mean_payoff(shop).value, solve_mean_payoff(with_resets(shop)).value
    (0.0, 0.5)
    >>> solve_mean_payoff(with_resets(shop, cost=2)).value
    0.25
    """
    ended = over(mdp, null_reward)
    if not ended.any():
        return mdp
    states, size, width = mdp.states, len(mdp.states), len(mdp.actions)
    start = states.index(mdp.initial)
    own = np.arange(size * width).reshape(size, width)
    begin = own[start] if not cost else np.full(width, size * width + cost - 1)
    rows = np.column_stack([own, np.where(ended[:, None], begin, own)])
    starts, targets = mdp.starts, mdp.targets
    probabilities, rewards = mdp.probabilities, mdp.rewards
    if cost:  # one more state and row for each action of a reset; the first of them leads to the initial state
        states = Names([*states, *(Reset(i) for i in range(cost))], "state")
        starts = np.append(starts, starts[-1] + 1 + np.arange(cost))
        targets = np.append(targets, [start, *range(size, size + cost - 1)]).astype(np.int32)
        probabilities, rewards = np.append(probabilities, np.ones(cost)), np.append(rewards, np.zeros(cost))
        rows = np.vstack([rows, np.repeat(size * width + np.arange(cost)[:, None], 2 * width, axis=1)])
    sizes = np.diff(starts)[rows.reshape(-1)]
    ends = np.cumsum(sizes)
    entries = np.repeat(starts[rows.reshape(-1)] - ends + sizes, sizes) + np.arange(ends[-1])
    actions = Names([*mdp.actions, *map(Reset, mdp.actions)], "action")
    return MDP.of_arrays(states, actions, mdp.initial, np.append(0, ends), targets[entries], probabilities[entries],
                         rewards[entries])


def solve_episode(mdp: MDP) -> Solution:
    """The largest expected return of one episode, undiscounted, by a player who may end it whenever he likes.

    Where the policy ends it, its choice is `Reset()`. If an episode can win without end the value is infinite, and the
    policy is that of the best mean payoff. `lower` is certified; `upper` is the value but for rounding.

    >>> shop = MDP(["out", "in", "home"], ["go"], {("out", "go"): {"in": 1.0}, ("in", "go"): {"home": 1.0},
    ...            ("home", "go"): {"home": 1.0}}, "out", lambda s, a, t: 2.0 if t == "home" != s else -0.5)
    >>> best = solve_episode(shop)
    >>> best.value, best.policy["out"], best.policy["home"]
    (1.5, 'go', Reset(action=None))
    """
    size, width, start = len(mdp.states), len(mdp.actions), mdp.states.index(mdp.initial)
    owners = np.repeat(np.arange(size), np.diff(mdp.starts[::width]))
    reached = _reached(owners, mdp.targets, start, size)
    forever = solve_mean_payoff(mdp)
    gain = forever.values.array[reached].max()
    if gain > 1e-9 * max(1.0, np.abs(mdp.rewards).max()):
        return Solution(math.inf, ByName(mdp.states, np.where(forever.values.array > 0, math.inf, 0.0)),
                        forever.policy, math.inf, math.inf, forever.rounds)
    stop = size * width  # an empty row: the end
    rows = np.column_stack([np.arange(size * width).reshape(size, width), np.full(size, stop)])
    kept = np.column_stack([np.repeat(reached[:, None], width, axis=1), np.ones(size, dtype=bool)])
    whole = Rows(np.arange(size + 1) * width, np.append(mdp.starts, mdp.starts[-1]), mdp.targets, mdp.probabilities,
                 np.append(mdp.expected_rewards, 0.0))
    model = whole.take(rows[kept], np.nonzero(kept)[0], size, np.arange(size, dtype=np.int32))
    for rounds, (x, policy) in enumerate(best_total(model, 1.0, model.choices[1:] - 1), start=1):
        found = rounds, x, policy
    rounds, x, policy = found
    time = earnings(*model.chosen(policy), model.targets, model.probabilities, 1.0, np.zeros(size, dtype=np.bool_),
                    np.ones((size, 1)))[:, 0]
    slack = (noise(model, x) + max(0.0, -drifts(*model, 1.0, x)[policy].min())) * time[start]
    choice = np.where(policy == model.choices[1:] - 1, width, policy - model.choices[:-1])
    value = float(x[start])
    return Solution(value, ByName(mdp.states, x), ByName(mdp.states, choice, Names([*mdp.actions, Reset()], "action")),
                    value - float(slack), value + float(slack), rounds)
