"""What an agent wants (paper, §4 and §5.1): an objective UM, and a threshold θ in its units.

ρ is the highest return observed so far and ρ̇ its last increase, both over the epochs that have ended.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

from ..errors import ModelError
from ..nrmdp import MDP
from ..solve.episodes import solve_episode, with_resets
from ..solve.exact import Solution, solve_discounted, solve_mean_payoff
from ..words import check_discount, discounted_sum, mean_payoff


@dataclass(frozen=True)
class MeanPayoff:
    """The long-run average of the rewards.

    >>> MeanPayoff().of((1.0, 2.0))
    1.5
    """

    def solve(self, mdp: MDP) -> Solution:
        """The optimum."""
        return solve_mean_payoff(mdp)

    def play(self, mdp: MDP, null_reward: float = 0.0, reset_actions: int = 0) -> Solution:
        """The optimum, as in the paper without resets; but where that leaves nothing to be won in the long run, the
        world is episodic, and a player may reset once an episode is over.
        """
        lasting = solve_mean_payoff(mdp).value > null_reward + 1e-9 * abs(mdp.rewards).max()
        return self.solve(mdp if lasting else with_resets(mdp, null_reward, reset_actions))

    def of(self, rewards: Sequence[float]) -> float:
        """The return of a finite trace."""
        return mean_payoff(rewards)


@dataclass(frozen=True)
class DiscountedSum(MeanPayoff):
    """The sum of the rewards, the i-th of them weighed γ^i.

    >>> DiscountedSum(0.5).of((1.0, 2.0))
    1.0
    """

    gamma: float

    def __post_init__(self) -> None:
        check_discount(self.gamma)

    def solve(self, mdp: MDP) -> Solution:
        """The optimum."""
        return solve_discounted(mdp, self.gamma)

    def of(self, rewards: Sequence[float]) -> float:
        """The return of a finite trace."""
        return discounted_sum(rewards, self.gamma)


@dataclass(frozen=True)
class EpisodeReturn(MeanPayoff):
    """The sum of the rewards of one episode, which the agent ends when it likes; for worlds that end.

    >>> EpisodeReturn().of((1.0, 2.0))
    3.0
    """

    def solve(self, mdp: MDP) -> Solution:
        """The optimum."""
        return solve_episode(mdp)

    def play(self, mdp: MDP, null_reward: float = 0.0, reset_actions: int = 0) -> Solution:
        """The optimum: what comes after a reset, and what a reset takes, does not count."""
        return self.solve(mdp)

    def of(self, rewards: Sequence[float]) -> float:
        """The return of a finite trace."""
        return math.fsum(rewards)


@dataclass(frozen=True)
class Fixed:
    """θ as given.

    >>> Fixed(7.0)(returns=())
    7.0
    """

    theta: float
    pretrials: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.theta, Real) or math.isnan(self.theta):
            raise ModelError(f"the threshold θ is {self.theta!r}, not a number")

    def __call__(self, returns: Sequence[float]) -> float:
        """θ after epochs with these returns."""
        return self.theta


@dataclass(frozen=True)
class HighestOf:
    """θ from a pre-trial phase: the highest return of that many epochs of random actions.

    >>> HighestOf(pretrials=2)(returns=(1.0, 3.0, 9.0))
    3.0
    """

    pretrials: int

    def __post_init__(self) -> None:
        if self.pretrials < 1:
            raise ModelError(f"a pre-trial phase has at least one epoch, not {self.pretrials}")

    def __call__(self, returns: Sequence[float]) -> float:
        """θ after epochs with these returns."""
        return max(returns[:self.pretrials])


@dataclass(frozen=True)
class Rising:
    """θ = ρ + β·ρ̇, which rises with what has been achieved; minus infinity before the first epoch has ended.

    >>> Rising(beta=0.5)(returns=(1.0, 0.0, 3.0, 2.0))
    4.0
    """

    beta: float
    pretrials: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.beta <= 1:
            raise ModelError(f"β must lie between 0 and 1, not {self.beta}")

    def __call__(self, returns: Sequence[float]) -> float:
        """θ after epochs with these returns."""
        highest, increase = -math.inf, 0.0
        for value in returns:
            if value > highest:
                highest, increase = value, value - highest if math.isfinite(highest) else 0.0
        return highest + self.beta * increase
