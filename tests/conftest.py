"""Options of the test run itself."""

import gc
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ["DEIXIS_CACHE"] = ""  # no test writes to the user's cache, nor is helped by it
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # torch's and numpy's threads wait for each other where tests fill all processors
# Laws hold however long their examples take: other work may run beside the tests.
settings.register_profile("laws", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("laws")


def pytest_collection_finish() -> None:
    """No collection of garbage looks through the objects of a few thousand modules again: they stay."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository laid out as the source tree of Deixis, with everything committed."""
    root = tmp_path / "repository"
    for path in ("src/deixis/code.py", "benchmarks/results/old.json", "notes.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("[]\n")
    who = ("-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false")
    for command in (("init", "--quiet"), ("add", "."), (*who, "commit", "--quiet", "--message", "all")):
        subprocess.run(["git", "-C", str(root), *command], check=True, timeout=60)
    return root
