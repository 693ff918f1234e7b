"""Experience (paper, getExperience): how a membership query is answered by acting.

`lived` lives a word, `querying` finds the strategy that does it best by solving an `episode` exactly, and `walking`
learns without going back to s0 for every question.
"""

from .lived import Experience, Lived, OptimalExploration, PlannedExploration, RandomExploration, live, live_all
from .querying import QueryPlanner, QueryStrategy, expected_actions_random, query_strategy
from .walking import learn_by_walking

__all__ = ["Experience", "Lived", "OptimalExploration", "PlannedExploration", "QueryPlanner", "QueryStrategy",
           "RandomExploration", "expected_actions_random", "learn_by_walking", "live", "live_all", "query_strategy"]
