"""Query strategies: how to observe a word in M with the greatest chance α (paper, §5.1), or in the fewest actions.

What is pursued is a *quest*: a prefix tree of words, with nodes n. Null stays at its node, a letter follows the tree,
and any other letter spoils the episode. One word is a tree with one branch, whose node n has n letters observed.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..errors import QueryError
from ..labelling import Labelling
from ..names import Names
from ..nrmdp import NRMDP
from ..words import Word
from .episode import Episode


@dataclass(frozen=True)
class Quest:
    """Words as a prefix tree: its nodes are their prefixes, parents first, and `wanted` tells which are the words.

    `follow[n, z]` is the node after letter z, −1 where z leads out of the tree; the last column is null, which stays.

    >>> quest = Quest.of(["ab", "b"], "ab")
    >>> quest.nodes, quest.wanted.tolist()
    (((), ('a',), ('a', 'b'), ('b',)), [False, False, True, True])
    >>> quest.follow[0].tolist()
    [1, 3, 0]
    """

    nodes: Names
    follow: np.ndarray
    wanted: np.ndarray

    @classmethod
    def of(cls, words: Iterable[Word], letters: Sequence[Hashable], filtered: bool = False) -> Self:
        """The quest for any of `words`; `filtered`: letters that lead out of the tree are ignored, not fatal."""
        words, column = [tuple(word) for word in words], {z: i for i, z in enumerate(letters)}
        for word in words:
            for z in word:
                if z not in column:
                    raise QueryError(f"unknown observation {z!r} in the word {word}")
        nodes = Names(dict.fromkeys(word[:i] for word in words for i in range(len(word) + 1)), "prefix")
        stay = np.arange(len(nodes))
        follow = np.full((len(nodes), len(column) + 1), -1)
        if filtered:
            follow[:] = stay[:, None]
        follow[:, -1] = stay
        for n, prefix in enumerate(nodes[1:], start=1):
            follow[nodes.index(prefix[:-1]), column[prefix[-1]]] = n
        return cls(nodes, follow, np.isin(stay, [nodes.index(word) for word in words]))


@dataclass(frozen=True)
class QueryStrategy:
    """How to observe a word, what to do where, and what it takes.

    `probability` is the chance that one episode under this strategy observes it, `expected_actions` the mean number of
    actions until it has been observed, spoilt and abandoned episodes included; ∞ if it cannot be observed in M.
    """

    quest: Quest
    states: Sequence
    actions: Names
    probability: float
    expected_actions: float
    choice: np.ndarray  # [n, s]: an action, or |A| for a reset
    remaining: np.ndarray  # [n, s]: the expected number of actions still to come

    def __repr__(self) -> str:
        return f"QueryStrategy(probability {self.probability:.6g}, expected actions {self.expected_actions:.6g})"

    def action(self, state: Hashable, node: int) -> Hashable | None:
        """What to do in `state` with `node` letters observed so far (at that node of the tree); None: reset now."""
        if not 0 <= node < len(self.choice):
            raise QueryError(f"{node} letters cannot have been observed: there are {len(self.choice) - 1}")
        choice = self.choice[node, self.states.index(state)]
        return None if choice == len(self.actions) else self.actions[choice]

    def episodes(self, confidence: float) -> float:
        """How many episodes observe the word with at least this probability; ∞ if it cannot be observed.

        >>> M = NRMDP("st", ["try"], {("s", "try"): {"s": 0.5, "t": 0.5}, ("t", "try"): {"t": 1.0}}, "s")
        >>> lam = Labelling({("try", "s"): "no", ("try", "t"): "yes"}, ["yes", "no"])
        >>> query_strategy(M, lam, ("yes",), "probability").episodes(0.99)
        7
        """
        if not 0 < confidence < 1:
            raise QueryError(f"a confidence lies strictly between 0 and 1, {confidence} does not")
        if self.probability == 0:
            return math.inf
        if self.probability >= 1:
            return 1
        return math.ceil(math.log1p(-confidence) / math.log1p(-self.probability))


class QueryPlanner:
    """M joined with λ, to plan any number of queries. `filtered` means a `FilteredEnvironment`: no letter spoils.

    >>> M = NRMDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s")
    >>> planner = QueryPlanner(M, Labelling({("go", "t"): "there"}, ["there", "nowhere"]))
    >>> planner.strategy([("there", "there"), ("nowhere",)])
    QueryStrategy(probability 1, expected actions 2)
    >>> planner.executable_letters(("there", "nowhere"))
    1
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling) -> None:
        self.mdp, self.letters, self._label = mdp, labelling.observations, labelling.table(mdp)

    def strategy(self, words: Iterable[Word], objective: str = "actions", filtered: bool = False) -> QueryStrategy:
        """As `query_strategy`, until any one of `words` has been observed."""
        return self.pursue(Quest.of(words, self.letters, filtered), objective)

    def pursue(self, quest: Quest, objective: str = "actions") -> QueryStrategy:
        """As `query_strategy`, until a wanted node of the quest has been reached."""
        if objective not in ("probability", "actions"):
            raise QueryError(f'the objective of a query is "probability" or "actions", not {objective!r}')
        episode = self._episode(quest)
        choice = episode.approach()
        probability, actions = (1.0, 0.0) if quest.wanted[0] else (0.0, math.inf)
        remaining = np.full(len(choice), actions)
        if not quest.wanted[0] and choice[episode.origin] != episode.reset:
            choice, p, c = (episode.likeliest if objective == "probability" else episode.quickest)(choice)
            probability, actions = min(1.0, float(p[episode.origin])), episode.actions(p, c)
            remaining = c + (1 - p) * actions
        shape = len(quest.nodes), len(self.mdp.states)
        return QueryStrategy(quest, self.mdp.states, self.mdp.actions, probability, actions,
                             choice.reshape(shape), remaining.reshape(shape))

    def executable_letters(self, word: Word, filtered: bool = False) -> int:
        """How many letters of `word`, from its first on, can be observed in M in one episode."""
        episode = self._episode(Quest.of([word], self.letters, filtered))
        reached = episode.reached()
        if episode.success.reshape(-1, episode.reset)[reached].any():
            return len(word)
        return int(reached.max()) // len(self.mdp.states)

    def can_end(self, word: Word, filtered: bool = False) -> np.ndarray:
        """[n, s]: can an attempt at `word` still end from state s on, well or spoilt, after its first n letters?"""
        return self._episode(Quest.of([word], self.letters, filtered)).can_end().reshape(len(word) + 1, -1)

    def expected_actions_random(self, word: Word, filtered: bool = False) -> float:
        """As the function of that name."""
        return self._episode(Quest.of([word], self.letters, filtered)).aimless_actions() if word else 0.0

    def _episode(self, quest: Quest) -> Episode:
        return Episode.of(self.mdp, self._label, quest.follow, quest.wanted)


