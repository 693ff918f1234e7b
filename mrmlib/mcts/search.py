"""Monte Carlo tree search (paper, §5.2; UCT after Browne et al. 2012): plan the next action by sampling trajectories.

A node of the tree is a history s0 a0 s1 a1 … of the search, known by the state it ends in (closed loop: after each
action the search sees which state was reached). A trajectory starts at the root. In a node it takes the action a that
maximises Q(a) + C·√(ln N / n(a)), with N the visits of the node, n(a) how often it tried a and Q(a) the mean return
since; untried actions come first, ties go to the declared order. It adds the first new node it meets, follows the
rollout policy from there, and ends after `depth` actions. The return of a node is r1 + γ·r2 + γ²·r3 + …; γ times it is
the paper's dSum. Planners speak in names; the search itself is compiled, in `uct`.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from numbers import Integral

import networkx as nx
import numpy as np

from ..errors import ModelError, QueryError, finite
from ..labelling import Labelling
from ..names import ByName
from ..nrmdp import MDP, NRMDP
from . import uct

Seed = int | np.random.Generator
"""The same number gives the same search each time; a generator moves on, so it gives a new one."""


@dataclass(frozen=True)
class Uniform:
    """The rollout policy that takes every action equally often.

    >>> SearchSettings().rollout
    Uniform()
    """

    def __call__(self, mdp: NRMDP) -> np.ndarray:
        """No rows: all actions are alike in all states."""
        return np.empty((0, len(mdp.actions)))


@dataclass(frozen=True)
class Following:
    """The rollout policy that follows a strategy {state: action}, such as a `Solution`'s.

    >>> M = NRMDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s")
    >>> Following({"s": "go", "t": "stay"})(M).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    policy: Mapping[Hashable, Hashable]

    def __call__(self, mdp: NRMDP) -> np.ndarray:
        """The chance of each action in each state, an array over S × A."""
        chances = np.zeros((len(mdp.states), len(mdp.actions)))
        for i, state in enumerate(mdp.states):
            if state not in self.policy:
                raise ModelError(f"the rollout policy has no action for the state {state!r}")
            chances[i, mdp.actions.index(self.policy[state])] = 1.0
        return chances


class FinalChoice(Enum):
    """Which action of the root a search settles on.

    >>> SearchSettings(final_choice=FinalChoice.MOST_VISITS).rules().by_visits
    True
    """

    HIGHEST_MEAN = "highest mean"
    MOST_VISITS = "most visits"


