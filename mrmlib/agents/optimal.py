"""Algorithm 1 (paper, §5.1): learn, solve M ⊗ H exactly, and play π* if it promises θ; else try to refute H.

θ is the threshold, in the units of the objective. The printed algorithm never sets its count of actions back, so that
after the limit it would reset at every step; here every epoch has its own.

What a proof is worth depends on the bound: it excludes machines with at most so many nodes. Without a bound the agent
chooses one, proves H for it, and raises it step by step as far as its budget goes.
"""

import math
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from numbers import Integral
from typing import Any

import numpy as np

from ..conformance.rivals import CompleteTester, check_nodes
from ..errors import BoundError, ModelError
from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..solve.episodes import Reset, over
from ..solve.exact import Solution
from ..synchronise import product
from ..within.agreement import minimal_within
from ..words import Word
from .agent import Agent
from .events import HypothesisBuilt, Tested, TestPosed
from .life import Events, Life
from .objectives import Fixed, MeanPayoff
from .patience import Prospect

ASKED, CHOSEN = 1_000_000, 5_000  # conflicts that a question to the solver may cost


class OptimalAgent(Agent):
    """Algorithm 1: plays optimally once its hypothesis is right, and says what it has proved.

    `threshold` is a number or one of `Fixed`, `HighestOf`, `Rising`; by default infinity, which no strategy reaches:
    the agent learns until H is proved right. `max_nodes` bounds the hidden machine's nodes for the tester that is
    complete relative to M. Without it, or where what is lived contradicts it, the agent raises its own bound as long as
    testing H has taken less than `deepening` actions; if `play_meanwhile`, it plays an epoch before each step.
    `conflicts` and `seconds` bound what one question of the tester may cost the solver; `patience` says when to stop
    testing before that (see `WhileItPays`). An epoch ends with a reset if after `epoch_actions` actions, or a multiple,
    its return is below θ or has moved θ; and where the world is episodic, once nothing more can be won. Such a reset
    takes `reset_actions` actions, which pay nothing.

    >>> from mrmlib import Environment, domains
    >>> world = domains.treasure_map()
    >>> agent = OptimalAgent(world.mdp, world.labelling, max_nodes=6)
    >>> run = agent.run(Environment(world.mdp, world.labelling, world.machine, seed=1))
    >>> run.machine.equivalent(world.machine), run.bound, run.total_reward > 14_000
    (True, 6, True)
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling,
                 threshold: float | Callable[[Sequence[float]], float] = math.inf, max_nodes: int | None = None, *,
                 objective: Any = None, epoch_actions: int = 500, conflicts: int | None = None,
                 seconds: float | None = 300.0, deepening: float = 30_000, play_meanwhile: bool = False,
                 reset_actions: int = 0, patience: Callable[[Prospect], bool] | None = None, **settings: Any) -> None:
        super().__init__(mdp, labelling, **settings)
        if not isinstance(epoch_actions, Integral) or epoch_actions < 1:
            raise ModelError(f"an epoch has at least one action, not {epoch_actions!r}")
        if not isinstance(reset_actions, Integral) or reset_actions < 0:
            raise ModelError(f"a reset takes a number of actions, 0 or more, not {reset_actions!r}")
        self.threshold = threshold if callable(threshold) else Fixed(threshold)
        self.max_nodes = None if max_nodes is None else check_nodes(max_nodes)
        self.conflicts, self.seconds, self.patience = conflicts, seconds, patience
        self.deepening, self.play_meanwhile, self.reset_actions = deepening, play_meanwhile, reset_actions
        self.objective, self.epoch_actions = objective or MeanPayoff(), epoch_actions

    def begin(self, life: Life) -> Events:
        """The pre-trial phase, if the threshold wants one."""
        while len(life.returns) < self.threshold.pretrials:
            yield from life.pretrial(self.epoch_actions)

    def best(self, hypothesis: MealyRewardMachine) -> tuple[Solution, set[tuple[Hashable, Hashable]]]:
        """The best strategy in M ⊗ H, and the pairs (s, u) from which nothing more can be won."""
        model = product(self.mdp, self.labelling, hypothesis)
        ended = {model.states[i] for i in np.flatnonzero(over(model, hypothesis.null_reward))}
        return self.objective.play(model, hypothesis.null_reward, self.reset_actions), ended

    def use(self, life: Life, hypothesis: MealyRewardMachine) -> Events:
        """Play π* while it promises θ; else test H, and play on if it stands."""
        (best, ended), began, proof = self.best(hypothesis), life.acted, _Proof(self.max_nodes)
        yield HypothesisBuilt(hypothesis, best)
        bounds = self._bounds(hypothesis, proof)
        while True:
            theta = self.threshold(life.returns)
            if (best.value < theta or theta == math.inf) and not proof.ended:
                word = yield from self._test(life, hypothesis, best, proof, bounds)
                if word is not None or life.stale(hypothesis):
                    return word or ()
            if life.left <= 0:
                return _outcome(best, theta, proof, life.acted - began)
            yield from life.epoch(hypothesis, lambda: self._action(best.policy[life.state, life.node]),
                                  self._over(life, hypothesis, best, ended, theta, proof))
            if life.contradiction is not None or life.stale(hypothesis):
                return life.contradiction or ()

    def _bounds(self, hypothesis: MealyRewardMachine, proof: "_Proof") -> Iterator[int]:
        """What to prove H for, one after the other: the bound given; else, or if it is too low, ever higher ones."""
        if self.max_nodes is not None:
            yield self.max_nodes
        if proof.given is None:
            needed = minimal_within(self.mdp, self.labelling, hypothesis, self._conflicts(proof))
            yield from count(max(len(needed.nodes), (self.max_nodes or 0) + 1))

    def _test(self, life: Life, hypothesis: MealyRewardMachine, best: Solution, proof: "_Proof",
              bounds: Iterator[int]) -> Events:
        """A word that refutes H, or None."""
        for bound in bounds:
            tester = CompleteTester(self.mdp, self.labelling, life.rewards, bound, life.store, self._conflicts(proof),
                                    self.seconds)
            try:
                yield from self._ask(life, hypothesis, best, proof, tester)
            except BoundError:
                proof.contradicted, proof.given = bound, None
                continue
            if tester.refutation is not None:
                yield Tested(proof.passed, "refuted")
                return tester.refutation
            proof.bound = bound if tester.proved else proof.bound
            yield Tested(proof.passed, proof.told(), proof.bound)
            if not tester.proved:
                break
            if self.play_meanwhile and proof.given is None:
                return None
        proof.ended = True
        return None

    def _conflicts(self, proof: "_Proof") -> int:
        """What a question may cost the solver: more where the bound was asked for than where it is the agent's own."""
        return self.conflicts or (CHOSEN if proof.given is None else ASKED)

    def _ask(self, life: Life, hypothesis: MealyRewardMachine, best: Solution, proof: "_Proof",
             tester: CompleteTester) -> Events:
        """Live the words of a tester, as long as that is worth it."""
        tests, paid = tester.tests(hypothesis), None
        while (word := _sent(tests, paid)) is not None:
            if proof.given is None and proof.actions >= self.deepening:
                return
            if self.patience and not self.patience(self._prospect(life, best, word, proof.passed)):
                return
            yield TestPosed(word, proof.passed + 1, proof.passed + max(1, tester.open), tester.max_nodes)
            before = life.environment.actions
            paid = life.rewards(word)
            proof.actions += life.environment.actions - before
            proof.passed += paid == hypothesis.rewards(word)
            yield from life.news()

    def _prospect(self, life: Life, best: Solution, test: Word, passed: int) -> Prospect:
        """What speaks for living one more word in order to test."""
        cost = self.planner.strategy([test]).expected_actions
        return Prospect(passed, life.left, cost, best.value, life.learning_rate)

    def _action(self, choice: Hashable) -> Hashable:
        """What is chosen; at the start of an epoch, where there is nothing to reset, any action."""
        return self.mdp.actions[0] if isinstance(choice, Reset) else choice

    def _over(self, life: Life, hypothesis: MealyRewardMachine, best: Solution, ended: set, theta: float,
              proof: "_Proof") -> Callable[[Hashable, list[float]], bool]:
        """Is H contradicted or stale, is there nothing more to win, or, where θ is in reach, have the epoch's actions
        brought less or moved θ?"""

        def ends(_: Hashable, rewards: list[float]) -> bool:
            if life.contradiction is not None or life.stale(hypothesis):
                return True
            at = life.state, life.node
            if at in ended or isinstance(best.policy[at], Reset):
                life.acted += self.reset_actions
                rewards += [0.0] * self.reset_actions
                return True
            if len(rewards) % self.epoch_actions:
                return False
            if best.value < theta or theta == math.inf:
                return not proof.ended
            value = self.objective.of(rewards)
            return value < theta or self.threshold((*life.returns, value)) != theta

        return ends


