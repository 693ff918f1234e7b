"""Episodes in pursuit of something (paper, the α of §5.1), solved exactly: the chance of success, the actions it takes,
the best strategy.

An episode stands at a pair x = (n, s): a node of what is pursued and a state of M. An action moves M; by what is then
observed the episode goes on at another pair, succeeds, or is spoilt. Under a strategy let p(x) be the chance that it
still succeeds and c(x) the number of actions it still takes: both solve one sparse linear system. A reset costs no
action, so success takes V = c(x0) / p(x0) on average, and going on at x is worth V·p(x) − c(x) more than resetting.

With a prize for success and a cost for each action, going on is worth prize·p − cost·c, and resetting 0. Policy
iteration maximises this: it begins with a strategy that surely ends its episodes, some with success, and a pair changes
its action only for a strictly better one. No strategy on the way dawdles, since that would be worth less.

Every solution is checked and refined. Where the first strategy's episodes are too long for that, the best one for
episodes in *haste*, each action of which spoils with a small chance, is a better beginning: where it goes on, success
makes up for the actions it takes.
"""

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numba
import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from ..errors import ModelError
from ..nrmdp import NRMDP
from ..solve.components import predecessors

TIE = 1e-12  # what differs by less than this part of its size differs by rounding
HARMLESS = 1e-9  # ties may cost this part of what a strategy is worth
EXACT, ENOUGH, REFINEMENTS = 1e-13, 1e-8, 5  # how far a solution is refined, and what it must come to
HASTE = (1e-3, 1e-6, 1e-9)


