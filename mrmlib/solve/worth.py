"""What a world is worth to one who does not see its state (paper, §6.2): the best mean payoff with what is seen,
exactly.

Two ways to be blind. One who remembers everything plays on *beliefs*: how likely each state is, given all that was
seen. They form an MDP of their own. One who remembers nothing takes the same action in all states that look alike: that
is no MDP, and the best such strategy is hard to find; branch and bound finds it, and proves that it is the best.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count

import numpy as np

from ..errors import BudgetError
from ..nrmdp import MDP
from .exact import Solution, solve_mean_payoff

Sight = Callable[[Hashable, Hashable], Hashable]
"""(action, state reached) -> what is seen"""

Belief = tuple[tuple[Hashable, Fraction], ...]
"""How likely each state is, in the order of the states."""


def belief_mdp(mdp: MDP, sight: Sight, limit: int = 10_000) -> MDP:
    """The MDP whose states are the beliefs that can be reached by one who remembers all that it saw.

    Its optimum is the best that any strategy can earn that sees no more. Beliefs are exact fractions.

    >>> coin = MDP(["heads", "tails"], ["flip", "guess"], lambda s, a: {"heads": 0.5, "tails": 0.5}, "heads",
    ...            lambda s, a, t: float(a == "guess" and s == "heads"))
    >>> belief_mdp(coin, lambda a, s: "dark").states[1]
    (('heads', Fraction(1, 2)), ('tails', Fraction(1, 2)))
    """
    order: list[Belief] = [((mdp.initial, Fraction(1)),)]
    known, rows, pays = set(order), {}, {}
    for belief in order:  # grows as it is read
        for action in mdp.actions:
            after = _after(mdp, sight, belief, action)
            rows[belief, action] = {reached: float(chance) for reached, chance in after.items()}
            pays[belief, action] = float(sum(p * Fraction(mdp.expected_reward(s, action)) for s, p in belief))
            new = [reached for reached in after if reached not in known]
            known.update(new)
            order += new
        if len(order) > limit:
            raise BudgetError(f"there are more than {limit} beliefs")
    return MDP(order, mdp.actions, rows, order[0], lambda belief, action, _: pays[belief, action])


def _after(mdp: MDP, sight: Sight, belief: Belief, action: Hashable) -> dict[Belief, Fraction]:
    """The beliefs that may follow, one for each thing that may be seen, and how likely they are (Bayes)."""
    joint: dict[Hashable, dict[Hashable, Fraction]] = {}
    for s, p in belief:
        for t, q in mdp.successors(s, action).items():
            chances = joint.setdefault(sight(action, t), {})
            chances[t] = chances.get(t, 0) + p * Fraction(q)
    after: dict[Belief, Fraction] = {}
    for chances in joint.values():
        total = sum(chances.values())
        reached = tuple((t, chances[t] / total) for t in sorted(chances, key=mdp.states.index))
        after[reached] = after.get(reached, 0) + total
    return after


@dataclass(frozen=True)
class Blind:
    """The best strategy without memory: `policy[what is seen]`, its value, and how many cases it took to prove that."""

    value: float
    policy: dict[Hashable, Hashable]
    cases: int


def best_without_memory(mdp: MDP, sight: Callable[[Hashable], Hashable], limit: int = 100_000) -> Blind:
    """The largest mean payoff of a strategy that takes the same action in all states with the same `sight`.

    Branch and bound: let the strategy see everything, but where its action is fixed already; what it earns then is an
    upper bound. Where it takes different actions in states that look alike, fix the action there, in every way.

    >>> rooms = MDP("lr", ["left", "right"], lambda s, a: {"l": 0.5, "r": 0.5}, "l",
    ...             lambda s, a, t: float(a[0] == s))
    >>> best_without_memory(rooms, lambda s: s).value, best_without_memory(rooms, lambda s: "dark").value
    (1.0, 0.5)
    """
    mdp = mdp.reachable()
    seen = [sight(state) for state in mdp.states]
    names = list(dict.fromkeys(seen))
    looks = np.array([names.index(name) for name in seen])
    order = count()
    open_: list[tuple[float, int, np.ndarray, Solution]] = []

    def bound(fixed: np.ndarray) -> None:
        solution = solve_mean_payoff(_with_fixed(mdp, fixed[looks]))
        # Values that differ by rounding alone are ties, which the order decides, on every machine alike.
        heappush(open_, (-round(solution.value, 9), next(order), fixed, solution))

    bound(np.full(len(names), -1))
    for cases in range(1, limit + 1):
        _, _, fixed, solution = heappop(open_)
        actions = solution.policy.array
        chosen = np.where(fixed[looks] >= 0, fixed[looks], actions)
        visited = _visited(mdp, chosen)
        torn = _torn(looks, chosen, visited)
        if torn is None:
            policy = {names[k]: mdp.actions[a] for k, a in zip(looks[visited], chosen[visited], strict=True)}
            return Blind(solution.value, policy, cases)
        for action in _different(mdp, np.flatnonzero(looks == torn)):
            bound(np.where(np.arange(len(names)) == torn, action, fixed))
    raise BudgetError(f"{limit} cases are not enough")


def _with_fixed(mdp: MDP, fixed: np.ndarray) -> MDP:
    """The MDP where all actions of a state do what the one fixed for it does (−1: none is)."""
    width = len(mdp.actions)
    own = np.arange(width)
    rows = (np.arange(len(fixed))[:, None] * width + np.where(fixed[:, None] >= 0, fixed[:, None], own)).reshape(-1)
    sizes = np.diff(mdp.starts)[rows]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    entries = np.repeat(mdp.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
    return MDP.of_arrays(mdp.states, mdp.actions, mdp.initial, starts, mdp.targets[entries],
                         mdp.probabilities[entries], mdp.rewards[entries])


def _visited(mdp: MDP, chosen: np.ndarray) -> np.ndarray:
    """The positions of the states that a policy visits, in the order in which it may come there."""
    order = [mdp.states.index(mdp.initial)]
    known = set(order)
    for s in order:  # grows as it is read
        row = s * len(mdp.actions) + chosen[s]
        new = [t for t in mdp.targets[mdp.starts[row]:mdp.starts[row + 1]].tolist() if t not in known]
        known.update(new)
        order += new
    return np.array(order)


def _torn(looks: np.ndarray, chosen: np.ndarray, visited: np.ndarray) -> int | None:
    """The first look for which a policy has two actions in states that it visits."""
    first: dict[int, int] = {}
    for look, action in zip(looks[visited].tolist(), chosen[visited].tolist(), strict=True):
        if first.setdefault(look, action) != action:
            return look
    return None


def _different(mdp: MDP, states: np.ndarray) -> Iterator[int]:
    """The actions, but of those that do the same in all of `states` only the first."""
    known = set()
    for a in range(len(mdp.actions)):
        rows = [slice(mdp.starts[r], mdp.starts[r + 1]) for r in states * len(mdp.actions) + a]
        effect = tuple(array[row].tobytes() for row in rows for array in (mdp.targets, mdp.probabilities, mdp.rewards))
        if effect not in known:
            known.add(effect)
            yield a
