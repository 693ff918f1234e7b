"""The rival learner (paper, §2; Toro Icarte et al. 2019, "LRM"): the machine with at most u_max nodes that best
predicts traces.

Learning is an optimisation over the tables δu. Walking a trace z1 z2 … moves u; N(u, y) is the set of letters ever seen
right after the letter y at node u (y = start, before the first letter). The objective of LRM is  Σ log|N(u, y)|  over
all steps of all traces: how much is left open about the next observation. It never looks at the rewards; δr is filled
in afterwards with what (u, z) was paid most often. We add a second term, the number of steps whose reward that δr gets
wrong; `Objective` weighs the two. The second alone is the default: it is what a reward machine is for. The first counts
every observation that can be foreseen, paid or not: on random traces of our cookie domain the perfect machine is not
even the best of its size (there are machines with four nodes that foresee more and predict rewards wrongly).

Tabu search: from a random table, go again and again to the best table that differs in one transition and was not
visited before. As in theirs, a transition that no trace takes is no choice: it stays at its node. Unlike theirs, a
trace is the word that our own learners read, without null unless null is listed among the observations, and δu may be
any table (theirs forbids a letter that leads to a node from leaving it, and merges repeated letters).
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np

from ..environment import Environment
from ..errors import QueryError
from ..machine import MealyRewardMachine
from ..names import Names
from ..words import Word

Trace = tuple[Word, tuple[float, ...]]
"""A word, and what was paid for each of its letters."""


@dataclass(frozen=True)
class Objective:
    """What is minimised: so much for each nat left open of a next observation, so much for each reward got wrong.

    >>> Objective()
    Objective(observations=0.0, rewards=1.0)
    """

    observations: float = 0.0
    rewards: float = 1.0


REWARDS = Objective()
LRM = Objective(observations=1.0, rewards=0.0)
"""The objective as Toro Icarte et al. state it."""


@dataclass(frozen=True)
class Found:
    """The best machine a search met: its cost, how many rewards of the traces it gets wrong, and the best cost after
    each step of the search.
    """

    machine: MealyRewardMachine
    cost: float
    mispredicted: int
    costs: tuple[float, ...] = ()


def tabu_search(traces: Iterable[Trace], observations: Iterable[Hashable], u_max: int, rng: int | np.random.Generator,
                *, steps: int = 100, objective: Objective = REWARDS, tabu_size: int = 10_000,
                null_reward: float = 0.0, rival: MealyRewardMachine | None = None) -> Found:
    """The best machine with at most `u_max` nodes met in so many steps; `rival` itself if nothing better was met.

    A reward never seen is taken to be `null_reward`. The search ends early at cost 0, which nothing can beat.

    >>> found = tabu_search([(("m", "m", "j", "m"), (10.0, 0.0, 60.0, 10.0))], ["m", "j"], u_max=2, rng=0)
    >>> found.machine.rewards(("m", "j", "m")), found.mispredicted
    ((10.0, 60.0, 10.0), 0)
    """
    letters, rng = Names(observations, "observation"), np.random.default_rng(rng)
    if u_max < 1 or (steps < 1 and rival is None):
        raise QueryError(f"a search takes at least one node and one step, not u_max = {u_max} and steps = {steps}")
    data, values = _encode(traces, letters)
    weights = (objective.observations, objective.rewards)
    best = np.inf, None
    if rival is not None:
        table = np.ascontiguousarray(rival.tables(letters)[0][:, :-1])
        best = _cost(table, *data, *weights), table
    visited, costs, table = {}, [], None
    while len(costs) < steps and best[0] > 0:
        if table is None:
            table = _random_table(u_max, len(letters), rng)
            _forget_unused(table, *data)
            best = min(best, (_cost(table, *data, *weights), table), key=lambda pair: pair[0])
        visited[table.tobytes()] = None
        if len(visited) > tabu_size:
            del visited[next(iter(visited))]
        cost, table = _best_neighbour(table, data, weights, visited, rng)
        if cost < best[0]:
            best = cost, table
        costs.append(float(best[0]))
    cost, table = best
    return Found(_machine(table, data, letters, values, null_reward), float(cost), int(_cost(table, *data, 0.0, 1.0)),
                 tuple(costs))


@dataclass(frozen=True)
class Optimised:
    """What learning by optimisation came to: the last machine, the actions done in all, how many rewards of the
    training traces it gets wrong, and each machine together with the actions done before it was found.
    """

    machine: MealyRewardMachine
    actions: int
    mispredicted: int
    history: tuple[tuple[int, MealyRewardMachine], ...]

    @property
    def predicts_all(self) -> bool:
        """Does the machine predict every reward of the training traces?"""
        return self.mispredicted == 0


def learn_by_optimisation(environment: Environment, actions: Sequence[Hashable], observations: Iterable[Hashable],
                          u_max: int, rng: int | np.random.Generator, *, first: int = 2_000, quiet: int = 20_000,
                          limit: int = 200_000, episode: int = 500, **search: Any) -> Optimised:
    """The machine learnt from random actions, in episodes of so many: a search over the `first` actions' traces, then
    "if at some point [it] is found to make incorrect predictions, additional traces are added to the training set and a
    new [one] is learned". Done after `quiet` actions without a wrong prediction, or `limit` actions in all.

    The additional trace is the episode whose rewards were wrongly predicted. `search` goes to `tabu_search`.
    """
    letters, rng = Names(observations, "observation"), np.random.default_rng(rng)
    traces, done, calm = [], 0, 0
    while done < first:
        traces.append(_explore(environment, actions, letters, episode, rng))
        done += episode
    found = tabu_search(traces, letters, u_max, rng, **search)
    history = [(done, found.machine)]
    while calm < quiet and done < limit:
        word, rewards = _explore(environment, actions, letters, episode, rng)
        done, calm = done + episode, calm + episode
        if found.machine.rewards(word) != rewards:
            traces.append((word, rewards))
            found, calm = tabu_search(traces, letters, u_max, rng, rival=found.machine, **search), 0
            history.append((done, found.machine))
    return Optimised(found.machine, done, found.mispredicted, tuple(history))


def _explore(environment: Environment, actions: Sequence[Hashable], letters: Names, length: int,
             rng: np.random.Generator) -> Trace:
    """One episode of uniformly random actions: the letters seen, and what was paid for each."""
    environment.reset()
    steps = (environment.step(actions[a]) for a in rng.integers(len(actions), size=length))
    seen = [(z, r) for _, z, r in steps if z in letters]
    return tuple(z for z, _ in seen), tuple(r for _, r in seen)


def _random_table(nodes: int, letters: int, rng: np.random.Generator) -> np.ndarray:
    """Every letter stays, but for each pair of nodes i < j one letter, drawn at random, leads from i to j."""
    table = np.repeat(np.arange(nodes, dtype=np.int32)[:, None], letters, axis=1)
    for j in range(nodes):
        for i in range(j):
            table[i, rng.integers(letters)] = j
    return table


def _best_neighbour(table: np.ndarray, data: "Data", weights: tuple[float, float], visited: dict[bytes, None],
                    rng: np.random.Generator) -> tuple[float, np.ndarray | None]:
    """The cheapest table that differs in one transition and is not tabu, ties by chance; None if all are."""
    costs = _neighbourhood(table, *data, *weights)
    shuffled = rng.permutation(costs.size)
    for k in shuffled[np.argsort(costs.flat[shuffled], kind="stable")]:
        u, z, v = np.unravel_index(k, costs.shape)
        if np.isinf(costs[u, z, v]):
            break
        changed = table.copy()
        changed[u, z] = v
        _forget_unused(changed, *data)
        if changed.tobytes() not in visited:
            return costs[u, z, v], changed
    return np.inf, None


def _machine(table: np.ndarray, data: "Data", letters: Names, values: list[float],
             null_reward: float) -> MealyRewardMachine:
    """The machine of a table: its reachable nodes, paying what was paid most often (ties to the first seen)."""
    pays = _walk(table, *data)[1]
    order = [0]
    for u in order:  # grows as it is read
        order += [v for v in dict.fromkeys(table[u].tolist()) if v not in order]
    rewards = np.where(pays.any(axis=2), np.array([*values, null_reward])[pays.argmax(axis=2)], null_reward)
    renumbered = np.array([[order.index(v) for v in table[u]] for u in order], dtype=np.int32)
    names = [f"u{i}" for i in range(len(order))]
    return MealyRewardMachine.of_arrays(names, letters, "u0", null_reward, renumbered, rewards[order])


class Data(NamedTuple):
    """Traces one after the other, −1 before each: letters by position, rewards by position among `kinds` values."""

    letters: np.ndarray
    paid: np.ndarray
    kinds: int


def _encode(traces: Iterable[Trace], letters: Names) -> tuple[Data, list[float]]:
    """The traces as arrays, and the distinct rewards in the order in which they were first seen."""
    values, word_codes, paid_codes = {}, [], []
    for word, rewards in traces:
        if len(word) != len(rewards):
            raise QueryError(f"the trace {word} was paid {len(rewards)} rewards: there is one for each letter")
        word_codes += [-1, *(letters.index(z) for z in word)]
        paid_codes += [-1, *(values.setdefault(r, len(values)) for r in rewards)]
    data = Data(np.array(word_codes, dtype=np.int32), np.array(paid_codes, dtype=np.int32), max(1, len(values)))
    return data, list(values)


@numba.njit(cache=True)
def _walk(table, letters, paid, kinds):
    """How often z followed y at node u, and how often (u, z) was paid each kind of reward; y = −1 is the start."""
    nodes, width = table.shape
    seen = np.zeros((nodes, width + 1, width), dtype=np.int64)
    pays = np.zeros((nodes, width, kinds), dtype=np.int64)
    u, y = 0, -1
    for i in range(len(letters)):
        z = letters[i]
        if z < 0:
            u = 0
        else:
            seen[u, y, z] += 1
            pays[u, z, paid[i]] += 1
            u = table[u, z]
        y = z
    return seen, pays


@numba.njit(cache=True)
def _cost(table, letters, paid, kinds, weight_observations, weight_rewards):
    """The objective: Σ n(u, y)·log|N(u, y)| for the observations, and each reward that is not the usual one."""
    seen, pays = _walk(table, letters, paid, kinds)
    nodes, width = table.shape
    still_open, wrong = 0.0, 0
    for u in range(nodes):
        for y in range(width + 1):
            still_open += seen[u, y].sum() * np.log(max(1, (seen[u, y] > 0).sum()))
        for z in range(width):
            wrong += pays[u, z].sum() - pays[u, z].max()
    return weight_observations * still_open + weight_rewards * wrong


@numba.njit(cache=True)
def _forget_unused(table, letters, paid, kinds):
    """Let every transition that no trace takes stay at its node."""
    pays = _walk(table, letters, paid, kinds)[1]
    for u in range(len(table)):
        for z in range(table.shape[1]):
            if not pays[u, z].any():
                table[u, z] = u


@numba.njit(cache=True)
def _neighbourhood(table, letters, paid, kinds, weight_observations, weight_rewards):
    """The cost of each table that differs in δu(u, z) = v; infinite where no trace takes (u, z), or nothing differs."""
    nodes, width = table.shape
    costs = np.full((nodes, width, nodes), np.inf)
    pays = _walk(table, letters, paid, kinds)[1]
    table = table.copy()
    for u in range(nodes):
        for z in range(width):
            if not pays[u, z].any():
                continue
            kept = table[u, z]
            for v in range(nodes):
                if v != kept:
                    table[u, z] = v
                    costs[u, z, v] = _cost(table, letters, paid, kinds, weight_observations, weight_rewards)
            table[u, z] = kept
    return costs
