"""Conformance testing (paper, §3 and §5.1): a tester looks for a word on which the hidden machine does not pay what the
hypothesis H pays.

A tester has one method, `counterexample(H)`, as a teacher has. It returns a word, cut after the first wrong reward, or
None; what None proves is up to the tester. `CompleteTester` of `rivals` is another one.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

from ..machine import MealyRewardMachine
from ..words import Word
from .rivals import Answers, refuted
from .suites import Suite


class ConformanceTester(Protocol):
    """Whoever tries to refute a hypothesis."""

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """A word for which H pays wrongly, or None, which proves nothing unless the tester says so."""


class SuiteTester:
    """Asks the words that `suite` makes for a hypothesis, in their order.

    None proves that H pays rightly for these words, and no more than the suite promises: for `wp_method` with e extra
    nodes that H is right if the hidden machine has at most e nodes more than H; for random words nothing.

    >>> from mrmlib.conformance.suites import wp_method
    >>> hidden = MealyRewardMachine({("u", "a"): ("v", 1.0), ("v", "a"): ("v", 2.0)}, "u")
    >>> H = MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u")
    >>> SuiteTester(hidden.rewards, wp_method).counterexample(H)  # one node: rightly so for all that it can see
    >>> SuiteTester(hidden.rewards, up_to(2, wp_method)).counterexample(H)
    ('a', 'a')
    """

    def __init__(self, rewards: Answers, suite: Callable[[MealyRewardMachine], Iterable[Word]]) -> None:
        self.rewards, self.suite = rewards, suite

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """The first word of the suite for which H pays wrongly, cut after the first wrong reward, or None."""
        answers = ((word, self.rewards(word)) for word in self.suite(hypothesis))
        return next((wrong for word, paid in answers if (wrong := refuted(hypothesis, word, paid))), None)


class ChainTester:
    """Several testers, one after the other: cheap ones first. None proves what the strongest None among them proves.

    >>> from mrmlib.conformance.suites import wp_method
    >>> hidden = MealyRewardMachine({("u", "a"): ("v", 1.0), ("v", "a"): ("v", 2.0)}, "u")
    >>> cheap, dear = SuiteTester(hidden.rewards, wp_method), SuiteTester(hidden.rewards, up_to(2, wp_method))
    >>> ChainTester(cheap, dear).counterexample(MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u"))
    ('a', 'a')
    """

    def __init__(self, *testers: ConformanceTester) -> None:
        self.testers = testers

    def counterexample(self, hypothesis: MealyRewardMachine) -> Word | None:
        """The first counter-example that a tester finds, or None."""
        return next((word for tester in self.testers
                     if (word := tester.counterexample(hypothesis)) is not None), None)


def up_to(max_nodes: int, method: Callable[[MealyRewardMachine, int], Suite]) -> Callable[[MealyRewardMachine], Suite]:
    """The suite of a method for all machines with at most `max_nodes` nodes, whatever the size of H.

    A hypothesis with more nodes is an error: then no machine within the bound is right.

    >>> from mrmlib.conformance.suites import w_method
    >>> H = MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u")
    >>> list(up_to(3, w_method)(H)) == list(w_method(H, 2))
    True
    """
    return lambda hypothesis: method(hypothesis, max_nodes - len(hypothesis.minimal().nodes))
