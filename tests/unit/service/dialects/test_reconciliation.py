"""The Reconciliation API 0.2 by what it prescribes, with the client `reconciler`; and pages that nothing runs in."""

import json

import numpy as np
import pandas
import pytest
from reconciler import reconcile

from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.service.config import ServiceConfig
from deixis.service.dialects.reconciliation.queries import ReconciliationQuery, candidates
from deixis.types import Candidate, Mention
from tests.unit.service.conftest import RECORDS, TOKEN, served
from tests.unit.service.dialects.conftest import EVIL, MORE, PREFIX


def asked(client, **queries):
    return client.post("/reconcile", data={"queries": json.dumps(queries)}).json()


def test_the_manifest_says_what_there_is_and_where(client):
    manifest = client.get("/reconcile").json()
    assert "0.2" in manifest["versions"] and manifest["name"] == "Deixis: model"
    assert manifest["identifierSpace"] == PREFIX and manifest["schemaSpace"].startswith("https://")
    assert manifest["preview"]["url"] == manifest["view"]["url"] == "http://localhost/reconcile/preview?id={{id}}"
    assert all(isinstance(manifest["preview"][side], int) for side in ("width", "height"))
    assert manifest["defaultTypes"][0] == {"id": "city", "name": "city"} and manifest["batchSize"] == 256
    for what, suggest in manifest["suggest"].items():
        assert client.get(suggest["service_url"] + suggest["service_path"], params={"prefix": "c"}).json()["result"], (
            what
        )


def test_the_manifest_follows_the_name_it_was_asked_by(client, folder, tmp_path):
    named = client.get("/reconcile", headers={"host": "127.0.0.1:8080"}).json()
    assert named["suggest"]["entity"]["service_url"] == "http://127.0.0.1:8080"
    config = ServiceConfig(folder, public_url="https://example.org/deixis")
    with served(config) as proxied:
        told = proxied.get("/reconcile").json()
    assert told["preview"]["url"] == "https://example.org/deixis/reconcile/preview?id={{id}}"
    assert told["suggest"]["type"]["service_url"] == "https://example.org/deixis"


@pytest.mark.parametrize(
    "wrong", [{"public_url": "example.org"}, {"public_url": "javascript:a"}, {"uri_prefix": "a b:"}]
)
def test_addresses_that_are_none_are_refused(tmp_path, wrong):
    with pytest.raises(ConfigError, match="such as https://example.org"):
        ServiceConfig(tmp_path, **wrong)


def test_each_query_of_a_batch_gets_its_candidates_best_first(client):
    found = asked(client, q0={"query": "Paris"}, q1={"query": "Troy", "limit": 1}, q2={"query": "qqqq"})
    assert list(found) == ["q0", "q1", "q2"] and found["q2"] == {"result": []}
    scores = [each["score"] for each in found["q0"]["result"]]
    assert scores == sorted(scores, reverse=True) and 0 <= scores[-1] < scores[0] <= 100
    (troy,) = found["q1"]["result"]
    assert troy["id"] == "http://example.org/troy" and troy["name"] == "Troy" and troy["match"] is True
    assert troy["type"] == [{"id": "city", "name": "city"}] and troy["description"] == "ancient city under siege"
    assert troy["features"] == [{"id": "name_match", "value": True}]


def test_a_query_string_asks_for_the_same(client):
    queries = json.dumps({"q0": {"query": "Paris"}})
    assert client.get("/reconcile", params={"queries": queries}).json() == asked(client, q0={"query": "Paris"})


def test_namesakes_and_misspellings_are_no_match_but_the_only_bearer_of_a_name_is(client):
    found = asked(client, same={"query": "Paris"}, alias={"query": "city of light"}, near={"query": "Parmma"})
    assert not any(each["match"] for each in found["same"]["result"])
    assert [(each["id"], each["match"]) for each in found["alias"]["result"]][0] == ("paris_city", True)
    assert found["near"]["result"][0]["id"] == "parma" and not found["near"]["result"][0]["match"]


