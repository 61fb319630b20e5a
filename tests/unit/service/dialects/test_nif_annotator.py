"""GERBIL's annotators over NIF, with pynif as the client."""

import asyncio

import pynif
import pytest
import requests

from deixis.documents.formats.nif import read as documents_nif
from deixis.documents.formats.nif.iris import from_iri
from deixis.documents.formats.nif.read import nif_statements, read_nif
from deixis.documents.formats.nif.write import write_nif
from deixis.service.dialects import nif as dialect
from tests.unit.service.conftest import TEXT
from tests.unit.service.dialects.conftest import PREFIXES

NIF = "@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .\n"
CONTEXT = "http://example.org/doc#char=0,41"
DOCUMENT = f'{NIF}<{CONTEXT}> a nif:Context ; nif:isString "{TEXT}" .\n'
PHRASE = f"""<http://example.org/doc#char=14,19> a nif:Phrase ; nif:referenceContext <{CONTEXT}> ;
  nif:beginIndex 14 ; nif:endIndex 19 ; nif:anchorOf "Paris" .\n"""
GERBIL = {"content-type": "application/x-turtle"}


@pytest.fixture(scope="module", params=PREFIXES)
def prefix(request):
    return request.param


def annotated(client, turtle, headers=GERBIL):
    answer = client.post("/nif", content=turtle.encode(), headers=headers)
    assert answer.status_code == 200, answer.text
    return list(read_nif(enumerate(answer.text.splitlines(), start=1), "answer"))


def read_back(uri):
    return from_iri(uri, "entity")  # what reading makes of a URI: after the default prefix it is an id again


def test_mentions_are_found_in_a_text_without_phrases(client, prefix):
    (document,) = annotated(client, DOCUMENT)
    assert document.id == "http://example.org/doc" and document.text == TEXT
    assert [(each.text, each.entity) for each in document.mentions] == [
        ("Troy", "http://example.org/troy"), ("Paris", read_back(f"{prefix}paris_trojan")),
    ]  # fmt: skip


def test_phrases_are_linked_and_no_others_whatever_they_were_linked_to(client, prefix):
    gold = PHRASE.replace('"Paris"', '"Paris" ; <http://www.w3.org/2005/11/its/rdf#taIdentRef> <http://x.org/wrong>')
    for phrase in (PHRASE, gold):
        (document,) = annotated(client, DOCUMENT + phrase)
        assert [(each.start, each.entity) for each in document.mentions] == [(14, read_back(f"{prefix}paris_trojan"))]


def test_the_answer_is_the_same_kind_of_turtle(client):
    for kind in ("application/x-turtle", "text/turtle"):
        answer = client.post("/nif", content=DOCUMENT.encode(), headers={"content-type": f"{kind};charset=utf-8"})
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8"


@pytest.mark.parametrize("name", [CONTEXT, "http://example.org/doc#offset_0_41", "http://example.org/doc", "urn:x:1#a"])
def test_a_context_keeps_its_name(client, name):
    answer = client.post("/nif", content=DOCUMENT.replace(CONTEXT, name).encode(), headers=GERBIL)
    assert f"<{name}> a nif:Context" in answer.text
    assert f"<{name.partition('#')[0]}#char=14,19> a nif:Phrase" in answer.text


def test_offsets_count_code_points(client):
    (document,) = annotated(client, f'{NIF}<http://example.org/1> nif:isString "😀 Troy fell" .')
    assert [(each.start, each.end) for each in document.mentions] == [(2, 6)]


def test_an_id_that_is_no_uri_becomes_one_that_holds_in_turtle(client, prefix):
    (document,) = annotated(client, f'{NIF}<http://example.org/1> nif:isString "Mallory and Zurich" .')
    wanted = read_back(f"{prefix}evil%7C%22%27%3E%3Cb%3E")
    assert [each.entity for each in document.mentions] == [wanted, "https://example.org/Z?a=1&b=ü"]


@pytest.mark.parametrize("body", [b"", NIF.encode(), b"this is no turtle", b"\xff\xfe", DOCUMENT.encode() + b"<x> <y>"])
def test_what_is_no_document_is_refused(client, body):
    answer = client.post("/nif", content=body, headers=GERBIL)
    assert answer.status_code == 422 and answer.json()["error"]["message"]


def test_other_kinds_of_rdf_are_refused(client):
    answer = client.post("/nif", json={"@context": {}})
    assert answer.status_code == 422 and "application/x-turtle" in answer.json()["error"]["message"]


def test_pynif_sends_and_reads_documents(address, prefix):
    asked = pynif.NIFCollection(uri="http://example.org/all")
    context = asked.add_context(uri="http://example.org/one", mention=TEXT)
    context.add_phrase(beginIndex=14, endIndex=19)
    answer = requests.post(f"{address}/nif", data=asked.dumps().encode(), headers=GERBIL, timeout=30)
    (told,) = pynif.NIFCollection.loads(answer.text).contexts
    assert told.uri == context.uri and told.mention == TEXT
    assert [(each.mention, each.beginIndex, each.taIdentRef) for each in told.phrases] == [
        ("Paris", 14, f"{prefix}paris_trojan")
    ]
    assert 0 < told.phrases[0].score <= 1


def test_the_body_is_parsed_once_and_turtle_is_written_off_the_event_loop(client, monkeypatch):
    parsed, is_on_the_loop = [], []

    def parse(lines, path):
        parsed.append(path)
        return nif_statements(lines, path)

    def write(*arguments, **settings):
        is_on_the_loop.append(asyncio._get_running_loop() is not None)
        return write_nif(*arguments, **settings)

    for module in (documents_nif, dialect):
        monkeypatch.setattr(module, "nif_statements", parse)
    monkeypatch.setattr(dialect, "write_nif", write)
    assert client.post("/nif", content=DOCUMENT.encode(), headers=GERBIL).status_code == 200
    assert client.get("/rest/annotate", params={"text": TEXT}, headers={"accept": "text/turtle"}).status_code == 200
    assert len(parsed) == 1 and is_on_the_loop == [False, False]
