"""Whatever is sent, the dialects answer it, and never with an error of their own."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.service.dialects.conftest import EVIL, MORE

WORDS = st.sampled_from(
    ["Paris", "Troy", " ", EVIL, "Mallory", "\u202e", "😀", "\ud800", "\x00", "&amp;", "]]>", '"', "\n"]
)
TEXTS = st.lists(WORDS | st.text(max_size=5), max_size=12).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["query", "type", "v", "id"]), inner),
    max_leaves=8,
)
QUERY = st.dictionaries(st.sampled_from(["query", "type", "limit", "properties", "type_strict"]), JSON)
SIMPLE = settings(max_examples=40, deadline=None)


def without_halves(text):
    return text.encode("utf-8", "replace").decode()


def is_fine(answer):
    assert answer.status_code in (200, 422), answer.text
    if answer.headers["content-type"].startswith("text/html"):
        assert "<script" not in answer.text and "javascript:" not in answer.text
    return True


@SIMPLE
@given(text=TEXTS, confidence=st.none() | TEXTS, spans=JSON, accept=st.sampled_from(["text/html", "text/turtle", ""]))
def test_texts_of_any_kind(client, text, confidence, spans, accept):
    assert is_fine(client.post("/rel", content=json.dumps({"text": text, "spans": spans})))
    assert is_fine(client.post("/rel", content=json.dumps({"text": text})))
    utf8 = text.encode("utf-8", "replace").decode()
    form = {"text": utf8} | (
        {} if confidence is None else {"confidence": confidence.encode("utf-8", "replace").decode()}
    )
    for name in ("annotate", "candidates"):
        assert is_fine(client.post(f"/rest/{name}", data=form, headers={"accept": accept}))
    for escaped in (json.dumps(utf8), f'"""{utf8}"""'):
        turtle = (
            f"<http://x.org/1> <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#isString> {escaped} ."
        )
        assert is_fine(client.post("/nif", content=turtle.encode(), headers={"content-type": "text/turtle"}))


@SIMPLE
@given(queries=st.dictionaries(TEXTS, QUERY | JSON, max_size=3) | JSON, text=TEXTS)
def test_queries_of_any_kind(client, queries, text):
    assert is_fine(client.post("/reconcile", data={"queries": json.dumps(queries)}))
    params = {"prefix": without_halves(text), "id": MORE[1]["id"]}
    for path in ("suggest/entity", "suggest/type", "suggest/property", "preview"):
        assert is_fine(client.get(f"/reconcile/{path}", params=params))
