"""Howard's policy iteration (paper, argmax over π): evaluate a policy exactly, improve it wherever another action is
better, repeat.

A policy is one row of the model for each state. The *drift* of a row of state s is r + Σ_t p(t) (γ x(t) − x(s)): how
much better than x(s) it is to take the row once and earn x after it. Every policy here has either an end, so that x is
what it earns in total (`best_total`), or one recurrent class in each end component, so that x is its bias and drifts
are set against its gain (`best_gain`).
"""

from collections.abc import Iterator
from itertools import count

import numba
import numpy as np

from .chains import earnings, most_visited
from .components import Rows, closed, components, reach

WARM_SWEEPS, WARM_DISCOUNT = 20, 0.999
SWEEPS = 8  # between two evaluations
PATIENCE = 1.2  # what counts as better grows by this factor a round, lest rounding errors feign progress for ever


@numba.njit(cache=True)
def sweep(choices, starts, targets, probabilities, rewards, gamma, tolerance, x, policy, forward):
    """One Gauss–Seidel sweep: raise each x to what its best row gives; how many states changed their row?

    A state keeps its row unless another's drift is larger by more than the tolerance; among those the one that raises
    x most, once its loop at s is solved for, is taken.
    """
    changed, size = 0, len(policy)
    for i in range(size):
        s = i if forward else size - 1 - i
        kept, best, rise, own = policy[s], policy[s], 0.0, 0.0
        for j in range(choices[s] - 1, choices[s + 1]):
            row = kept if j < choices[s] else j  # the incumbent first
            drift, leaving = rewards[row], 0.0
            for k in range(starts[row], starts[row + 1]):
                t, p = targets[k], probabilities[k]
                drift += p * (x[t] - x[s] - (1 - gamma) * x[t])
                leaving += (1 - gamma) * p if t == s else p
            if starts[row] == starts[row + 1]:
                drift, leaving = drift - x[s], 1.0
            if leaving == 0.0:  # stays for ever, earning the drift at each step
                leaving = 1.0
            if j < choices[s]:
                own, rise = drift, drift / leaving
            elif row != kept and drift > own + tolerance and drift / leaving > rise:
                best, rise = row, drift / leaving
        x[s] += rise
        if best != kept:
            policy[s] = best
            changed += 1
    return changed


@numba.njit(cache=True)
def drifts(choices, starts, targets, probabilities, rewards, gamma, x):
    """The drift of each row."""
    drift = rewards.copy()
    for s in range(len(choices) - 1):
        for row in range(choices[s], choices[s + 1]):
            if starts[row] == starts[row + 1]:
                drift[row] -= x[s]
            for k in range(starts[row], starts[row + 1]):
                after = x[targets[k]]
                drift[row] += probabilities[k] * (after - x[s] - (1 - gamma) * after)
    return drift


def noise(model: Rows, x: np.ndarray) -> float:
    """Drifts that differ by less than this are taken to be equal: some roundings of the largest number about."""
    return 32 * np.finfo(float).eps * (np.abs(x).max() + np.abs(model.rewards).max())


def earliest(model: Rows, gamma: float, x: np.ndarray) -> np.ndarray:
    """For each state the first row that no other beats by more than noise."""
    drift = drifts(*model, gamma, x)
    best = np.maximum.reduceat(drift, model.choices[:-1])
    good = np.flatnonzero(drift >= best[model.owners] - noise(model, x))
    return good[np.searchsorted(good, model.choices[:-1])]


def _improve(model: Rows, gamma: float, x: np.ndarray, policy: np.ndarray, rounds: int) -> bool:
    """A few sweeps, back and forth, after so many rounds; does the policy change?"""
    tolerance = noise(model, x) * PATIENCE**rounds
    changes = [sweep(*model, gamma, tolerance, x, policy, True)]
    while changes[-1] and len(changes) < SWEEPS:
        changes.append(sweep(*model, gamma, tolerance, x, policy, len(changes) % 2 == 0))
    return changes[0] > 0


def _warm(model: Rows, gamma: float) -> np.ndarray:
    """A policy to begin with: the best one after some discounted sweeps."""
    x, policy = np.zeros(len(model.choices) - 1), model.choices[:-1].copy()
    for i in range(WARM_SWEEPS):
        sweep(*model, gamma, 0.0, x, policy, i % 2 == 0)
    return policy