def test_an_id_finds_its_entity_for_sure(client):
    best = asked(client, q0={"query": "paris_trojan"})["q0"]["result"][0]
    assert (best["id"], best["score"], best["match"]) == ("paris_trojan", 100, True)
    other = asked(client, q0={"query": "paris_trojan", "type": "city"})["q0"]["result"]
    assert all(each["id"] != "paris_trojan" for each in other)


def test_an_id_that_is_the_name_of_another_is_listed_but_not_for_sure(tmp_path):
    books = [{"id": "1984", "title": "Brave New World"}, {"id": "7", "title": "1984"}, {"id": "8", "title": "Emma"}]
    Linker.build(KnowledgeBase.from_records(books), n_threads=1).save(tmp_path / "model")
    with served(ServiceConfig(tmp_path / "model")) as client:
        found = asked(client, both={"query": "1984"}, one={"query": "1984", "limit": 1}, sure={"query": "8"})
    assert [(each["id"], each["match"]) for each in found["both"]["result"]][:2] == [("7", False), ("1984", False)]
    assert [(each["id"], each["match"]) for each in found["one"]["result"]] == [("7", False)]
    assert found["sure"]["result"][0]["id"] == "8" and found["sure"]["result"][0]["match"]


def test_a_model_that_is_calibrated_decides_between_an_id_and_a_name():
    kb = KnowledgeBase.from_records([{"id": "1984", "title": "Brave New World"}, {"id": "7", "title": "1984"}])
    linked = Mention(0, 4, "1984", "7", 0.9, candidates=(Candidate("7", 0.9),))
    found = candidates(kb, ReconciliationQuery("1984"), [linked], is_calibrated=True)
    assert [(each["id"], each["match"]) for each in found] == [("7", True), ("1984", False)]


def test_namesakes_are_no_match_however_few_are_asked_for(client):
    assert [each["match"] for each in asked(client, q0={"query": "Paris", "limit": 1})["q0"]["result"]] == [False]


@pytest.mark.parametrize("kind", ["person", ["person"], [{"id": "person", "name": "Person"}]])
def test_types_leave_others_out(client, kind):
    found = asked(client, q0={"query": "Paris", "type": kind})["q0"]["result"]
    assert found[0]["id"] == "paris_trojan" and all(
        {"id": "person", "name": "person"} in each["type"] for each in found
    )


def test_all_of_several_types_can_be_asked_for(client):
    wanted = {"query": "Mallory", "type": ["person", EVIL]}
    assert len(asked(client, q0=wanted)["q0"]["result"]) > 1
    assert [each["name"] for each in asked(client, q0={**wanted, "type_strict": "all"})["q0"]["result"]] == ["Mallory"]


def test_a_preferred_type_comes_first_and_others_follow_without_a_match(client):
    def told(**query):
        found = asked(client, q0={"type_strict": "should", **query})["q0"]["result"]
        scores = [each["score"] for each in found]
        assert scores == sorted(scores, reverse=True)
        return [(each["id"], each["match"]) for each in found]

    first, *others = told(query="Paris", type="person")
    assert first == ("paris_trojan", True) and ("paris_city", False) in others
    assert told(query="Paris", type="city")[0] == ("paris_city", True)
    assert told(query="Paris", type="person", limit=1) == [("paris_trojan", True)]
    troy = "http://example.org/troy"
    assert (troy, False) in told(query="Troy", type="person") and (troy, False) in told(query=troy, type="person")
    assert (troy, False) in told(query="Troy", type="unheard")


def test_a_type_that_nothing_has_finds_nothing_and_spoils_no_other_query(client):
    found = asked(
        client,
        none={"query": "Troy", "type": "unheard"},
        own={"query": "paris_city", "type": "unheard"},
        one={"query": "Troy", "type": ["unheard", "city"]},
        all={"query": "Troy", "type": ["unheard", "city"], "type_strict": "all"},
        free={"query": "Troy"},
    )
    assert found["none"] == found["own"] == found["all"] == {"result": []}
    assert found["one"]["result"][0]["match"] and found["free"]["result"][0]["match"]


