"""What counts as a finite number."""

from fractions import Fraction

import numpy as np
import pytest

import mrmlib as mrm
from mrmlib.errors import finite


@pytest.mark.parametrize("number", [0.1, -0.0, 3, True, Fraction(1, 3), np.float64(0.1), np.int32(7), 1e308, 5e-324])
def test_every_real_number_becomes_its_float(number):
    assert type(finite(number, "it")) is float
    assert finite(number, "it") == float(number)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), None, "1", [1.0], 1j, 10**400])
def test_anything_else_is_refused_and_called_by_its_name(value):
    with pytest.raises(mrm.ModelError, match="the reward of δ"):
        finite(value, "the reward of δ")


def test_one_clause_catches_every_kind():
    for kind in (mrm.ModelError, mrm.QueryError, mrm.NondeterminismError, mrm.FormatError):
        assert issubclass(kind, mrm.MrmError)
        assert issubclass(kind, ValueError)
