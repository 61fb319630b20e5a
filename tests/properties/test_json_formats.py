"""Laws of the JSON formats: what a format can carry is read back as it was, and junk is never more than a DataError."""

import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.documents.formats import READERS, WRITERS
from deixis.documents.formats.kilt import END, START
from deixis.errors import DataError
from deixis.types import Candidate, Document, Mention

quick = settings(max_examples=60, deadline=None)
# Spaces of several kinds, letters of two planes, marks, and what JSON and the formats themselves use.
letters = st.sampled_from('ab Z\n\t\u00a0\u2028é東😀\u0301[]|"\\') | st.characters(exclude_categories=["Cs"])
texts = st.text(letters, min_size=1, max_size=40)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
scores = st.floats(0, 1, width=16).map(lambda value: float(f"{value:.6g}"))
DECIDED = ("entity", "nil")
A_FEW = st.integers(0, 4)


@st.composite
def mentions(draw, text, kinds, has_extras=False):
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    kind = draw(st.sampled_from(kinds))
    entity = draw(names) if kind == "entity" else None
    candidates = draw(st.lists(st.builds(Candidate, names, scores, st.just("") | names), max_size=3))
    if entity is not None and draw(st.booleans()):
        candidates.insert(draw(st.integers(0, len(candidates))), Candidate(entity, draw(scores), draw(names)))
    extras = {"score": draw(st.none() | scores), "candidates": tuple(candidates)} if has_extras else {}
    return Mention(start, end, text[start:end], entity, is_nil=kind == "nil", **extras)


@st.composite
def documents(draw, kinds=(*DECIDED, "open"), n_mentions=A_FEW, has_extras=False):
    text = draw(texts)
    found = [draw(mentions(text, kinds, has_extras)) for _ in range(draw(n_mentions))]
    return Document(draw(names), text, mentions=tuple(sorted(found, key=lambda mention: (mention.start, mention.end))))


def written(format_, batch, path="-"):
    stream = io.StringIO()
    assert WRITERS[format_](batch, stream, path) == len(batch)
    return stream.getvalue()


def round_trip(format_, batch, path="-"):
    lines = written(format_, batch, path).split("\n")
    return list(READERS[format_](enumerate(lines, start=1), path))


@quick
@given(st.lists(documents(DECIDED), max_size=3))
def test_elevant_labels_are_read_back_as_they_were(batch):
    assert round_trip("elevant", batch) == batch


@quick
@given(st.lists(documents(), max_size=3), st.data())
def test_elevant_links_are_read_back_with_the_ids_of_their_candidates(batch, data):
    def with_candidates(mention):
        others = [name for name in data.draw(st.lists(names, max_size=3)) if name != mention.entity]
        ids = others if mention.entity is None else [mention.entity, *others]
        candidates = tuple(Candidate(name, 0.0) for name in ids)
        return Mention(
            mention.start, mention.end, mention.text, mention.entity, None, mention.is_nil, candidates=candidates
        )

    batch = [document.with_mentions([with_candidates(mention) for mention in document.mentions]) for document in batch]
    assert round_trip("elevant-links", batch) == batch


@quick
@given(st.lists(documents(n_mentions=st.just(1), has_extras=True), max_size=3))
def test_kilt_lines_are_read_back_with_scores_and_candidates(batch):
    assert round_trip("kilt", batch) == batch


@quick
@given(st.lists(documents(n_mentions=st.just(1), has_extras=True), min_size=1, max_size=3))
def test_kilt_lines_satisfy_what_kilts_own_scorers_assert(batch):
    """Each guess has exactly one output, whose pages all have an id, and whose first page is the link."""
    for document, line in zip(batch, written("kilt", batch).split("\n"), strict=False):
        (mention,) = document.mentions
        outputs = json.loads(line)["output"]
        if mention.entity is not None:
            (output,) = outputs
            assert output["provenance"][0]["wikipedia_id"] == mention.entity
            assert output["answer"]


