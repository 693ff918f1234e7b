"""Episodes in pursuit of something (paper, the α of §5.1), solved exactly: the chance of success, the actions it takes,
the best strategy.

An episode stands at a pair x = (n, s): a node of what is pursued and a state of M. An action moves M; by what is then
observed the episode goes on at another pair, succeeds, or is spoilt. Under a strategy let p(x) be the chance that it
still succeeds and c(x) the number of actions it still takes: both solve one sparse linear system. A reset costs no
action, so success takes V = c(x0) / p(x0) on average, and going on at x is worth V·p(x) − c(x) more than resetting.

With a prize for success and a cost for each action, going on is worth prize·p − cost·c, and resetting 0. Policy
iteration maximises this: it begins with a strategy that succeeds with some chance wherever that is possible, and a pair
changes its action only for a strictly better one. No strategy on the way dawdles, since that would be worth less.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numba
import numpy as np
from scipy.sparse import csr_array, eye_array
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from ..nrmdp import NRMDP

TIE = 1e-12  # what differs by less than this part of its size differs by rounding


@dataclass(frozen=True)
class Episode:
    """All that can happen: row x·|A| + a of `moves` tells where the episode goes on, `success` how likely it succeeds.

    A strategy is an array of actions, `choice[x]`; |A| is a reset, not to be had at `origin`, where episodes begin.
    """

    moves: csr_array
    success: np.ndarray
    may_end: np.ndarray
    origin: int
    reset: int

    @classmethod
    def of(cls, mdp: NRMDP, label: np.ndarray, follow: np.ndarray, wanted: np.ndarray) -> Self:
        """The episodes of M, read through the table of λ, that succeed when `follow[n, z]` is another node and wanted.

        −1 in `follow` spoils the episode; its last column is null. `may_end[x]`: some action at x may end the episode.
        """
        starts, targets, chances, success = _unfold(mdp.starts, mdp.targets, mdp.probabilities, label, follow, wanted)
        width, pairs = len(mdp.actions), len(follow) * len(mdp.states)
        outcomes = np.tile(np.diff(mdp.starts[::width]), len(follow))
        return cls(csr_array((chances, targets, starts), shape=(pairs * width, pairs)), success,
                   np.diff(starts[::width]) < outcomes, mdp.states.index(mdp.initial), width)

    @cached_property
    def aimless(self) -> csr_array:
        """Where the episode goes on from each pair if all actions are equally likely."""
        starts = np.ascontiguousarray(self.moves.indptr[::self.reset])  # the rows of one pair are neighbours
        return csr_array((self.moves.data / self.reset, self.moves.indices, starts), shape=(len(starts) - 1,) * 2)

    def reached(self) -> np.ndarray:
        """The pairs at which an episode may stand."""
        return breadth_first_order(self.aimless, self.origin, return_predecessors=False)

    def approach(self) -> np.ndarray:
        """The strategy of the first action on a shortest possible way to success, and a reset where there is no way."""
        return _approach(self.moves.indptr, self.moves.indices, self.success > 0, self.reset)

    def value(self, choice: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(p, c) under a strategy that surely ends its episodes."""
        going = np.flatnonzero(choice < self.reset)
        rows = going * self.reset + choice[going]
        p, c = np.zeros(len(choice)), np.zeros(len(choice))
        p[going], c[going] = _absorbed(self.moves[rows][:, going], self.success[rows])
        return p, c

    def aimless_actions(self) -> float:
        """V under uniformly random actions and no resets but of spoilt episodes; ∞ if one may go on for ever."""
        ends = _approach(self.aimless.indptr, self.aimless.indices, self.may_end, 1) == 0
        if not ends[self.reached()].all():
            return math.inf
        p, c = _absorbed(self.aimless[ends][:, ends], self.success.reshape(-1, self.reset).mean(axis=1)[ends])
        origin = np.count_nonzero(ends[:self.origin])
        return float(c[origin] / p[origin]) if p[origin] else math.inf

    def quickest(self, choice: np.ndarray) -> np.ndarray:
        """A strategy with the least V, from one that succeeds with some chance wherever that is possible."""
        return self._best(choice, None, 1.0, True)

    def likeliest(self, choice: np.ndarray) -> np.ndarray:
        """A strategy with the greatest p(x0), and among those with the least c(x0); from one as for `quickest`."""
        choice = self._best(choice, 1.0, 0.0, True)
        p, _ = self.value(choice)
        return self._best(choice, 0.0, 1.0, self._worth(p, 1.0, 0.0) >= p[:, None] * (1 - TIE))

    def _worth(self, worth: np.ndarray, prize: float, cost: float) -> np.ndarray:
        """What each choice at each pair is worth, if going on is worth `worth` from the next pair on."""
        going_on = self.moves @ worth + prize * self.success - cost
        choices = np.column_stack([going_on.reshape(-1, self.reset), np.zeros(len(worth))])
        choices[self.origin, self.reset] = -math.inf
        return choices

    def _best(self, choice: np.ndarray, prize: float | None, cost: float, allowed: np.ndarray | bool) -> np.ndarray:
        """A strategy of allowed choices worth most; without a prize, the prize is V, which falls on the way."""
        while True:
            p, c = self.value(choice)
            reward = c[self.origin] / p[self.origin] if prize is None else prize
            worth, slack = reward * p - cost * c, TIE * (reward * p + cost * c)
            choices = np.where(allowed, self._worth(worth, reward, cost), -math.inf)
            best = choices.max(axis=1)
            better = best > worth + slack
            if not better.any():
                break
            choice = np.where(better, choices.argmax(axis=1), choice)
        # Ties go to the declared order; not so where actions are free, since among those one might dawdle.
        return np.argmax(choices >= (best - slack)[:, None], axis=1) if cost else choice


