"""Who is let in, and how much of them."""

import gzip
import logging
import time

import pytest

from deixis.errors import ConfigError
from deixis.linker import Linker
from deixis.service.api.failures import Refusal
from deixis.service.config import Access, Limits
from deixis.service.process.request_guard import check_host
from tests.timing import cpu_seconds
from tests.unit.service.conftest import TEXT, TOKEN, bearer

LEARN = {"corrections": [{"text": TEXT, "start": 14, "end": 19, "gold": "paris_city"}]}


def test_writing_needs_the_token(client):
    assert client.post("/learn", json=LEARN).status_code == 401
    refused = client.post("/learn", json=LEARN, headers=bearer("a-token-for-the-rests"))
    assert refused.status_code == 401 and refused.headers["www-authenticate"].startswith("Bearer")
    assert client.post("/reload", headers={"authorization": f"Basic {TOKEN}"}).status_code == 401
    assert client.post("/reload", headers=bearer()).status_code == 200


def test_without_a_token_nobody_writes(serve):
    client = serve(token=None)
    answer = client.post("/learn", json=LEARN, headers=bearer())
    assert answer.status_code == 403 and "--token-file" in answer.json()["error"]["message"]
    assert client.post("/link", json={"text": TEXT}).status_code == 200


def test_where_all_needs_the_token_nothing_is_told_without(serve):
    client = serve(is_token_for_all=True)
    for path in ("/ready", "/health", "/metrics", "/openapi.json", "/entities?q=a", "/nowhere"):
        assert client.get(path).status_code == 401, path
    assert client.get("/ready", headers=bearer()).status_code == 200
    for path, methods in client.app.openapi()["paths"].items():
        for method in methods:
            assert client.request(method, path.replace("{", "").replace("}", "")).status_code == 401, (method, path)
    for path in ("/", "/workbench", "/workbench/", "/workbench/app.js"):
        assert client.get(path).status_code == 200, path  # where the token is typed
        assert client.post(path, json={"text": TEXT}).status_code == 401, path


def test_beyond_this_machine_a_token_is_a_must():
    with pytest.raises(ConfigError, match="--token-file"):
        Access.at("0.0.0.0")
    assert Access.at("0.0.0.0", TOKEN).is_token_for_all
    assert not Access.at("::1").is_token_for_all
    for weak in ("short", "sixteen letters but spaces", "ünicode-is-no-header"):
        with pytest.raises(ConfigError, match="at least 16"):
            Access.at("localhost", weak)


@pytest.mark.parametrize("host", ["localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST"])
def test_the_service_goes_by_its_own_names(client, host):
    assert client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "localhost.evil.example", "", "127.0.0.1.evil"])
def test_a_page_that_had_its_name_point_here_is_refused(client, host):
    answer = client.post("/link", json={"text": TEXT}, headers={"host": host})
    assert answer.status_code == 421 and "--allow-host" in answer.json()["error"]["message"]


def test_other_origins_may_ask_only_if_they_are_named(serve):
    asked = {"origin": "https://pages.example", "access-control-request-method": "POST"}
    assert "access-control-allow-origin" not in serve().options("/link", headers=asked).headers
    allowing = serve(cors_origins=("https://pages.example",))
    assert allowing.options("/link", headers=asked).headers["access-control-allow-origin"] == "https://pages.example"
    other = allowing.post("/link", json={"text": TEXT}, headers={"origin": "https://other.example"})
    assert "access-control-allow-origin" not in other.headers


def test_a_large_body_is_refused_by_its_length_and_by_what_comes(serve):
    client = serve(max_body=1000)
    whole = client.post("/link", json={"text": "a" * 1000})
    assert whole.status_code == 413 and "--max-body" in whole.json()["error"]["message"]

    def pieces():
        for _ in range(3):
            yield b"a" * 400

    streamed = client.post("/link", content=pieces())
    assert streamed.status_code == 413 and streamed.headers["connection"] == "close"
    assert client.post("/link", json={"text": "a" * 900}).status_code == 200


def test_an_answer_that_takes_too_long_is_told_so(serve, monkeypatch):
    client = serve(seconds=0.2)
    slow = Linker.link_many
    monkeypatch.setattr(Linker, "link_many", lambda *given, **chosen: time.sleep(0.5) or slow(*given, **chosen))
    answer = client.post("/link", json={"text": TEXT})
    assert answer.status_code == 504 and "--seconds" in answer.json()["error"]["message"]


