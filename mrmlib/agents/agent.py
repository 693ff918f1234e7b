"""What the two algorithms share (paper, Algorithms 1 and 2): learn until the table is complete, build H, use it.

An agent never sees the hidden machine: it touches the environment by reset and step alone. Its life is a stream of
events, and a run is their sum.
"""

import math
from collections.abc import Callable, Generator, Hashable, Iterator
from typing import Any

import numpy as np

from ..environment import Environment
from ..errors import BudgetError, NondeterminismError
from ..experience import ACTIONS, Experience, Exploration
from ..labelling import Labelling
from ..learner import Learner
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..querying import QueryPlanner
from ..store import Store
from ..table import ObservationTable
from ..words import Word
from .events import (
    Acted,
    Answered,
    Attempted,
    CounterExample,
    Ended,
    EpochBegun,
    EpochEnded,
    Event,
    QueryPosed,
    Run,
    summed,
)
from .objectives import MeanPayoff

Events = Generator[Event, None, Any]


class Agent:
    """An agent that knows M and λ; a subclass says how it uses a hypothesis.

    `learner` makes an observation table or a discrimination tree; `explore` is how a query is lived (by the optimal
    query strategy unless given). A word that M cannot show is answered with `impossible` from its first impossible
    letter on. `attempts` and `actions` bound what one query may take.
    """

    objective: Any = MeanPayoff()

    def __init__(self, mdp: NRMDP, labelling: Labelling, *, learner: Callable[..., Learner] = ObservationTable,
                 explore: Exploration | None = None, impossible: float = 0.0, attempts: float = math.inf,
                 actions: float = ACTIONS) -> None:
        self.mdp, self.labelling = mdp, labelling
        self.learner, self.explore, self.impossible = learner, explore, impossible
        self.budgets = {"attempts": attempts, "actions": actions}
        self.planner = QueryPlanner(mdp, labelling)

    def run(self, environment: Environment, exploitation_actions: int = 2000, seed: int = 0,
            resume: Run | None = None) -> Run:
        """The sum of a life in `environment`; an interrupt ends it early, with everything learnt so far."""
        *_, (_, run) = self.watched(environment, exploitation_actions, seed, resume=resume)
        return run

    def watched(self, environment: Environment, exploitation_actions: int = 2000, seed: int = 0, *,
                every_action: bool = False, resume: Run | None = None) -> Iterator[tuple[Event, Run]]:
        """A life, event by event, each with the sum so far; single actions are events too if `every_action`.

        A life that resumes another asks nothing that the other has learnt, and has its actions left.
        """
        start = resume or Run(store=Store(self.labelling.observations))
        return summed(Life(self, environment, exploitation_actions, seed, start, every_action).events(), start)

    def begin(self, life: "Life") -> Events:
        """What comes before learning: nothing."""
        yield from ()

    def use(self, life: "Life", hypothesis: MealyRewardMachine) -> Events:
        """Use H until a word contradicts it, and return the word (empty: H is stale); None if nothing is left to do."""
        raise NotImplementedError

    def outcome(self, life: "Life") -> str:
        """How a life ended that had nothing left to do."""
        return f"budget spent: {life.acted} exploitation actions"


