"""Nothing has become slow since its cost was recorded: CPU seconds over those of a reference beside it."""

import subprocess
import sys

import pytest

from benchmarks.speed.guard import ALLOWED, Job, jobs, judged, recorded_ratios


@pytest.fixture(scope="module")
def measured() -> dict[str, Job]:
    return dict(jobs())


def test_every_job_has_a_recorded_ratio(measured):
    assert recorded_ratios().keys() == measured.keys(), "run: python -m benchmarks.speed.guard --record"


@pytest.mark.parametrize("name", recorded_ratios())
def test_nothing_has_become_slow(measured, name):
    verdict = judged(name, measured[name], recorded_ratios()[name])
    assert not verdict.is_slow, f"{verdict}. If it has to be: python -m benchmarks.speed.guard --record"


def test_a_slowdown_is_seen(measured):
    job = measured["spans"]
    recorded = job.ratio(7)
    slowed = Job(lambda: [job.work() for _ in range(2)], job.reference)
    assert judged("spans", slowed, recorded).is_slow


def test_a_busy_machine_is_no_slowdown(measured):
    job = measured["spans"]
    quiet = job.ratio(7)
    loop = (
        "end = __import__('time').monotonic() + 60\nwhile __import__('time').monotonic() < end: sorted(range(100000))"
    )
    others = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(4)]
    try:
        assert judged("spans", job, quiet).ratio < ALLOWED * quiet
    finally:
        for other in others:
            other.kill()
            other.wait()
