"""Every door makes the same decisions, whatever it is asked to show; and explanations say what linking does."""

import io
import json
from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

import pytest
from starlette.testclient import TestClient

from deixis.batch.run import link_files
from deixis.cli import render
from deixis.cli.commands import link as link_command
from deixis.cli.main import main
from deixis.documents.formats import WRITERS
from deixis.documents.formats.nif.read import read_nif
from deixis.documents.formats.nif.write import write_nif
from deixis.documents.json_lines import short_score
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.service.app import create_app
from deixis.service.config import ServiceConfig
from deixis.service.state import ServiceState
from deixis.types import Document, Mention

TOP_KS = (1, 2, 50)
KINDS = ("raw", "given", "annotated")


@cache
def linker() -> Linker:
    """A linker whose decisions on given and on detected mentions have thresholds of their own."""
    gold = list(read_documents(demo_sentences_path()))
    built = Linker.build(read_demo(), n_threads=1)
    return built.calibrate(gold, target_precision=0.9, all_mentions_annotated=True)


def documents(kind: str, step: int = 6) -> list[Document]:
    gold = list(read_documents(demo_sentences_path()))[::step]
    if kind == "annotated":
        return gold
    spans = [[] if kind == "raw" else [Mention(m.start, m.end, m.text) for m in each.mentions] for each in gold]
    return [each.with_mentions(own) for each, own in zip(gold, spans, strict=True)]


def decisions(linked) -> list[tuple]:
    """What was decided on each mention, with the digits that every door writes."""
    return [
        (number, m.start, m.end, m.entity, m.is_nil, None if m.score is None else short_score(m.score), m.nil_reason)
        for number, document in enumerate(linked)
        for m in document.mentions
    ]


@cache
def usual(kind: str) -> list[tuple]:
    found = decisions(linker().link_many(documents(kind)))
    assert any(link for _, _, _, link, *_ in found) and any(is_nil for *_, is_nil, _, _ in found)
    return found


@contextmanager
def model_at_the_console():
    with patch.object(Linker, "load", return_value=linker()):
        yield


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doors")
    linker().save(folder / "model")
    state = ServiceState(ServiceConfig(folder / "model"))
    with TestClient(create_app(state), base_url="http://localhost") as client:
        yield client
    del state.model


@pytest.fixture
def file_of(tmp_path):
    def write(kind: str):
        path = tmp_path / f"{kind}.jsonl"
        with path.open("w", encoding="utf-8") as stream:
            write_documents(documents(kind), stream)
        return path

    return write


