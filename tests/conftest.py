"""Options of the test run itself."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Freeze the scores of tests/golden anew.")


@pytest.fixture
def is_golden_updated(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