def test_a_model_without_types_answers_queries_that_have_some(tmp_path):
    Linker.build(KnowledgeBase.from_records([{"id": "t", "title": "Troy"}]), n_threads=1).save(tmp_path / "model")
    with served(ServiceConfig(tmp_path / "model")) as client:
        found = asked(
            client,
            must={"query": "Troy", "type": "city"},
            may={"query": "Troy", "type": "city", "type_strict": "should"},
            free={"query": "Troy"},
        )
    told = {key: [(each["id"], each["match"]) for each in value["result"]] for key, value in found.items()}
    assert told == {"must": [], "may": [("t", False)], "free": [("t", True)]}


def test_other_columns_tell_namesakes_apart(client):
    def best(*values):
        query = {"query": "Paris", "properties": [{"pid": "anything", "v": value} for value in values]}
        return asked(client, q0=query)["q0"]["result"][0]["id"]

    assert best("capital of France", "Seine") == "paris_city"
    assert best(["prince", {"id": "x", "name": "Troy"}], "Helen") == "paris_trojan"


def test_calibrated_scores_are_a_match_when_the_linker_links():
    kb = KnowledgeBase.from_records(RECORDS)
    ranked = (Candidate("paris_city", 0.9), Candidate("paris_trojan", 0.1))
    query = ReconciliationQuery("Paris")
    for linked, is_match in ((Mention(0, 5, "Paris", "paris_city", 0.9, candidates=ranked), True),
                             (Mention(0, 5, "Paris", None, 0.9, True, ranked), False)):  # fmt: skip
        assert candidates(kb, query, [linked], is_calibrated=True)[0]["match"] is is_match
        assert candidates(kb, query, [linked], is_calibrated=False)[0]["match"] is False


@pytest.mark.parametrize(
    "queries",
    [
        "{", "[]", "1", '{"q": 1}', '{"q": {}}', '{"q": {"query": 1}}', "[" * 9999,
        '{"q": {"query": "a", "limit": 0}}', '{"q": {"query": "a", "limit": true}}',
        '{"q": {"query": "a", "limit": NaN}}', '{"q": {"query": "a", "type": [1]}}',
        '{"q": {"query": "a", "properties": {}}}', json.dumps({"q": {"query": "a" * 10_001}}),
    ],
)  # fmt: skip
def test_queries_that_are_none_are_refused(client, queries):
    assert client.post("/reconcile", data={"queries": queries}).status_code == 422


def test_too_many_queries_are_refused(client):
    many = {str(number): {"query": "a"} for number in range(257)}
    assert "--max-batch" in asked(client, **many)["error"]["message"]
    assert client.post("/reconcile", data={"other": "1"}).status_code == 422
    assert client.get("/reconcile", params={"queries": "{}"}).json() == {}


def test_a_row_without_a_name_finds_nothing_and_spoils_no_other(client):
    properties = [{"pid": "context", "v": "Troy"}]
    found = asked(client, a={"query": " "}, b={"properties": properties}, c={"query": "Troy", "properties": None})
    assert found["a"] == found["b"] == {"result": []} and found["c"]["result"][0]["match"]


def test_infinite_and_large_limits_are_the_most_there_is(client):
    for limit in ("Infinity", "1e9"):
        queries = f'{{"q": {{"query": "Paris", "limit": {limit}}}}}'
        assert len(client.post("/reconcile", data={"queries": queries}).json()["q"]["result"]) <= 100


def test_entities_are_suggested_by_how_they_begin_or_by_id(client):
    def suggested(**params):
        return [each["id"] for each in client.get("/reconcile/suggest/entity", params=params).json()["result"]]

    assert suggested(prefix="pari") == ["paris_city", "paris_trojan"]
    assert suggested(prefix="pari", cursor=1) == ["paris_trojan"]
    assert suggested(prefix="parma") == ["parma"] and suggested(prefix="http://example.org/troy")
    assert suggested(prefix="") == suggested(prefix="qqq") == []
    first = client.get("/reconcile/suggest/entity", params={"prefix": "pari"}).json()["result"][0]
    assert first["name"] == "Paris" and first["notable"] == [{"id": "city", "name": "city"}]


