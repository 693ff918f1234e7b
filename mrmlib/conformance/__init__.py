"""Conformance testing (paper, §3 and §5.1): try to refute a hypothesis.

`suites` are words worth testing, `testers` live them, and `rivals` is the tester that is complete relative to M.
"""

from .rivals import CompleteTester
from .suites import random_walks, random_words, w_method, wp_method
from .testers import ChainTester, SuiteTester, up_to

__all__ = ["ChainTester", "CompleteTester", "SuiteTester", "random_walks", "random_words", "up_to", "w_method",
           "wp_method"]
