"""The search of `mcts` (paper, §5.2) on arrays: positions instead of names, one tree in preallocated room, compiled
loops.

The random numbers are SplitMix64 (Steele, Lea & Flood 2014): the n-th of a stream is mix(start + n·GOLDEN), so the
stream's whole state is one counter, and the same counter gives the same search, bit for bit, in any language.
"""

from typing import NamedTuple

import numba
import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd: the counter passes through every value
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31, _32 = (np.uint64(shift) for shift in (11, 27, 30, 31, 32))


class World(NamedTuple):
    """A model: compressed rows with running sums, and for each transition its reward and whether it ends a trajectory.

    `rollout` holds the running sums of the rollout policy's chances over the pairs; empty if all actions are alike.
    """

    actions: int
    starts: np.ndarray
    targets: np.ndarray
    cumulative: np.ndarray
    rewards: np.ndarray
    stops: np.ndarray
    rollout: np.ndarray


class Rules(NamedTuple):
    """Settings; the exploration term C·√(ln N / n) is `wide[N] * narrow[n]`."""

    trajectories: int
    depth: int
    discount: float
    wide: np.ndarray
    narrow: np.ndarray
    by_visits: bool


class Nodes(NamedTuple):
    """Room for a tree. Nodes are numbered as they are made; edge = node·|A| + action; −1 is no node or edge.

    `edge[node]` led to the node. The nodes that one edge leads to are a list: `first[edge]`, then `sibling[node]`.
    `path` and `gains` are the scratch of one trajectory: the edges it took in the tree, and what they paid.
    """

    state: np.ndarray
    edge: np.ndarray
    sibling: np.ndarray
    visits: np.ndarray
    first: np.ndarray
    tries: np.ndarray
    means: np.ndarray
    path: np.ndarray
    gains: np.ndarray


def room(trajectories: int, depth: int, actions: int) -> Nodes:
    """Room for a tree of that many trajectories, each of which adds at most one node."""
    nodes, edges = trajectories + 1, (trajectories + 1) * actions
    counts = [np.empty(size, dtype=np.int64) for size in (nodes, nodes, nodes, nodes, edges, edges)]
    return Nodes(*counts, np.empty(edges), np.empty(depth, dtype=np.int64), np.empty(depth))


def random_stream(seed: int | np.random.Generator) -> np.ndarray:
    """The counter of a random stream, an array of one, drawn from numpy's generator of that seed, or the one given.

    >>> random_stream(0) == random_stream(np.random.default_rng(0))
    array([ True])
    """
    return np.random.default_rng(seed).integers(2**64, size=1, dtype=np.uint64)


@numba.njit(cache=True)
def plan(world, rules, nodes, root, stream):
    """The position of the action to take in the state at position `root`: a new tree, grown and judged."""
    grow(world, rules, nodes, plant(world, nodes, root), rules.trajectories, stream)
    return choose(world, rules, nodes)


@numba.njit(cache=True)
def plant(world, nodes, root):
    """Make a tree of one node, the state `root`; returns its size."""
    _add(world, nodes, 0, -1, -1, root)
    return 1


@numba.njit(cache=True)
def grow(world, rules, nodes, size, trajectories, stream):
    """Add trajectories to a tree of `size` nodes; returns its new size and leaves the stream where they ended."""
    counter = stream[0]
    for _ in range(trajectories):
        node, steps, on = 0, 0, True
        while on:  # in the tree
            edge = _select(world, rules, nodes, node)
            nodes.visits[node] += 1
            counter += GOLDEN
            k = step(world, nodes.state[node], edge - node * world.actions, counter)
            nodes.path[steps], nodes.gains[steps] = edge, world.rewards[k]
            steps += 1
            on = steps < rules.depth and not world.stops[k]
            node = _child(nodes, edge, world.targets[k])
            if node < 0:
                node = size
                _add(world, nodes, node, edge, nodes.first[edge], world.targets[k])
                nodes.first[edge] = node
                size += 1
                break
        nodes.visits[node] += 1  # where it left the tree, or ended in it
        value, weight, state, length = 0.0, 1.0, nodes.state[node], steps
        while on:  # beyond the tree
            counter += np.uint64(2) * GOLDEN
            k = step(world, state, _rollout_action(world, state, counter - GOLDEN), counter)
            value += weight * world.rewards[k]
            weight *= rules.discount
            state = world.targets[k]
            length += 1
            on = length < rules.depth and not world.stops[k]
        while steps:  # and back
            steps -= 1
            edge = nodes.path[steps]
            value = nodes.gains[steps] + rules.discount * value
            nodes.tries[edge] += 1
            nodes.means[edge] += (value - nodes.means[edge]) / nodes.tries[edge]
    stream[0] = counter
    return size