def _absorbed(moves: csr_array, success: np.ndarray) -> np.ndarray:
    """(p, c) of a Markov chain that surely ends: p = moves·p + success, c = moves·c + 1."""
    # No pivoting: the system is an M-matrix, for which elimination down the diagonal subtracts no two numbers alike.
    system = (eye_array(len(success)) - moves).tocsc()
    factors = splu(system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return factors.solve(np.column_stack([success, np.ones(len(success))])).T


@numba.njit(cache=True)
def _unfold(starts, targets, probabilities, label, follow, wanted):
    """The compressed rows of an episode's moves, and the chance of success in each row."""
    nodes, actions, states = len(follow), len(label), label.shape[1]
    rows = nodes * states * actions
    new_starts, success = np.zeros(rows + 1, dtype=np.int32), np.zeros(rows)
    new_targets, chances = np.empty(nodes * len(targets), dtype=np.int32), np.empty(nodes * len(targets))
    row, entry = 0, 0
    for n in range(nodes):
        for pair in range(states * actions):
            for k in range(starts[pair], starts[pair + 1]):
                t = targets[k]
                m = follow[n, label[pair % actions, t]]
                if m >= 0 and m != n and wanted[m]:
                    success[row] += probabilities[k]
                elif m >= 0:
                    new_targets[entry] = m * states + t
                    chances[entry] = probabilities[k]
                    entry += 1
            row += 1
            new_starts[row] = entry
    return new_starts, new_targets[:entry], chances[:entry], success


@numba.njit(cache=True)
def _approach(starts, targets, done, actions):
    """For each pair, the first action of those that may lead to a row that is `done` soonest; `actions` if none may."""
    pairs = (len(starts) - 1) // actions
    choice = np.full(pairs, actions)
    far = pairs + 1
    steps = np.full(pairs, far)
    changed = True
    while changed:
        changed = False
        for x in range(pairs - 1, -1, -1):  # backwards: nodes come after their parents
            for a in range(actions):
                row = x * actions + a
                least = 0 if done[row] else far
                for k in range(starts[row], starts[row + 1]):
                    least = min(least, steps[targets[k]])
                if least + 1 < steps[x]:
                    steps[x], choice[x], changed = least + 1, a, True
    return choice
