"""Entities added, edited and removed over HTTP, and every change undone."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.unit.service.conftest import TEXT, bearer

SPARTA = {"id": "sparta", "title": "Sparta", "description": "city of Helen", "aliases": ["Lacedaemon"]}
ABOUT = "From Sparta to Parma."
CORRECTION = {"text": TEXT, "start": 14, "end": 19, "gold": "paris_city"}


def send(client, method, path, body=None, **more):
    return client.request(method, path, json=body, headers=bearer(), **more)


def add(client, *entities, **more):
    return send(client, "POST", "/entities/add", {"entities": list(entities), **more})


def answer(client, text=ABOUT):
    return client.post("/link", json={"text": text})


def entity_of(client, text=ABOUT):
    return {each["text"]: each["entity"] for each in answer(client, text).json()["mentions"]}


def test_an_added_entity_is_linked_by_every_worker_at_its_next_request(serve):
    one, other = serve(), serve()  # of one model: two workers
    assert "Sparta" not in entity_of(other)
    change = add(one, SPARTA, author="eve", reason="was NIL").json()
    assert (change["generation"], change["author"], change["n_items"]) == (1, "eve", 1)
    for client in (other, one):
        linked = answer(client)
        assert linked.headers["deixis-generation"] == "1"
        assert {each["entity"] for each in linked.json()["mentions"]} == {"sparta", "parma"}
        assert client.get("/entities/sparta").json()["title"] == "Sparta"
        assert [each["id"] for each in client.get("/entities?q=spart").json()["entities"]][0] == "sparta"
        assert client.post("/entities", json={"ids": ["sparta"]}).json()["entities"][0]["id"] == "sparta"
    about = other.get("/ready").json()
    assert (about["generation"], about["entities"]) == (1, 5)


def test_an_entity_is_edited_and_removed(client):
    add(client, SPARTA)
    edited = send(client, "PATCH", "/entities/sparta", {"set": {"title": "Lakedaimon", "aliases": None}}).json()
    assert edited["items"][0]["after"]["title"] == "Lakedaimon"
    assert "Sparta" not in entity_of(client) and entity_of(client, "On to Lakedaimon.")["Lakedaimon"] == "sparta"
    assert send(client, "PATCH", "/entities/sparta", {"add_alias": "Lakonia"}).json()["generation"] == 3
    assert entity_of(client, "In Lakonia.") == {"Lakonia": "sparta"}
    assert send(client, "PATCH", "/entities/sparta", {"remove_alias": "Lakonia"}).json()["generation"] == 4
    assert entity_of(client, "In Lakonia.") == {}
    removed = send(client, "DELETE", "/entities/sparta", params={"author": "eve"}).json()
    assert (removed["verb"], removed["author"]) == ("remove", "eve")
    assert client.get("/entities/sparta").status_code == 404
    # an id can be an address
    assert send(client, "DELETE", "/entities/http://example.org/troy").status_code == 200
    assert client.get("/ready").json()["entities"] == 3


def test_several_are_removed_as_one_change(client):
    removed = send(client, "POST", "/entities/remove", {"ids": ["parma", "paris_city"]}).json()
    assert (removed["n_items"], client.get("/ready").json()["entities"]) == (2, 2)
    assert send(client, "POST", "/undo", {}).json()["undoes"] == [1, 1]
    assert client.get("/ready").json()["entities"] == 4


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/entities/add", {"entities": [SPARTA]}),
        ("POST", "/entities/remove", {"ids": ["parma"]}),
        ("PATCH", "/entities/parma", {"set": {"title": "Parme"}}),
        ("POST", "/learn", {"corrections": [CORRECTION]}),
    ],
)
def test_a_dry_run_changes_nothing(client, method, path, body):
    before = answer(client).json()
    planned = send(client, method, path, {**body, "dry_run": True})
    assert planned.status_code == 200 and planned.json()["generation"] is None
    assert answer(client).json() == before and client.get("/ready").json()["generation"] == 0
    assert send(client, "DELETE", "/entities/parma", params={"dry_run": True}).json()["n_items"] == 1
    assert client.get("/ready").json()["generation"] == 0


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "words"),
    [
        ("POST", "/entities/add", {"entities": [SPARTA, {"id": "x"}]}, 422, "entities.1.title"),
        ("POST", "/entities/add", {"entities": [{**SPARTA, "count": -3}]}, 422, "got -3"),
        ("POST", "/entities/add", {"entities": [{**SPARTA, "titel": "x"}]}, 422, "did you mean 'title'"),
        ("POST", "/entities/add", {"entities": [SPARTA, SPARTA]}, 422, "record 2: the id 'sparta' was used before"),
        (
            "POST",
            "/entities/add",
            {"entities": [SPARTA, {"id": "parma", "title": "P"}]},
            409,
            "record 2: the id 'parma'",
        ),
        ("PATCH", "/entities/parmaa", {"set": {"title": "x"}}, 404, "Did you mean 'parma'?"),
        ("PATCH", "/entities/parma", {"set": {"colour": "x"}}, 422, "colour"),
        ("PATCH", "/entities/parma", {"set": {"title": 3}}, 422, "got 3"),
        ("PATCH", "/entities/parma", {"set": {"title": None}}, 422, "title"),
        ("PATCH", "/entities/parma", {}, 422, "Give one of"),
        ("DELETE", "/entities/parmaa", None, 404, "Did you mean 'parma'?"),
        ("POST", "/entities/remove", {"ids": ["parma", "nothing"]}, 404, "'nothing'"),
        ("POST", "/undo", {}, 422, "no change to undo"),
        ("POST", "/undo", {"generation": 7}, 422, "no change 7"),
        ("POST", "/undo", {"last": 7}, 422, "'generation'"),
    ],
)
def test_what_cannot_be_changed_is_answered_with_its_place_and_value(client, method, path, body, status, words):
    failed = send(client, method, path, body)
    assert (failed.status_code, client.get("/ready").json()["generation"]) == (status, 0)
    assert words in failed.json()["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/entities/add"), ("POST", "/entities/remove"), ("PATCH", "/entities/parma"), ("POST", "/undo"),
     ("DELETE", "/entities/parma"), ("POST", "/compact"), ("GET", "/changes"), ("POST", "/entities/add/")],
)  # fmt: skip
def test_changes_and_their_history_need_the_token(client, method, path):
    assert client.request(method, path, json={}).status_code == 401


def test_an_undone_change_leaves_the_same_answers(client):
    texts = (TEXT, ABOUT, "Helen left Sparta for Paris and Troy.")
    before = [answer(client, text).content for text in texts]
    assert send(client, "POST", "/learn", {"corrections": [CORRECTION], "author": "eve"}).json()["generation"] == 1
    add(client, SPARTA)
    send(client, "PATCH", "/entities/paris_city", {"set": {"count": 90}})
    assert [answer(client, text).content for text in texts] != before
    undone = send(client, "POST", "/undo", {"generation": 1, "last": 3, "author": "bob"}).json()
    assert (undone["verb"], undone["undoes"], undone["generation"], undone["author"]) == ("undo", [1, 3], 4, "bob")
    assert [answer(client, text).content for text in texts] == before
    assert send(client, "POST", "/undo", {"generation": 4}).status_code == 200  # an undo can be undone, too
    assert entity_of(client)["Sparta"] == "sparta"


def test_a_change_that_a_later_one_built_on_is_a_conflict(client):
    add(client, SPARTA)
    send(client, "PATCH", "/entities/sparta", {"set": {"title": "Sparte"}})
    refused = send(client, "POST", "/undo", {"generation": 1})
    assert refused.status_code == 409 and "the later change 2" in refused.json()["error"]["message"]


def test_the_history_has_who_what_and_why(client):
    add(client, SPARTA, author="eve", reason="was NIL")
    send(client, "POST", "/learn", {"corrections": [CORRECTION]})
    send(client, "POST", "/undo", {})
    history = send(client, "GET", "/changes").json()
    assert history["generation"] == 3
    shown = [(each["generation"], each["verb"], each["undone"]) for each in history["changes"]]
    assert shown == [(3, "undo", False), (2, "correct", True), (1, "add", False)]
    assert history["changes"][2]["author"] == "eve" and history["changes"][2]["reason"] == "was NIL"
    assert history["changes"][1]["items"][0]["after"][0]["gold"] == "paris_city"
    later = send(client, "GET", "/changes?limit=1&since=1").json()["changes"]
    assert [each["generation"] for each in later] == [3]


def test_writers_at_once_lose_nothing(serve):
    clients = [serve(), serve()]

    def write(number):
        return add(clients[number % 2], {"id": f"e{number}", "title": f"Number {number}"}).json()["generation"]

    with ThreadPoolExecutor(6) as threads:
        generations = list(threads.map(write, range(24)))
    assert sorted(generations) == list(range(1, 25))
    assert [each.get("/ready").json()["entities"] for each in clients] == [28, 28]


def test_changes_are_written_into_the_folder_in_the_background(serve):
    client = serve()
    add(client, SPARTA)
    before = answer(client).content
    assert send(client, "POST", "/compact").json() == {"started": True, "generation": 1}
    client.portal.call(lambda: client.state._compacting)
    assert client.post("/reload", headers=bearer()).json()["generation"] == 1
    assert answer(client).content == before == answer(serve()).content
    send(client, "POST", "/undo", {})
    assert "Sparta" not in entity_of(client)


def test_a_journal_that_cannot_be_read_leaves_the_model_in_use(serve, tmp_path, caplog):
    client = serve()
    add(client, SPARTA)
    before = answer(client).content
    client.state.model.live.close()
    for name in ("model.journal-wal", "model.journal-shm"):
        (tmp_path / "served" / name).unlink(missing_ok=True)
    journal = tmp_path / "served" / "model.journal"
    journal.unlink()
    journal.write_bytes(b"no journal" * 1000)
    with caplog.at_level("ERROR", "deixis"):
        assert answer(client).content == before == answer(client).content
    assert [each.getMessage() for each in caplog.records].count("changes not applied") == 1
    refused = add(client, {"id": "x", "title": "X"})
    assert refused.status_code == 500 and "model.journal" in refused.json()["error"]["message"]


def test_a_labeller_has_no_changes(serve, labeller_folder):
    client = serve(labeller_folder)
    assert send(client, "GET", "/changes").status_code == 404
    assert add(client, SPARTA).status_code in (404, 405)
    assert client.get("/ready").json()["generation"] is None
    assert json.dumps(client.get("/entities?q=a").json()) and "deixis-generation" not in client.get("/ready").headers


def test_the_tree_is_shown_after_a_change(client):
    add(client, SPARTA)
    assert client.get("/tree").status_code == 200
    assert client.get("/tree/way", params={"entity": "parma"}).status_code == 200
