"""Markov chains (paper, §4, the expectation under π): what a walk earns before it ends, solved component by component,
sinks first.

A chain is a graph (`begin`, `end`, `targets`) with probabilities p. What it earns is x with, at every state s,
0 = b(s) + Σ_t p(s, t) (γ x(t) − x(s)), where x is 0 at a state that is `cut`. A state without successors earns b(s).
Differences, not values, are weighed by p: a row that does not sum to exactly 1 is thereby read as one that does.
"""

import numba
import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from .components import components

SMALL = 100  # up to this size a component is solved by dense elimination
FLOW_SWEEPS = 10


def earnings(begin: np.ndarray, end: np.ndarray, targets: np.ndarray, probabilities: np.ndarray, gamma: float,
             cut: np.ndarray, payments: np.ndarray) -> np.ndarray:
    """x for each column b of `payments`; every walk must end, reach a cut state or be discounted."""
    chain = begin, end, targets, probabilities, gamma, cut
    order, bounds, label = components(begin, end, targets, cut)
    x, place = payments.copy(), np.empty(len(begin), dtype=np.int64)
    c = _solve_small(*chain, order, bounds, 0, x, place)
    while c < len(bounds) - 1:
        members = order[bounds[c]:bounds[c + 1]]
        place[members] = np.arange(len(members))
        rows, columns, entries = _block(*chain, label, members, place, x)
        matrix = csc_matrix((entries, (rows, columns)), shape=(len(members), len(members)))
        # The matrix is diagonally dominant, so the diagonal is a safe pivot and the order may look at fill-in alone.
        x[members] = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                          options={"SymmetricMode": True}).solve(x[members])
        c = _solve_small(*chain, order, bounds, c + 1, x, place)
    return x


@numba.njit(cache=True)
def _solve_small(begin, end, targets, probabilities, gamma, cut, order, bounds, c, x, place):
    """Solve from component c on, up to the first that is large; returns which one that is."""
    width = x.shape[1]
    dense = np.empty((SMALL, SMALL))
    while c < len(bounds) - 1:
        low, size = bounds[c], bounds[c + 1] - bounds[c]
        if size > SMALL:
            return c
        for i in range(size):
            place[order[low + i]] = i
            dense[i, :size] = 0.0
        for i in range(size):
            s = order[low + i]
            if begin[s] == end[s]:
                dense[i, i] = 1.0
            for k in range(begin[s], end[s]):
                t, p = targets[k], probabilities[k]
                dense[i, i] += (1 - gamma) * p if t == s and not cut[t] else p
                if t == s or cut[t]:
                    continue
                j = place[t]
                if 0 <= j < size and order[low + j] == t:
                    dense[i, j] -= gamma * p
                else:
                    for b in range(width):
                        x[s, b] += gamma * p * x[t, b]
        _eliminate(dense, order[low:low + size], x)
        c += 1
    return c


@numba.njit(cache=True)
def _eliminate(dense, members, x):
    """Solve a small system in place; it is diagonally dominant and needs no pivoting."""
    size, width = len(members), x.shape[1]
    for i in range(size):
        for j in range(i + 1, size):
            factor = dense[j, i] / dense[i, i]
            if factor != 0.0:
                dense[j, i + 1:size] -= factor * dense[i, i + 1:size]
                for b in range(width):
                    x[members[j], b] -= factor * x[members[i], b]
    for i in range(size - 1, -1, -1):
        for b in range(width):
            for j in range(i + 1, size):
                x[members[i], b] -= dense[i, j] * x[members[j], b]
            x[members[i], b] /= dense[i, i]


@numba.njit(cache=True)
def _block(begin, end, targets, probabilities, gamma, cut, label, members, place, x):
    """The equations of one component as (row, column, entry); what its states earn outside is added to x."""
    size = 0
    for s in members:
        size += end[s] - begin[s] + 1
    rows, columns, entries = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32), np.zeros(size)
    e = 0
    for i in range(len(members)):
        s = members[i]
        diagonal = e
        rows[e], columns[e] = i, i
        e += 1
        for k in range(begin[s], end[s]):
            t, p = targets[k], probabilities[k]
            entries[diagonal] += (1 - gamma) * p if t == s and not cut[t] else p
            if t == s or cut[t]:
                continue
            if label[t] == label[s]:
                rows[e], columns[e], entries[e] = i, place[t], -gamma * p
                e += 1
            else:
                x[s] += gamma * p * x[t]
    return rows[:e], columns[:e], entries[:e]


@numba.njit(cache=True)
def most_visited(begin, end, targets, probabilities, order, bounds, label, recurrent, preferred):
    """A state that is visited often in each recurrent component (−1 for the others).

    Weight flows along the edges, for some sweeps against the order in which components were found, that is, mostly
    downstream; how much passed through a state says how often it is visited. A preferred state (one for each state, or
    −1) is kept if it is visited at least half as often as the most visited one: an unsteady choice makes policy
    iteration jump, a seldom visited state makes its equations ill-conditioned.
    """
    found = np.full(len(bounds) - 1, -1, dtype=np.int32)
    weight, passed = np.zeros(len(label)), np.zeros(len(label))
    for c in range(len(found)):
        members = order[bounds[c]:bounds[c + 1]]
        if not recurrent[c]:
            continue
        weight[members] = 1.0
        for _ in range(FLOW_SWEEPS if len(members) > 1 else 0):
            for i in range(len(members) - 1, -1, -1):
                s = members[i]
                flow, weight[s] = weight[s], 0.0
                passed[s] += flow
                for k in range(begin[s], end[s]):
                    weight[targets[k]] += flow * probabilities[k]
        best = members[np.argmax(passed[members])]
        kept = preferred[best]
        found[c] = kept if kept >= 0 and label[kept] == c and 2 * passed[kept] >= passed[best] else best
    return found
