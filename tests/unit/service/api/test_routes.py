"""What the service answers, path by path."""

import pytest

from deixis.linker import Linker
from tests.unit.service.conftest import TEXT, TOKEN, bearer


def entities(document):
    return {mention["text"]: mention["entity"] for mention in document["mentions"]}


def test_a_text_is_linked_as_the_linker_links_it(client, linker_folder):
    answer = client.post("/link", json={"text": TEXT, "id": "t1"}).json()
    wanted = Linker.load(linker_folder, n_threads=1).link(TEXT)
    assert answer["id"] == "t1" and answer["text"] == TEXT
    assert entities(answer) == {mention.text: mention.entity for mention in wanted.mentions}
    assert entities(answer)["Troy"] == "http://example.org/troy"


def test_a_batch_is_what_single_requests_are(client):
    texts = [TEXT, "Paris, the City of Light", "", "nothing here"]
    batch = client.post("/link/batch", json={"documents": [{"text": text, "id": "x"} for text in texts]}).json()
    single = [client.post("/link", json={"text": text, "id": "x"}).json() for text in texts]
    assert batch["documents"] == single


def test_options_hold_for_their_request_only(client):
    plain = client.post("/link", json={"text": "Paris"}).json()
    people = client.post("/link", json={"text": "Paris", "types": ["person"], "top_k": 1}).json()
    assert [candidate["id"] for candidate in people["mentions"][0]["candidates"]] == ["paris_trojan"]
    given = {"text": "Paris", "mentions": [{"start": 0, "end": 5}]}
    assert client.post("/link", json={**given, "threshold": 1}).json()["mentions"][0]["nil"] is True
    assert client.post("/link", json={"text": "Paris"}).json() == plain


def test_given_mentions_are_linked_and_no_others(client):
    linked = client.post("/link", json={"text": TEXT, "mentions": [{"start": 14, "end": 19, "text": "Paris"}]}).json()
    assert [mention["start"] for mention in linked["mentions"]] == [14]
    again = client.post("/link", json=linked)
    assert again.json() == linked  # an answer can be sent again as it is


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"text": TEXT, "mentions": [{"start": 14, "end": 99}]}, "lies outside the text"),
        ({"text": TEXT, "mentions": [{"start": 14, "end": 19, "text": "Troy"}]}, "but the text has 'Paris' there"),
        ({"text": TEXT, "types": ["town"]}, "No type named 'town'"),
        ({"text": TEXT, "threshold": 2}, "body.threshold: Input should be less than or equal to 1"),
        ({"text": TEXT, "treshold": 0.5}, "body.treshold: Extra inputs are not permitted (did you mean 'threshold'?)"),
        ({"text": TEXT, "qqqqq": 0.5}, "body.qqqqq: Extra inputs are not permitted. The schema"),
        ({"text": TEXT, "top_k": 1001}, "body.top_k: Input should be less than or equal to 1000"),
        ({"text": TEXT, "rerank": True}, "has no re-ranker"),
        ({"text": TEXT, "reader": True}, "has no reader"),
        ({"text": TEXT, "read": True}, "has no reader"),
        ({"text": TEXT, "vectors": "both"}, "has no vectors"),
        ({"text": TEXT, "vectors": "all"}, "body.vectors: Input should be 'descriptions', 'contexts' or 'both'"),
        ({"text": TEXT, "target_precision": 0.9}, "never calibrated"),
        ({"text": TEXT, "target_precision": 0.9, "threshold": 0.5}, "not both"),
        ({"text": TEXT, "types": ["person"], "ids": ["parma"]}, "The filter leaves nothing"),
        ({"text": TEXT, "ids": ["parsi_city"]}, "Did you mean 'paris_city'?"),
        ({"text": TEXT, "ids": []}, "body.ids"),
        ({"text": TEXT, "subset": []}, "body.subset"),
        ({"text": TEXT, "ids": ["parma"], "subset": ["parma"]}, "'subset' is the former name of 'ids'"),
        ({}, "body.text: Field required"),
    ],
)
def test_what_is_wrong_with_a_request_is_told(client, body, words):
    answer = client.post("/link", json=body)
    assert answer.status_code == 422
    assert words in answer.json()["error"]["message"]


def test_what_is_wrong_with_the_options_of_an_explanation_is_told(client):
    for path, span in (("/explain", {"start": 8, "end": 12}), ("/explain/batch", {})):
        for options, words in (({"rerank": True}, "has no re-ranker"), ({"top_k": 3}, "body.top_k: Extra inputs")):
            answer = client.post(path, json={"text": TEXT, **span, **options})
            assert answer.status_code == 422 and words in answer.json()["error"]["message"]


def test_former_names_of_options_mean_what_the_new_ones_do(client):
    body = {"text": TEXT, "id": "t1"}
    new = client.post("/link", json={**body, "ids": ["paris_city"], "reader": False}).json()
    former = client.post("/link", json={**body, "subset": ["paris_city"], "read": False}).json()
    assert new == former and set(entities(new).values()) == {"paris_city"}


def test_an_explanation_is_of_the_link_that_its_options_make(client):
    body = {"text": TEXT, "start": 14, "end": 19, "types": ["city"]}
    assert client.post("/explain", json=body).json()["entity"]["id"] == "paris_city"
    people = client.post("/explain/batch", json={"text": TEXT, "types": ["person"]}).json()
    assert [each["entity"]["id"] for each in people] == ["paris_trojan"]


