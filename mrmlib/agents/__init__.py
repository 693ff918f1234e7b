"""The two agents of the paper: Algorithm 1 (optimal) and Algorithm 2 (approximate), and the events of their lives."""

from . import events
from .agent import Agent
from .approximate import ApproximateAgent, AsPublished, Sound
from .best_words import good_word, highest_unsafe
from .chronicle import chronicle
from .events import Run
from .exploit import act_randomly, plan_observations, plan_rewards
from .life import Life
from .objectives import DiscountedSum, EpisodeReturn, Fixed, HighestOf, MeanPayoff, Rising
from .optimal import OptimalAgent
from .patience import AtMost, WhileItPays

__all__ = ["Agent", "ApproximateAgent", "AsPublished", "AtMost", "DiscountedSum", "EpisodeReturn", "Fixed",
           "HighestOf", "Life", "MeanPayoff", "OptimalAgent", "Rising", "Run", "Sound", "WhileItPays", "act_randomly",
           "chronicle", "events", "good_word", "highest_unsafe", "plan_observations", "plan_rewards"]
