"""What can go wrong, in four kinds; each message names the culprit.

>>> issubclass(ModelError, MrmError) and issubclass(MrmError, ValueError)
True
"""

import math
from numbers import Real
from typing import Any


class MrmError(ValueError):
    """Any error that mrmlib raises on purpose."""


class ModelError(MrmError):
    """A model that contradicts its definition: a row that does not sum to 1, an unknown state, a missing (u, z)."""


class QueryError(MrmError):
    """A question or an answer that does not fit: a word with an unknown letter, an answer of the wrong length."""


class BudgetError(QueryError):
    """A query that would take more than its asker wants to spend."""


class NondeterminismError(MrmError):
    """The same word was paid twice, differently: no Mealy machine does that."""


class FormatError(MrmError):
    """A file or text that does not parse; says where, and what was expected."""


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
