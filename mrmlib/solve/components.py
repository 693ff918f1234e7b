"""Components of a graph (paper, §5.1, "strongly connected"): what can be reached and come back, and where a player of
an MDP can stay for ever.

A graph's edges out of s are `targets[begin[s]:end[s]]`. An MDP in rows (`Rows`) has, for each state s, the rows
`choices[s]:choices[s + 1]`, and for each row its successors, their probabilities and what the row pays on average.
"""

from typing import NamedTuple

import numba
import numpy as np


class Rows(NamedTuple):
    """An MDP as compressed rows in which states may differ in how many actions they have; a row may be empty (stop)."""

    choices: np.ndarray
    starts: np.ndarray
    targets: np.ndarray
    probabilities: np.ndarray
    rewards: np.ndarray

    @property
    def owners(self) -> np.ndarray:
        """The state of each row."""
        return np.repeat(np.arange(len(self.choices) - 1), np.diff(self.choices))

    def chosen(self, policy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the successors begin and end in the chain of a policy, given as one row for each state."""
        return self.starts[policy], self.starts[policy + 1]

    def take(self, rows: np.ndarray, owners: np.ndarray, states: int, renamed: np.ndarray) -> "Rows":
        """The model that has only these rows, of these new owners (increasing), with every successor renamed."""
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.repeat(self.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
        choices = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=states))])
        return Rows(choices, starts, renamed[self.targets[entries]], self.probabilities[entries], self.rewards[rows])


@numba.njit(cache=True)
def components(begin, end, targets, cut):
    """Tarjan's strongly connected components, sinks first; edges into a state that is `cut` do not count.

    Returns the states component after component, where each component begins in that list, and each state's component.
    """
    size = len(begin)
    label, low = np.full(size, -1, dtype=np.int32), np.zeros(size, dtype=np.int32)
    found, path = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    order, bounds = np.empty(size, dtype=np.int32), np.zeros(size + 1, dtype=np.int64)
    edge = begin.copy()
    clock, height, listed, count = 0, 0, 0, 0
    for root in range(size):
        if low[root]:
            continue
        path[0], depth = root, 1
        while depth:
            s = path[depth - 1]
            if low[s] == 0:  # seen for the first time
                clock += 1
                low[s] = clock
                found[height] = s
                height += 1
                label[s] = -1 - clock  # until its component is known: when it was found
            descend = False
            while edge[s] < end[s]:
                t = targets[edge[s]]
                if not cut[t]:
                    if low[t] == 0:
                        path[depth] = t
                        depth += 1
                        descend = True
                        break
                    if label[t] < 0 and low[t] < low[s]:
                        low[s] = low[t]
                edge[s] += 1
            if descend:
                continue
            depth -= 1
            if low[s] == -1 - label[s]:
                while True:
                    height -= 1
                    t = found[height]
                    label[t] = count
                    order[listed] = t
                    listed += 1
                    if t == s:
                        break
                count += 1
                bounds[count] = listed
    return order, bounds[: count + 1], label


@numba.njit(cache=True)
def closed(begin, end, targets, label):
    """Which components no edge leaves: in a chain, the recurrent classes."""
    stays = np.ones(label.max() + 1, dtype=np.bool_)
    for s in range(len(label)):
        for k in range(begin[s], end[s]):
            if label[targets[k]] != label[s]:
                stays[label[s]] = False
    return stays


@numba.njit(cache=True)
def predecessors(starts, targets, size):
    """For each state the rows that may lead to it, as compressed rows, in increasing order."""
    where = np.zeros(size + 1, dtype=np.int64)
    for t in targets:
        where[t + 1] += 1
    for s in range(size):
        where[s + 1] += where[s]
    free, rows = where.copy(), np.empty(len(targets), dtype=np.int32)
    for row in range(len(starts) - 1):
        for k in range(starts[row], starts[row + 1]):
            rows[free[targets[k]]] = row
            free[targets[k]] += 1
    return where, rows


def end_components(model: Rows) -> tuple[np.ndarray, np.ndarray]:
    """The maximal end components: which rows stay inside one, and each state's component (−1: in none).

    A player can stay in an end component for ever and go from anywhere to anywhere in it; whatever the player does,
    the play ends up in one of them for ever with probability 1.
    """
    size = len(model.choices) - 1
    edges, inside = model.targets.copy(), np.ones(len(model.rewards), dtype=np.bool_)
    owners = model.owners.astype(np.int32)
    where, rows = predecessors(model.starts, model.targets, size)
    cut, left = np.zeros(size, dtype=np.bool_), np.diff(model.choices)
    while True:
        label = components(model.starts[model.choices[:-1]], model.starts[model.choices[1:]], edges, cut)[2]
        if not _prune(model.starts, model.targets, owners, where, rows, label, edges, inside, left):
            break
    label = np.where(left > 0, label, -1)
    names, component = np.unique(label, return_inverse=True)
    return inside, component.reshape(-1) - (names[0] < 0)


@numba.njit(cache=True)
def _prune(starts, targets, owners, where, rows, label, edges, inside, left):
    """Drop the rows that may leave their component, then those that may reach a state without rows; how many?

    The edges of a dropped row are turned into loops at its state; `left` counts a state's rows.
    """
    dropped, height = 0, 0
    bare = np.empty(len(left), dtype=np.int32)
    for row in range(len(owners)):
        s = owners[row]
        leaves = False
        for k in range(starts[row], starts[row + 1]):
            leaves |= label[targets[k]] != label[s]
        if inside[row] and leaves:
            inside[row] = False
            edges[starts[row]:starts[row + 1]] = s
            dropped += 1
            left[s] -= 1
            if left[s] == 0:
                bare[height] = s
                height += 1
    while height:
        height -= 1
        for i in range(where[bare[height]], where[bare[height] + 1]):
            row = rows[i]
            s = owners[row]
            if inside[row]:
                inside[row] = False
                edges[starts[row]:starts[row + 1]] = s
                dropped += 1
                left[s] -= 1
                if left[s] == 0:  # overwrites an entry that was read: i runs over one state's rows
                    bare[height] = s
                    height += 1
    return dropped


def restrict(model: Rows, inside: np.ndarray, component: np.ndarray) -> tuple[Rows, np.ndarray, np.ndarray]:
    """The end components alone, as one model; which row each of its rows was; each state's number in it."""
    member, rows = component >= 0, np.flatnonzero(inside)
    number = (np.cumsum(member) - 1).astype(np.int32)
    return model.take(rows, number[model.owners[rows]], member.sum(), number), rows, number


def quotient(model: Rows, inside: np.ndarray, component: np.ndarray,
             gain: np.ndarray) -> tuple[Rows, np.ndarray, np.ndarray]:
    """What is left if each end component is one node; which row each of its rows was; each state's node.

    The components come first, in order. The first row of such a node is new (its number is −1): it stops there and pays
    the gain. All others are rows that leave, and pay nothing. Whatever the player does, the play stops some day.
    """
    leaving, transient = np.flatnonzero(~inside), component < 0
    node = component.astype(np.int32)
    node[transient] = len(gain) + np.arange(transient.sum())
    stop = len(inside)  # an empty row, added to the model once
    owners = np.concatenate([np.arange(len(gain)), node[model.owners[leaving]]])
    order = np.argsort(owners, kind="stable")
    rows = np.concatenate([np.full(len(gain), stop), leaving])[order]
    padded = model._replace(starts=np.append(model.starts, model.starts[-1]), rewards=np.zeros(stop + 1))
    made = padded.take(rows, owners[order], len(gain) + transient.sum(), node)
    made.rewards[rows == stop] = gain
    return made, np.where(rows == stop, -1, rows), node


def reach(model: Rows, goal: np.ndarray, policy: np.ndarray) -> None:
    """Change a policy so that every state can reach `goal`: where it does already it stays, else by fewest rows."""
    before = predecessors(model.starts, model.targets, len(goal))
    _reach(goal, policy, model.owners.astype(np.int32), *before)


@numba.njit(cache=True)
def _reach(goal, policy, owners, where, rows):
    """Breadth first backwards from the goal: first along the policy's own rows, then along all."""
    settled, queue, tail = goal.copy(), np.empty(len(goal), dtype=np.int32), 0
    for s in range(len(goal)):
        if goal[s]:
            queue[tail] = s
            tail += 1
    for own in (True, False):
        head = 0
        while head < tail:
            t = queue[head]
            head += 1
            for i in range(where[t], where[t + 1]):
                s = owners[rows[i]]
                if not settled[s] and (not own or policy[s] == rows[i]):
                    policy[s] = rows[i]
                    settled[s] = True
                    queue[tail] = s
                    tail += 1
