"""Options of the test run itself."""

import os

import pytest

os.environ["DEIXIS_CACHE"] = ""  # no test writes to the user's cache, nor is helped by it


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
