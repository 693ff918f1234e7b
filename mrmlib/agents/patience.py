"""When to stop testing and start playing, where learning is not free: the paper's future work.

Let m actions be left, g be what the best strategy for H earns per action if H is right, h what an action of learning
has earned so far, d the actions that the next test takes on average, and t the tests that H has passed in a row. Two
assumptions. The tests are alike: after t of them the next one fails with chance 1/(t + 2) (Laplace's rule of
succession). And what is still hidden is worth at most κ times what was found: a better machine would earn κ·(g − h)
per action more. Then the next test brings at most κ·(g − h)·(m − d)/(t + 2) on average and costs d·(g − h). It is worth
its cost while κ·(m − d) > d·(t + 2), or while playing earns no more than learning. So an H that plays well is tested
with about a share κ of the actions that are left, and no more.
"""

from dataclasses import dataclass

from ..errors import ModelError


@dataclass(frozen=True)
class Prospect:
    """What speaks for one more test: `passed` is t, `left` m, `cost` d, `value` g, `earned` h."""

    passed: int
    left: float
    cost: float
    value: float
    earned: float


@dataclass(frozen=True)
class WhileItPays:
    """Test while the next test is worth its cost; `hidden` is κ. For mean payoff, which is a reward per action.

    >>> rule = WhileItPays(hidden=0.5)
    >>> rule(Prospect(passed=3, left=500, cost=40, value=7.0, earned=1.0)), rule(Prospect(4, 500, 40, 7.0, 1.0))
    (True, False)
    """

    hidden: float = 0.1

    def __post_init__(self) -> None:
        if not self.hidden >= 0:
            raise ModelError(f"what is hidden cannot be worth less than nothing: {self.hidden}")

    def __call__(self, prospect: Prospect) -> bool:
        """Is it worth it?"""
        return (prospect.value <= prospect.earned
                or self.hidden * (prospect.left - prospect.cost) > prospect.cost * (prospect.passed + 2))


@dataclass(frozen=True)
class AtMost:
    """Test each hypothesis with at most so many words.

    >>> AtMost(0)(Prospect(0, 500, 40, 7.0, 1.0))
    False
    """

    tests: float

    def __call__(self, prospect: Prospect) -> bool:
        """Is there another test?"""
        return prospect.passed < self.tests
