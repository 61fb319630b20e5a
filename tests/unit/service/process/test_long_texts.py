"""Long texts: refused where they are too long, given up where they take too long, and nobody waits for them."""

import time

import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.service.config import Limits, ServiceConfig
from tests.unit.service.conftest import served

RECORDS = [
    {"id": "band", "title": "Duran Duran", "description": "pop group from Birmingham"},
    {"id": "town", "title": "Duran", "description": "town in the Gers"},
]
SECONDS = 1.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long") / "model"
    Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1).save(folder)
    return folder


def test_a_text_that_is_too_long_is_refused_with_the_way_out(folder):
    with served(ServiceConfig(folder, Limits(max_characters=100))) as client:
        assert client.post("/link", json={"text": "Duran " * 16}).status_code == 200
        for path, body in (
            ("/link", {"text": "Duran " * 17}),
            ("/link/batch", {"documents": [{"text": "short"}, {"text": "Duran " * 17}]}),
            ("/explain", {"text": "Duran " * 17, "start": 0, "end": 5}),
            ("/explain/batch", {"text": "Duran " * 17}),
        ):
            answer = client.post(path, json=body)
            assert answer.status_code == 413, path
            message = answer.json()["error"]["message"]
            assert "102 characters" in message and "--set max_characters" in message


@pytest.mark.parametrize("name", ["Duran ", "Duran, "], ids=["overlapping", "apart"])
def test_after_the_504_of_a_long_text_others_are_served_and_the_work_ends(folder, name):
    text = name * (600_000 // len(name))
    with served(ServiceConfig(folder, Limits(seconds=SECONDS, max_characters=len(text)))) as client:
        assert client.post("/link", json={"text": text}).status_code == 504
        client.state.queue.seconds = 120.0  # that of the next request: how long it waits is measured, not limited
        begin = time.process_time()
        assert client.post("/link", json={"text": "Duran played."}).status_code == 200
        assert time.process_time() - begin < 2.0  # all of it takes more than five
        while client.state.queue.n_held:
            time.sleep(0.01)
        idle = time.process_time()
        time.sleep(0.3)
        assert time.process_time() - idle < 0.2  # nothing goes on behind the scenes
