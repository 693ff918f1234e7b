"""How much living (paper, getExperience) it takes to learn the exact machine of the treasure map: a kind of trial, one
setting for each way.

A way joins a learner with a strategy that lives its queries, or is the walker, which asks none. Counter-examples come
from a teacher that knows the machine and cost nothing, so what is counted is learning alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from .. import domains
from ..environment import Environment
from ..experience.lived import Experience, Exploration, OptimalExploration, PlannedExploration
from ..experience.querying import QueryPlanner
from ..experience.walking import learn_by_walking
from ..labelling import Labelling
from ..learner import Learner
from ..lstar import hypotheses
from ..machine import MealyRewardMachine
from ..mcts.search import ObservationPlanner
from ..nrmdp import NRMDP
from ..store import Store
from ..table import ObservationTable
from ..teacher import MachineTeacher
from ..tree import DiscriminationTree
from ..words import Word
from .trials import Kind

Learnt = tuple[MealyRewardMachine, int, int]
"""The machine, and how many membership and equivalence queries it took."""


def _by_queries(learner: type[Learner], explore: Callable[[NRMDP, Labelling], Exploration], mdp: NRMDP,
                labelling: Labelling, environment: Environment, teacher: MachineTeacher, seed: int) -> Learnt:
    store = Store(labelling.observations)
    experience = Experience(environment, QueryPlanner(mdp, labelling), explore(mdp, labelling), store,
                            tester=teacher, seed=seed)
    learning = learner(labelling.observations, store=store)
    guesses = sum(1 for _ in hypotheses(experience, learning))
    return learning.hypothesis(experience.null_reward), experience.queries, guesses


def _by_walking(mdp: NRMDP, labelling: Labelling, environment: Environment, teacher: MachineTeacher,
                seed: int) -> Learnt:
    walk = learn_by_walking(environment, QueryPlanner(mdp, labelling), teacher)
    return walk.machine, 0, walk.equivalence_queries


def _mcts(mdp: NRMDP, labelling: Labelling) -> PlannedExploration:
    return PlannedExploration(ObservationPlanner(mdp, labelling))


def _optimal(mdp: NRMDP, labelling: Labelling) -> OptimalExploration:
    return OptimalExploration(QueryPlanner(mdp, labelling))


WAYS: dict[str, Callable[..., Learnt]] = {
    "table, MCTS": partial(_by_queries, ObservationTable, _mcts),
    "table, optimal": partial(_by_queries, ObservationTable, _optimal),
    "tree, MCTS": partial(_by_queries, DiscriminationTree, _mcts),
    "tree, optimal": partial(_by_queries, DiscriminationTree, _optimal),
    "walking": _by_walking,
}
"""The ways to learn, the paper's first: L* with its table, each query lived by tree search at the paper's settings."""


@dataclass(frozen=True)
class Living:
    """Settings: the way, the precision of actions, and whether the seed also shuffles the order in which Z is declared.

    That order breaks ties, so it moves the count of every way; the one in which a domain happens to be written is luck.
    """

    way: str = field(default="tree, optimal", metadata={"choices": tuple(WAYS)})
    apf: float = 0.95
    shuffled: bool = False


def living(settings: Living, seed: int) -> dict[str, Any]:
    """Learn the treasure map by living it, and say what that took and whether the machine is right.

    >>> measures = living(Living("tree, optimal", apf=1.0), seed=0)
    >>> measures["exact"], measures["queries"] == measures["resets"]
    (True, True)
    """
    world = domains.treasure_map(settings.apf)
    letters = list(world.labelling.observations)
    if settings.shuffled:
        np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,))).shuffle(letters)
    labelling = Labelling(world.labelling.function, letters)
    environment = Environment(world.mdp, labelling, world.machine, seed)
    machine, queries, guesses = WAYS[settings.way](world.mdp, labelling, environment, MachineTeacher(world.machine),
                                                   seed)
    return {"exact": machine.equivalent(world.machine), "actions": environment.actions, "resets": environment.resets,
            "queries": queries, "equivalence_queries": guesses}


def asked(learner: type[Learner], machine: MealyRewardMachine) -> list[Word]:
    """The words that a learner asks until it has the machine, if nothing is known but answers and counter-examples.

    >>> asked(DiscriminationTree, MealyRewardMachine({("u", "a"): ("v", 1.0), ("v", "a"): ("u", 1.5)}, "u"))
    [('a',), ('a', 'a', 'a')]
    """
    learning, words = learner(machine.observations), []
    while True:
        while (word := learning.next_query()) is not None:
            words.append(word)
            learning.resolve(word, machine.rewards(word))
        wrong = machine.difference(learning.hypothesis())
        if wrong is None:
            return words
        learning.add_counterexample(wrong, machine.rewards(wrong))


LIVING = Kind("living", Living, living, warm_up=Living("table, MCTS", apf=1.0))
