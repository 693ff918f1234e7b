"""How a model says no."""

import pytest

import mrmlib as mrm


def refusal(build, *arguments, error=mrm.ModelError):
    """The message with which a class refuses its arguments; nothing half-built may remain of the attempt."""
    attempt = build.__new__(build)
    with pytest.raises(error) as raised:
        attempt.__init__(*arguments)
    assert not vars(attempt)
    return str(raised.value)
