"""Whatever the options, the service answers what the linker does: the requests have every field of `LinkOptions`."""

import json
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deixis.decision.decision import Decision
from deixis.documents.formats.native_out import document_to_dict
from deixis.documents.reading import read_documents
from deixis.errors import ToolkitError
from deixis.explanation.explain import explain
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.model import Reader, TrainedReranker
from deixis.linking.options import LinkOptions
from deixis.neural.reader.spans import Reading
from deixis.service.api.link_options import DEPRECATED, ONLY_SHOWN
from deixis.service.app import create_app
from deixis.service.config import ServiceConfig
from deixis.service.state import ServiceState
from deixis.types import Document, Mention
from tests.golden.stand_ins import ChecksumReader, ChecksumReranker

OPTIONS = [field.name for field in fields(LinkOptions)]
VALUES = {
    "types": [("city",), ("person", "city"), ("no such type",)],
    "ids": [("paris_city", "troy_ancient"), ("no such id",)],
    "languages": [("en",)],
    "threshold": [0.0, 0.6, 1.0],
    "type_thresholds": [{"city": 0.9, "person": 0.0}, {"no such type": 0.5}],
    "names": ["every", "likely", "sure"],
    "target_precision": [0.5, 1.0],
    "top_k": [1, 12],
    "overlaps": ["drop", "keep"],
    "rerank": [True, False],
    "reader": [True, False],
    "vectors": ["descriptions", "contexts", "both"],
}
BESIDE = {"names": {"reader": False}, "overlaps": {"reader": False, "names": "every"}}
"""What an option is tried with, if it changes nothing alone: the reader finds names itself, and few that overlap."""
OWN_FIELDS = {
    "LinkRequest": {"id", "text", "lang", "mentions"},
    "LinkBatch": {"documents"},
    "ExplainRequest": {"id", "text", "lang", "mentions", "start", "end", "entity"},
    "ExplainAllRequest": {"id", "text", "lang", "mentions"},
}


@pytest.fixture(scope="module")
def linker():
    """A linker to the demo's entities that can do all that can be asked for."""
    plain = LinkerConfig(held_out_share=0.0)
    config = replace(plain, candidates=plain.candidates.with_encoder("chars"))
    sentences = list(read_documents(demo_sentences_path()))
    model = Linker.build(read_demo(), sentences[:4], config, n_threads=1).calibrate(sentences[1::2]).model
    titles = [model.kb.titles[row] for row in range(len(model.kb))]
    reader = Reader(SimpleNamespace(opened=ChecksumReader(titles, Reading)), np.array([1.0, -0.5, 0.8, 0.7, -0.4, 1.0]))
    decisions = replace(model.decisions, reranked=Decision(threshold=0.3), read=Decision(threshold=0.4))
    return Linker(replace(model, reranker=TrainedReranker(ChecksumReranker()), reader=reader, decisions=decisions))


@pytest.fixture(scope="module")
def documents():
    """Raw texts, and one of them with mentions, too."""
    sentences = [document.with_mentions(()) for document in list(read_documents(demo_sentences_path()))[:2]]
    text = "To save Troy, Paris had to be sacrificed; Paris Hilton saw Troy, New York, and New York City."
    mentions = [Mention(8, 12, "Troy"), Mention(14, 19, "Paris"), Mention(42, 54, "Paris Hilton")]
    return [*sentences, Document("raw", text, "en"), Document("given", text, "en", tuple(mentions))]