def query_strategy(mdp: NRMDP, labelling: Labelling, word: Word, objective: str) -> QueryStrategy:
    """The strategy with the greatest chance that one episode observes `word` (objective "probability"; of those, one
    with the shortest episodes), or with the fewest expected actions until it has been observed ("actions").

    Knocking is safe but slow; climbing is fast but may be seen, and then the episode is spoilt.

    >>> M = NRMDP(["street", "house"], ["knock", "climb"],
    ...           lambda s, a: {"house": 0.25, "street": 0.75} if a == "knock" else {"house": 0.5, "street": 0.5},
    ...           "street")
    >>> lam = Labelling({("knock", "house"): "in", ("climb", "house"): "in", ("climb", "street"): "seen"},
    ...                 ["in", "seen"])
    >>> query_strategy(M, lam, ("in",), "probability"), query_strategy(M, lam, ("in",), "actions")
    (QueryStrategy(probability 1, expected actions 4), QueryStrategy(probability 0.5, expected actions 2))
    """
    return QueryPlanner(mdp, labelling).strategy([word], objective)


def expected_actions_random(mdp: NRMDP, labelling: Labelling, word: Word) -> float:
    """How many uniformly random actions it takes on average to observe `word`, with a reset when it is spoilt.

    >>> M = NRMDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s")
    >>> expected_actions_random(M, Labelling({("go", "t"): "there"}, ["there"]), ("there",))
    2.0
    """
    return QueryPlanner(mdp, labelling).expected_actions_random(word)
