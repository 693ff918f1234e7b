"""Certified bounds (paper, §5.1, "solved exactly"): what an approximate solution x proves about the true optimum, with
every rounding counted.

The drift of a row of state s under x is r + Σ_t p(t) (γ x(t) − x(s)), whatever x is. Three facts do all the work:

- *Discounted.* If all drifts are at most e, no strategy earns more than x(s) + e / (1 − γ) from s. If those of a
  policy are at least e, it earns at least that.
- *Gain of an end component.* If all drifts in it (γ = 1) are at most g, no play that stays in it has a mean payoff
  above g: sum them along the play, the x(t) − x(s) telescope. If those of a policy are at least g, so is its gain.
- *Mixture.* Every play ends up in an end component for ever, so the optimum is the best expectation of the gain it
  stops with. Any w from which no row gains (drifts ≤ 0) and that is nowhere below a gain to stop with is an upper
  bound; with the inequalities of one policy reversed, a lower one. Where w fails by e, w + (e / c) T does not, for a
  T ≥ 0 with drifts of at most −c < 0: that every play stops after finitely many actions on average is used just here.
"""

import numba
import numpy as np

from .components import Rows

EPSILON = np.finfo(float).eps


@numba.njit(cache=True)
def rounding(starts, probabilities):
    """For each row, how far off a computed mean over it can be, as a part of the mean of the magnitudes.

    A sum of k rounded products is off by a few more than k roundings, of half an epsilon each. A row whose
    probabilities do not sum to exactly 1 is read as divided by their sum.
    """
    off = np.empty(len(starts) - 1)
    for row in range(len(off)):
        total = probabilities[starts[row]:starts[row + 1]].sum() if starts[row] < starts[row + 1] else 1.0
        off[row] = abs(total - 1) + (starts[row + 1] - starts[row] + 8) * EPSILON
    return off


@numba.njit(cache=True)
def drift_bounds(choices, starts, targets, probabilities, rewards, gamma, x, largest):
    """For each row, numbers below and above its true drift; `largest` bounds the rewards whose mean a row pays."""
    low, high, off = np.empty(len(rewards)), np.empty(len(rewards)), rounding(starts, probabilities)
    for s in range(len(choices) - 1):
        for row in range(choices[s], choices[s + 1]):
            drift, size = rewards[row], largest
            for k in range(starts[row], starts[row + 1]):
                p, after = probabilities[k], x[targets[k]]
                drift += p * (after - x[s] - (1 - gamma) * after)  # near γ = 1 not to be rounded as x is
                size += p * (abs(after - x[s]) + (1 - gamma) * abs(after))
            if starts[row] == starts[row + 1]:
                drift, size = drift - x[s], size + abs(x[s])
            error = off[row] * size
            low[row], high[row] = drift - error, drift + error
    return low, high


def discounted(model: Rows, gamma: float, x: np.ndarray, policy: np.ndarray, s: int,
               largest: float) -> tuple[float, float]:
    """Bounds on the largest dSum^γ (γ times the textbooks' value) from s; the lower one is the policy's."""
    low, high = drift_bounds(*model, gamma, x, largest)
    edges = [x[s] + e / (1 - gamma) for e in (low[policy].min(), high.max())]
    slack = 8 * EPSILON * (abs(x[s]) + sum(map(abs, edges)))
    return gamma * (edges[0] - slack), gamma * (edges[1] + slack)


def gains(model: Rows, component: np.ndarray, bias: np.ndarray, policy: np.ndarray,
          largest: float) -> tuple[np.ndarray, np.ndarray]:
    """Bounds on the best gain of each end component; the lower one is the policy's."""
    low, high = drift_bounds(*model, 1.0, bias, largest)
    return _extremes(model.choices, component, low, high, policy)


@numba.njit(cache=True)
def _extremes(choices, component, low, high, policy):
    """For each component the least `low` of the policy's rows and the largest `high` of all rows."""
    lower, upper = np.full(component.max() + 1, np.inf), np.full(component.max() + 1, -np.inf)
    for s in range(len(component)):
        c = component[s]
        lower[c] = min(lower[c], low[policy[s]])
        upper[c] = max(upper[c], high[choices[s]:choices[s + 1]].max())
    return lower, upper


def mixture(quotient: Rows, w: np.ndarray, time: np.ndarray, policy: np.ndarray, s: int, lower: np.ndarray,
            upper: np.ndarray) -> tuple[float, float]:
    """Bounds on the optimum at s, from bounds on the gain of each end component.

    The first nodes of the quotient are the end components; the first row of each stops there, all others move on.
    """
    ends = len(lower)
    stops = quotient.choices[:ends]
    moves = np.ones(len(quotient.rewards), dtype=np.bool_)
    moves[stops] = False
    low, high = drift_bounds(*quotient, 1.0, w, 0.0)
    c = min(1.0, -drift_bounds(*quotient, 1.0, time, 0.0)[1][moves].max(initial=-1.0))
    stopping = policy[:ends] == stops
    rise, fall = max(0.0, high[moves].max(initial=0.0)), max(0.0, -low[policy[moves[policy]]].min(initial=0.0))
    bottom, top = lower[stopping].min(initial=np.inf), upper.max()
    if c > 0 and time.min() >= 0:
        shift_up = (upper - w[:ends]).max()
        shift_down = (lower - w[:ends])[stopping].min()
        slack = 8 * EPSILON * (abs(w[s]) + abs(shift_up) + abs(shift_down) + (rise + fall) / c * time[s])
        bottom = max(bottom, w[s] + shift_down - fall / c * time[s] - slack)
        top = min(top, w[s] + shift_up + rise / c * time[s] + slack)
    return bottom, top
