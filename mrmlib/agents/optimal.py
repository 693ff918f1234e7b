"""Algorithm 1 (paper, §5.1): learn, solve M ⊗ H exactly, and play π* if it promises θ; else try to refute H.

θ is the threshold, in the units of the objective. The printed algorithm never sets its count of actions back, so that
after the limit it would reset at every step; here every epoch has its own.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any

from ..conformance.rivals import CompleteTester
from ..errors import ModelError
from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..solve.exact import Solution
from ..synchronise import product
from ..within.agreement import minimal_within
from ..words import Word
from .agent import Agent
from .events import HypothesisBuilt, Tested
from .life import Events, Life
from .objectives import Fixed, MeanPayoff
from .patience import Prospect


class OptimalAgent(Agent):
    """Algorithm 1: plays optimally once its hypothesis is right, and says what it has proved.

    `threshold` is a number or one of `Fixed`, `HighestOf`, `Rising`; by default infinity, which no strategy reaches:
    the agent learns until H is proved right. `max_nodes` bounds the hidden machine's nodes for the tester that is
    complete relative to M (unless given, one more than are needed to pay as H does within M), and `conflicts` what one
    of its questions may cost the solver; `patience` says when to stop testing before that (see `WhileItPays`). An epoch
    ends with a reset if after `epoch_actions` actions, or a multiple, its return is below θ or has moved θ.

    >>> from mrmlib import Environment, domains
    >>> world = domains.treasure_map()
    >>> agent = OptimalAgent(world.mdp, world.labelling, max_nodes=6)
    >>> run = agent.run(Environment(world.mdp, world.labelling, world.machine, seed=1))
    >>> run.machine.equivalent(world.machine), run.total_reward > 14_000
    (True, True)
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling,
                 threshold: float | Callable[[Sequence[float]], float] = math.inf, max_nodes: int | None = None, *,
                 objective: Any = None, epoch_actions: int = 500, conflicts: int | None = None,
                 patience: Callable[[Prospect], bool] | None = None, **settings: Any) -> None:
        super().__init__(mdp, labelling, **settings)
        if epoch_actions < 1:
            raise ModelError(f"an epoch has at least one action, not {epoch_actions}")
        self.threshold = threshold if callable(threshold) else Fixed(threshold)
        self.max_nodes, self.conflicts, self.patience = max_nodes, conflicts, patience
        self.objective, self.epoch_actions = objective or MeanPayoff(), epoch_actions

    def begin(self, life: Life) -> Events:
        """The pre-trial phase, if the threshold wants one."""
        while len(life.returns) < self.threshold.pretrials:
            yield from life.pretrial(self.epoch_actions)

    def use(self, life: Life, hypothesis: MealyRewardMachine) -> Events:
        """Play π* while it promises θ; else test H, and play on if it stands."""
        best, began, verdict = self.objective.solve(product(self.mdp, self.labelling, hypothesis)), life.acted, None
        yield HypothesisBuilt(hypothesis, best)
        while True:
            theta = self.threshold(life.returns)
            if best.value < theta and verdict is None:
                word, verdict = yield from self._test(life, hypothesis, best)
                if word is not None or life.stale(hypothesis):
                    return word or ()
            if life.left <= 0:
                return _outcome(best, theta, verdict, life.acted - began)
            yield from life.epoch(hypothesis, lambda: best.policy[life.state, life.node],
                                  self._over(life, hypothesis, best, theta))
            if life.contradiction is not None or life.stale(hypothesis):
                return life.contradiction or ()

    def _test(self, life: Life, hypothesis: MealyRewardMachine, best: Solution) -> Events:
        """A word that refutes H, or None; and what is to be said of θ then."""
        nodes, passed, word = self.max_nodes, 0, None
        if nodes is None:
            nodes = len(minimal_within(self.mdp, self.labelling, hypothesis).nodes) + 1

        def rewards(test: Word) -> tuple[float, ...]:
            nonlocal passed
            if self.patience and not self.patience(self._prospect(life, best, test, passed)):
                raise _Enough
            paid = life.rewards(test)
            passed += paid == hypothesis.rewards(test)
            return paid

        tester = CompleteTester(self.mdp, self.labelling, rewards, nodes, life.store, self.conflicts)
        with suppress(_Enough):
            word = tester.counterexample(hypothesis)
        if word is not None:
            verdict = "refuted"
        elif tester.proved:
            verdict = f"out of reach: H is right on everything executable for at most {nodes} nodes"
        else:
            verdict = f"not reached: H was tested with {passed} words and no more"
        yield from life.news()
        yield Tested(passed, verdict)
        return word, verdict

    def _prospect(self, life: Life, best: Solution, test: Word, passed: int) -> Prospect:
        """What speaks for living one more word in order to test."""
        cost = self.planner.strategy([test]).expected_actions
        return Prospect(passed, life.left, cost, best.value, life.learning_rate)

    def _over(self, life: Life, hypothesis: MealyRewardMachine, best: Solution,
              theta: float) -> Callable[[Hashable, list[float]], bool]:
        """Is H contradicted or stale, or, where θ is in reach, have the epoch's actions brought less or moved θ?"""

        def over(_: Hashable, rewards: list[float]) -> bool:
            if life.contradiction is not None or life.stale(hypothesis):
                return True
            if best.value < theta or len(rewards) % self.epoch_actions:
                return False
            value = self.objective.of(rewards)
            return value < theta or self.threshold((*life.returns, value)) != theta

        return over


class _Enough(Exception):
    """Testing is no longer worth its cost."""


def _outcome(best: Solution, theta: float, verdict: str | None, actions: int) -> str:
    """What was reached, or proved out of reach; the solution carries the bounds."""
    value = f"{best.value:.8g}"
    if best.value >= theta:
        return f"θ = {theta:g} reached: certified value {value} in M ⊗ H, no counter-example in {actions} actions"
    return f"θ = {theta:g} is {verdict}, and the optimum in M ⊗ H is {value}"
