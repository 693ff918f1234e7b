"""The rival: L* in the same world as the player, as Algorithm 1's agent, and what it took to find the machine."""

from collections.abc import Callable
from typing import Any

from ...agents.events import Run
from ...agents.optimal import OptimalAgent
from ...domains import Domain
from ...environment import Environment
from ...within.agreement import SmallestMachine, minimal_within
from ..watch.story import Attended, Story

CONFLICTS = 2000  # of the solver in one question, so that a stop never waits long


class Rival:
    """An agent that only learns, in a fresh copy of the world; it may be looked at while it does.

    It is told how many nodes are needed in this world, so that it knows when to stop asking.

    >>> from mrmlib import domains
    >>> rival = Rival(domains.treasure_map(), seed=0)
    >>> rival.learn(lambda: None)
    >>> rival.score()["actions"] > 1000, len(rival.smallest.nodes)
    (True, 6)
    """

    def __init__(self, domain: Domain, seed: int = 0) -> None:
        self.domain, self.seed, self.run = domain, seed, Run()
        self.world = Environment(domain.mdp, domain.labelling, domain.machine, seed)
        self.smallest: SmallestMachine | None = None

    def learn(self, tick: Callable[[], None]) -> None:
        """Live until the machine is found, or until `tick`, called before every step, says to stop."""
        M, lam = self.domain.mdp, self.domain.labelling
        needed = len(minimal_within(M, lam, self.domain.machine, CONFLICTS).nodes)
        agent = OptimalAgent(M, lam, max_nodes=needed, conflicts=CONFLICTS)
        for _, run in agent.watched(Attended(self.world, Story(), tick), 0, self.seed):
            self.run = run
        if self.run.machine is not None:
            self.smallest = minimal_within(M, lam, self.run.machine, CONFLICTS)

    def score(self) -> dict[str, Any]:
        """What it took so far, for a table."""
        known = 0 if self.run.store is None else len(self.run.store)
        return {"actions": self.world.actions, "resets": self.world.resets, "words known": known,
                "machines proposed": self.run.hypotheses, "earned": round(self.run.learning_reward, 6)}