@dataclass(frozen=True)
class Episode:
    """All that can happen: row x·|A| + a of `moves` tells where the episode goes on, `success` how likely it succeeds,
    `ends` how likely it succeeds or is spoilt.

    A strategy is an array of actions, `choice[x]`; |A| is a reset, not to be had at `origin`, where episodes begin.
    """

    moves: csr_array
    success: np.ndarray
    ends: np.ndarray
    origin: int
    reset: int

    @classmethod
    def of(cls, mdp: NRMDP, label: np.ndarray, follow: np.ndarray, wanted: np.ndarray) -> Self:
        """The episodes of M, read through the table of λ, that succeed when `follow[n, z]` is another node and wanted.

        −1 in `follow` spoils the episode; its last column is null.
        """
        starts, targets, chances, *ends = _unfold(mdp.starts, mdp.targets, mdp.probabilities, label, follow, wanted)
        width, pairs = len(mdp.actions), len(follow) * len(mdp.states)
        moves = csr_array((chances, targets, starts), shape=(pairs * width, pairs))
        return cls(moves, *ends, mdp.states.index(mdp.initial), width)

    @cached_property
    def aimless(self) -> Self:
        """The episodes in which all actions are equally likely, as if they were one."""
        starts = np.ascontiguousarray(self.moves.indptr[::self.reset])  # the rows of one pair are neighbours
        moves = csr_array((self.moves.data / self.reset, self.moves.indices, starts), shape=(len(starts) - 1,) * 2)
        success, ends = (chance.reshape(-1, self.reset).mean(axis=1) for chance in (self.success, self.ends))
        return replace(self, moves=moves, success=success, ends=ends, reset=1)

    def reached(self) -> np.ndarray:
        """The pairs at which an episode may stand."""
        return breadth_first_order(self.aimless.moves, self.origin, return_predecessors=False)

    def approach(self) -> np.ndarray:
        """The strategy that most likely comes closer to success at once, and a reset where there is no way to it.

        Closer is by the fewest actions that may lead there. It succeeds with some chance wherever that is possible.
        """
        steps = self._steps(self.success > 0)
        rows = np.repeat(np.arange(len(self.success)), np.diff(self.moves.indptr))
        closer = self.moves.data * (steps[self.moves.indices] < steps[rows // self.reset])
        chances = self.success + np.bincount(rows, closer, minlength=len(self.success))
        return np.where(steps < len(steps), chances.reshape(-1, self.reset).argmax(axis=1), self.reset)

    def can_end(self) -> np.ndarray:
        """The pairs from which some way leads to an end; from the others an episode goes on for ever."""
        steps = self._steps(self.ends > 0)
        return steps < len(steps)

    def value(self, choice: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(p, c) under a strategy that surely ends its episodes."""
        going = np.flatnonzero(choice < self.reset)
        rows, place = going * self.reset + choice[going], np.full(len(choice), -1)
        place[going] = np.arange(len(going))
        p, c = np.zeros(len(choice)), np.zeros(len(choice))
        p[going], c[going] = _absorbed(self.moves[rows], place, self.success[rows], self.ends[rows])
        return p, c

    def actions(self, p: np.ndarray, c: np.ndarray) -> float:
        """V = c(x0) / p(x0), where success is possible."""
        if p[self.origin] <= c[self.origin] / np.finfo(float).max:
            raise ModelError(f"success has a chance of {p[self.origin]}: that is too small for the actions it takes")
        return float(c[self.origin] / p[self.origin])

    def aimless_actions(self) -> float:
        """V under uniformly random actions and no resets but of spoilt episodes; ∞ if one may go on for ever."""
        steps, hopeful = (self.aimless._steps(chance > 0) for chance in (self.aimless.ends, self.aimless.success))
        if steps[self.reached()].max() == len(steps) or hopeful[self.origin] == len(steps):
            return math.inf
        return self.actions(*self.aimless.value(np.where(steps < len(steps), 0, 1)))

    def quickest(self, choice: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A strategy with the least V, and its p and c; from one that succeeds with some chance."""
        return self._best(*self._begin(choice), None, 1.0, True)

    def likeliest(self, choice: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A strategy with the greatest p(x0), and among those with the least c(x0); p and c; from one as above."""
        choice, p, c = self._best(*self._begin(choice), 1.0, 0.0, True)
        return self._best(choice, p, c, 0.0, 1.0, self._worth(p, 1.0, 0.0) >= p[:, None] * (1 - TIE))

    def _steps(self, done: np.ndarray) -> np.ndarray:
        """The least number of actions after which a row that is `done` may have been taken; |x| if there is no way."""
        pairs = self.moves.shape[1]
        return _backwards(*predecessors(self.moves.indptr, self.moves.indices, pairs), done, self.reset)

    def _worth(self, worth: np.ndarray, prize: float, cost: float) -> np.ndarray:
        """What each choice at each pair is worth, if going on is worth `worth` from the next pair on."""
        going_on = self.moves @ worth + prize * self.success - cost
        choices = np.column_stack([going_on.reshape(-1, self.reset), np.zeros(len(worth))])
        choices[self.origin, self.reset] = -math.inf
        return choices

    def _begin(self, choice: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """This strategy, if it can be valued, else the quickest for episodes in less and less haste; its p and c."""
        try:
            return choice, *self.value(choice)
        except ModelError:
            for haste in HASTE:
                hasty = replace(self, moves=self.moves * (1 - haste), ends=self.ends + haste * (1 - self.ends))
                with suppress(ModelError):
                    choice, _, _ = hasty._best(choice, *hasty.value(choice), None, 1.0, True)
            return choice, *self.value(choice)

    def _best(self, choice: np.ndarray, p: np.ndarray, c: np.ndarray, prize: float | None, cost: float,
              allowed: np.ndarray | bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A strategy of allowed choices worth most, p and c; without a prize it is V, which falls on the way."""
        known = {choice.tobytes()}  # rounding could feign progress in a circle
        while True:
            reward = self.actions(p, c) if prize is None else prize
            worth, size = reward * p - cost * c, reward * p + cost * c
            choices = np.where(allowed, self._worth(worth, reward, cost), -math.inf)
            best = choices.max(axis=1)
            better = np.where(best > worth + TIE * size, choices.argmax(axis=1), choice)
            if better.tobytes() in known:
                break
            choice = better
            p, c = self.value(choice)
            known.add(choice.tobytes())
        # Ties go to the declared order; not so where actions are free, since among those one might dawdle.
        first = np.argmax(choices >= (best - TIE * size)[:, None], axis=1) if cost else choice
        if (first == choice).all():
            return choice, p, c
        try:
            first_p, first_c = self.value(first)
        except ModelError:  # it dawdles: where so much is at stake, rounding hides what an action costs
            return choice, p, c
        harmless = reward * first_p - cost * first_c >= worth - HARMLESS * size
        return (first, first_p, first_c) if harmless.all() else (choice, p, c)


def _absorbed(moves: csr_array, place: np.ndarray, success: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(p, c) of a Markov chain that surely ends: p = moves·p + success, c = moves·c + 1; it ends where `place` is −1.

    No pivoting: the system is a diagonally dominant M-matrix. Its diagonal is the chance to leave, as a sum, not 1 less
    the chance to stay, and what is left to refine is computed from differences: so a small chance to end is not lost.
    """
    size, gains = len(success), np.column_stack([success, np.ones(len(success))])
    rows, columns = np.repeat(np.arange(size), np.diff(moves.indptr)), place[moves.indices]
    ends = ends + np.bincount(rows, moves.data * (columns < 0), minlength=size)
    inner = (columns >= 0) & (columns != rows)
    rows, columns, chances = rows[inner], columns[inner], moves.data[inner]
    leaving, diagonal = np.bincount(rows, chances, minlength=size) + ends, np.arange(size)
    system = csc_array((np.concatenate([leaving, -chances]),
                        (np.concatenate([diagonal, rows]), np.concatenate([diagonal, columns]))), shape=(size, size))
    try:
        factors = splu(system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # singular
        raise _too_long() from None
    values = factors.solve(gains)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite fails the test below
        for _ in range(REFINEMENTS):
            drops = chances[:, None] * (values[rows] - values[columns])
            left = [np.bincount(rows, drop, minlength=size) for drop in drops.T]
            correction = factors.solve(gains - ends[:, None] * values - np.column_stack(left))
            values += correction
            if (np.abs(correction) <= EXACT * values).all():
                break
    p, c = values.T
    if not ((np.abs(correction) <= ENOUGH * values).all() and (p <= 1 + ENOUGH).all() and (c >= 1 - ENOUGH).all()):
        raise _too_long()
    return values.T


def _too_long() -> ModelError:
    return ModelError("episodes take too many actions for their length and their chance of success to be computed")


@numba.njit(cache=True)
def _unfold(starts, targets, probabilities, label, follow, wanted):
    """The compressed rows of an episode's moves, and the chances of success and of the end in each row."""
    nodes, actions, states = len(follow), len(label), label.shape[1]
    rows = nodes * states * actions
    new_starts, success, ends = np.zeros(rows + 1, dtype=np.int32), np.zeros(rows), np.zeros(rows)
    new_targets, chances = np.empty(nodes * len(targets), dtype=np.int32), np.empty(nodes * len(targets))
    row, entry = 0, 0
    for n in range(nodes):
        for pair in range(states * actions):
            for k in range(starts[pair], starts[pair + 1]):
                t = targets[k]
                m = follow[n, label[pair % actions, t]]
                if m < 0 or (m != n and wanted[m]):
                    ends[row] += probabilities[k]
                    if m >= 0:
                        success[row] += probabilities[k]
                else:
                    new_targets[entry] = m * states + t
                    chances[entry] = probabilities[k]
                    entry += 1
            row += 1
            new_starts[row] = entry
    return new_starts, new_targets[:entry], chances[:entry], success, ends


@numba.njit(cache=True)
def _backwards(where, rows, done, actions):
    """Breadth first from the rows that are `done` to their pairs and on to those before (see `predecessors`)."""
    pairs = len(where) - 1
    steps, queue, tail = np.full(pairs, pairs), np.empty(pairs, dtype=np.int64), 0
    for x in range(pairs):
        if done[x * actions:(x + 1) * actions].any():
            steps[x], queue[tail] = 0, x
            tail += 1
    head = 0
    while head < tail:
        t = queue[head]
        head += 1
        for i in range(where[t], where[t + 1]):
            x = rows[i] // actions
            if steps[x] == pairs:
                steps[x], queue[tail] = steps[t] + 1, x
                tail += 1
    return steps
