"""Learning by walking, beyond the paper: an agent that goes on from where it stands instead of going back to s0 for
every question.

A membership query begins at s0, and most of what it costs is the way to the place where it tells something. A walker
asks none. Of all machines with as few nodes as possible that pay as lived so far it takes a few, H and its rivals, and
walks to the nearest place where H and one of them pay differently, or where one has not been tried: what is paid there
refutes one, or fills a gap. It resets only where that is quicker. Once H is the only one left, a tester is asked, whose
counter-example means one node more: so there are at most as many equivalence queries as nodes.

The search for machines is exponential in their nodes: it is for small ones. And M must be able to show all words, else
two machines that differ may be impossible to tell apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..environment import Environment
from ..errors import ModelError
from ..machine import MealyRewardMachine
from ..names import Names
from ..store import Store
from ..within.candidates import Candidates, Found
from ..words import Word
from .lived import ACTIONS
from .querying import QueryPlanner, QueryStrategy, Quest


@dataclass(frozen=True)
class Walk:
    """What was learnt by walking, and what it took; not `final` if the actions were spent before."""

    machine: MealyRewardMachine | None
    actions: int
    resets: int
    equivalence_queries: int
    final: bool


def learn_by_walking(environment: Environment, planner: QueryPlanner, tester: Any, store: Store | None = None, *,
                     rivals: int = 2, actions: float = ACTIONS) -> Walk:
    """The machine against which `tester`, a teacher, has no counter-example; what its words are paid it says, too.

    >>> from mrmlib import domains
    >>> from mrmlib.teacher import MachineTeacher
    >>> world = domains.treasure_map(apf=1.0)
    >>> environment = Environment(world.mdp, world.labelling, world.machine, seed=0)
    >>> walk = learn_by_walking(environment, QueryPlanner(world.mdp, world.labelling), MachineTeacher(world.machine))
    >>> walk.machine.equivalent(world.machine), walk.equivalence_queries <= 6, walk.actions < 2000
    (True, True, True)
    """
    store = Store(planner.letters) if store is None else store
    walker, explanations, asked, machine = _Walker(environment, planner, store), Explanations(1, store), 0, None
    while walker.actions < actions:
        found = explanations.some(1 + rivals)
        if not found:
            explanations = Explanations(explanations.nodes + 1, store)
        elif len(found) > 1 or any(r is None for row in found[0][1] for r in row):
            walker.tell_apart(found, actions)
            explanations.add(walker.word, walker.rewards)
        else:
            machine, asked = _machine(found[0], planner.letters, walker.null_reward), asked + 1
            word = tester.counterexample(machine)
            if word is None:
                return Walk(machine, walker.actions, walker.resets, asked, True)
            store.record(word, tester.rewards(word))
            explanations.add(word, store.rewards(word))
    return Walk(machine, walker.actions, walker.resets, asked, False)


class Explanations:
    """All machines with a number of nodes that pay as a store says; nodes are numbered as its words first reach them.

    If no machine with fewer nodes does, each reaches all its nodes, so those with different transitions do differ.

    >>> store = Store("a")
    >>> store.record("aa", (1.0, 2.0))
    >>> Explanations(1, store).some(3), len(Explanations(2, store).some(3))
    ([], 2)
    """

    def __init__(self, nodes: int, store: Store) -> None:
        self.nodes, self._letters = nodes, store.letters
        self._candidates = Candidates(nodes, len(store.observations))
        self._steps: list[tuple[int, int, float]] = []  # for each place but the start: the one before, letter, reward
        self._child: dict[tuple[int, int], int] = {}
        start = self._candidates.one_of(self._candidates.trail())
        self._candidates.add([start[0]])
        self._trails, self._reached = [start], start
        for word, rewards in store.words():
            self.add(word, rewards)

    def add(self, word: Word, rewards: Sequence[float]) -> None:
        """Rule out the machines that pay otherwise for `word`."""
        here = 0
        for z, reward in zip(self._letters(word), rewards, strict=True):
            if (here, z) not in self._child:
                self._child[here, z] = len(self._trails)
                self._extend(here, z, reward)
            here = self._child[here, z]

    def some(self, size: int) -> list[Found]:
        """So many different machines, or all if there are fewer; a reward is None where it has not been tried."""
        formula, found = self._candidates, []
        another = formula.variable()
        while len(found) < size and (machine := formula.find([another])) is not None:
            targets, _ = machine
            found.append((targets, self._tried(targets)))
            formula.add([-another, *(-formula.moves[u][z][v] for u, row in enumerate(targets)
                                     for z, v in enumerate(row))])
        formula.add([-another])
        return found

    def _extend(self, here: int, z: int, reward: float) -> None:
        """One more place, to which letter z leads; node k is reached there only if node k − 1 was before."""
        formula = self._candidates
        trail, reached = formula.one_of(formula.trail()), formula.trail()
        for k in range(self.nodes):
            formula.add([-reached[k], self._reached[k], trail[k]])
            if k:
                formula.add([-trail[k], self._reached[k - 1]])
        formula.step(self._trails[here], z, trail)
        formula.pay(self._trails[here], z, reward)
        self._steps.append((here, z, reward))
        self._trails.append(trail)
        self._reached = reached

    def _tried(self, targets: list[list[int]]) -> list[list[float | None]]:
        """The rewards of the transitions that the words have taken."""
        rewards: list[list[float | None]] = [[None] * len(row) for row in targets]
        nodes = [0]
        for here, z, reward in self._steps:
            rewards[nodes[here]][z] = reward
            nodes.append(targets[nodes[here]][z])
        return rewards


class _Walker:
    """Where the agent stands, and what it has lived since its last reset."""

    def __init__(self, environment: Environment, planner: QueryPlanner, store: Store) -> None:
        self.environment, self.planner, self.store = environment, planner, store
        self.actions, self.resets, self.null_reward = 0, 0, 0.0
        self._reset()

    def tell_apart(self, found: list[Found], budget: float) -> None:
        """Walk until something is paid that H, the first of the machines, or a rival did not foretell."""
        strategy, node = self._nearest(found)
        foretold = [found[0][1][u] for u, _ in strategy.quest.nodes[:-1]]
        while self.actions < budget:
            action = strategy.action(self.state, node)
            if action is None:
                self._reset()
                node = 0
                continue
            z, reward = self._step(action)
            if z is None:
                continue
            surprise = reward != foretold[node][z]
            node = strategy.quest.follow[node, z]
            if surprise or strategy.quest.wanted[node]:
                break
        self.store.record(self.word, self.rewards)

    def _nearest(self, found: list[Found]) -> tuple[QueryStrategy, int]:
        """How to get to where H and the rival that is told apart soonest from here disagree, and the quest's node."""
        letters, at = self.store.letters(self.word), self.planner.mdp.states.index(self.state)
        ways = []
        for rival in found[1:] or found:
            quest, node = _disagreement(found[0], rival, letters)
            strategy = self.planner.pursue(quest)
            ways.append((strategy.remaining[node, at], len(ways), strategy, node))
        actions, _, strategy, node = min(ways)
        if not np.isfinite(actions):
            raise ModelError("M cannot show all words: there are machines that cannot be told apart by walking")
        return strategy, node

    def _step(self, action: Any) -> tuple[int | None, float]:
        """The letter observed, None for null, and the reward."""
        self.state, z, reward = self.environment.step(action)
        self.actions += 1
        if z not in self.store.observations:
            self.null_reward = reward
            return None, reward
        self.word += (z,)
        self.rewards += (reward,)
        return self.store.observations.index(z), reward

    def _reset(self) -> None:
        self.state, self.word, self.rewards = self.environment.reset(), (), ()
        self.resets += 1