@dataclass
class _Proof:
    """What is known of H: proved for machines with up to `bound` nodes, 0 if for none; how many words it passed.

    `given` is the bound that was asked for, None if the agent chooses; `contradicted` is one that cannot be right.
    """

    given: int | None
    bound: int = 0
    passed: int = 0
    actions: int = 0
    contradicted: int | None = None
    ended: bool = False

    def told(self) -> str:
        """In words."""
        if not self.bound:
            text = f"not proved: H was tested with {self.passed} words and no more"
        elif self.given is not None:
            text = f"proved: no machine with at most {self.bound} nodes that pays as lived disagrees with H"
        else:
            text = f"bound chosen by the agent: proved for ≤ {self.bound} nodes, nothing is known beyond"
        lived = self.contradicted is not None
        return (f"max_nodes = {self.contradicted} is too low for what was lived; " if lived else "") + text


def _sent(tests: Generator[Word, Any, None], paid: Sequence[float] | None) -> Word | None:
    """The next word to be lived, after what the last one was paid; None if there is none."""
    try:
        return tests.send(paid)
    except StopIteration:
        return None


def _outcome(best: Solution, theta: float, proof: _Proof, actions: int) -> str:
    """What was reached and what was proved; the solution carries the bounds."""
    value = f"{best.value:.8g}"
    if best.value >= theta and theta < math.inf:
        return f"θ = {theta:g} reached: certified value {value} in M ⊗ H, no counter-example in {actions} actions"
    missed = f", below θ = {theta:g}" if theta < math.inf else ""
    return f"{proof.told()}; the optimum in M ⊗ H is {value}{missed}"
