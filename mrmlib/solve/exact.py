"""Exact strategies: the best discounted sum, mean payoff or sum over n actions of an MDP, with certified bounds.

γ is the discount. Discounted values follow the paper's dSum^γ, which discounts the first reward already: γ times the
value of the textbooks. Policies are memoryless: on a product M ⊗ MR an optimal strategy needs no more. Ties go to the
declared order of the actions. The work is done in `howard` (policy iteration) and `certify` (bounds).
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from numbers import Integral

import numba
import numpy as np

from ..errors import ModelError
from ..names import ByName
from ..nrmdp import MDP
from ..words import check_discount
from . import certify
from .components import Rows, end_components, quotient, reach, restrict
from .follow import Strategy, follow
from .howard import best_gain, best_total, earliest, noise, tidy
from .twins import without_twins


@dataclass(frozen=True)
class Solution:
    """What is best in an MDP: its value at the initial state and at every state, and a policy that earns it.

    `lower` and `upper` are certified: the true optimum at the initial state lies between them, rounding included.
    `rounds` is how many policies were evaluated, or for a finite horizon how many actions are counted.

    >>> coin = MDP(["heads", "tails"], ["flip", "keep"], lambda s, a: {s: 1.0} if a == "keep" else
    ...            {"heads": 0.5, "tails": 0.5}, "tails", lambda s, a, t: float(t == "heads"))
    >>> best = solve_mean_payoff(coin)
    >>> best.value, dict(best.values), dict(best.policy)
    (1.0, {'heads': 1.0, 'tails': 1.0}, {'heads': 'keep', 'tails': 'flip'})
    """

    value: float
    values: ByName
    policy: ByName
    lower: float
    upper: float
    rounds: int


def solve_discounted(mdp: MDP, gamma: float) -> Solution:
    """The largest expected discounted sum.

    >>> mdp = MDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s",
    ...           lambda s, a, t: 1.0 if s == t == "t" else 0.0)
    >>> solution = solve_discounted(mdp, 0.5)
    >>> solution.value, solution.policy["s"], solution.lower <= 0.5 <= solution.upper
    (0.5, 'go', True)
    """
    check_discount(gamma)
    model, action, place = without_twins(mdp)
    rounds, (x, _) = _last(best_total(model, gamma))
    policy = earliest(model, gamma, x)
    bounds = certify.discounted(model, gamma, x, policy, place[_start(mdp)], _largest_reward(mdp))
    return _solution(mdp, gamma * x[place], action[policy][place], bounds, rounds)


def solve_mean_payoff(mdp: MDP) -> Solution:
    """The largest expected mean payoff, which may depend on the state: M need not be strongly connected.

    First comes the best gain of each maximal end component, where a play can stay for ever; then, with each of them as
    a single node where a play may stop with its gain, the best way to reach them, with as much as possible won on the
    way. Of two components with the same gain either will do.

    >>> mdp = MDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s",
    ...           lambda s, a, t: 2.0 if s == t == "t" else 1.0)
    >>> solution = solve_mean_payoff(mdp)
    >>> solution.value, solution.policy["s"], solution.lower <= 2 <= solution.upper
    (2.0, 'go', True)
    """
    model, action, place = without_twins(mdp)
    inside, component = end_components(model)
    within, rows, number = restrict(model, inside, component)
    home = component[component >= 0]
    rounds, (gain, bias, stay) = _last(best_gain(within, home))
    stay = tidy(within, home, bias, stay)

    between, origin, node = quotient(model, inside, component, gain)
    w = _last(best_total(between, 1.0))[1][0]
    time = _last(best_total(between._replace(rewards=np.ones(len(origin))), 1.0))[1][0]
    way = earliest(between, 1.0, w)
    bounds = certify.mixture(between, w, time, way, node[place[_start(mdp)]],
                             *certify.gains(within, home, bias, stay, _largest_reward(mdp)))

    doors = origin[way[:len(gain)]]
    doors = doors[doors >= 0]  # the rows by which components are left that are better left
    stay = _towards(within, home, number[model.owners[doors]], stay)
    policy = np.where(component >= 0, rows[stay][number], origin[way][node])
    policy[model.owners[doors]] = doors
    settled = origin[way][node] < 0
    policy = _on_the_way(model, w[node], settled, np.where(settled, bias[number], 0.0), policy)
    return _solution(mdp, w[node[place]], action[policy][place], bounds, rounds)


def _towards(within: Rows, home: np.ndarray, exits: np.ndarray, stay: np.ndarray) -> np.ndarray:
    """The policy `stay`, but in a component with an exit, the policy that goes there."""
    goal = ~np.isin(home, home[exits])
    goal[exits] = True
    policy = np.where(goal, stay, -1)
    reach(within, goal, policy)
    return policy


def _on_the_way(model: Rows, w: np.ndarray, settled: np.ndarray, bias: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """The policy that also wins most on its way to where it settles; the mean payoff w of each state stays as it is.

    Only rows that lose nothing of w count, a reward counts against w, and where a play settles it wins the bias. To
    wander for ever would lose without bound, for what is not settled is better left.
    """
    size, owners, stop = len(settled), model.owners, len(model.rewards)
    loss = np.abs(np.add.reduceat(model.probabilities * w[model.targets], model.starts[:-1]) - w[owners])
    kept = np.flatnonzero((loss <= noise(model, w)) & ~settled[owners] | (policy[owners] == np.arange(stop)))
    padded = model._replace(starts=np.append(model.starts, model.starts[-1]), rewards=np.zeros(stop + 1))
    rows = np.where(settled[owners[kept]], stop, kept)
    walk = padded.take(rows, owners[kept], size, np.arange(size, dtype=np.int32))
    walk.rewards[:] = np.where(rows == stop, bias[owners[kept]], (model.rewards - w[owners])[kept])
    best = _last(best_total(walk, 1.0, np.searchsorted(kept, policy)))[1][1]
    return kept[best]


def _last(rounds: Iterator) -> tuple:
    """How many rounds there were, and the last of them."""
    return deque(enumerate(rounds, start=1), maxlen=1).pop()


def _start(mdp: MDP) -> int:
    return mdp.states.index(mdp.initial)


def _largest_reward(mdp: MDP) -> float:
    return float(np.abs(mdp.rewards).max())


def _solution(mdp: MDP, values: np.ndarray, actions: np.ndarray, bounds: tuple[float, float], rounds: int) -> Solution:
    return Solution(float(values[_start(mdp)]), ByName(mdp.states, values), ByName(mdp.states, actions, mdp.actions),
                    *map(float, bounds), rounds)


def policy_iteration(mdp: MDP, gamma: float) -> Iterator[tuple[ByName, ByName]]:
    """Howard's rounds, to watch: the values of a policy and the policy, the first action everywhere to begin with.

    >>> mdp = MDP("stu", ["stay", "go"], lambda s, a: {s if a == "stay" else "u": 1.0}, "s",
    ...           lambda s, a, t: 1.0 if s == t == "u" else 0.0)
    >>> [(values["s"], policy["s"]) for values, policy in policy_iteration(mdp, 0.5)]
    [(0.0, 'stay'), (0.5, 'go')]
    """
    check_discount(gamma)
    model, action, place = without_twins(mdp)
    for x, policy in best_total(model, gamma, model.choices[:-1].copy()):
        yield ByName(mdp.states, gamma * x[place]), ByName(mdp.states, action[policy][place], mdp.actions)


def solve_finite(mdp: MDP, horizon: int) -> Solution:
    """The largest expected sum of rewards over `horizon` actions; the policy says what to do first.

    >>> mdp = MDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s",
    ...           lambda s, a, t: 1.0 if s == t == "t" else 0.0)
    >>> solve_finite(mdp, 3).value
    2.0
    """
    if not isinstance(horizon, Integral) or horizon < 1:
        raise ModelError(f"a horizon is a number of actions, 1 or more, not {horizon!r}")
    return next(islice(backward_induction(mdp), horizon - 1, None))


def backward_induction(mdp: MDP) -> Iterator[Solution]:
    """The optimum for one action, for two, for three …: with k actions left, the k-th policy says what to do.

    >>> mdp = MDP("s", ["work", "rest"], lambda s, a: {"s": 1.0}, "s", lambda s, a, t: 3.0 if a == "work" else 0.0)
    >>> [solution.value for solution in islice(backward_induction(mdp), 3)]
    [3.0, 6.0, 9.0]
    """
    start, largest, rewards = _start(mdp), _largest_reward(mdp), mdp.expected_rewards
    off = certify.rounding(mdp.starts, mdp.probabilities).max()
    values, error = np.zeros(len(mdp.states)), 0.0
    for horizon in count(1):
        error += off * (largest + np.abs(values).max())
        values, policy = _step_back(mdp.starts, mdp.targets, mdp.probabilities, rewards, len(mdp.actions), values)
        yield _solution(mdp, values, policy, (values[start] - error, values[start] + error), horizon)


@numba.njit(cache=True)
def _step_back(starts, targets, probabilities, rewards, actions, after):
    """What is best with one action more, and the first action that is best, but for rounding."""
    values, policy, total = np.empty(len(after)), np.empty(len(after), dtype=np.int64), np.empty(actions)
    for s in range(len(after)):
        for a in range(actions):
            total[a] = rewards[s * actions + a]
            for k in range(starts[s * actions + a], starts[s * actions + a + 1]):
                total[a] += probabilities[k] * after[targets[k]]
        values[s] = total.max()
        policy[s] = np.argmax(total >= values[s] - 32 * certify.EPSILON * np.abs(total).max())
    return values, policy


def evaluate_discounted(mdp: MDP, strategy: Strategy, gamma: float) -> Solution:
    """The expected discounted sum of a strategy: the solution of the chain that it makes of the MDP.

    >>> coin = MDP(["heads", "tails"], ["flip"], lambda s, a: {"heads": 0.5, "tails": 0.5}, "tails",
    ...            lambda s, a, t: float(t == "heads"))
    >>> evaluate_discounted(coin, lambda s: "flip", 0.5).value
    0.5
    """
    return solve_discounted(follow(mdp, strategy), gamma)


def evaluate_mean_payoff(mdp: MDP, strategy: Strategy) -> Solution:
    """The expected mean payoff of a strategy: the solution of the chain that it makes of the MDP.

    >>> coin = MDP(["heads", "tails"], ["flip", "keep"], lambda s, a: {s: 1.0} if a == "keep" else
    ...            {"heads": 0.5, "tails": 0.5}, "tails", lambda s, a, t: float(t == "heads"))
    >>> evaluate_mean_payoff(coin, lambda s: "flip").value, evaluate_mean_payoff(coin, lambda s: "keep").value
    (0.5, 0.0)
    """
    return solve_mean_payoff(follow(mdp, strategy))


def expected_return(mdp: MDP, strategy: Strategy, actions: int) -> float:
    """What a strategy earns on average over that many actions, undiscounted.

    >>> coin = MDP(["heads", "tails"], ["flip"], lambda s, a: {"heads": 0.5, "tails": 0.5}, "tails",
    ...            lambda s, a, t: float(t == "heads"))
    >>> expected_return(coin, lambda s: "flip", 2000)
    1000.0
    """
    return solve_finite(follow(mdp, strategy), actions).value
