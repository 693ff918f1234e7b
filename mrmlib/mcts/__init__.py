"""Monte Carlo tree search (paper, §5.2, Plan): settings, planners and trees in `search`, the compiled loop in `uct`."""

from .search import FinalChoice, Following, ObservationPlanner, RewardPlanner, SearchSettings, SearchTree, Uniform

__all__ = ["FinalChoice", "Following", "ObservationPlanner", "RewardPlanner", "SearchSettings", "SearchTree", "Uniform"]
