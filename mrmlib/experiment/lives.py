"""Lives (paper, §6.1, on any domain): an agent in a domain, as a trial. It learns, exploits, and what that took and
earned is measured.

Settings are plain values, so that a row can hold them: a choice is named, and the tables below say what the name stands
for. Whether a machine is exact is proved, not sampled.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..agents import ApproximateAgent, AsPublished, OptimalAgent, Sound, act_randomly, plan_observations, plan_rewards
from ..agents.agent import Agent
from ..agents.events import Acted, HypothesisBuilt
from ..agents.patience import AtMost
from ..domains import Domain, read_settings, registry, treasure_map
from ..environment import Environment
from ..errors import BudgetError
from ..experience.lived import OptimalExploration, PlannedExploration, RandomExploration
from ..experience.querying import QueryPlanner
from ..machine import MealyRewardMachine
from ..mcts.search import ObservationPlanner, SearchSettings
from ..solve.exact import solve_mean_payoff
from ..synchronise import product
from ..table import ObservationTable
from ..tree import DiscriminationTree
from ..within.agreement import distinguish


def one_of(names: Sequence[str], default: str) -> Any:
    """A setting with few possible values.

    >>> one_of(("table", "tree"), "table").default
    'table'
    """
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


@dataclass(frozen=True, kw_only=True)
class AgentSettings:
    """Settings of an agent: Algorithm 1 ("optimal"), or Algorithm 2 in one of its readings.

    `explore` is how queries are lived. Algorithm 2 pursues words of `k` letters by `exploit`; "rewards" and "random"
    look at no word. Trajectories and depth are those of every tree search.
    """

    agent: str = one_of(("optimal", *READINGS), "as_published")
    explore: str = one_of(tuple(EXPLORATIONS), "tree_search")
    exploit: str = one_of(tuple(EXPLOITATIONS), "observations")
    learner: str = one_of(tuple(LEARNERS), "table")
    k: int = 6
    trajectories: int = 100
    depth: int = 30
    actions: int = 2000
    checkpoint: int = 100
    episode_actions: ClassVar[float] = math.inf  # the paper sets no limit, neither here
    tests: ClassVar[int | None] = None  # nor there


@dataclass(frozen=True)
class TreasureMap(AgentSettings):
    """Settings of a life on the treasure map: how precise its actions are, and the agent."""

    apf: float = 0.95


@dataclass(frozen=True, kw_only=True)
class Life(AgentSettings):
    """Settings of a life in a domain of the registry, made with `options` such as "apf=0.75,c=0", and the agent.

    In any world there may be ways of no return and proofs without end: an attempt at a query is given up after
    `episode_actions`, and Algorithm 1 tests each hypothesis with at most so many words as `tests` says.
    """

    domain: str = "treasure_map"
    options: str = ""
    episode_actions: int = 1000
    tests: int = 100
    agent: str = one_of(("optimal", *READINGS), "optimal")
    explore: str = one_of(tuple(EXPLORATIONS), "optimal")

    def __post_init__(self) -> None:
        read_settings(self.domain, self.options)  # raises where there is no such domain or no such option


def agent_of(settings: AgentSettings, domain: Domain) -> Agent:
    """The agent that the settings describe."""
    search = SearchSettings(trajectories=settings.trajectories, depth=settings.depth)
    common = {"learner": LEARNERS[settings.learner], "explore": EXPLORATIONS[settings.explore](domain, search),
              "episode_actions": settings.episode_actions}
    if settings.agent == "optimal":
        return OptimalAgent(domain.mdp, domain.labelling, max_nodes=len(domain.machine.nodes),
                            patience=None if settings.tests is None else AtMost(settings.tests), **common)
    return ApproximateAgent(domain.mdp, domain.labelling, settings.k, reading=READINGS[settings.agent](),
                            exploit=EXPLOITATIONS[settings.exploit](search), epoch_starts=domain.epoch_starts, **common)


def treasure_map_trial(settings: TreasureMap, seed: int) -> dict[str, Any]:
    """Live on the treasure map: learn, exploit, and say what that took, what it earned and whether H is right.

    >>> measures = treasure_map_trial(TreasureMap(agent="optimal", explore="optimal", actions=300), seed=0)
    >>> measures["exact"], measures["counterexamples"], len(measures["reward_after"])
    (True, 0, 3)
    """
    return _measures(treasure_map(settings.apf), settings, seed)


def life_trial(settings: Life, seed: int) -> dict[str, Any]:
    """Live in any domain, your own too: learn, exploit, and say what that took, what it earned and whether H is right.

    >>> measures = life_trial(Life(domain="assembly", options="precision=1", actions=320), seed=0)
    >>> measures["exact"], measures["value"] == 29 / 16  # a pack pays 29 and takes 16 moves
    (True, True)
    """
    return _measures(registry()[settings.domain](**read_settings(settings.domain, settings.options)), settings, seed)


def _measures(domain: Domain, settings: AgentSettings, seed: int) -> dict[str, Any]:
    """The measures of a life in a domain.

    `reward_after` is the reward earned after each `checkpoint` exploitation actions. `value` is the best mean payoff in
    M ⊗ H, with certified bounds.
    """
    world = Environment(domain.mdp, domain.labelling, domain.machine, seed)
    earned, known = [0.0], []
    for event, run in agent_of(settings, domain).watched(world, settings.actions, seed, every_action=True):
        if isinstance(event, Acted):
            earned.append(earned[-1] + event.reward)
        elif isinstance(event, HypothesisBuilt):
            known.append((run.learning_actions, len(event.machine.nodes)))
    if run.outcome == "interrupted":  # the agent gives what it has: too little for a trial
        raise KeyboardInterrupt
    if run.machine is None:
        raise BudgetError(f"no hypothesis in {domain.name}: {run.outcome}")
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
        "exact": _pays_alike(domain, run.machine),
        "nodes": len(run.machine.nodes),
        # Outward, to nine digits: the last bits of a linear solver are not the same on every machine.
        "value": round(best.value, 9),
        "lower": math.floor(best.lower * 1e9) / 1e9,
        "upper": math.ceil(best.upper * 1e9) / 1e9,
        "hypothesis_after": tuple(actions for actions, _ in known),
        "hypothesis_nodes": tuple(nodes for _, nodes in known),
        "reward_after": tuple(earned[settings.checkpoint::settings.checkpoint]),
    }


def _pays_alike(domain: Domain, machine: MealyRewardMachine) -> bool:
    """Is the machine right within M, for nulls too wherever M shows one?"""
    return distinguish(domain.mdp, domain.labelling.with_null_as_letter(),
                       machine.with_null_as_letter(), domain.machine.with_null_as_letter()) is None
