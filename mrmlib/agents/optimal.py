"""Algorithm 1 (paper, §5.1): learn, solve M ⊗ H exactly, and play π* if it promises θ; else try to refute H.

θ is the threshold, in the units of the objective. The printed algorithm never sets its count of actions back, so that
after the limit it would reset at every step; here every epoch has its own.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ModelError
from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..rivals import CompleteTester
from ..synchronise import product
from .agent import Agent, Events, Life
from .events import HypothesisBuilt, Tested
from .objectives import Fixed, MeanPayoff


class OptimalAgent(Agent):
    """Algorithm 1: plays optimally once its hypothesis is right, and says what it has proved.

    `threshold` is a number or one of `Fixed`, `HighestOf`, `Rising`; by default infinity, which no strategy reaches:
    the agent learns until H is proved right. `max_nodes` bounds the hidden machine's nodes for the tester that is
    complete relative to M (one more than H has, unless given). An epoch whose return is below θ after `epoch_actions`
    actions ends with a reset.

    >>> from mrmlib import Environment, domains
    >>> world = domains.treasure_map()
    >>> agent = OptimalAgent(world.mdp, world.labelling, max_nodes=6)
    >>> run = agent.run(Environment(world.mdp, world.labelling, world.machine, seed=1))
    >>> run.machine.equivalent(world.machine), run.total_reward > 14_000
    (True, True)
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling,
                 threshold: float | Callable[[Sequence[float]], float] = math.inf, max_nodes: int | None = None, *,
                 objective: Any = None, epoch_actions: int = 500, **settings: Any) -> None:
        super().__init__(mdp, labelling, **settings)
        if epoch_actions < 1:
            raise ModelError(f"an epoch has at least one action, not {epoch_actions}")
        self.threshold = threshold if callable(threshold) else Fixed(threshold)
        self.max_nodes, self.epoch_actions = max_nodes, epoch_actions
        self.objective = objective or MeanPayoff()

    def begin(self, life: Life) -> Events:
        """The pre-trial phase, if the threshold wants one: epochs of random actions."""
        life.proof = None
        for _ in range(self.threshold.pretrials):
            yield from life.epoch(None, lambda: self.mdp.actions[life.rng.integers(len(self.mdp.actions))],
                                  lambda _, rewards: len(rewards) >= self.epoch_actions)

    def use(self, life: Life, hypothesis: MealyRewardMachine) -> Events:
        """Play π* while it promises θ; else test H, and play on if it stands."""
        life.best = self.objective.solve(product(self.mdp, self.labelling, hypothesis))
        yield HypothesisBuilt(hypothesis, life.best)
        while True:
            life.theta = self.threshold(life.returns)
            if life.best.value < life.theta:
                word = yield from self._test(life, hypothesis)
                if word is not None:
                    return word
            if not life.left:
                return None
            yield from life.epoch(hypothesis, lambda: life.best.policy[life.state, life.node],
                                  lambda _, rewards: self._over(life, rewards))
            if life.stale or life.contradiction is not None:
                return life.contradiction or ()

    def outcome(self, life: Life) -> str:
        """What was reached, or proved out of reach."""
        if life.best.value >= life.theta:
            return (f"θ = {life.theta:g} reached: certified value {life.best.lower:.6g} in M ⊗ H, "
                    f"no counter-example in {life.acted} actions")
        return (f"θ = {life.theta:g} is out of reach: H is right on everything executable for up to {life.proof} nodes, "
                f"and the optimum is {life.best.value:.6g}")

    def _test(self, life: Life, hypothesis: MealyRewardMachine) -> Events:
        """A word that refutes H, or None: no machine with that many nodes that pays as lived so far would differ."""
        nodes = len(hypothesis.minimal().nodes) + 1 if self.max_nodes is None else self.max_nodes
        if life.proof == nodes:
            return None
        lived = life.experience.queries, life.experience.attempts, life.experience.actions
        tester = CompleteTester(self.mdp, self.labelling, life.experience.rewards, nodes, life.store)
        word = tester.counterexample(hypothesis)
        life.environment.attempts()
        life.proof = nodes if word is None else None
        now = life.experience.queries, life.experience.attempts, life.experience.actions
        yield Tested(*(after - before for before, after in zip(lived, now, strict=True)), word is None)
        return word

    def _over(self, life: Life, rewards: list[float]) -> bool:
        """Is H contradicted or stale, or are the epoch's actions spent with a return below a θ that is in reach?"""
        if life.stale or life.contradiction is not None:
            return True
        return (len(rewards) % self.epoch_actions == 0 and life.best.value >= life.theta
                and self.objective.of(rewards) < life.theta)
