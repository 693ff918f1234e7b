"""What can go wrong, by kind; each message names the culprit.

>>> issubclass(ModelError, MrmError) and issubclass(MrmError, ValueError)
True
"""

import math
from numbers import Real
from typing import Any


class MrmError(ValueError):
    """Any error that mrmlib raises on purpose.

    >>> from mrmlib import discounted_sum
    >>> try:
    ...     discounted_sum((1.0,), gamma=2)
    ... except MrmError as error:
    ...     print(type(error).__name__)
    ModelError
    """


class ModelError(MrmError):
    """A model that contradicts its definition: a row that does not sum to 1, an unknown state, a missing (u, z).

    >>> from mrmlib import NRMDP
    >>> NRMDP("s", ["go"], {("s", "go"): {"s": 0.5}}, "s")
    Traceback (most recent call last):
    mrmlib.errors.ModelError: T('s', 'go') sums to 0.5, not 1
    """


class BoundError(ModelError):
    """A bound on the hidden machine's nodes that what was lived contradicts.

    >>> from mrmlib import CompleteTester, MealyRewardMachine, domains
    >>> world = domains.cookie()
    >>> CompleteTester(world.mdp, world.labelling, world.machine.rewards, 1).counterexample(world.machine)
    Traceback (most recent call last):
    mrmlib.errors.BoundError: no machine with at most 1 nodes pays as lived: max_nodes is too low
    """


class QueryError(MrmError):
    """A question or an answer that does not fit: a word with an unknown letter, an answer of the wrong length.

    >>> from mrmlib import Store
    >>> Store("ab").record(("a", "b"), (1.0,))
    Traceback (most recent call last):
    mrmlib.errors.QueryError: the answer (1.0,) has 1 rewards, the word ('a', 'b') has 2 letters
    """


class BudgetError(QueryError):
    """A query that would take more than its asker wants to spend.

    >>> from mrmlib import MachineTeacher, MealyRewardMachine
    >>> from mrmlib.teacher import Bounded
    >>> machine = MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u")
    >>> Bounded(MachineTeacher(machine), queries=0).rewards(("a",))
    Traceback (most recent call last):
    mrmlib.errors.BudgetError: the budget of 0 queries is spent
    """


class NondeterminismError(MrmError):
    """The same word was paid twice, differently: no Mealy machine does that.

    >>> from mrmlib import Store
    >>> store = Store("a")
    >>> store.record(("a",), (1.0,))
    >>> store.record(("a",), (2.0,))
    Traceback (most recent call last):
    mrmlib.errors.NondeterminismError: the word ('a',) was paid (1.0,) before and (2.0,) now
    """


class FormatError(MrmError):
    """A file or text that does not parse; says where, and what was expected.

    >>> from mrmlib import MealyRewardMachine
    >>> MealyRewardMachine.from_json("{}", source="my.json")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: my.json, line 1: expected an mrmlib document of kind 'machine'
    """


def finite(value: Any, what: str) -> float:
    """The value as a float, if it is a finite number; `what` is what the error calls it.

    >>> finite(float("nan"), "the reward of null")
    Traceback (most recent call last):
    mrmlib.errors.ModelError: the reward of null is nan, not a finite number
    """
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except OverflowError:  # an integer or a fraction beyond every float
        raise ModelError(f"{what} is too large for a float") from None
    if not math.isfinite(number):
        raise ModelError(f"{what} is {value!r}, not a finite number")
    return number