class Life:
    """One agent in one environment: what it has learnt so far, where it is, and what is left of its actions.

    `state` and `node` are its place in M ⊗ H; `word` and `paid` what it has observed since the machine was reset, and
    `contradiction` the first prefix of that word that was not paid as H predicts. H is `stale` if it was built before
    the agent knew what null pays.
    """

    def __init__(self, agent: Agent, environment: Environment, actions: int, seed: int, start: Run,
                 every_action: bool = False) -> None:
        self.agent, self.every_action = agent, every_action
        self.acted, self.left = start.exploitation_actions, actions - start.exploitation_actions
        self.epochs, self.returns, self.stale = start.epochs, [], False
        self.rng = np.random.default_rng(seed)
        self.store, self.letters = start.store, agent.labelling.observations
        self.learner = agent.learner(self.letters, store=self.store)
        self.environment = _Watched(environment, self.letters)
        self.experience = Experience(self.environment, agent.planner, agent.explore, self.store,
                                     constant=agent.impossible, seed=self.rng, **agent.budgets)
        self._at_start()

    def events(self) -> Events:
        """Everything that happens."""
        try:
            yield from self.agent.begin(self)
            while True:
                while (word := self.learner.next_query()) is not None:
                    yield from self.ask(word)
                word = yield from self.agent.use(self, self.hypothesis())
                if word is None:
                    break
                if word:
                    yield from self._refute(word)
            yield Ended(self.agent.outcome(self))
        except BudgetError as spent:
            yield Ended(f"budget spent: {spent}")
        except KeyboardInterrupt:
            yield Ended("interrupted")

    def hypothesis(self) -> MealyRewardMachine:
        """H, in which null pays what the first null paid."""
        self.stale = False
        return self.learner.hypothesis(self.experience.null_reward or 0.0)

    def ask(self, word: Word) -> Events:
        """Live a word and tell the learner."""
        yield QueryPosed(word)
        before = self.experience.attempts, self.experience.actions
        rewards = self.experience.rewards(word)
        self.learner.resolve(word, rewards)
        yield from self.environment.attempts()
        yield Answered(word, rewards, self.experience.attempts - before[0], self.experience.actions - before[1])

    def epoch(self, hypothesis: MealyRewardMachine | None, choose: Callable[[], Hashable],
              over: Callable[[Hashable, list[float]], bool], state: Hashable = None, machine: bool = True) -> Events:
        """From a reset on, act as `choose` says until `over` (asked with what was observed and all rewards) says so.

        It begins in `state` if given, else in s0; the machine, and H with it, go on from where they are unless
        `machine`. Without H nothing is predicted.
        """
        self.epochs += 1
        self.state = self.environment.reset(state, machine)
        if machine:
            self._at_start(hypothesis)
        yield EpochBegun(self.epochs, self.state)
        rewards, interrupted = [], False
        try:
            while self.left:
                event = self._act(choose())
                rewards.append(event.reward)
                if self.every_action:
                    yield event
                if over(event.observation, rewards):
                    break
        except KeyboardInterrupt:
            interrupted = True
        self.store.record(self.word, self.paid)
        self.environment.attempts()  # not in pursuit of a query: forget them
        self.returns.append(self.agent.objective.of(rewards or [0.0]))
        yield EpochEnded(self.epochs, len(rewards), math.fsum(rewards), self.returns[-1])
        if interrupted:
            raise KeyboardInterrupt

    def _at_start(self, hypothesis: MealyRewardMachine | None = None) -> None:
        self._hypothesis, self.node = hypothesis, hypothesis and hypothesis.initial
        self.word, self.paid, self.contradiction = [], [], None

    def _act(self, action: Hashable) -> Acted:
        """One action, observed, and compared with what H predicts."""
        left = self.state
        self.state, z, reward = self.environment.step(action)
        self.left, self.acted = self.left - 1, self.acted + 1
        if z in self.letters:
            self.word.append(z)
            self.paid.append(reward)
            if self._hypothesis is not None:
                self.node, predicted = self._hypothesis.step(self.node, z)
                if reward != predicted and self.contradiction is None:
                    self.contradiction = tuple(self.word)
        else:
            self._null(reward)
        return Acted(left, action, self.state, z, reward)

    def _null(self, reward: float) -> None:
        """The first null of all tells what null pays, and an H that was built before has to be built again."""
        known = self.experience.null_reward
        if known is None:
            self.experience.null_reward, self.stale = reward, bool(reward)
        elif reward != known:
            raise NondeterminismError(f"null was paid {known} before and {reward} now")

    def _refute(self, word: Word) -> Events:
        """Tell the learner of a word that H pays wrongly; the store knows what it is paid."""
        rewards, predicted = self.store.rewards(word), self.learner.hypothesis().rewards(word)
        self.learner.add_counterexample(word, rewards)
        yield CounterExample(word, rewards, predicted)


class _Watched:
    """An environment whose episodes are remembered until they are read: what was observed, and the actions taken."""

    def __init__(self, environment: Environment, letters: Any) -> None:
        self._environment, self._letters = environment, letters
        self._episodes: list[tuple[list[Hashable], int]] = []

    def reset(self, *where: Any) -> Hashable:
        """As the environment does."""
        self._episodes.append(([], 0))
        return self._environment.reset(*where)

    def step(self, action: Hashable) -> tuple[Hashable, Hashable, float]:
        """As the environment does."""
        state, z, reward = self._environment.step(action)
        observed, actions = self._episodes[-1]
        if z in self._letters:
            observed.append(z)
        self._episodes[-1] = (observed, actions + 1)
        return state, z, reward

    def attempts(self) -> list[Attempted]:
        """The episodes since this was last asked."""
        episodes, self._episodes = self._episodes, []
        return [Attempted(tuple(observed), actions) for observed, actions in episodes]
