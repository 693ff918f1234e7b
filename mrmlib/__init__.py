"""Learning non-Markovian reward models in MDPs (Rens & Raskin), as a small library.

An agent knows how its world moves, an nrMDP M with a labelling λ, but not how it pays: a hidden Mealy machine reads
what the agent observes and pays for it.
"""

from . import domains
from .agents import ApproximateAgent, OptimalAgent, Run
from .environment import Environment, FilteredEnvironment
from .errors import FormatError, ModelError, MrmError, NondeterminismError, QueryError
from .experience import Experience
from .labelling import Labelling
from .machine import MealyRewardMachine
from .nrmdp import MDP, NRMDP
from .querying import query_strategy
from .solve import (
    Solution,
    evaluate_discounted,
    evaluate_mean_payoff,
    expected_return,
    follow,
    solve_discounted,
    solve_finite,
    solve_mean_payoff,
)
from .store import Store
from .synchronise import product
from .words import NULL, InteractionTrace, discounted_sum, mean_payoff

__version__ = "0.1.0"
