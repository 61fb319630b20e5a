"""What changes the model that is served: corrections, and a new model in its folder."""

import gc
import shutil
import time
from pathlib import Path

import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.service.process.shared_state import ALIVE, FAILED, SharedState
from deixis.service.served import OpenedModel
from deixis.service.state import ServiceState
from tests.unit.service.conftest import RECORDS, TEXT, bearer

CORRECTION = {"text": TEXT, "start": 14, "end": 19, "gold": "paris_city"}


def learn(client, *corrections):
    return client.post("/learn", json={"corrections": list(corrections)}, headers=bearer())


def linked_to(client, text=TEXT):
    return {each["text"]: each["entity"] for each in client.post("/link", json={"text": text}).json()["mentions"]}


def test_a_correction_holds_at_once_and_after_a_restart(serve):
    client = serve()
    assert linked_to(client)["Paris"] == "paris_trojan"
    told = learn(client, CORRECTION).json()
    assert {key: told[key] for key in ("new", "changed", "known", "corrections", "generation")} == {
        "new": 1, "changed": 0, "known": 0, "corrections": 1, "generation": 1,
    }  # fmt: skip
    assert linked_to(client)["Paris"] == "paris_city"
    assert linked_to(serve())["Paris"] == "paris_city"
    assert client.get("/ready").json()["corrections"] == 1


def test_corrections_add_up_and_the_later_one_holds(client):
    learn(client, CORRECTION)
    again = learn(client, CORRECTION, {**CORRECTION, "gold": "paris_trojan"}).json()
    assert (again["new"], again["changed"], again["known"], again["corrections"]) == (0, 1, 1, 1)
    assert linked_to(client)["Paris"] == "paris_trojan"


def test_a_text_is_given_once_for_several_corrections(client):
    first = {"id": "d1", "text": TEXT, "start": 14, "end": 19, "gold": "paris_city"}
    assert learn(client, first, {"id": "d1", "start": 8, "end": 12, "not_an_entity": True}).status_code == 200
    assert linked_to(client)["Paris"] == "paris_city"
    assert linked_to(client).get("Troy") is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"gold": "parsi_city"}, "Did you mean 'paris_city'?"),
        ({"gold": "parma", "wrong": "paris_city"}, "at once"),
        ({"start": 90, "end": 95}, "lies outside the text"),
        ({"surface": "Troy"}, "the text has 'Paris' there"),
        ({"text": ""}, "lies outside"),
    ],
)
def test_one_wrong_correction_keeps_all_out(client, wrong, words):
    answer = learn(client, {**CORRECTION, "start": 8, "end": 12}, {**CORRECTION, **wrong})
    assert answer.status_code == 422 and words in answer.json()["error"]["message"]
    assert client.get("/ready").json()["generation"] == 0
    assert linked_to(client)["Paris"] == "paris_trojan"


@pytest.fixture
def own_model(linker_folder, tmp_path):
    return shutil.copytree(linker_folder, tmp_path / "model")


def test_a_new_model_is_served_when_asked(serve, own_model):
    client = serve(own_model)
    assert linked_to(client, "Sparta and Troy").keys() == {"Troy"}
    sparta = {"id": "sparta", "title": "Sparta", "description": "city of Helen"}
    Linker.build(KnowledgeBase.from_records([*RECORDS, sparta]), n_threads=1).save(own_model)
    assert client.post("/reload", headers=bearer()).json()["entities"] == 5
    assert linked_to(client, "Sparta and Troy")["Sparta"] == "sparta"


def test_a_model_that_cannot_be_loaded_leaves_the_old_one(serve, own_model):
    client = serve(own_model)
    learn(client, CORRECTION)
    (own_model / "manifest.json").write_text("{")
    answer = client.post("/reload", headers=bearer())
    assert answer.status_code == 409 and "stays in use" in answer.json()["error"]["message"]
    assert client.state.shared.row(0)[FAILED] > 0
    assert linked_to(client)["Paris"] == "paris_city"
    assert "deixis_model_load_failures_total 1" in client.get("/metrics").text


def test_a_worker_that_was_kept_from_running_for_seconds_still_loads_before_it_answers(serve, own_model):
    client = serve(own_model)
    (own_model / "manifest.json").write_text("{")
    load = client.state._loaded

    def load_slowly():
        client.portal.start_task_soon(time.sleep, 2.2)  # the worker stands still, as on a machine with too much to do
        time.sleep(2.4)
        return load()

    client.state._loaded = load_slowly
    assert client.post("/reload", headers=bearer()).status_code == 409


def test_a_reload_that_another_worker_failed_is_no_success(serve):
    client = serve()
    state, all_done = client.state, client.state._all_loaded
    state.shared = SharedState(n_workers=2)
    state._row = state.shared.row(0)
    state.shared.row(0)[ALIVE] = state.shared.row(1)[ALIVE] = 1

    async def other_fails(loaded):
        state.shared.row(1)[FAILED] = loaded
        await all_done(loaded)

    state._all_loaded = other_fails
    answer = client.post("/reload", headers=bearer())
    assert answer.status_code == 409 and "1 of 2 workers" in answer.json()["error"]["message"]


def test_a_load_that_fails_in_an_unforeseen_way_does_not_end_the_loading(serve, monkeypatch, caplog):
    client = serve()
    load, answers = ServiceState._loaded, []

    def stumble(*_):
        raise ZeroDivisionError("secret")

    for loading in (stumble, load):
        monkeypatch.setattr(ServiceState, "_loaded", loading)
        answers.append(client.post("/reload", headers=bearer()))
    assert [each.status_code for each in answers] == [409, 200] and "secret" not in answers[0].text


def test_a_model_of_another_kind_is_not_loaded(serve, own_model, labeller_folder):
    client = serve(own_model)
    shutil.rmtree(own_model)
    shutil.copytree(labeller_folder, own_model)
    answer = client.post("/reload", headers=bearer())
    assert answer.status_code == 409 and "now holds a labeller" in answer.json()["error"]["message"]
    assert client.get("/ready").json()["kind"] == "linker" and linked_to(client)["Paris"] == "paris_trojan"


def test_names_by_their_beginning_are_kept_when_something_is_learned(serve):
    client = serve()
    before = client.state.served.prefixes
    learn(client, CORRECTION)
    assert client.state.served.prefixes is before


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
def test_a_model_that_is_replaced_closes_its_files_at_once(own_model, labeller_folder):
    for folder in (own_model, labeller_folder):
        OpenedModel(folder, 1)
        gc.collect()
        gc.disable()
        before = len(list(Path("/proc/self/fd").iterdir()))
        try:
            for _ in range(3):
                opened = OpenedModel(folder, 1)
                assert len(list(Path("/proc/self/fd").iterdir())) > before
                opened.close()
                del opened
            assert len(list(Path("/proc/self/fd").iterdir())) == before
        finally:
            gc.enable()