def test_limits_that_make_no_sense_are_refused():
    for wrong in ({"threads": 0}, {"queue": -1}, {"seconds": 0}, {"max_body": 0}, {"header_seconds": float("nan")}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            Limits(**wrong)


def records_of(caplog):
    return [getattr(record, "record", {}) for record in caplog.records]


def test_logs_hold_no_texts_unless_asked(serve, caplog):
    caplog.set_level(logging.INFO)
    client = serve()
    client.post("/link", json={"text": "a secret of Troy", "mentions": [{"start": 0, "end": 99}]})
    client.get("/entities?q=secret")
    client.get("/entities/secret")
    assert {"/link", "/entities", "/entities/{identifier:path}"} <= {each.get("route") for each in records_of(caplog)}
    assert "secret" not in str(records_of(caplog))
    assert not [each for each in caplog.records if each.name.startswith("deixis") and "secret" in each.getMessage()]
    serve(texts_logged=True).post("/link", json={"text": "a secret of Troy"})
    assert "a secret of Troy" in records_of(caplog)[-1]["body"]


def test_what_nobody_expected_is_told_without_a_traceback(client, monkeypatch, caplog):
    def stumble(*_, **__):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(Linker, "link_many", stumble)
    answer = client.post("/link", json={"text": TEXT})
    assert answer.status_code == 500 and answer.json()["error"]["kind"] == "unexpected"
    assert "secret" not in answer.text and "Traceback" not in answer.text
    assert "ZeroDivisionError" in str(records_of(caplog)) and "secret" not in str(records_of(caplog))


def test_packed_bodies_are_refused_by_name(client):
    answer = client.post("/link", content=gzip.compress(b"{}"), headers={"content-encoding": "gzip"})
    assert answer.status_code == 415 and "'gzip'" in answer.json()["error"]["message"]


@pytest.mark.parametrize("body", [b"\xff\xfe{}", b"[" * 100_000])
def test_what_is_no_json_is_told(client, body):
    answer = client.post("/link", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422) and "JSON" in answer.json()["error"]["message"]


def test_a_host_is_known_however_it_is_written_and_further_names_are_further(serve):
    for access in (Access.at("127.0.0.1", hosts=("Example.ORG",)), Access.at("0.0.0.0", TOKEN, hosts=("Example.ORG",))):  # noqa: S104
        for name in ("example.org", "EXAMPLE.org:8080", "localhost", "[::1]:99"):
            check_host(access, name)
        with pytest.raises(Refusal, match="is not allowed"):
            check_host(access, "example.com")


@pytest.mark.parametrize("origin", ["not an origin", "https://example.org/", "example.org", "ftp://x"])
def test_what_is_no_origin_is_refused(origin):
    with pytest.raises(ConfigError, match="--cors-origin"):
        Access.at("127.0.0.1", cors_origins=(origin,))
    assert Access.at("127.0.0.1", cors_origins=("*", "http://localhost:3000")).cors_origins


@pytest.mark.parametrize("path", ["/link", "/link/batch", "/explain", "/explain/batch"])
def test_a_million_wrong_items_cost_no_more_than_one(client, path):
    items = [{}] * 100_000
    body = {"documents": items} if path == "/link/batch" else {"text": "a", "mentions": items, "start": 0, "end": 1}

    def refuse():
        answer = client.post(path, json=body)
        assert answer.status_code == 422 and len(answer.content) < 3000

    assert cpu_seconds(refuse, enough=2) < 2


def test_given_mentions_are_limited(serve):
    client = serve(max_mentions=3)
    spans = [{"start": 0, "end": 2}] * 4
    for path, body in (("/link", {}), ("/explain", {"start": 0, "end": 2})):
        answer = client.post(path, json={"text": "Troy", "mentions": spans, **body})
        assert answer.status_code == 422 and "--set max_mentions" in answer.json()["error"]["message"]
        assert client.post(path, json={"text": "Troy", "mentions": spans[:3], **body}).status_code == 200
    documents = [{"text": "Troy", "mentions": spans[:2]}] * 2
    assert client.post("/link/batch", json={"documents": documents}).status_code == 422
