"""Experience (paper, getExperience): to answer a membership query, live exactly its word from s0.

The hidden machine moves on every non-null observation, so a wrong one spoils the attempt: reset, and try again. What
was lived, spoilt attempts too, goes into the store, since each of its prefixes answers a query. How to explore is the
caller's choice: an object that turns (word, generator) into a function of the state and the number of letters observed
so far, which returns an action, or None for a reset.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..environment import Environment
from ..errors import BudgetError, ModelError
from ..machine import MealyRewardMachine
from ..nrmdp import START
from ..store import Store
from ..words import Word, told
from .querying import QueryPlanner, Quest

Pursuit = Callable[[Hashable, int], Hashable | None]
Exploration = Callable[[Word, np.random.Generator], Pursuit]

ANSWERED, OUT_OF_ATTEMPTS, OUT_OF_ACTIONS, IMPOSSIBLE = "answered", "out of attempts", "out of actions", "impossible"
ACTIONS = 10_000_000  # when a word is given up, unless the caller says otherwise


@dataclass(frozen=True)
class RandomExploration:
    """Every action equally likely, whatever the word (the paper's way in the cookie domain).

    >>> RandomExploration(("n", "s"))(("m",), np.random.default_rng(0))("anywhere", 0)
    's'
    """

    actions: tuple[Hashable, ...]

    def __call__(self, word: Word, rng: np.random.Generator) -> Pursuit:
        """How to pursue `word`."""
        actions, size = self.actions, len(self.actions)
        return lambda state, node: actions[int(rng.random() * size)]


@dataclass(frozen=True)
class PlannedExploration:
    """Towards the next letter, as `planner.action(state, letter, generator)` says (the paper's way: MCTS).

    >>> from mrmlib import ObservationPlanner, domains
    >>> world = domains.treasure_map()
    >>> explore = PlannedExploration(ObservationPlanner(world.mdp, world.labelling))
    >>> explore(("m", "g"), np.random.default_rng(0))(((5, 7), False), 0)
    'n'
    """

    planner: Any

    def __call__(self, word: Word, rng: np.random.Generator) -> Pursuit:
        """How to pursue `word`."""
        return lambda state, node: self.planner.action(state, word[node], rng)


@dataclass(frozen=True)
class OptimalExploration:
    """As `query_strategy` says; planned once for each word.

    >>> from mrmlib import domains
    >>> world = domains.treasure_map()
    >>> OptimalExploration(QueryPlanner(world.mdp, world.labelling))(("m", "g"))(((5, 7), False), 0)
    'n'
    """

    planner: QueryPlanner
    objective: str = "actions"
    filtered: bool = False
    _planned: dict[Word, Pursuit] = field(default_factory=dict, repr=False)

    def __call__(self, word: Word, rng: np.random.Generator | None = None) -> Pursuit:
        """How to pursue `word`."""
        if word not in self._planned:
            self._planned[word] = self.planner.strategy([word], self.objective, self.filtered).action
        return self._planned[word]


@dataclass(frozen=True)
class Lived:
    """How living a word ended: what it was paid, if the outcome is "answered", and what that took.

    Each attempt begins with a reset. `null_reward` is what the last null paid, None if there was none.

    >>> Lived(("m",), None, OUT_OF_ACTIONS, attempts=3, actions=100).rewards is None
    True
    """

    word: Word
    rewards: tuple[float, ...] | None
    outcome: str = ANSWERED
    attempts: int = 0
    actions: int = 0
    null_reward: float | None = None


def live(environment: Environment, word: Word, explore: Exploration, store: Store, *, attempts: float = math.inf,
         actions: float = ACTIONS, filtered: bool = False, seed: int | np.random.Generator | None = None) -> Lived:
    """What came of living `word` with at most that many attempts and actions; nothing is lived if the store knows.

    `filtered`: the environment is a `FilteredEnvironment`, and is told at each step which letter is wanted.

    >>> from mrmlib import domains
    >>> world = domains.treasure_map(apf=1.0)
    >>> environment = Environment(world.mdp, world.labelling, world.machine, seed=0)
    >>> explore = OptimalExploration(QueryPlanner(world.mdp, world.labelling))
    >>> live(environment, ("m", "g"), explore, Store(world.labelling.observations))
    Lived(word=('m', 'g'), rewards=(10.0, 25.0), outcome='answered', attempts=1, actions=12, null_reward=-1.0)
    """
    word = tuple(word)
    known = store.rewards(word)
    if known is not None:
        return Lived(word, known)
    pursue = explore(word, np.random.default_rng(seed))
    return _pursue(environment, Quest.of([word], store.observations, filtered), pursue, store, attempts, actions,
                   word if filtered else None)


def live_all(environment: Environment, words: Iterable[Word], planner: QueryPlanner, store: Store, *,
             attempts: float = math.inf, actions: float = ACTIONS) -> Iterator[Lived]:
    """Live all of `words` that the store does not know, each time the one that chance and the fewest actions favour.

    An episode pursues all open words at once, and a letter that spoils one may serve another. Prefixes of open words
    are not pursued for themselves: they are lived on the way. The budgets are for all words together; what cannot be
    answered within them, or in M, ends it.

    >>> from mrmlib import domains
    >>> world = domains.treasure_map(apf=1.0)
    >>> environment = Environment(world.mdp, world.labelling, world.machine, seed=0)
    >>> planner, store = QueryPlanner(world.mdp, world.labelling), Store(world.labelling.observations)
    >>> [lived.word for lived in live_all(environment, [("m",), ("m", "g"), ("e",)], planner, store)]
    [('m', 'g'), ('e',)]
    """
    open_words = list(dict.fromkeys(map(tuple, words)))
    while open_words := [word for word in open_words if store.rewards(word) is None]:
        inner = {word[:i] for word in open_words for i in range(len(word))}
        strategy = planner.strategy([word for word in open_words if word not in inner])
        lived = _pursue(environment, strategy.quest, strategy.action, store, attempts, actions)
        yield lived
        if lived.outcome != ANSWERED:
            return
        attempts, actions = attempts - lived.attempts, actions - lived.actions


class Experience:
    """A teacher that answers by living: `rewards(word)`, with everything it took counted.

    A word that M cannot show is recognised beforehand: what can be lived of it is, and every step from the first
    impossible one on is answered with `constant`. Filtered (in a `FilteredEnvironment`), that is a word with a letter
    that cannot be met at all. Counter-examples come from `tester`; if that is a teacher, it says what they are paid.

    >>> from mrmlib import domains
    >>> world = domains.cookie()
    >>> environment = Environment(world.mdp, world.labelling, world.machine, seed=0)
    >>> experience = Experience(environment, QueryPlanner(world.mdp, world.labelling), constant=-7.0)
    >>> experience.rewards(("blu", "blu_cook", "blu_crum"))  # no button was pushed: no cookie
    (0.0, -7.0, -7.0)
    >>> experience.queries, experience.attempts, experience.actions
    (1, 1, 2)
    """

    def __init__(self, environment: Environment, planner: QueryPlanner, explore: Exploration | None = None,
                 store: Store | None = None, *, constant: float = 0.0, filtered: bool = False, tester: Any = None,
                 attempts: float = math.inf, actions: float = ACTIONS,
                 seed: int | np.random.Generator | None = None) -> None:
        """The budgets, `attempts` and `actions`, are for each word."""
        self.environment, self.planner, self.tester = environment, planner, tester
        self.explore = OptimalExploration(planner, filtered=filtered) if explore is None else explore
        self.store = Store(planner.letters) if store is None else store
        self.constant, self.filtered = constant, filtered
        self.budgets = {"attempts": attempts, "actions": actions}
        self.rng = np.random.default_rng(seed)
        self.queries, self.attempts, self.actions = 0, 0, 0
        self.null_reward = 0.0  # until a null has been lived

    def live(self, word: Word) -> Lived:
        """What came of living `word`, or what can be lived of it."""
        word = tuple(word)
        possible = word[:self.planner.executable_letters(word, self.filtered)]
        lived = live(self.environment, possible, self.explore, self.store, **self.budgets, filtered=self.filtered,
                     seed=self.rng)
        self.queries += 1
        self.attempts += lived.attempts
        self.actions += lived.actions
        if lived.null_reward is not None:
            self.null_reward = lived.null_reward
        return lived

    def rewards(self, word: Word) -> tuple[float, ...]:
        """What is paid for each letter of `word`."""
        lived = self.live(word)
        if lived.rewards is None:
            raise BudgetError(f"{'·'.join(map(str, lived.word))} was not answered: {lived.outcome} "
                              f"(attempts: {lived.attempts}, actions: {lived.actions})")
        return lived.rewards + (self.constant,) * (len(word) - len(lived.word))

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """What the tester finds against `hypothesis`."""
        word = self.tester.counterexample(hypothesis)
        if word is not None and hasattr(self.tester, "rewards"):
            self.store.record(word, self.tester.rewards(word))
        return word


class _Attempt(NamedTuple):
    """One episode: the word observed, what it was paid, whether it is one of those wanted, and what it took."""

    word: Word
    rewards: tuple[float, ...]
    succeeded: bool
    actions: int
    null_reward: float | None


def _pursue(environment: Environment, quest: Quest, pursue: Pursuit, store: Store, attempts: float, actions: float,
            filtered: Word | None = None) -> Lived:
    """Attempts until one succeeds or a budget is spent; `filtered` is the word whose letters alone are let through."""
    follow, wanted = quest.follow.tolist(), quest.wanted.tolist()
    tried, done, null_reward = 0, 0, None
    while tried < attempts and done < actions:
        attempt = _attempt(environment, follow, wanted, pursue, store.observations, actions - done, filtered)
        store.record(attempt.word, attempt.rewards)
        tried, done = tried + 1, done + attempt.actions
        null_reward = null_reward if attempt.null_reward is None else attempt.null_reward
        if attempt.succeeded:
            return Lived(attempt.word, attempt.rewards, ANSWERED, tried, done, null_reward)
        if not attempt.actions and _no_way(pursue):
            return Lived(quest.nodes[-1], None, IMPOSSIBLE, tried, done, null_reward)
    return Lived(quest.nodes[-1], None, OUT_OF_ACTIONS if done >= actions else OUT_OF_ATTEMPTS,
                 tried, done, null_reward)


def _no_way(pursue: Pursuit) -> bool:
    """Is a reset at s0 with nothing observed all there is to do? Where s0 is drawn, another draw may help."""
    try:
        return pursue(START, 0) is None
    except ModelError:  # M has no such state: it has one start
        return True


def _attempt(environment: Environment, follow: list[list[int]], wanted: list[bool], pursue: Pursuit, letters: Any,
             budget: float, filtered: Word | None) -> _Attempt:
    """One episode from s0, until it succeeds, is spoilt or given up, or its budget is spent."""
    observed, paid, done, null_reward = [], [], 0, None
    state, node = environment.reset(), 0
    while done < budget and (action := pursue(state, node)) is not None:
        step = environment.step(action) if filtered is None else environment.step(action, filtered[node])
        state, z, reward = told(step, action, letters)
        done += 1
        if z not in letters:
            null_reward = reward
            continue
        observed.append(z)
        paid.append(reward)
        node = follow[node][letters.index(z)]
        if node < 0 or wanted[node]:
            break
    return _Attempt(tuple(observed), tuple(paid), node >= 0 and wanted[node], done, null_reward)
