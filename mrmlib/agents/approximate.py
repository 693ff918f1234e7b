"""Algorithm 2 (paper, §5.2): find the word of k observations that H pays best, and plan for its letters one by one.

Two readings of an epoch. Sound: the machine and H are reset with it, and every reward is compared. As published: they
are reset only with a new hypothesis or after a counter-example, and at the end of an epoch the rewards at the k targets
are compared with what H pays for the word from u0; so an epoch that starts amid the machine looks like a
counter-example although H is right.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ..errors import ModelError
from ..experience.lived import PlannedExploration
from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..mcts.search import ObservationPlanner
from ..nrmdp import NRMDP
from ..words import Word
from .agent import Agent
from .best_words import good_word
from .events import CounterExample, HypothesisBuilt
from .exploit import Choice, act_randomly, plan_observations
from .life import Events, Life


class ApproximateAgent(Agent):
    """Algorithm 2: reacts quickly, proves nothing.

    `k` is the length of the word pursued, `exploit` how (`plan_observations()`, `plan_rewards()`, `act_randomly`); an
    epoch begins in one of `epoch_starts`, drawn uniformly, or in s0 if there are none (what can be observed from there
    must be observable from s0 too). Queries are lived by the same tree search as in the paper unless `explore` is
    given. `reading` is `Sound()` or `AsPublished()`.

    >>> from mrmlib import Environment, domains
    >>> world = domains.treasure_map()
    >>> agent = ApproximateAgent(world.mdp, world.labelling, k=6, epoch_starts=world.epoch_starts)
    >>> run = agent.run(Environment(world.mdp, world.labelling, world.machine, seed=1), exploitation_actions=100)
    >>> run.machine.equivalent(world.machine), run.outcome
    (True, 'budget spent: 100 exploitation actions')
    """

    def __init__(self, mdp: NRMDP, labelling: Labelling, k: int = 6, *, exploit: Callable[..., Choice] | None = None,
                 epoch_starts: Sequence[Hashable] = (), reading: "Sound | AsPublished | None" = None,
                 **settings: Any) -> None:
        if k < 1:
            raise ModelError(f"a word to pursue has at least one letter, not {k}")
        if "explore" not in settings:
            settings["explore"] = PlannedExploration(ObservationPlanner(mdp, labelling))
        super().__init__(mdp, labelling, **settings)
        self.k, self.exploit, self.reading = k, exploit or plan_observations(), reading or Sound()
        self.epoch_starts = tuple(epoch_starts)
        for state in self.epoch_starts:
            mdp.states.index(state)

    def use(self, life: Life, hypothesis: MealyRewardMachine) -> Events:
        """Pursue the best word, epoch after epoch, until H is contradicted or the actions are spent."""
        yield HypothesisBuilt(hypothesis)
        word, fresh = good_word(self.graph, hypothesis, self.k), True
        expected = hypothesis.rewards(word)
        choice = (self.exploit if word else act_randomly)(self.mdp, self.labelling, hypothesis)
        possible = self.planner.can_end(word, filtered=True)
        while life.left > 0:
            start = self.epoch_starts[life.rng.integers(len(self.epoch_starts))] if self.epoch_starts else None
            pursuit = _Pursuit(life, word, choice, self.reading, possible)
            yield from life.epoch(hypothesis, pursuit.choose, pursuit.over, start, self.reading.resets_machine(fresh))
            fresh = self.reading.contradicted(life, tuple(pursuit.paid), expected)
            if fresh and life.contradiction is not None:
                return life.contradiction
            if life.stale(hypothesis):
                return ()
            if fresh:
                yield CounterExample(word, tuple(pursuit.paid), expected, spurious=True)
                for prefix in (word[:i] for i in range(1, len(word) + 1)):
                    if life.store.rewards(prefix) is None:
                        yield from life.ask(prefix)
        return f"budget spent: {life.acted} exploitation actions"


class Sound:
    """An epoch resets the machine and H, and ends at the first reward that H does not predict.

    >>> Sound().resets_machine(fresh=False)
    True
    """

    def resets_machine(self, fresh: bool) -> bool:
        """Does an epoch begin at the start node? `fresh`: the hypothesis is new, or was just contradicted."""
        return True

    def alarmed(self, life: Life) -> bool:
        """Does the epoch end before its word is complete?"""
        return life.contradiction is not None

    def contradicted(self, life: Life, paid: tuple[float, ...], expected: tuple[float, ...]) -> bool:
        """Was the epoch a counter-example? `paid` is what was paid for the letters pursued, so far as they were met."""
        return life.contradiction is not None


class AsPublished(Sound):
    """An epoch goes on from where the machine is, and at its end only the rewards of the letters pursued count.

    >>> AsPublished().resets_machine(fresh=False), AsPublished().contradicted(None, paid=(10.0,), expected=(-1.0,))
    (False, True)
    """

    def resets_machine(self, fresh: bool) -> bool:
        """Only with a new hypothesis or after a counter-example."""
        return fresh

    def alarmed(self, life: Life) -> bool:
        """Never."""
        return False

    def contradicted(self, life: Life, paid: tuple[float, ...], expected: tuple[float, ...]) -> bool:
        """Are all letters met, and paid otherwise than H pays them from its start node?"""
        return len(paid) == len(expected) and paid != expected


class _Pursuit:
    """The letters of a word, one after another, and what was paid when each was met.

    `possible[n, s]` tells whether the letters after the first n can still be met from state s.
    """

    def __init__(self, life: Life, word: Word, choice: Choice, reading: Sound, possible: np.ndarray) -> None:
        self.life, self.word, self.choice, self.reading, self.possible = life, word, choice, reading, possible
        self.paid: list[float] = []

    def choose(self) -> Hashable:
        """The next action towards the next letter."""
        z = self.word[len(self.paid)] if self.word else None
        return self.choice(self.life.state, self.life.node, z, self.life.rng)

    def over(self, observation: Hashable, rewards: list[float]) -> bool:
        """Note a letter that was met; is it the last one, can the next no longer be met, or is there an alarm?"""
        if self.word and observation == self.word[len(self.paid)]:
            self.paid.append(rewards[-1])
        if self.reading.alarmed(self.life) or len(self.paid) == len(self.word) > 0:
            return True
        at = self.life.agent.mdp.states.index(self.life.state)
        return bool(self.word) and not self.possible[len(self.paid), at]
