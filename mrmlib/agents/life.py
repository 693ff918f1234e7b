"""The life of an agent (paper, the loop of Algorithms 1 and 2): learn until the table is complete, build H, use it, and
learn on.

The agent never sees the hidden machine: it touches the environment by reset and step alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..environment import Environment
from ..errors import BudgetError, MrmError
from ..experience.lived import Experience
from ..machine import MealyRewardMachine
from ..words import Word
from .events import (
    Acted,
    Answered,
    CounterExample,
    Ended,
    EpochBegun,
    EpochEnded,
    Event,
    HypothesisBuilt,
    NullPaid,
    Pretrial,
    QueryPosed,
    Run,
)
from .watched import Watched

if TYPE_CHECKING:
    from .agent import Agent

Events = Generator[Event, None, Any]


class Life:
    """One agent in one environment: what it has learnt so far, where it is, and what is left of its actions.

    `state` and `node` are its place in M ⊗ H. `contradiction` is the shortest word that was not paid as H predicts, in
    what was observed since the machine was reset. `returns` are those of all epochs that have ended. `begun` is the sum
    that the life starts from.

    >>> from mrmlib import OptimalAgent, domains
    >>> world = domains.treasure_map()
    >>> environment = Environment(world.mdp, world.labelling, world.machine, seed=1)
    >>> life = OptimalAgent(world.mdp, world.labelling).life(environment)
    >>> next(life.events()), life.left
    (QueryPosed(word=('j2', 'm')), 2000)
    """

    def __init__(self, agent: Agent, environment: Environment, actions: int, seed: int, begun: Run,
                 every_action: bool = False) -> None:
        self.agent, self.every_action, self.begun = agent, every_action, begun
        self.rng, self.store, self.letters = np.random.default_rng(seed), begun.store, agent.labelling.observations
        self.environment = Watched(environment, self.letters, begun)
        self.experience = Experience(self.environment, agent.planner, agent.explore, self.store,
                                     constant=agent.impossible, seed=self.rng, **agent.budgets)
        self.acted, self.won, self._budget = begun.exploitation_actions, begun.total_reward, actions
        self.epochs, self.returns, self._null_told = begun.epochs, list(begun.returns), begun.null_reward is not None
        self._begin(None)
        self.learner = agent.learner(self.letters, store=self.store)
        while self.learner.is_complete and (word := self._lived_otherwise()) is not None:  # learnt before
            self.learner.add_counterexample(word, self.store.rewards(word))

    def events(self) -> Events:
        """Everything that happens."""
        try:
            yield from self.agent.begin(self)
            while not isinstance(verdict := (yield from self._learn_and_use()), str):
                if verdict:
                    yield from self._refute(verdict)
        except BudgetError as spent:
            verdict = f"budget spent: {spent}"
        except KeyboardInterrupt:
            verdict = "interrupted"
        except Exception as error:
            yield from self._end(f"stopped by {type(error).__name__}: {error}")
            raise
        yield from self._end(verdict)

    def _end(self, outcome: str) -> Events:
        """The last news; what contradicts the store is not lost with it."""
        with suppress(MrmError):
            self._remember()
        yield from self._told()
        yield Ended(outcome)

    def _learn_and_use(self) -> Events:
        """Once around the loop of the algorithms; what was lived already may contradict H at once."""
        while (word := self.learner.next_query()) is not None:
            yield from self.ask(word)
        hypothesis = self.learner.hypothesis(self.environment.null_reward or 0.0)
        word = self._lived_otherwise()
        if word is None:
            return (yield from self.agent.use(self, hypothesis))
        yield HypothesisBuilt(hypothesis)
        return word

    @property
    def left(self) -> int:
        """How many actions are left."""
        return self._budget - (self.acted if self.agent.free_learning else self.environment.actions)

    @property
    def learning_rate(self) -> float:
        """What an action of learning has earned so far, on average."""
        actions = self.environment.actions - self.acted
        return (self.environment.earned - self.won) / actions if actions else -math.inf

    def stale(self, hypothesis: MealyRewardMachine) -> bool:
        """Was H built before the agent knew what null pays?"""
        return hypothesis.null_reward != (self.environment.null_reward or 0.0)

    def ask(self, word: Word) -> Events:
        """Live a word and tell the learner."""
        yield QueryPosed(word)
        rewards = self.rewards(word)
        self.learner.resolve(word, rewards)
        yield from self.news()
        yield Answered(word, rewards)

    def rewards(self, word: Word) -> tuple[float, ...]:
        """What a word is paid, lived if need be; BudgetError if that would take too much."""
        if not self.agent.free_learning:
            self.experience.budgets["actions"] = min(self.agent.budgets["actions"], self.left)
        return self.experience.rewards(word)

    def news(self) -> Events:
        """What happened in the environment since it was last asked, all of which the store remembers."""
        self._remember()
        yield from self._told()

    def _remember(self) -> None:
        self.store.record(self.environment.word, self.environment.paid)

    def _told(self) -> Events:
        yield from self.environment.episodes()
        if not self._null_told and self.environment.null_reward is not None:
            self._null_told = True
            yield NullPaid(self.environment.null_reward)

    def pretrial(self, actions: int) -> Events:
        """An epoch of random actions, before anything is known; they count as learning."""
        self.environment.reset()
        rewards = [self.environment.step(self.agent.random_action(self.rng))[2]
                   for _ in range(actions if self.agent.free_learning else min(actions, self.left))]
        yield from self.news()
        self.returns.append(self.agent.objective.of(rewards or [0.0]))
        yield Pretrial(self.returns[-1])

    def epoch(self, hypothesis: MealyRewardMachine, choose: Callable[[], Hashable],
              over: Callable[[Hashable, list[float]], bool], state: Hashable = None, machine: bool = True) -> Events:
        """From a reset on, act as `choose` says until `over` (asked with what was observed and all rewards) says so.

        It begins in `state` if given, else in s0; the machine, and H with it, go on from where they are unless
        `machine`.
        """
        self.epochs += 1
        self.state = self.environment.reset(state, machine)
        if machine:
            self._begin(hypothesis)
        yield EpochBegun(self.epochs, self.state)
        rewards, failure = [], None
        try:
            while self.left > 0:
                event = self._act(choose())
                rewards.append(event.reward)
                if self.every_action:
                    yield event
                if over(event.observation, rewards):
                    break
        except (Exception, KeyboardInterrupt) as error:
            failure = error
        self.environment.episodes()  # these were no attempts
        with suppress(*([MrmError] if failure else [])):
            self._remember()
        yield from self._told()
        self.returns.append(self.agent.objective.of(rewards or [0.0]))
        yield EpochEnded(self.epochs, len(rewards), math.fsum(rewards), self.returns[-1])
        if failure:
            raise failure

    def _begin(self, hypothesis: MealyRewardMachine | None) -> None:
        """H is at its start node, and so is the machine."""
        self._hypothesis, self.node, self.contradiction = hypothesis, hypothesis and hypothesis.initial, None

    def _act(self, action: Hashable) -> Acted:
        """One action, observed, and compared with what H predicts."""
        left = self.state
        self.state, z, reward = self.environment.step(action)
        self.acted, self.won = self.acted + 1, self.won + reward
        if z in self.letters:
            self.node, predicted = self._hypothesis.step(self.node, z)
            if reward != predicted and self.contradiction is None:
                self.contradiction = self.environment.word
        return Acted(left, action, self.state, z, reward)

    def _lived_otherwise(self) -> Word | None:
        """A shortest executable word that was lived and is not paid as H predicts, or None."""
        wrong = [self.learner.contradiction(self.store.letters(word)) for word, _ in self.store.words()]
        words = [self.store.word(letters) for letters in wrong if letters is not None]
        return min((word for word in words if self.agent.graph.executable(word)), key=len, default=None)

    def _refute(self, word: Word) -> Events:
        """Tell the learner of a word that H pays wrongly; the store knows what it is paid."""
        rewards, predicted = self.store.rewards(word), self.learner.hypothesis().rewards(word)
        self.learner.add_counterexample(word, rewards)
        yield CounterExample(word, rewards, predicted)