def _disagreement(one: Found, other: Found, letters: Sequence[int]) -> tuple[Quest, int]:
    """The quest for a letter that the two machines do not both foretell alike, and its node after `letters`.

    Its nodes are the pairs of nodes that can be reached before such a letter, from the start or from there.
    """
    here = (0, 0)
    for z in letters:
        here = one[0][here[0]][z], other[0][here[1]][z]
    place, rows = {(0, 0): 0, here: 1} if any(here) else {here: 0}, []
    pairs = list(place)
    for u, v in pairs:  # grows as it is read
        rows.append([])
        for z, (r, s) in enumerate(zip(one[1][u], other[1][v], strict=True)):
            pair = (one[0][u][z], other[0][v][z]) if r == s is not None else None
            if pair is not None and pair not in place:
                place[pair] = len(pairs)
                pairs.append(pair)
            rows[-1].append(place.get(pair, -1))
    end, stay = len(pairs), np.arange(len(pairs) + 1)
    follow = np.vstack([rows, [-1] * len(rows[0])])
    follow[:-1][follow[:-1] < 0] = end
    return Quest(Names([*pairs, "told apart"], "pair"), np.column_stack([follow, stay]), stay == end), place[here]


def _machine(found: Found, letters: Names, null_reward: float) -> MealyRewardMachine:
    targets, rewards = found
    return MealyRewardMachine.of_arrays([f"u{u}" for u in range(len(targets))], letters, "u0", null_reward,
                                        np.array(targets, dtype=np.int32), np.array(rewards))
