"""Counts of several workers, as one reads them from any."""

import pytest

from deixis.service.process.metrics import Metrics
from deixis.service.process.shared_state import (
    ALIVE,
    FAILED,
    LOADED,
    RELOAD_REQUESTED,
    SharedState,
)


def test_any_worker_tells_the_counts_of_all():
    shared = SharedState(n_workers=2)
    one, other = (Metrics(shared, worker, ["/link"]) for worker in range(2))
    one.observe("/link", 200, 0.02)
    other.observe("/link", 200, 3.0)
    other.observe("/secret", 404, 0.001)
    other.add("deixis_documents_total", 5)
    for told in (one.text(), other.text()):
        assert 'deixis_requests_total{route="/link",status="200"} 2' in told
        assert 'deixis_requests_total{route="other",status="404"} 1' in told and "/secret" not in told
        assert 'deixis_request_seconds_bucket{route="/link",le="0.025"} 1' in told
        assert 'deixis_request_seconds_bucket{route="/link",le="+Inf"} 2' in told
        assert 'deixis_request_seconds_sum{route="/link"} 3.020000' in told
        assert "deixis_documents_total 5\n" in told


def test_counts_outlive_their_worker_and_gauges_do_not():
    shared = SharedState()
    before = Metrics(shared, 0, ["/link"])
    before.observe("/link", 200, 0.02)
    before.set("deixis_requests_waiting", 7)
    told = Metrics(shared, 0, ["/link"]).text()
    assert 'status="200"} 1' in told and "deixis_requests_waiting 0\n" in told


def test_every_line_is_a_comment_or_a_name_and_a_number():
    metrics = Metrics(SharedState(), 0, ["/link", "/entities/{identifier:path}"])
    metrics.observe("/entities/{identifier:path}", 200, 0.5)
    for line in metrics.text().splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or float(line.rpartition(" ")[2]) >= 0


def test_more_routes_than_there_is_room_for_are_told():
    with pytest.raises(ValueError, match="columns"):
        Metrics(SharedState(), 0, [f"/{number}" for number in range(1000)])


def test_who_is_behind_a_reload_is_known():
    shared = SharedState(n_workers=3)
    for worker in range(2):  # the third is dead
        shared.row(worker)[ALIVE] = 1
    loaded = shared.request(RELOAD_REQUESTED)
    assert shared.n_behind(loaded) == 2
    shared.row(0)[LOADED] = shared.row(1)[FAILED] = loaded
    assert shared.n_behind(loaded) == 0 and shared.n_loaded == 1


def test_a_worker_that_could_not_load_is_counted_until_it_can():
    shared = SharedState(n_workers=2)
    shared.row(0)[ALIVE] = shared.row(1)[ALIVE] = 1
    loaded = shared.request(RELOAD_REQUESTED)
    shared.row(0)[LOADED] = shared.row(1)[FAILED] = loaded
    assert shared.n_behind(loaded) == 0 and shared.n_failed(loaded) == 1
    shared.row(1)[LOADED] = shared.request(RELOAD_REQUESTED)
    assert shared.n_failed(loaded) == 0


def test_of_those_who_ask_at_once_the_last_counts():
    shared = SharedState(n_workers=2)
    times = [shared.request(RELOAD_REQUESTED, worker) for worker in (0, -1, 1)]
    assert shared.requested_at(RELOAD_REQUESTED) == max(times)
