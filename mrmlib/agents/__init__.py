"""The two agents of the paper: Algorithm 1 (optimal) and Algorithm 2 (approximate), and the events of their lives."""

from . import events
from .approximate import ApproximateAgent, AsPublished, Sound, act_randomly, good_word, plan_observations, plan_rewards
from .events import Run
from .objectives import DiscountedSum, Fixed, HighestOf, MeanPayoff, Rising
from .optimal import OptimalAgent

__all__ = ["ApproximateAgent", "AsPublished", "DiscountedSum", "Fixed", "HighestOf", "MeanPayoff", "OptimalAgent",
           "Rising", "Run", "Sound", "act_randomly", "events", "good_word", "plan_observations", "plan_rewards"]