@numba.njit(cache=True)
def choose(world, rules, nodes):
    """The final choice among the root's tried actions: the first with the highest mean, or with the most visits."""
    best, chosen = -np.inf, 0
    for a in range(world.actions):
        score = np.float64(nodes.tries[a]) if rules.by_visits else nodes.means[a]
        if nodes.tries[a] and score > best:
            best, chosen = score, a
    return chosen


@numba.njit(cache=True)
def _select(world, rules, nodes, node):
    """The first untried edge of a node, or else the first of those with the highest upper confidence bound."""
    wide = rules.wide[nodes.visits[node]]
    first = node * world.actions
    best, chosen = -np.inf, first
    for edge in range(first, first + world.actions):
        tries = nodes.tries[edge]
        if tries == 0:
            return edge
        bound = nodes.means[edge] + wide * rules.narrow[tries]
        if bound > best:
            best, chosen = bound, edge
    return chosen


@numba.njit(cache=True)
def _child(nodes, edge, state):
    """The node that `edge` leads to when it reaches `state`, or −1."""
    node = nodes.first[edge]
    while node >= 0 and nodes.state[node] != state:
        node = nodes.sibling[node]
    return node


@numba.njit(cache=True)
def _add(world, nodes, node, edge, sibling, state):
    """Write down a node that was never visited."""
    nodes.state[node], nodes.edge[node], nodes.sibling[node], nodes.visits[node] = state, edge, sibling, 0
    for below in range(node * world.actions, (node + 1) * world.actions):
        nodes.first[below], nodes.tries[below], nodes.means[below] = -1, 0, 0.0


@numba.njit(cache=True)
def _rollout_action(world, state, counter):
    if len(world.rollout) == 0:
        return below(world.actions, counter)
    first = state * world.actions
    return _pick(world.rollout, first, first + world.actions - 1, counter) - first


@numba.njit(cache=True)
def step(world, state, action, counter):
    """The transition that an action draws: where it stands among the world's targets, rewards and stops.

    Positions are unsigned here, which spares numba its care for negative ones: a tenth of the whole search.
    """
    pair = np.uint64(state * world.actions + action)
    first, last = world.starts[pair], world.starts[pair + np.uint64(1)] - 1
    return np.uint64(_pick(world.cumulative, first, last, counter))


@numba.njit(cache=True)
def _pick(cumulative, first, last, counter):
    """A position from first to last, drawn by bisecting their running sums; a lone one is not drawn."""
    if first < last:
        chance = (_mix(counter) >> _11) * 2.0**-53
        while first < last:
            middle = (first + last) >> 1
            if chance < cumulative[middle]:
                last = middle
            else:
                first = middle + 1
    return first


@numba.njit(cache=True)
def below(n, counter):
    """A whole number from 0 to n − 1, all equally likely (but for n / 2³²)."""
    return np.int64(((_mix(counter) >> _32) * np.uint64(n)) >> _32)


@numba.njit(cache=True)
def _mix(counter):
    """The random 64 bits that belong to this value of the counter."""
    counter = (counter ^ (counter >> _30)) * _FIRST
    counter = (counter ^ (counter >> _27)) * _SECOND
    return counter ^ (counter >> _31)


@numba.njit(cache=True)
def running_sums(starts, chances):
    """The running sum of each row; its last entry is never looked at, so rounding there does no harm."""
    sums = chances.copy()
    for row in range(len(starts) - 1):
        for k in range(starts[row] + 1, starts[row + 1]):
            sums[k] += sums[k - 1]
    return sums