@pytest.mark.parametrize("body", ["{", "[" * 100_000, '{"text": "a", "threshold": NaN}', "9" * 10_000, "", '"a"'])
def test_what_is_no_request_is_refused_in_json(client, body):
    answer = client.post("/link", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["message"]


def test_half_of_a_surrogate_pair_counts_as_a_letter_that_nobody_can_read(client):
    for path, body in (
        ("/link", '{"text": "\\ud83d Troy"}'),
        ("/entities", '{"names": ["\\ud83d"], "ids": ["\\ud83d"]}'),
    ):
        answer = client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200 and "\\ud83d" not in answer.text


def test_explanations_add_up(client):
    told = client.post("/explain", json={"text": TEXT, "start": 8, "end": 12}).json()
    assert told["entity"]["id"] == "http://example.org/troy"
    assert sum(part["contribution"] for part in told["entity"]["parts"]) == pytest.approx(told["entity"]["total"])
    everything = client.post("/explain/batch", json={"text": TEXT}).json()
    assert [each["text"] for each in everything] == ["Troy", "Paris"]
    assert everything[0] == told


def test_why_not_another_entity(client):
    told = client.post("/explain", json={"text": TEXT, "start": 14, "end": 19, "entity": "paris_city"}).json()
    assert told["entity"]["id"] == "paris_city"
    answer = client.post("/explain", json={"text": TEXT, "start": 14, "end": 19, "entity": "parsi_city"})
    assert answer.status_code == 422 and "Did you mean 'paris_city'?" in answer.json()["error"]["message"]


def test_entities_by_how_their_names_begin(client):
    found = client.get("/entities", params={"q": "pAr", "match": "prefix"}).json()["entities"]
    assert [each["id"] for each in found] == ["paris_city", "paris_trojan", "parma"]
    assert found[0]["description"] == "capital of France on the Seine"
    by_alias = client.get("/entities", params={"q": "City of L", "match": "prefix"}).json()["entities"]
    assert [each["id"] for each in by_alias] == ["paris_city"]


def test_entities_by_names_alike(client):
    found = client.get("/entities", params={"q": "Parrma", "match": "alike", "limit": 1}).json()["entities"]
    assert [each["id"] for each in found] == ["parma"] and found[0]["score"] > 0
    people = client.get("/entities", params={"q": "Paris", "types": "person"}).json()["entities"]
    assert [each["id"] for each in people] == ["paris_trojan"]


def test_an_entity_by_its_id_whatever_that_holds(client):
    assert client.get("/entities/http://example.org/troy").json()["title"] == "Troy"
    assert client.get("/entities/http%3A%2F%2Fexample.org%2Ftroy").json()["title"] == "Troy"
    missing = client.get("/entities/parris_city")
    assert missing.status_code == 404 and "Did you mean 'paris_city'?" in missing.json()["error"]["message"]


def test_several_entities_at_once(client):
    answer = client.post("/entities", json={"ids": ["parma", "rome"], "names": ["Troy"], "limit": 1}).json()
    assert [entity and entity["id"] for entity in answer["entities"]] == ["parma", None]
    assert [[each["id"] for each in found] for found in answer["found"]] == [["http://example.org/troy"]]


def test_more_than_a_batch_may_hold_is_refused(serve):
    client = serve(max_batch=2)
    for path, body in (("/link/batch", {"documents": [{"text": ""}] * 3}), ("/entities", {"ids": ["a"] * 3})):
        answer = client.post(path, json=body)
        assert answer.status_code == 422 and "at most 2 are allowed" in answer.json()["error"]["message"]


def test_how_the_service_is(client):
    assert client.get("/health").json() == {"status": "ok"}
    ready = client.get("/ready").json()
    assert ready["ready"] is True and ready["kind"] == "linker" and ready["entities"] == 4
    client.post("/link", json={"text": TEXT})
    counted = client.get("/metrics").text
    assert 'deixis_requests_total{route="/link",status="200"} 1' in counted
    assert "deixis_documents_total 1\n" in counted and "deixis_mentions_total 2\n" in counted


def test_a_labeller_labels(serve, labeller_folder):
    client = serve(labeller_folder)
    labels = client.post("/label", json={"text": "the cat and her kitten", "top_k": 1}).json()["labels"]
    assert [label["title"] for label in labels] == ["Cats"]
    batch = client.post("/label/batch", json={"texts": ["a comet in orbit", ""], "top_k": 1}).json()["documents"]
    assert [[label["title"] for label in each["labels"]] for each in batch] == [["Stars"], []]
    assert client.get("/entities", params={"q": "vol"}).json()["entities"][0]["id"] == "s9"
    assert client.post("/link", json={"text": TEXT}).status_code == 404
    assert client.post("/learn", json={}, headers=bearer()).status_code == 404


def test_what_is_not_there_is_told_in_json(client):
    assert client.get("/nowhere").json()["error"]["kind"] == "not_found"
    wrong = client.get("/link")
    assert wrong.status_code == 405 and wrong.headers["allow"] == "POST"


def test_every_path_is_described_and_has_what_can_go_wrong(client):
    described = client.get("/openapi.json").json()
    assert {"/link", "/link/batch", "/explain", "/entities", "/learn", "/reload", "/ready"} <= set(described["paths"])
    assert "429" in described["paths"]["/link"]["post"]["responses"]
    assert "examples" in described["components"]["schemas"]["LinkRequest"]
    assert TOKEN not in str(described)


def test_given_mentions_are_explained_as_they_are_linked(client):
    body = {"text": TEXT, "mentions": [{"start": 8, "end": 12}, {"start": 14, "end": 19}]}
    linked = client.post("/link", json=body).json()["mentions"]
    explained = client.post("/explain/batch", json=body).json()
    assert [each["entity"]["id"] if each["is_linked"] else None for each in explained] == [
        mention["entity"] for mention in linked
    ]
