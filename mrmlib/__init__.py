"""Learning non-Markovian reward models in MDPs (Rens & Raskin), as a small library.

An agent knows how its world moves, an nrMDP M with a labelling λ, but not how it pays: a hidden Mealy machine reads
what the agent observes and pays for it.
"""

from . import agents, domains
from .agents import ApproximateAgent, OptimalAgent, Run
from .conformance.rivals import CompleteTester
from .conformance.suites import random_walks, random_words, w_method, wp_method
from .conformance.testers import ChainTester, SuiteTester
from .counterexample import all_prefixes, rivest_schapire, shahbaz_groz
from .environment import Environment, FilteredEnvironment
from .errors import BoundError, BudgetError, FormatError, ModelError, MrmError, NondeterminismError, QueryError
from .experience.lived import Experience, OptimalExploration, PlannedExploration, RandomExploration, live
from .experience.querying import QueryPlanner, QueryStrategy, query_strategy
from .experience.walking import learn_by_walking
from .labelling import Labelling
from .learner import Learner
from .lstar import LearningResult, hypotheses, learn
from .machine import MealyRewardMachine
from .mcts.search import ObservationPlanner, RewardPlanner, SearchSettings, SearchTree
from .nrmdp import MDP, NRMDP
from .solve.exact import (
    Solution,
    backward_induction,
    evaluate_discounted,
    evaluate_mean_payoff,
    expected_return,
    follow,
    policy_iteration,
    solve_discounted,
    solve_finite,
    solve_mean_payoff,
)
from .store import Store
from .synchronise import product
from .table import ObservationTable
from .teacher import MachineTeacher, Teacher
from .tree import DiscriminationTree
from .within.agreement import distinguish, executable, minimal_within
from .words import NULL, InteractionTrace, discounted_sum, mean_payoff

__version__ = "0.1.0"
