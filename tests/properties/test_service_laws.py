"""Whatever is sent to the service, it answers in JSON and lives on."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.service.app import create_app
from deixis.service.config import Access, Limits, ServiceConfig
from deixis.service.state import ServiceState

TOKEN = "a-token-for-the-laws"
PATHS = ("/link", "/link/batch", "/explain", "/explain/batch", "/entities", "/learn", "/nowhere")
KEYS = (
    "text", "mentions", "documents", "start", "end", "threshold", "target_precision", "top_k", "types", "subset",
    "languages", "lang", "rerank", "reader", "read", "vectors", "overlaps", "id", "ids", "names", "limit", "match",
    "entity", "corrections", "gold", "wrong", "not_an_entity", "surface",
)  # fmt: skip
WORDS = ("Paris", "Troy", "q1", "city", "Paris in Troy", "drop", "keep", "\ud83d", "🏺 Troy", "\u202eyorT", "")
RECORDS = [{"id": "q1", "title": "Paris", "types": ["city"]}, {"id": "q2", "title": "Troy", "description": "a city"}]

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 12), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(WORDS), st.text(max_size=12),
)  # fmt: skip
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner),
    max_leaves=12,
)
queries = st.dictionaries(st.sampled_from(["q", "limit", "match", "types", "x"]), leaves.map(str))
spans = st.fixed_dictionaries({"start": st.integers(-1, 8), "end": st.integers(-1, 8)})
likely = st.fixed_dictionaries(
    {"text": st.sampled_from(WORDS) | st.text(max_size=30)},
    optional={
        "mentions": st.lists(spans, max_size=3), "threshold": st.floats(-0.1, 1.1), "top_k": st.integers(0, 9),
        "types": st.lists(st.sampled_from(WORDS), max_size=2), "start": st.integers(-1, 8), "end": st.integers(-1, 8),
        "entity": st.sampled_from(["q1", "q2", "q3"]), "gold": st.sampled_from(["q1", "q3", None]),
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("laws")
    Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1).save(folder / "model")
    access = Access(token=TOKEN)
    config = ServiceConfig(folder / "model", Limits(max_body=20_000), access)
    app = create_app(ServiceState(config))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        client.headers["authorization"] = f"Bearer {TOKEN}"
        yield client


def wrapped(path, body):
    """A body in the shape that the path takes."""
    if path == "/link/batch":
        return {"documents": [body]}
    return {"corrections": [body]} if path == "/learn" else body


def posted(client, path, body):
    return client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})


def check(answer):
    assert answer.status_code < 500, answer.text
    told = answer.json()
    assert answer.status_code == 200 or told["error"]["message"]


@settings(max_examples=60, deadline=None)
@given(path=st.sampled_from(PATHS), body=values)
def test_any_json_is_answered(client, path, body):
    check(posted(client, path, body))


@settings(max_examples=60, deadline=None)
@given(path=st.sampled_from(PATHS), body=likely)
def test_what_nearly_fits_is_answered(client, path, body):
    check(posted(client, path, wrapped(path, body)))


@settings(max_examples=60, deadline=None)
@given(path=st.sampled_from(PATHS), body=st.binary(max_size=200), kind=st.sampled_from(["application/json", "a/b", ""]))
def test_any_bytes_are_answered(client, path, body, kind):
    check(client.post(path, content=body, headers={"content-type": kind}))


@settings(max_examples=40, deadline=None)
@given(
    query=st.dictionaries(st.sampled_from(["q", "limit", "match", "types", "x"]), leaves.map(str)),
    name=st.text(max_size=9),
)
def test_any_address_is_answered(client, query, name):
    query = {key: value.encode("utf-8", "replace").decode() for key, value in query.items()}
    check(client.get("/entities", params=query))
    check(client.get("/entities/" + "".join(f"%{byte:02x}" for byte in name.encode("utf-8", "replace"))))
