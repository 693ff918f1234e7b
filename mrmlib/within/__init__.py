"""What M can show (paper, §5.1, guarantees): executable words, and machines that agree on all of them.

`wordgraph` is M seen through λ, `agreement` compares machines on it, `candidates` are all machines with n nodes.
"""

from .agreement import SmallestMachine, distinguish, executable, minimal_within
from .wordgraph import WordGraph

__all__ = ["SmallestMachine", "WordGraph", "distinguish", "executable", "minimal_within"]
