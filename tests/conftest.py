"""What all tests share: how many cases to try, and a Hypothesis that always tries the same ones."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("sampled", max_examples=60, deadline=None, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("full", settings.get_profile("sampled"), max_examples=600)


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run every count in full (make test-full)")


def pytest_configure(config):
    settings.load_profile("full" if config.getoption("--full") else "sampled")


@pytest.fixture
def count(request):
    """count(sampled, in_full): how many cases this run tries."""
    return lambda sampled, in_full: in_full if request.config.getoption("--full") else sampled
