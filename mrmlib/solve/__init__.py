"""Exact strategies with certified bounds (paper, §4 and §5.1): discounted sum, mean payoff, n actions.

`exact` has the optimum and `follow` what a given strategy earns; the work is done in `howard` (policy iteration) on
`chains` (linear equations) and `components` (end components), `twins` merges what need not be told apart, and `certify`
proves the bounds. `worth` is for an agent that does not see the whole state.
"""

from .exact import (
    Solution,
    backward_induction,
    evaluate_discounted,
    evaluate_mean_payoff,
    expected_return,
    policy_iteration,
    solve_discounted,
    solve_finite,
    solve_mean_payoff,
)
from .follow import follow

__all__ = ["Solution", "backward_induction", "evaluate_discounted", "evaluate_mean_payoff", "expected_return", "follow",
           "policy_iteration", "solve_discounted", "solve_finite", "solve_mean_payoff"]
