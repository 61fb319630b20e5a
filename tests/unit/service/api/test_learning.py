"""What changes the model that is served: corrections, and a new model in its folder."""

import asyncio
import gc
import json
import shutil
import time
from pathlib import Path

import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.service.process.shared_state import ALIVE, FAILED, RELOAD_REQUESTED, SharedState
from deixis.service.served import Served
from tests.processes import wait_until
from tests.unit.service.conftest import RECORDS, TEXT, bearer

CORRECTION = {"text": TEXT, "start": 14, "end": 19, "gold": "paris_city"}


def learn(client, *corrections):
    return client.post("/learn", json={"corrections": list(corrections)}, headers=bearer())


def linked_to(client, text=TEXT):
    return {each["text"]: each["entity"] for each in client.post("/link", json={"text": text}).json()["mentions"]}


def test_a_correction_holds_at_once_and_after_a_restart(serve, tmp_path):
    client = serve()
    assert linked_to(client)["Paris"] == "paris_trojan"
    told = learn(client, CORRECTION).json()
    assert {key: told[key] for key in ("new", "changed", "known", "corrections")} == {
        "new": 1, "changed": 0, "known": 0, "corrections": 1,
    }  # fmt: skip
    assert linked_to(client)["Paris"] == "paris_city"
    assert json.loads((tmp_path / "corrections.jsonl").read_text()) == CORRECTION
    assert linked_to(serve())["Paris"] == "paris_city"
    assert client.get("/ready").json()["corrections"] == 1


def test_corrections_add_up_and_the_later_one_holds(client):
    learn(client, CORRECTION)
    again = learn(client, CORRECTION, {**CORRECTION, "gold": "paris_trojan"}).json()
    assert (again["new"], again["changed"], again["known"], again["corrections"]) == (0, 1, 1, 1)
    assert linked_to(client)["Paris"] == "paris_trojan"


def test_a_text_is_told_once_and_kept_on_every_line(client, tmp_path):
    first = {"id": "d1", "text": TEXT, "start": 14, "end": 19, "gold": "paris_city"}
    assert learn(client, first, {"id": "d1", "start": 8, "end": 12, "not_an_entity": True}).status_code == 200
    assert {json.loads(line)["text"] for line in (tmp_path / "corrections.jsonl").read_text().splitlines()} == {TEXT}
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
def test_one_wrong_correction_keeps_all_out(client, tmp_path, wrong, words):
    answer = learn(client, {**CORRECTION, "start": 8, "end": 12}, {**CORRECTION, **wrong})
    assert answer.status_code == 422 and words in answer.json()["error"]["message"]
    journal = tmp_path / "corrections.jsonl"
    assert not journal.exists() or not journal.read_text()
    assert linked_to(client)["Paris"] == "paris_trojan"


def test_a_journal_that_cannot_be_written_is_told(serve, tmp_path):
    client = serve()
    (tmp_path / "corrections.jsonl").mkdir()
    answer = learn(client, CORRECTION)
    assert answer.status_code == 500 and "--corrections" in answer.json()["error"]["message"]
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
    state, all_done = client.state, client.state._all_done
    state.shared = SharedState(n_workers=2)
    state._row = state.shared.row(0)
    state.shared.row(0)[ALIVE] = state.shared.row(1)[ALIVE] = 1

    async def other_fails(loaded):
        state.shared.row(1)[FAILED] = loaded
        await all_done(loaded)

    state._all_done = other_fails
    answer = client.post("/reload", headers=bearer())
    assert answer.status_code == 409 and "1 of 2 workers" in answer.json()["error"]["message"]


def test_corrections_that_were_learned_are_not_loaded_once_more(serve):
    client = serve()
    state, ask = client.state, client.state.shared.request

    def ask_slowly(what, worker):
        asked = ask(what, worker)
        time.sleep(0.3)  # the worker looks at what it is asked between two of its own steps
        return asked

    state.shared.request = ask_slowly
    learn(client, CORRECTION)
    served = state.served
    client.portal.call(asyncio.sleep, 0.3)
    assert state.served is served and "deixis_model_loads_total 0" in client.get("/metrics").text


def test_a_load_that_fails_in_an_unforeseen_way_does_not_end_the_loading(serve, monkeypatch, caplog):
    client = serve()
    load, answers = Served.load, []

    def stumble(*_):
        raise ZeroDivisionError("secret")

    for loading in (stumble, load):
        monkeypatch.setattr(Served, "load", loading)
        answers.append(client.post("/reload", headers=bearer()))
    assert [each.status_code for each in answers] == [409, 200] and "secret" not in answers[0].text


def without_the_city(folder):
    Linker.build(KnowledgeBase.from_records(RECORDS[1:]), n_threads=1).save(folder)


def test_corrections_of_entities_that_are_gone_are_left_out_and_counted(serve, own_model, tmp_path):
    client = serve(own_model)
    learn(client, CORRECTION)
    without_the_city(own_model)
    told = client.post("/reload", headers=bearer()).json()
    assert (told["corrections"], told["corrections_left_out"]) == (0, 1)
    assert learn(client, CORRECTION).status_code == 422
    assert learn(client, {**CORRECTION, "gold": "parma"}).json()["corrections"] == 1
    assert linked_to(client)["Paris"] == "parma"
    again = serve(own_model).get("/ready").json()
    assert (again["corrections"], again["corrections_left_out"]) == (1, 1)


def test_a_bad_line_of_the_file_is_named_and_not_quoted(serve, tmp_path, caplog):
    client = serve()
    (tmp_path / "corrections.jsonl").write_text(json.dumps({**CORRECTION, "surface": "Secret"}) + "\n")
    with caplog.at_level("ERROR", "deixis"):
        reloaded = client.post("/reload", headers=bearer())
    told = learn(client, CORRECTION)
    assert (reloaded.status_code, told.status_code) == (409, 500)  # it is nothing that the caller did
    (logged,) = [each.record["message"] for each in caplog.records if each.getMessage() == "model not loaded"]
    for words in (logged, reloaded.text, told.text):
        assert "corrections.jsonl, line 1" in words and "Secret" not in words and "Troy" not in words


def test_a_new_model_is_not_lost_when_something_is_learned_at_the_same_time(serve, own_model):
    client = serve(own_model)
    without_the_city(own_model)
    state, learned = client.state, {**CORRECTION, "gold": "parma"}
    load, loads = state._load, []

    async def hold_back():
        loads.append(1)
        if len(loads) > 1:
            await load()

    state._load = hold_back  # asked for, and not done yet
    state.shared.request(RELOAD_REQUESTED)
    assert learn(client, learned).status_code == 200
    wait_until(lambda: client.get("/ready").json()["entities"] == 3, "the new model is served")
    assert client.get("/ready").json()["corrections"] == 1


def test_what_is_taken_out_of_the_file_is_forgotten_with_the_next_correction(serve, tmp_path):
    client = serve()
    learn(client, CORRECTION)
    (tmp_path / "corrections.jsonl").unlink()
    assert learn(client, {**CORRECTION, "start": 8, "end": 12, "gold": "parma"}).json()["corrections"] == 1
    assert linked_to(client) == linked_to(serve())
    assert linked_to(client)["Paris"] == "paris_trojan" and linked_to(client)["Troy"] == "parma"


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
        Served.load(folder)
        gc.collect()
        gc.disable()
        before = len(list(Path("/proc/self/fd").iterdir()))
        try:
            for _ in range(3):
                served = Served.load(folder)
                assert len(list(Path("/proc/self/fd").iterdir())) > before
                del served
            assert len(list(Path("/proc/self/fd").iterdir())) == before
        finally:
            gc.enable()
