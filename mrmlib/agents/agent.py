"""What the two agents have in common (paper, Algorithms 1 and 2): they know M and λ, learn by living words, and use H.

An agent is a set of choices; what happens to it is its `Life`, a stream of events, and a run is their sum.
"""

import math
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from ..environment import Environment
from ..experience.lived import ACTIONS, Exploration
from ..experience.querying import QueryPlanner
from ..labelling import Labelling
from ..learner import Learner
from ..machine import MealyRewardMachine
from ..nrmdp import NRMDP
from ..store import Store
from ..table import ObservationTable
from ..within.wordgraph import WordGraph
from ..words import Word
from .events import Event, Run, summed
from .life import Events, Life
from .objectives import MeanPayoff
from .progress import REPORT, Progress, on_terminal, reporting


class Agent:
    """An agent that knows M and λ; a subclass says how it uses a hypothesis.

    `learner` makes an observation table or a discrimination tree; `explore` is how a query is lived (by the optimal
    query strategy unless given). A word that M cannot show is answered with `impossible` from its first impossible
    letter on. An attempt that could only go on for ever ends with a reset. `attempts` and `actions` bound
    what one query may take, `episode_actions` an episode, where `explore` might lose its way. Learning is free, as in
    the paper, or its actions are taken from those of exploitation.

    >>> from mrmlib import domains
    >>> world = domains.treasure_map()
    >>> class Student(Agent):
    ...     def use(self, life, hypothesis):
    ...         yield from ()
    ...         return f"learnt {len(hypothesis.nodes)} nodes"
    >>> run = Student(world.mdp, world.labelling).run(Environment(world.mdp, world.labelling, world.machine, seed=1))
    >>> run.outcome, run.queries, run.exploitation_actions
    ('learnt 6 nodes', 216, 0)
    """

    objective: Any = MeanPayoff()

    def __init__(self, mdp: NRMDP, labelling: Labelling, *, learner: Callable[..., Learner] = ObservationTable,
                 explore: Exploration | None = None, impossible: float = 0.0, attempts: float = math.inf,
                 actions: float = ACTIONS, episode_actions: float = math.inf, free_learning: bool = True) -> None:
        self.mdp, self.labelling, self.learner, self.impossible = mdp, labelling, learner, impossible
        self.budgets, self.free_learning = {"attempts": attempts, "actions": actions}, free_learning
        self.planner, self.graph = QueryPlanner(mdp, labelling), WordGraph(mdp, labelling)
        self.explore = explore and _giving_up(explore, self.planner, episode_actions)

    def run(self, environment: Environment, exploitation_actions: int = 2000, seed: int = 0,
            resume: Run | None = None, *, progress: bool = False) -> Run:
        """The sum of a life in `environment`; an interrupt ends it early, with everything learnt so far.

        Any error has the sum so far as its `run`, and `resume=error.run` goes on from there. `progress`: a line on
        standard error tells what the agent is doing.
        """
        with reporting(on_terminal) if progress else nullcontext():
            lived = self.watched(environment, exploitation_actions, seed, resume=resume)
            run = deque(lived, maxlen=1).pop()[1]
        if progress:
            print(file=sys.stderr)
        return run

    def watched(self, environment: Environment, exploitation_actions: int = 2000, seed: int = 0, *,
                every_action: bool = False, resume: Run | None = None) -> Iterator[tuple[Event, Run]]:
        """A life, event by event, each with the sum so far; single actions are events too if `every_action`."""
        life = self.life(environment, exploitation_actions, seed, every_action=every_action, resume=resume)
        report = REPORT.get()
        return summed(life.events(), life.begun, report and Progress(life, report).see)

    def life(self, environment: Environment, exploitation_actions: int = 2000, seed: int = 0, *,
             every_action: bool = False, resume: Run | None = None) -> Life:
        """A life, to be lived by reading its events.

        One that resumes another asks nothing that the other has learnt, and has its actions left.
        """
        begun = resume or Run()
        store = Store(self.labelling.observations) if begun.store is None else deepcopy(begun.store)
        return Life(self, environment, exploitation_actions, seed, replace(begun, store=store), every_action)

    def begin(self, life: Life) -> Events:
        """What comes before learning: nothing."""
        yield from ()

    def use(self, life: Life, hypothesis: MealyRewardMachine) -> Events:
        """Use H; return a word that contradicts it (empty: H is stale), or, as a string, the outcome of the life."""
        raise NotImplementedError

    def random_action(self, rng: np.random.Generator) -> Hashable:
        """Any action."""
        return self.mdp.actions[rng.integers(len(self.mdp.actions))]


def _giving_up(explore: Exploration, planner: QueryPlanner, actions: float) -> Exploration:
    """As `explore`, but with a reset where it could only go on for ever, and after so many actions in a row;
    never at s0 with nothing observed.
    """
    initial, index = planner.mdp.initial, planner.mdp.states.index

    def explored(word: Word, rng: np.random.Generator) -> Callable[[Hashable, int], Hashable | None]:
        pursue, done, can_end = explore(word, rng), 0, planner.can_end(word)

        def action(state: Hashable, node: int) -> Hashable | None:
            nonlocal done
            if (done >= actions or not can_end[node, index(state)]) and (state, node) != (initial, 0):
                done = 0
                return None
            done += 1
            return pursue(state, node)

        return action

    return explored