def best_total(model: Rows, gamma: float, policy: np.ndarray | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rounds (x, policy), the last of them optimal: the most that can be earned where every policy has an end."""
    size = len(model.choices) - 1
    if policy is None:
        policy = _warm(model, min(gamma, WARM_DISCOUNT))
    nothing = np.zeros(size, dtype=np.bool_)
    for rounds in count():
        chain = *model.chosen(policy), model.targets, model.probabilities
        x = earnings(*chain, gamma, nothing, model.rewards[policy][:, None])[:, 0]
        yield x, policy.copy()
        if not _improve(model, gamma, x.copy(), policy, rounds):
            return


def best_gain(model: Rows, component: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Rounds (gain, bias, policy), the last of them optimal: the best mean payoff in each end component.

    Every component communicates, so its best gain is one number, and a policy can be made to reach the best of its
    recurrent classes from everywhere. A component in which nothing changed is not evaluated again.
    """
    size, ends = len(component), component.max() + 1
    policy, reference = _warm(model, WARM_DISCOUNT), np.full(ends, -1, dtype=np.int32)
    gain, bias, active = np.zeros(ends), np.zeros(size), np.ones(ends, dtype=np.bool_)
    for rounds in count():
        while not _evaluate(model, component, policy, active, reference, gain, bias):
            goal = ~active[component]
            goal[reference] = True
            reach(model, goal, policy)
        yield gain.copy(), bias.copy(), policy.copy()
        old, against = policy.copy(), model._replace(rewards=model.rewards - gain[component[model.owners]])
        if not _improve(against, 1.0, bias.copy(), policy, rounds):
            return
        active = np.bincount(component, policy != old) > 0


def _evaluate(model: Rows, component: np.ndarray, policy: np.ndarray, active: np.ndarray, reference: np.ndarray,
              gain: np.ndarray, bias: np.ndarray) -> bool:
    """Update the reference state, gain and bias of each active component; has each just one recurrent class?

    A walk that ends at its return to a reference state z earns x and takes y actions on average: the gain is x(z)/y(z).
    Rewards are counted from the gain found last: as this nears the truth, x nears the bias and nothing is lost in
    x − gain · y. Where there are several classes the best one counts, and the bias makes no sense yet.
    """
    begin, end = model.chosen(policy)
    evaluated = active[component]
    chain = np.where(evaluated, begin, end), end, model.targets, model.probabilities
    cut = np.zeros(len(policy), dtype=np.bool_)
    parts = components(*chain[:3], cut)
    found = most_visited(*chain, *parts, closed(*chain[:3], parts[2]), reference[component])
    classes = found[found >= 0]
    classes = classes[evaluated[classes]]
    cut[classes] = True
    payments = np.column_stack([model.rewards[policy] - gain[component], np.ones(len(policy))])
    x, y = earnings(*chain, 1.0, cut, payments).T
    ranked = classes[np.lexsort([-classes, x[classes] / y[classes]])]
    reference[component[ranked]] = ranked  # of several in one component the last, the best, is kept
    rise = np.where(active, x[reference] / y[reference], 0.0)
    gain += rise
    bias[evaluated] = (x - rise[component] * y)[evaluated]
    return len(classes) == active.sum()


def tidy(model: Rows, component: np.ndarray, bias: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """The optimal policy that takes the earliest of equally good rows, in every component where that is harmless.

    Whoever follows rows that are all as good as the best earns the same gain, but may for ever stay where something
    could still be won once: in a recurrent class whose bias is on average above that of the given policy's.
    """
    wanted = earliest(model, 1.0, bias)
    uneven = np.bincount(component, np.abs(bias) > noise(model, bias)) > 0  # where the bias is 0 nothing can be missed
    active = uneven & (np.bincount(component, wanted != policy) > 0)
    stakes, mean, unused = model._replace(rewards=bias[model.owners]), np.zeros((2, len(active))), np.empty(len(bias))
    for level, rows in zip(mean, (policy, wanted), strict=True):
        _evaluate(stakes, component, rows, active, np.full(len(active), -1, dtype=np.int32), level, unused)
    harmless = mean[1] <= mean[0] + 1e-9 * np.abs(bias).max()
    return np.where(harmless[component], wanted, policy)