@quick
@given(st.lists(documents(n_mentions=st.just(1)), max_size=3))
def test_blink_lines_are_read_back_as_they_were(batch):
    assert round_trip("blink", batch) == batch


@quick
@given(documents(n_mentions=st.integers(2, 4)), st.sampled_from(["kilt", "blink"]))
def test_each_of_several_mentions_becomes_a_document_with_the_same_text(document, format_):
    found = round_trip(format_, [document])
    assert [one.mentions for one in found] == [(mention,) for mention in document.mentions]
    assert {one.text for one in found} == {document.text}
    assert len({one.id for one in found}) == len(document.mentions)


@quick
@given(st.lists(documents(DECIDED), max_size=3), st.none() | names)
def test_damuel_articles_are_read_back_as_they_were(batch, lang):
    batch = [Document(one.id, one.text, lang, one.mentions) for one in batch]
    assert round_trip("damuel", batch) == batch
    assert list(READERS["damuel-all"](enumerate(written("damuel", batch).split("\n"), start=1), "-")) == batch


@st.composite
def tokenized(draw):
    """A document whose mentions are whole tokens between single spaces; tokens may be empty."""
    tokens = draw(st.lists(st.text(letters.filter(lambda letter: letter != " "), max_size=4), min_size=1, max_size=6))
    text, found = " ".join(tokens), []
    starts = [sum(map(len, tokens[:number])) + number for number in range(len(tokens))]
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(tokens) - 1))
        last = draw(st.integers(first, len(tokens) - 1))
        start, end = starts[first], starts[last] + len(tokens[last])
        if start < end:
            entity, is_nil = draw(st.sampled_from([("e", False), (None, True), (None, False)]))
            found.append(Mention(start, end, text[start:end], entity, is_nil=is_nil))
    return Document(draw(names), text, mentions=tuple(sorted(found, key=lambda mention: (mention.start, mention.end))))


@quick
@given(st.lists(tokenized(), max_size=3, unique_by=lambda document: document.id))
def test_zeshel_mentions_and_texts_are_read_back_as_they_were(batch):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "val.json")
        assert round_trip("zeshel", batch, path) == [document for document in batch if document.mentions]


@quick
@given(documents(DECIDED, n_mentions=st.just(1)), st.sampled_from([START, END]))
def test_a_text_that_holds_a_kilt_marker_is_refused_and_not_written_wrongly(document, marker):
    text = document.text + marker
    with pytest.raises(DataError, match="itself holds"):
        written("kilt", [Document(document.id, text, mentions=document.mentions)])


KEYS = {
    "elevant": "id text labels span entity_id evaluation_span entity_mentions",
    "elevant-links": "id text entity_mentions span candidates linked_by",
    "kilt": "id input output answer provenance title wikipedia_id score",
    "blink": "id context_left mention context_right label_title label_id start_pos",
    "zeshel": "corpus context_document_id start_index end_index text label_document_id",
    "damuel-all": "qid lang wiki text tokens links start end",
}


def junk(format_):
    leaves = st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | st.text(max_size=3)
    leaves |= st.sampled_from(["abcdef", f"a {START} b {END} c", "-1", "NIL", "Unknown"])
    keys = st.sampled_from(KEYS[format_].split())
    extend = lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5)  # noqa: E731
    return st.dictionaries(keys, st.recursive(leaves, extend, max_leaves=12), max_size=7)


@pytest.mark.parametrize("format_", KEYS)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_json_is_documents_or_a_data_error_that_names_the_line(format_, data):
    line = json.dumps(data.draw(junk(format_)))
    try:
        found = list(READERS[format_]([(7, line)], "nowhere/x.jsonl"))
    except DataError as error:
        assert error.line == 7
    else:
        for document in found:
            assert all(one.text == document.text[one.start : one.end] != "" for one in document.mentions)