@dataclass(frozen=True)
class SearchSettings:
    """How to search. Trajectories and depth are the paper's; where it is silent, what brings us near its tables.

    The exploration constant C is in the units of the return: √2 suits returns in [0, 1] and is greedy for larger ones.
    A rollout policy is a function of the model that gives the chance of each action in each state, an array over S × A
    (see `Uniform`, `Following`). With `stop_on_target` a trajectory ends where it makes the observation it pursues.

    >>> SearchSettings(trajectories=0)
    Traceback (most recent call last):
    mrmlib.errors.ModelError: the trajectories of a search must be a positive whole number, not 0
    """

    trajectories: int = 100
    depth: int = 30
    exploration: float = math.sqrt(2)
    discount: float = 0.99
    rollout: Callable[[NRMDP], np.ndarray] = Uniform()
    stop_on_target: bool = True
    final_choice: FinalChoice = FinalChoice.HIGHEST_MEAN

    def __post_init__(self) -> None:
        for name in ("trajectories", "depth"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 1:
                raise ModelError(f"the {name} of a search must be a positive whole number, not {value!r}")
        if finite(self.exploration, "the exploration constant") < 0:
            raise ModelError(f"the exploration constant {self.exploration} is negative")
        if not 0 < finite(self.discount, "the discount of a search") <= 1:
            raise ModelError(f"the discount of a search must lie in (0, 1], not {self.discount}")
        if not callable(self.rollout):
            raise ModelError(f"the rollout policy {self.rollout!r} is not a function of the model")
        if not isinstance(self.final_choice, FinalChoice):
            raise ModelError(f"the final choice {self.final_choice!r} is not a FinalChoice")

    def rules(self) -> uct.Rules:
        """The settings as arrays and numbers, for the compiled search."""
        counts = range(1, self.trajectories + 1)
        wide = [0.0] + [self.exploration * math.sqrt(math.log(n)) for n in counts]
        narrow = [0.0] + [1 / math.sqrt(n) for n in counts]
        return uct.Rules(int(self.trajectories), int(self.depth), float(self.discount), np.array(wide),
                         np.array(narrow), self.final_choice is FinalChoice.MOST_VISITS)


@dataclass(frozen=True, eq=False)
class SearchTree:
    """What a search found, to keep and to look at; `action` is the final choice.

    Nodes are numbered in the order in which they were added, the root is 0. For each node: the position of its state,
    its parent and the action that led to it (−1 at the root), and how many trajectories visited it; for each node and
    action: how often it was tried, and its mean return (NaN if never).

    >>> walk = MDP(["home", "out"], ["stay", "go"], lambda s, a: {"out" if a == "go" else s: 1.0}, "home",
    ...            lambda s, a, t: 1.0 if s != t else 0.0)
    >>> tree = RewardPlanner(walk, SearchSettings(trajectories=20, depth=2)).search("home", seed=0)
    >>> tree.action, len(tree), tree.children(0, "go")
    ('go', 7, {'out': 2})
    >>> print(tree.outline())
    home: 20 visits
      stay: 8 times, mean 0.743 → home (8)
      go: 12 times, mean 1 → out (12)
    """

    mdp: NRMDP
    action: Hashable
    states: np.ndarray
    parents: np.ndarray
    actions: np.ndarray
    visits: np.ndarray
    tries: np.ndarray
    means: np.ndarray

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"SearchTree({len(self)} nodes, {self.visits[0]} trajectories, action {self.action!r})"

    def state(self, node: int = 0) -> Hashable:
        """The state that a node's history ends in."""
        return self.mdp.states[self.states[node]]

    def mean_returns(self, node: int = 0) -> ByName:
        """The mean return of each action in a node, by name."""
        return ByName(self.mdp.actions, self.means[node])

    def children(self, node: int, action: Hashable) -> dict[Hashable, int]:
        """The nodes that `action` led to from `node`, by the state reached."""
        found = np.flatnonzero((self.parents == node) & (self.actions == self.mdp.actions.index(action)))
        return {self.state(child): child for child in found.tolist()}

    def to_networkx(self) -> nx.DiGraph:
        """The tree as a graph: nodes carry state and visits; edges the action, its tries and mean return."""
        graph = nx.DiGraph()
        for node in range(len(self)):
            graph.add_node(node, state=self.state(node), visits=int(self.visits[node]))
        for node in range(1, len(self)):
            parent, a = int(self.parents[node]), self.actions[node]
            graph.add_edge(parent, node, action=self.mdp.actions[a], tries=int(self.tries[parent, a]),
                           mean=float(self.means[parent, a]))
        return graph

    def outline(self, levels: int = 1, node: int = 0, indent: str = "") -> str:
        """The tree below a node as indented text, so many levels deep."""
        lines = [f"{indent}{self.state(node)}: {self.visits[node]} visits"]
        for a in np.flatnonzero(self.tries[node]):
            action = self.mdp.actions[a]
            below = self.children(node, action)
            reached = ", ".join(f"{state} ({self.visits[child]})" for state, child in below.items())
            lines.append(f"{indent}  {action}: {self.tries[node, a]} times, "
                         f"mean {self.means[node, a]:.3g} → {reached}")
            if levels > 1:
                lines += [self.outline(levels - 1, child, indent + "    ") for child in below.values()]
        return "\n".join(lines)


class _Planner:
    """What both planners share: model and settings as arrays, and room for the trees that `action` forgets."""

    def __init__(self, mdp: NRMDP, settings: SearchSettings) -> None:
        self.mdp, self.settings, self.rules = mdp, settings, settings.rules()
        self._cumulative = uct.running_sums(mdp.starts, mdp.probabilities)
        self._rollout = _rollout(mdp, settings.rollout)
        self.nodes = self._room()

    def _room(self) -> uct.Nodes:
        return uct.room(self.settings.trajectories, self.settings.depth, len(self.mdp.actions))

    def _world(self, rewards: np.ndarray, stops: np.ndarray) -> uct.World:
        arrays = self.mdp.starts, self.mdp.targets, self._cumulative, rewards, stops, self._rollout
        for array in arrays:
            array.setflags(write=False)  # as a model's own are: all worlds are of one type, so they compile once
        return uct.World(len(self.mdp.actions), *arrays)

    def _action(self, world: uct.World, state: Hashable, seed: Seed) -> Hashable:
        root, stream = self.mdp.states.index(state), uct.random_stream(seed)
        return self.mdp.actions[uct.plan(world, self.rules, self.nodes, root, stream)]

    def _growth(self, world: uct.World, state: Hashable, seed: Seed, stride: int) -> Iterator[SearchTree]:
        if stride < 1:
            raise ModelError(f"a tree grows by a positive number of trajectories, not by {stride}")
        return self._trees(world, self.mdp.states.index(state), uct.random_stream(seed), stride)

    def _trees(self, world: uct.World, root: int, stream: np.ndarray, stride: int) -> Iterator[SearchTree]:
        """The tree after every `stride` trajectories, and at the end."""
        nodes, left = self._room(), self.settings.trajectories
        size = uct.plant(world, nodes, root)
        while left:
            stride = min(stride, left)
            size, left = uct.grow(world, self.rules, nodes, size, stride, stream), left - stride
            yield self._tree(world, nodes, size)

    def _tree(self, world: uct.World, nodes: uct.Nodes, size: int) -> SearchTree:
        """A copy of the first `size` nodes."""
        edge, width = nodes.edge[:size], world.actions
        tries, means = (array[:size * width].reshape(size, width) for array in (nodes.tries, nodes.means))
        return SearchTree(self.mdp, self.mdp.actions[uct.choose(world, self.rules, nodes)], nodes.state[:size].copy(),
                          edge // width, np.where(edge < 0, -1, edge % width), nodes.visits[:size].copy(),
                          tries.copy(), np.where(tries > 0, means, np.nan))


class ObservationPlanner(_Planner):
    """Plans towards an observation z in M: each null costs x, a wrong observation y, and z pays y (paper, §5.2).

    >>> from mrmlib import domains
    >>> domain = domains.treasure_map()
    >>> planner = ObservationPlanner(domain.mdp, domain.labelling)
    >>> planner.action(((5, 7), False), "m", seed=0)
    'n'
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling, x: float = 1.0, y: float = 2.0,
                 settings: SearchSettings | None = None) -> None:
        x, y = finite(x, "x"), finite(y, "y")
        if not 0 <= x < y:
            raise ModelError(f"the reward R(a, s, z) of a search needs 0 ≤ x < y, not x = {x} and y = {y}")
        super().__init__(mdp, settings or SearchSettings())
        self.labelling, self.x, self.y = labelling, x, y
        pairs = np.repeat(np.arange(len(mdp.starts) - 1), np.diff(mdp.starts))
        self._observed = labelling.table(mdp)[pairs % len(mdp.actions), mdp.targets]
        self._worlds: dict[Hashable, uct.World] = {}

    def world(self, observation: Hashable) -> uct.World:
        """M with the reward R(a, s, z) of pursuing z, as arrays; made once for each z."""
        if observation not in self._worlds:
            self._worlds[observation] = self._towards(observation)
        return self._worlds[observation]

    def _towards(self, observation: Hashable) -> uct.World:
        if observation not in self.labelling.observations:
            raise QueryError(f"unknown observation {observation!r}")
        found = self._observed == self.labelling.observations.index(observation)
        if not found.any():
            raise QueryError(f"{observation!r} cannot be observed: no action leads to a state that shows it")
        rewards = np.select([self._observed < 0, found], [-self.x, self.y], -self.y)
        return self._world(rewards, found & self.settings.stop_on_target)

    def action(self, state: Hashable, observation: Hashable, seed: Seed) -> Hashable:
        """The action to take in `state` in order to make the observation."""
        return self._action(self.world(observation), state, seed)

    def search(self, state: Hashable, observation: Hashable, seed: Seed) -> SearchTree:
        """The tree from which `action` chooses, given the same seed."""
        return next(self.growth(state, observation, seed, self.settings.trajectories))

    def growth(self, state: Hashable, observation: Hashable, seed: Seed, stride: int = 1) -> Iterator[SearchTree]:
        """The same tree as it grows: after every `stride` trajectories, and at the end."""
        return self._growth(self.world(observation), state, seed, stride)


class RewardPlanner(_Planner):
    """Plans for the rewards of any MDP, such as a product M ⊗ H.

    >>> from mrmlib import domains
    >>> RewardPlanner(domains.treasure_map().product).action((((5, 7), False), "u0"), seed=0)
    'n'
    """

    def __init__(self, mdp: MDP, settings: SearchSettings | None = None) -> None:
        if not isinstance(mdp, MDP):
            raise ModelError(f"planning for rewards needs an MDP, which has them, not {mdp!r}")
        super().__init__(mdp, settings or SearchSettings())
        self.world = self._world(mdp.rewards, np.zeros(len(mdp.targets), dtype=np.bool_))

    def action(self, state: Hashable, seed: Seed) -> Hashable:
        """The action to take in `state`."""
        return self._action(self.world, state, seed)

    def search(self, state: Hashable, seed: Seed) -> SearchTree:
        """The tree from which `action` chooses, given the same seed."""
        return next(self.growth(state, seed, self.settings.trajectories))

    def growth(self, state: Hashable, seed: Seed, stride: int = 1) -> Iterator[SearchTree]:
        """The same tree as it grows: after every `stride` trajectories, and at the end."""
        return self._growth(self.world, state, seed, stride)


def _rollout(mdp: NRMDP, policy: Callable[[NRMDP], np.ndarray]) -> np.ndarray:
    """The running sums of a rollout policy's chances, flat over the pairs; empty if all actions are alike."""
    chances, shape = np.asarray(policy(mdp), dtype=float), (len(mdp.states), len(mdp.actions))
    if chances.shape not in (shape, (0, shape[1])):
        raise ModelError(f"the rollout policy gives chances of the shape {chances.shape}, not {shape}")
    wrong = np.flatnonzero((chances < 0).any(axis=1) | ~np.isclose(chances.sum(axis=1), 1))
    if wrong.size:
        raise ModelError(f"the chances of the rollout policy in the state {mdp.states[wrong[0]]!r} do not sum to 1")
    return np.cumsum(chances, axis=1).ravel()
