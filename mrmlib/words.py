"""Words and traces (paper, §4): what an agent lives, sees and is paid.

An interaction trace is s0 a0 r1 s1 … ; its observation trace is z1 z2 …, its reward trace r1 r2 …, its history
s0 a0 s1 …. A *word* is an observation trace without its nulls. γ is the discount.
"""

import math
from collections.abc import Callable, Container, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from .errors import ModelError, QueryError, finite

NULL = "null"
"""The observation of a state where nothing of interest is seen."""

Word = tuple[Hashable, ...]
"""Observations, in the order in which they were made."""


@dataclass(frozen=True)
class InteractionTrace:
    """σ_inter: the state it starts in, then one step (action, state reached, reward) for each action.

    The paper prints `s0 a0 r1 s1 … sk ak r(k+1)`: k + 1 actions, so k + 1 observations; the state that the last
    action reached is kept too, since it was observed.

    >>> trace = InteractionTrace("hall", (("go", "shop", 5.0), ("wait", "shop", -1.0)))
    >>> trace.rewards, trace.history
    ((5.0, -1.0), ('hall', 'go', 'shop', 'wait', 'shop'))
    >>> trace.observations(lambda a, s: s if a == "go" else NULL)
    ('shop', 'null')
    >>> trace.word(lambda a, s: s if a == "go" else NULL)
    (('shop',), (5.0,))
    """

    start: Hashable
    steps: tuple[tuple[Hashable, Hashable, float], ...] = ()

    def then(self, action: Hashable, state: Hashable, reward: float) -> "InteractionTrace":
        """The trace, one step longer."""
        return InteractionTrace(self.start, (*self.steps, (action, state, reward)))

    @property
    def rewards(self) -> tuple[float, ...]:
        """σ_r, the reward trace r1 r2 …."""
        return tuple(r for _, _, r in self.steps)

    @property
    def history(self) -> tuple[Hashable, ...]:
        """σ_h, the history s0 a0 s1 a1 …."""
        return (self.start, *(part for a, s, _ in self.steps for part in (a, s)))

    def observations(self, labelling: Callable) -> Word:
        """σ_z, the observation trace z1 z2 … that `labelling` reads off, nulls included."""
        return observations(self.history, labelling)

    def word(self, labelling: Callable) -> tuple[Word, tuple[float, ...]]:
        """The non-null observations, and what was paid for each."""
        return without_nulls(self.observations(labelling), self.rewards)


def observations(history: tuple[Hashable, ...], labelling: Callable) -> Word:
    """λ(a0, s1) λ(a1, s2) …, the observation trace of a history s0 a0 s1 a1 s2 ….

    >>> observations(("s", "left", "t"), lambda a, s: (a, s))
    (('left', 't'),)
    """
    if len(history) % 2 == 0:
        raise QueryError(f"a history s0 a0 s1 … sk has an odd number of entries, not {len(history)}")
    return tuple(labelling(a, s) for a, s in zip(history[1::2], history[2::2], strict=True))


def without_nulls(observed: Word, rewards: tuple[float, ...]) -> tuple[Word, tuple[float, ...]]:
    """The word in an observation trace, and the rewards of its letters.

    >>> without_nulls((NULL, "m", NULL), (-1.0, 10.0, -1.0))
    (('m',), (10.0,))
    """
    if len(observed) != len(rewards):
        raise QueryError(f"{len(observed)} observations were paid {len(rewards)} rewards: there is one for each")
    kept = [(z, r) for z, r in zip(observed, rewards, strict=True) if z != NULL]
    return tuple(z for z, _ in kept), tuple(r for _, r in kept)


def told(step: Any, action: Hashable, letters: Container) -> tuple[Hashable, Hashable, float]:
    """(s, z, r) as an environment told it of `action`, if z is one of `letters` or null and r a finite number.

    >>> told(("shop", "bread", 5), "go", {"bread"})
    ('shop', 'bread', 5.0)
    >>> told(("shop", "cake", 5), "go", {"bread"})
    Traceback (most recent call last):
    mrmlib.errors.QueryError: unknown observation 'cake' in 'shop', reached by 'go': neither a letter of λ nor null
    """
    try:
        state, z, reward = step
    except (TypeError, ValueError):
        raise QueryError(f"the environment answered {action!r} with {step!r}, not with (state, observation, reward)"
                         ) from None
    if z not in letters and not (isinstance(z, str) and z == NULL):
        raise QueryError(f"unknown observation {z!r} in {state!r}, reached by {action!r}: "
                         "neither a letter of λ nor null")
    if type(reward) is not float or not math.isfinite(reward):  # perhaps another kind of number
        reward = finite(reward, f"what the environment paid for {z!r} in {state!r}, reached by {action!r},")
    return state, z, reward


def check_discount(gamma: float) -> float:
    """γ itself, if it lies strictly between 0 and 1.

    >>> check_discount(0.9)
    0.9
    """
    if not 0 < gamma < 1:
        raise ModelError(f"the discount γ must lie strictly between 0 and 1, not {gamma}")
    return gamma


def discounted_sum(rewards: Iterable[float], gamma: float) -> float:
    """dSum^γ(r1 … rk) = Σ γ^i r_i: the paper discounts the first reward already.

    >>> discounted_sum([1.0, 2.0], 0.5)
    1.0
    """
    check_discount(gamma)
    return math.fsum(gamma**i * r for i, r in enumerate(rewards, start=1))


def mean_payoff(rewards: Iterable[float]) -> float:
    """MP(r1 … rk) = (1/k) Σ r_i.

    >>> mean_payoff([10.0, 60.0, -1.0])
    23.0
    """
    rewards = tuple(rewards)
    if not rewards:
        raise QueryError("the mean payoff of an empty reward trace is not defined")
    return math.fsum(rewards) / len(rewards)
