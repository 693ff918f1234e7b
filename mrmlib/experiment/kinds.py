"""The kinds of trial: lives on the treasure map and in any domain, learning on cookies (paper, §6), and its rival.

A trial is a function of frozen settings and a seed. Settings are plain values, so that a row can hold them. Whether a
machine is exact is proved, not sampled. Learning on cookies is timed by the processor's clock, so that others on the
machine do not count.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..conformance.suites import random_walks
from ..conformance.testers import SuiteTester
from ..domains import cookie
from ..environment import Environment, FilteredEnvironment
from ..experience.lived import Experience, RandomExploration
from ..experience.querying import QueryPlanner
from ..lstar import L_STAR, hypotheses
from ..tree import DiscriminationTree
from ..within.agreement import distinguish, minimal_within
from ..within.wordgraph import WordGraph
from ..words import Word
from .lives import Life, TreasureMap, agent_of, life_trial, one_of, treasure_map_trial
from .tabu import Objective, learn_by_optimisation
from .trials import Kind

__all__ = ["TRIALS", "Cookie", "CookieByOptimisation", "Life", "TreasureMap", "agent_of", "cookie_by_optimisation",
           "cookie_trial", "executable_words", "learn_cookies", "life_trial", "treasure_map_trial"]


@dataclass(frozen=True)
class Cookie:
    """Settings of learning the cookie machine: how words that M cannot show are treated, and how words are lived.

    Tests come after each hypothesis: for "filtered", random words with `test_letters` letters in all; else every
    executable word with up to `test_length` letters. Both learner and tests live their words as `explore` says.
    """

    treatment: str = one_of(("filtered", "constant", "dont_care"), "filtered")
    explore: str = one_of(("random", "optimal"), "random")
    learner: str = one_of(("table", "tree"), "table")
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
    Kind("life", Life, life_trial, warm_up=Life(actions=100)),
    Kind("cookie", Cookie, cookie_trial, warm_up=Cookie()),
    Kind("cookie_by_optimisation", CookieByOptimisation, cookie_by_optimisation,
         warm_up=CookieByOptimisation(first=500, limit=500, steps=1)),
)}
"""The kinds of trial, by name."""
