"""Laws of the whole linker, on texts nobody would write by hand."""

import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.types import Document, Mention

NAMES = [
    "Paris",
    "Troy",
    "Zürich",
    "Zu\u0308rich",
    "北京",
    "東京タワー",
    "القاهرة",
    "ירושלים",
    "กรุงเทพ",
    "🦕 Park",
    "O'Hara",
    "Æsir",
]
RECORDS = [
    {"id": f"e{n}", "title": name, "description": f"{word} about {name}", "count": n}
    for n, (name, word) in enumerate((name, word) for name in NAMES for word in ("story", "city", "river"))
]
FILLERS = [
    " ",
    ", ",
    "\n",
    " 🦕🏽‍🚀 ",
    "e\u0301",
    "\u200f",
    "\u0301",
    "的",
    "في ",
    "city ",
    "river ",
    "ß",
    "\x00",
    "\ud800",
    "",
    "İ",
]

texts = st.lists(st.sampled_from(NAMES + FILLERS + ["paris", "TROY", "Pari"]) | st.text(max_size=6), max_size=12).map(
    "".join
)


@st.composite
def documents(draw):
    """A text; often with mentions given, nested, overlapping or empty as they may be."""
    text = draw(texts)
    edge = st.integers(0, len(text))
    spans = [tuple(sorted(span)) for span in draw(st.lists(st.tuples(edge, edge), max_size=4))]
    return Document("d", text, mentions=tuple(Mention(s, e, text[s:e]) for s, e in spans))


@cache
def linker(preset="default", n_threads=1):
    kb = KnowledgeBase.from_records(RECORDS)
    return Linker.build(kb, config=LinkerConfig.preset(preset), n_threads=n_threads)


@cache
def loaded(preset):
    with tempfile.TemporaryDirectory() as folder:
        linker(preset).save(Path(folder) / "model")
        return Linker.load(Path(folder) / "model")


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@settings(max_examples=60, deadline=None)
@given(documents())
def test_every_mention_says_what_the_text_has_at_its_offsets(document):
    linked = linker().link(document)
    assert linked.text == document.text
    for mention in linked.mentions:
        assert linked.text[mention.start : mention.end] == mention.text
        assert mention.is_decided
        assert mention.is_nil == (mention.entity is None)
    if document.mentions:
        assert [(m.start, m.end) for m in linked.mentions] == [(m.start, m.end) for m in document.mentions]
    else:
        spans = [(mention.start, mention.end) for mention in linked.mentions]
        assert all(start < end for start, end in spans)
        assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))


@settings(max_examples=30, deadline=None)
@given(st.lists(documents(), max_size=5), st.sampled_from(["default", "xmred"]))
def test_a_batch_is_its_singles_on_one_thread_and_many(batch, preset):
    singles = [linker(preset).link(document) for document in batch]
    assert list(linker(preset).link_many(batch)) == singles
    assert list(linker(preset, n_threads=3).link_many(iter(batch))) == singles
    assert list(linker(preset).link_many(batch, batch_size=2)) == singles


@settings(max_examples=30, deadline=None)
@given(documents(), st.sampled_from(["default", "xmred"]))
def test_a_loaded_linker_links_as_the_saved_one(document, preset):
    assert loaded(preset).link(document) == linker(preset).link(document)


@settings(max_examples=30, deadline=None)
@given(documents())
def test_linking_what_is_linked_changes_nothing(document):
    once = linker().link(document)
    again = linker().link(once)  # what was detected is now given
    assert [(mention.start, mention.end) for mention in again.mentions] == [(m.start, m.end) for m in once.mentions]
    for second, first in zip(again.mentions, once.mentions, strict=True):
        # In raw text a name is linked to the best of its namesakes; given, the best must reach the threshold.
        is_ambiguous = second.nil_reason == "ambiguous" and second.candidates[0].id == first.entity
        assert second.entity == first.entity or is_ambiguous
    assert linker().link(again) == again
    if document.mentions:
        assert again == once


@pytest.mark.parametrize("preset", ["default", "xmred"])
def test_saving_what_was_loaded_gives_the_same_bytes(preset, tmp_path):
    linker(preset).save(tmp_path / "one")
    Linker.load(tmp_path / "one").save(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize("preset", ["default", "xmred"])
def test_the_same_seed_gives_the_same_bytes_on_one_thread_and_many(preset, tmp_path):
    text = "In Paris and Troy"
    annotated = [Document("a", text, mentions=(Mention(3, 8, "Paris", "e1"), Mention(13, 17, "Troy", "e4")))]
    for name, n_threads in (("one", 1), ("many", 4)):
        kb = KnowledgeBase.from_records(RECORDS)
        Linker.build(kb, annotated, LinkerConfig.preset(preset), seed=11, n_threads=n_threads).save(tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "many")