@pytest.fixture(scope="module")
def client(linker, tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    replace(linker, model=replace(linker.model, reranker=None, reader=None)).save(folder / "model")
    state = ServiceState(ServiceConfig(folder / "model"))
    served = state.served.with_linker(linker)
    state.newest = lambda: served  # stand-ins cannot be saved
    with TestClient(create_app(state), base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def sent(document):
    """A document as a request has it."""
    mentions = [{"start": each.start, "end": each.end} for each in document.mentions]
    return {"id": document.id, "text": document.text, "lang": document.lang, "mentions": mentions}


def answer_of(call):
    """The status and the body or message that the service should answer for what the linker does."""
    try:
        return 200, call()
    except ToolkitError as error:
        return 422, str(error)


def answered(client, path, body):
    answer = client.post(path, json=body)
    return answer.status_code, answer.json() if answer.status_code == 200 else answer.json()["error"]["message"]


def linked(linker, document, chosen):
    return answer_of(lambda: document_to_dict(linker.link(document, **chosen)))


def explained(linker, document, chosen):
    def records():
        found = explain(linker.model, document, options=LinkOptions().with_changes(**chosen))
        return json.loads(json.dumps([each.to_record() for each in found]))

    return answer_of(records)


def test_requests_have_every_field_of_the_link_options(client):
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    assert {*OPTIONS} == {*VALUES}
    for name, own in OWN_FIELDS.items():
        left_out = ONLY_SHOWN if name.startswith("Explain") else frozenset()
        former = {old for old, new in DEPRECATED.items() if new not in left_out}
        properties = schemas[name]["properties"]
        assert set(properties) == own | {*OPTIONS} - left_out | former
        for field in fields(LinkOptions):
            if field.name not in left_out:
                assert properties[field.name]["description"] == field.metadata["help"]
        assert all(properties[old]["deprecated"] for old in former)


def test_bounds_of_the_link_options_are_those_of_the_schema(client):
    properties = client.get("/openapi.json").json()["components"]["schemas"]["LinkRequest"]["properties"]
    for field in fields(LinkOptions):
        bounds = next((kind for kind in properties[field.name].get("anyOf", ()) if "minimum" in kind), {})
        low, high = field.metadata["low"], 1000 if field.name == "top_k" else field.metadata["high"]
        assert (bounds.get("minimum"), bounds.get("maximum")) == (low, high)


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_holds_for_the_request_that_has_it(client, linker, documents, name):
    beside = BESIDE.get(name, {})
    default = [linked(linker, document, beside) for document in documents]
    changes = []
    for value in VALUES[name]:
        chosen = beside | {name: value}
        wanted = [linked(linker, document, chosen) for document in documents]
        assert [answered(client, "/link", sent(each) | chosen) for each in documents] == wanted
        changes.append(wanted != default)
    assert any(changes), f"{name} changes no answer, so this test would not see it being passed over"
    assert [answered(client, "/link", sent(each) | beside) for each in documents] == default


@settings(max_examples=25, deadline=None)
@given(chosen=st.fixed_dictionaries({}, optional={name: st.sampled_from(each) for name, each in VALUES.items()}))
def test_any_options_give_what_the_linker_gives(client, linker, documents, chosen):
    wanted = [linked(linker, document, chosen) for document in documents]
    assert [answered(client, "/link", sent(document) | chosen) for document in documents] == wanted
    status, body = answered(client, "/link/batch", {"documents": [sent(document) for document in documents]} | chosen)
    refused = [each for each in wanted if each[0] != 200]
    if refused:  # one document that cannot be linked so refuses the batch
        assert (status, body) == refused[0]
    else:
        assert (status, body["documents"]) == (200, [each for _, each in wanted])


@settings(max_examples=10, deadline=None)
@given(chosen=st.fixed_dictionaries({}, optional={name: st.sampled_from(each) for name, each in VALUES.items()}))
def test_explanations_are_those_of_the_same_options(client, linker, documents, chosen):
    chosen = {name: value for name, value in chosen.items() if name not in ONLY_SHOWN}
    for document in documents:
        wanted = explained(linker, document, chosen)
        assert answered(client, "/explain/batch", sent(document) | chosen) == wanted
        if wanted[0] == 200:
            for each in wanted[1]:
                span = {"start": each["start"], "end": each["end"]}
                assert answered(client, "/explain", sent(document) | span | chosen) == (200, each)
