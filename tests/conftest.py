"""Options of the test run itself."""

import os

import pytest
from hypothesis import HealthCheck, settings

os.environ["DEIXIS_CACHE"] = ""  # no test writes to the user's cache, nor is helped by it
# Laws hold however long their examples take: other work may run beside the tests.
settings.register_profile("laws", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("laws")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        metavar="REASON",
        help="Freeze the scores of tests/golden anew, and keep the reason with them.",
    )


@pytest.fixture
def golden_reason(request: pytest.FixtureRequest) -> str | None:
    """Why the frozen scores are renewed; None when they are only compared."""
    reason: str | None = request.config.getoption("--update-golden")
    if reason is not None and len(reason.split()) < 3:
        raise pytest.UsageError(f"--update-golden needs a reason in words, got {reason!r}.")
    return reason
