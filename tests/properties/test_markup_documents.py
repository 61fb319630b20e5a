"""Laws of BioC and NIF: documents come back as they were, and Turtle means to us what it means to rdflib."""

import io
import json

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.documents.formats.bioc.json import read_bioc_json, write_bioc_json
from deixis.documents.formats.bioc.xml import read_bioc_xml, write_bioc_xml
from deixis.documents.formats.nif.read import nif_statements, read_nif
from deixis.documents.formats.nif.write import write_nif
from deixis.documents.spans import Unit
from deixis.types import Document, Mention

quick = settings(max_examples=60, deadline=None)
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=8)
names = texts.map(str.strip).filter(lambda name: name not in ("", "-", "-1"))
scores = st.none() | st.floats(0, 1, width=16).map(lambda value: float(f"{value:.6g}"))


@st.composite
def documents(draw):
    alphabet = st.sampled_from("ab \n\t\r\"'\\<&>]\u00e9\u2028\U0001f600")
    text = draw(st.text(alphabet | st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")))
    mentions = []
    for _ in range(draw(st.integers(0, 4 if text else 0))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        entity = draw(st.none() | names)
        is_nil = entity is None and draw(st.booleans())
        mentions.append(Mention(start, end, text[start:end], entity, draw(scores), is_nil))
    mentions.sort(key=lambda mention: (mention.start, mention.end))
    return Document(draw(names), text, draw(st.none() | st.sampled_from(["en", "de-CH", "zh"])), tuple(mentions))


@pytest.mark.parametrize(
    ("read", "write"),
    [(read_bioc_json, write_bioc_json), (read_bioc_xml, write_bioc_xml), (read_nif, write_nif)],
    ids=["bioc-json", "bioc-xml", "nif"],
)
@quick
@given(st.lists(documents(), max_size=3, unique_by=lambda document: document.id))
def test_written_documents_are_read_back_as_they_were(read, write, batch):
    stream = io.StringIO()
    assert write(batch, stream) == len(batch)
    assert list(read(enumerate(stream.getvalue().split("\n"), start=1), "x")) == batch


def moved(document, unit):
    """The document as a BioC record whose offsets count in `unit`, its text cut into passages of three characters."""
    starts = [sum(map(unit.width, document.text[:end])) for end in range(len(document.text) + 1)]
    passages = [
        {"offset": starts[at], "text": document.text[at : at + 3], "annotations": []}
        for at in range(0, len(document.text), 3)
    ]
    for mention in document.mentions:
        if mention.start // 3 == (mention.end - 1) // 3:
            place = {"offset": starts[mention.start], "length": starts[mention.end] - starts[mention.start]}
            passages[mention.start // 3]["annotations"].append({"text": mention.text, "locations": [place]})
    return {"id": document.id, "passages": passages}


@pytest.mark.parametrize("unit", Unit)
@quick
@given(document=documents())
def test_passages_and_units_leave_no_trace(unit, document):
    record = moved(document, unit)
    kept = [m for m in document.mentions if m.start // 3 == (m.end - 1) // 3]
    (found,) = read_bioc_json([(1, json.dumps(record))], "x")
    assert [mention.text for mention in found.mentions] == [mention.text for mention in kept]
    if unit is Unit.CODE_POINTS or document.text.isascii():
        assert found.text == document.text
        assert found.mentions == tuple(Mention(m.start, m.end, m.text) for m in kept)


@quick
@given(st.lists(documents(), max_size=3, unique_by=lambda document: document.id))
def test_turtle_means_what_it_means_to_rdflib(batch):
    stream = io.StringIO()
    write_nif(batch, stream)
    graph = rdflib.Graph()
    graph.parse(data=stream.getvalue(), format="turtle")
    for text in (stream.getvalue(), graph.serialize(format="turtle"), graph.serialize(format="nt")):
        ours = {
            (each.subject, each.predicate, each.value, each.lang is not None)
            for each in nif_statements(enumerate(text.split("\n"), start=1), "x")
            if not each.predicate.endswith(("Index", "taConfidence"))
        }
        theirs = {
            (str(subject), str(predicate), str(value), isinstance(value, rdflib.Literal))
            for subject, predicate, value in graph
            if not str(predicate).endswith(("Index", "taConfidence"))
        }
        assert ours == theirs


@quick
@given(st.lists(documents(), min_size=1, max_size=3, unique_by=lambda document: document.id))
def test_the_order_of_statements_does_not_matter_in_nif(batch):
    stream = io.StringIO()
    write_nif(batch, stream)
    head, *statements = stream.getvalue().split("\n<")
    backwards = "\n<".join([head, *(statement.strip() for statement in reversed(statements))])
    found = {document.id: document for document in read_nif(enumerate(backwards.split("\n"), start=1), "x")}
    for document in batch:
        assert sorted(map(repr, found[document.id].mentions)) == sorted(map(repr, document.mentions))