@pytest.mark.parametrize("kind", KINDS)
def test_one_text_alone_is_decided_like_one_of_many(kind):
    for top_k in TOP_KS:
        assert decisions(linker().link(each, top_k=top_k) for each in documents(kind)) == usual(kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("to", WRITERS)
def test_no_format_at_the_console_changes_a_decision(to, kind, file_of, tmp_path):
    for top_k in TOP_KS:
        written = []

        def keep(linked, stream, format, path, written=written):
            written += linked
            return len(written)

        command = ["link", "model", str(file_of(kind)), "--to", to, "--top-k", str(top_k), "--quiet"]
        with model_at_the_console(), patch.object(link_command, "write_documents", keep):
            assert main([*command, "-o", str(tmp_path / "out")]) == 0
        assert decisions(written) == usual(kind)


def test_processes_decide_like_the_library(file_of, tmp_path):
    linker().save(tmp_path / "model")
    for top_k in TOP_KS:
        files = [file_of(kind) for kind in KINDS]
        link_files(tmp_path / "model", files, tmp_path / "links", LinkOptions(top_k=top_k), n_workers=1)
        for kind in KINDS:
            assert decisions(read_documents(tmp_path / "links" / f"{kind}-00000.jsonl")) == usual(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_marked_text_for_people_shows_the_decisions(kind, file_of, tmp_path):
    for top_k in TOP_KS:
        shown = []

        def keep(document, gloss, shown=shown, table=render.candidate_table):
            shown.append(document)
            return table(document, gloss)

        command = ["link", "model", str(file_of(kind)), "--pretty", "--top-k", str(top_k), "--quiet"]
        with model_at_the_console(), patch.object(render, "candidate_table", keep):
            assert main([*command, "-o", str(tmp_path / "out")]) == 0
        assert [each[1:] for each in decisions(shown)] == [each[1:] for each in usual(kind)]


def request_of(document: Document) -> dict:
    mentions = [{"start": each.start, "end": each.end} for each in document.mentions]
    return {"id": document.id, "text": document.text, "lang": document.lang, "mentions": mentions}


def decisions_of(records) -> list[tuple]:
    return [
        (n, m["start"], m["end"], m["entity"], m["nil"], m.get("score"), m.get("nil_reason"))
        for n, record in enumerate(records)
        for m in record["mentions"]
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_the_service_decides_like_the_library(kind, client):
    sent = [request_of(each) for each in documents(kind)]
    for top_k in TOP_KS:
        batch = client.post("/link/batch", json={"documents": sent, "top_k": top_k}).json()["documents"]
        assert decisions_of(batch) == usual(kind)
        alone = [client.post("/link", json={**each, "top_k": top_k}).json() for each in sent[::5]]
        assert alone == batch[::5]


@pytest.mark.parametrize("kind", ["raw", "given"])
def test_the_dialects_of_the_service_decide_like_the_library(kind, client):
    linked = list(linker().link_many(documents(kind)))
    for document, own in zip(documents(kind)[::5], linked[::5], strict=True):
        links = [(m.start, m.end - m.start, m.entity) for m in own.mentions if m.entity]
        spans = [(m.start, m.end - m.start) for m in document.mentions]
        answer = client.post("/rel", json={"text": document.text, "spans": spans}).json()
        assert [(start, length, entity) for start, length, _, entity, *_ in answer] == links
        body = io.StringIO()
        write_nif([document], body)
        turtle = client.post("/nif", content=body.getvalue(), headers={"content-type": "text/turtle"}).text
        (read,) = read_nif(enumerate(turtle.splitlines(keepends=True), 1), "-")
        assert [(m.start, m.end, m.is_nil) for m in read.mentions] == [(m.start, m.end, m.is_nil) for m in own.mentions]
        assert [m.score for m in read.mentions] == pytest.approx([m.score for m in own.mentions], rel=1e-5)
        if kind == "raw":
            found = client.get("/rest/annotate", params={"text": document.text}).json().get("Resources", [])
            assert [int(each["@offset"]) for each in found] == [start for start, _, _ in links]


@pytest.mark.parametrize("spans", ["own", "ents"])
def test_a_pipeline_of_spacy_decides_alike_however_many_candidates_it_shows(spans):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    answers = []
    for top_k in (None, *TOP_KS):
        nlp = spacy.blank("en")
        if spans == "ents":
            names = [{"label": "NAME", "pattern": name} for name in ("Paris", "Troy", "Java", "Amazon", "Georgia")]
            nlp.add_pipe("entity_ruler").add_patterns(names)
        nlp.add_pipe("deixis", config={"spans": spans, "top_k": top_k, "n_threads": 1}).linker = linker()
        docs = nlp.pipe(document.text for document in documents("raw"))
        answers.append([(e.start, e.end, e.kb_id_, e._.kb_score) for doc in docs for e in doc.ents])
    assert answers[0] and all(each == answers[0] for each in answers)


@pytest.mark.parametrize("end_to_end", [False, True], ids=["given", "raw"])
def test_the_k_of_recall_changes_no_other_figure(end_to_end):
    figures = []
    for at in ([1], [1, 5], [1, 100]):
        run = linker().evaluate(documents("annotated"), end_to_end=end_to_end, at=at)
        figures.append({each.name: each.value for each in run.metrics if "recall@" not in each.name})
    assert figures[0] and all(each == figures[0] for each in figures)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [(), ("--threshold", "0.6"), ("--target-precision", "0.8")], ids=" ".join)
def test_deixis_explain_says_what_deixis_link_does(kind, options, file_of, tmp_path):
    path = str(file_of(kind))
    with model_at_the_console():
        assert main(["link", "model", path, "-o", str(tmp_path / "links"), "--quiet", *options]) == 0
        assert main(["explain", "model", path, "-o", str(tmp_path / "why"), "--json", "--quiet", *options]) == 0
    explained = [json.loads(line) for line in (tmp_path / "why").read_text(encoding="utf-8").splitlines()]
    linked = [
        (document.id, mention)
        for document in read_documents(tmp_path / "links", "native")
        for mention in document.mentions
        if mention.candidates
    ]
    assert [(each["document"], each["start"], each["end"]) for each in explained] == [
        (name, mention.start, mention.end) for name, mention in linked
    ]
    for told, (_, mention) in zip(explained, linked, strict=True):
        assert told["is_linked"] is (mention.entity is not None)
        assert told["entity"]["id"] == mention.candidates[0].id
        assert told["entity"]["probability"] == pytest.approx(mention.score, rel=1e-5)
        assert (told["entity"]["probability"] >= told["threshold"]) is told["is_linked"]
    assert len({each["threshold"] for each in explained}) == 1
