"""The kinds of trial of the paper's experiments (§6): the treasure map, the cookie domain, and the rival learner there.

A trial is a function of frozen settings and a seed. Settings are plain values, so that a row can hold them: a choice is
named, and the tables below say what the name stands for. Whether a machine is exact is proved, not sampled. Learning
on cookies is timed by the processor's clock, so that others on the machine do not count.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..agents import ApproximateAgent, AsPublished, OptimalAgent, Sound, act_randomly, plan_observations, plan_rewards
from ..agents.agent import Agent
from ..agents.events import Acted, HypothesisBuilt
from ..conformance.suites import random_walks
from ..conformance.testers import SuiteTester
from ..domains import Domain, cookie, treasure_map
from ..environment import Environment, FilteredEnvironment
from ..experience.lived import Experience, OptimalExploration, PlannedExploration, RandomExploration
from ..experience.querying import QueryPlanner
from ..lstar import L_STAR, hypotheses
from ..mcts.search import ObservationPlanner, SearchSettings
from ..solve.exact import solve_mean_payoff
from ..synchronise import product
from ..table import ObservationTable
from ..tree import DiscriminationTree
from ..within.agreement import distinguish, minimal_within
from ..within.wordgraph import WordGraph
from ..words import Word
from .tabu import Objective, learn_by_optimisation
from .trials import Kind


def _one_of(names: Sequence[str], default: str) -> Any:
    """A setting with few possible values."""
    return field(default=default, metadata={"choices": tuple(names)})


LEARNERS = {"table": ObservationTable, "tree": DiscriminationTree}
READINGS = {"as_published": AsPublished, "sound": Sound}
EXPLORATIONS = {
    "tree_search": lambda domain, search: PlannedExploration(ObservationPlanner(domain.mdp, domain.labelling,
                                                                                settings=search)),
    "optimal": lambda domain, search: OptimalExploration(QueryPlanner(domain.mdp, domain.labelling)),
    "random": lambda domain, search: RandomExploration(tuple(domain.mdp.actions)),
}
EXPLOITATIONS = {"observations": plan_observations, "rewards": plan_rewards, "random": lambda search: act_randomly}


@dataclass(frozen=True)
class TreasureMap:
    """Settings of a life on the treasure map: Algorithm 1 ("optimal"), or Algorithm 2 in one of its readings.

    `explore` is how queries are lived. Algorithm 2 pursues words of `k` letters by `exploit`; "rewards" and "random"
    look at no word. Trajectories and depth are those of every tree search.
    """

    apf: float = 0.95
    agent: str = _one_of(("optimal", *READINGS), "as_published")
    explore: str = _one_of(tuple(EXPLORATIONS), "tree_search")
    exploit: str = _one_of(tuple(EXPLOITATIONS), "observations")
    learner: str = _one_of(tuple(LEARNERS), "table")
    k: int = 6
    trajectories: int = 100
    depth: int = 30
    actions: int = 2000
    checkpoint: int = 100


def agent_of(settings: TreasureMap, domain: Domain) -> Agent:
    """The agent that the settings describe."""
    search = SearchSettings(trajectories=settings.trajectories, depth=settings.depth)
    common = {"learner": LEARNERS[settings.learner], "explore": EXPLORATIONS[settings.explore](domain, search)}
    if settings.agent == "optimal":
        return OptimalAgent(domain.mdp, domain.labelling, max_nodes=len(domain.machine.nodes), **common)
    return ApproximateAgent(domain.mdp, domain.labelling, settings.k, reading=READINGS[settings.agent](),
                            exploit=EXPLOITATIONS[settings.exploit](search), epoch_starts=domain.epoch_starts, **common)


def treasure_map_trial(settings: TreasureMap, seed: int) -> dict[str, Any]:
    """Live on the treasure map: learn, exploit, and say what that took, what it earned and whether H is right.

    `reward_after` is the reward earned after each `checkpoint` exploitation actions. `value` is the best mean payoff in
    M ⊗ H, with certified bounds.

    >>> measures = treasure_map_trial(TreasureMap(agent="optimal", explore="optimal", actions=300), seed=0)
    >>> measures["exact"], measures["counterexamples"], len(measures["reward_after"])
    (True, 0, 3)
    """
    domain = treasure_map(settings.apf)
    world = Environment(domain.mdp, domain.labelling, domain.machine, seed)
    earned, known = [0.0], []
    for event, run in agent_of(settings, domain).watched(world, settings.actions, seed, every_action=True):
        if isinstance(event, Acted):
            earned.append(earned[-1] + event.reward)
        elif isinstance(event, HypothesisBuilt):
            known.append((run.learning_actions, len(event.machine.nodes)))
    best = solve_mean_payoff(product(domain.mdp, domain.labelling, run.machine))
    return {
        "total_reward": run.total_reward,
        "attempts": run.attempts,
        "learning_seconds": run.learning_seconds,
        "counterexamples": run.counterexamples,
        "spurious": run.spurious,
        "epochs": run.epochs,
        "exploitation_seconds": run.exploitation_seconds,
        "queries": run.queries,
        "learning_actions": run.learning_actions,
        "exploitation_actions": run.exploitation_actions,
        "resets": world.resets,
        "hypotheses": run.hypotheses,
        "exact": run.machine.equivalent(domain.machine),
        "nodes": len(run.machine.nodes),
        # Outward, to nine digits: the last bits of a linear solver are not the same on every machine.
        "value": round(best.value, 9),
        "lower": math.floor(best.lower * 1e9) / 1e9,
        "upper": math.ceil(best.upper * 1e9) / 1e9,
        "hypothesis_after": tuple(actions for actions, _ in known),
        "hypothesis_nodes": tuple(nodes for _, nodes in known),
        "reward_after": tuple(earned[settings.checkpoint::settings.checkpoint]),
    }


@dataclass(frozen=True)
class Cookie:
    """Settings of learning the cookie machine: how words that M cannot show are treated, and how words are lived.

    Tests come after each hypothesis: for "filtered", random words with `test_letters` letters in all; else every
    executable word with up to `test_length` letters. Both learner and tests live their words as `explore` says.
    """

    treatment: str = _one_of(("filtered", "constant", "dont_care"), "filtered")
    explore: str = _one_of(("random", "optimal"), "random")
    learner: str = _one_of(("table", "tree"), "table")
    test_letters: int = 200
    test_length: int = 5


def executable_words(graph: WordGraph, length: int) -> Iterator[Word]:
    """Every executable word with up to so many letters, shortest first."""
    layer: list[tuple[Word, tuple[int, ...]]] = [((), (0,))]
    for _ in range(length):
        layer = [((*word, graph.letters[z]), after) for word, places in layer for z in range(len(graph.letters))
                 if (after := graph.after(places, z))]
        yield from (word for word, _ in layer)


def learn_cookies(settings: Cookie, seed: int) -> tuple[Any, Experience, list[tuple[int, int]]]:
    """The machine learnt, what it took, and after how many actions each hypothesis of how many nodes was built."""
    domain, rng = cookie(), np.random.default_rng(seed)
    filtered, letters = settings.treatment == "filtered", domain.labelling.observations
    world = (FilteredEnvironment if filtered else Environment)(domain.mdp, domain.labelling, domain.machine, seed)
    planner = QueryPlanner(domain.mdp, domain.labelling)
    explore = RandomExploration(tuple(domain.mdp.actions)) if settings.explore == "random" else None
    experience = Experience(world, planner, explore, filtered=filtered, seed=rng)
    graph = WordGraph(domain.mdp, domain.labelling)
    experience.tester = SuiteTester(experience.rewards, lambda hypothesis: (
        random_walks(letters, settings.test_letters, seed=rng) if filtered
        else executable_words(graph, settings.test_length)))
    learner = {"table": L_STAR, "tree": DiscriminationTree}[settings.learner](letters, store=experience.store)
    known = []
    for hypothesis in hypotheses(experience, learner):
        known.append((experience.actions, len(hypothesis.nodes)))
    machine = hypothesis.minimal()
    if settings.treatment == "dont_care":
        machine = minimal_within(domain.mdp, domain.labelling, machine)
    return machine, experience, known


def cookie_trial(settings: Cookie, seed: int) -> dict[str, Any]:
    """Learn the cookie machine by living words, and say what that took and whether it is right within M.

    >>> cookie_trial(Cookie(), seed=0)["same_machine"]
    True
    """
    domain, began = cookie(), time.process_time()
    machine, experience, known = learn_cookies(settings, seed)
    seconds = time.process_time() - began
    return {
        "exact": distinguish(domain.mdp, domain.labelling, machine, domain.machine) is None,
        "same_machine": machine.equivalent(domain.machine),
        "nodes": len(machine.nodes),
        "proved_smallest": getattr(machine, "proved", None),
        "queries": experience.queries,
        "attempts": experience.attempts,
        "learning_actions": experience.actions,
        "actions_until_exact": known[-1][0],  # nothing refuted the last hypothesis; `exact` proves it right
        "resets": experience.environment.resets,
        "hypotheses": len(known),
        "learning_seconds": seconds,
    }


@dataclass(frozen=True)
class CookieByOptimisation:
    """Settings of the rival learner on the cookie domain; `weight_…` are those of its objective."""

    u_max: int = 4
    weight_observations: float = 0.0
    weight_rewards: float = 1.0
    steps: int = 100
    first: int = 2_000
    quiet: int = 20_000
    limit: int = 200_000
    episode: int = 500


def cookie_by_optimisation(settings: CookieByOptimisation, seed: int) -> dict[str, Any]:
    """Learn the cookie machine from random traces by tabu search, and say what that took and whether it is right.

    >>> measures = cookie_by_optimisation(CookieByOptimisation(u_max=2), seed=0)
    >>> measures["nodes"], measures["exact"]
    (2, True)
    """
    domain, rng = cookie(), np.random.default_rng(seed)
    world = Environment(domain.mdp, domain.labelling, domain.machine, seed=rng)
    began = time.process_time()
    learnt = learn_by_optimisation(
        world, domain.mdp.actions, domain.labelling.observations, settings.u_max, rng, first=settings.first,
        quiet=settings.quiet, limit=settings.limit, episode=settings.episode, steps=settings.steps,
        objective=Objective(settings.weight_observations, settings.weight_rewards))
    seconds = time.process_time() - began
    exact = distinguish(domain.mdp, domain.labelling, learnt.machine, domain.machine) is None
    return {
        "exact": exact,
        "nodes": len(learnt.machine.nodes),
        "learning_actions": learnt.actions,
        "actions_until_exact": learnt.history[-1][0] if exact else None,  # an exact machine is never contradicted
        "resets": world.resets,
        "searches": len(learnt.history),
        "predicts_all": learnt.predicts_all,
        "learning_seconds": seconds,
    }


TRIALS: dict[str, Kind] = {kind.name: kind for kind in (
    Kind("treasure_map", TreasureMap, treasure_map_trial, warm_up=TreasureMap(actions=100)),
    Kind("cookie", Cookie, cookie_trial, warm_up=Cookie()),
    Kind("cookie_by_optimisation", CookieByOptimisation, cookie_by_optimisation,
         warm_up=CookieByOptimisation(first=500, limit=500, steps=1)),
)}
"""The kinds of trial, by name."""