def test_types_are_suggested_the_most_frequent_first(client):
    def suggested(prefix):
        return [
            each["id"] for each in client.get("/reconcile/suggest/type", params={"prefix": prefix}).json()["result"]
        ]

    assert suggested("") == ["city", "person", EVIL] and suggested("PER") == ["person"]


def test_a_preview_tells_about_an_entity_and_runs_nothing(client):
    page = client.get("/reconcile/preview", params={"id": MORE[0]["id"]}).text
    assert '<a href="https://example.org/Z?a=1&amp;b=ü"' in page and "Turicum" in page
    answer = client.get("/reconcile/preview", params={"id": MORE[1]["id"]})
    assert "<script" not in answer.text and "javascript:" not in answer.text and "&lt;script&gt;" in answer.text
    assert f'<a href="{PREFIX}evil%7C%22%27%3E%3Cb%3E"' in answer.text
    assert "<bdi>" in answer.text and "default-src 'none'" in answer.headers["content-security-policy"]
    assert client.get("/reconcile/preview", params={"id": "unheard"}).status_code == 404


@pytest.mark.parametrize("path", ["", "/suggest/entity", "/suggest/type", "/suggest/property"])
def test_the_page_of_openrefine_may_read_answers_and_no_other_page_may(client, folder, tmp_path, path):
    def allowed(asking, origin):
        answer = asking.get(f"/reconcile{path}", headers={"origin": origin})
        assert answer.status_code == 200
        return answer.headers.get("access-control-allow-origin")

    for origin in ("http://127.0.0.1:3333", "http://localhost:3333"):
        assert allowed(client, origin) == origin
    for origin in ("https://evil.example", "http://127.0.0.1:33330", "http://localhost"):
        assert allowed(client, origin) is None
    access = client.state.config.access.__class__(token=TOKEN, cors_origins=("https://refine.example",))
    with served(ServiceConfig(folder, access=access)) as allowing:
        assert allowed(allowing, "https://refine.example") == "https://refine.example"
        assert allowed(allowing, "http://localhost:3333") == "http://localhost:3333"
        assert allowed(allowing, "https://evil.example") is None


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of the client's own use of pandas
def test_the_client_reconciler_gets_its_table(address):
    column = pandas.Series(["Troy", "City of Light", "Parma", "Troy"])
    table = reconcile(column, type_id="city", top_res=1, reconciliation_endpoint=f"{address}/reconcile")
    assert table["input_value"].tolist() == ["Troy", "City of Light", "Parma"]
    assert table["id"].tolist() == ["http://example.org/troy", "paris_city", "parma"]
    assert table["match"].tolist() == [True, True, True] and table["type"].tolist() == ["city"] * 3
    assert np.all(table["score"] > 50)
    others = pandas.Series(["capital of France", "prince of Troy"])
    names = pandas.Series(["Paris", "paris"])
    told = reconcile(names, property_mapping={"context": others}, reconciliation_endpoint=f"{address}/reconcile")
    assert told["id"].tolist() == ["paris_city", "paris_trojan"]


def test_the_limit_of_a_query_changes_no_match():
    records = [{"id": "best", "title": "Paris"}, *({"id": f"e{n}", "title": f"Paris {n}"} for n in range(12))]
    kb = KnowledgeBase.from_records([*records, {"id": "late", "title": "Paris"}])
    ids = [*(record["id"] for record in records), "late"]
    listed = tuple(Candidate(name, 0.9 - place / 20) for place, name in enumerate(ids))
    matches = {}
    for limit in (1, 10, 11, 50):
        query = ReconciliationQuery("Paris", limit=limit)
        (options,) = query.options(())
        linked = Mention(0, 5, "Paris", "best", 0.9, candidates=listed[: options.top_k])
        matches[limit] = candidates(kb, query, [linked], is_calibrated=False)[0]["match"]
    assert len(set(matches.values())) == 1, matches
