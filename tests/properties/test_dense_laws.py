"""Descriptions and contexts in two indexes find what one index of all their vectors finds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.vectors import VectorConfig, VectorSource
from deixis.encoders.config import EncoderConfig
from deixis.encoders.registry import register_encoder
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.vector_index import VectorIndex
from deixis.types import Document, Mention, MentionInContext

WORDS = ["red", "blue", "tower", "river"]
register_encoder("four-words", lambda texts: [[float(word in text) for word in WORDS] for text in texts])
CONFIG = VectorConfig(encoder=EncoderConfig(name="four-words"), max_contexts=3)

some_words = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)
entities = st.lists(st.tuples(st.sampled_from(WORDS), some_words), min_size=1, max_size=6)
contexts = st.lists(st.tuples(st.sampled_from(WORDS), some_words, st.integers(0, 5)), max_size=12)


def document(number: int, name: str, text: str, entity: str | None) -> Document:
    return Document(str(number), f"{name} {text}", mentions=(Mention(0, len(name), name, entity),))


@settings(max_examples=40, deadline=None)
@given(entities, contexts, contexts, st.integers(1, 7))
def test_two_indexes_find_what_one_of_all_vectors_finds(described, annotated, asked, k):
    records = [{"id": str(row), "title": name, "description": text} for row, (name, text) in enumerate(described)]
    kb = KnowledgeBase.from_records(records)
    documents = [document(n, name, text, str(row % len(kb))) for n, (name, text, row) in enumerate(annotated)]
    dense = VectorSource.build(SourceInputs(kb, documents), CONFIG)
    mentions = [MentionInContext(name, f"{name} {text}", 0, len(name)) for name, text, _ in asked]
    found = dense.search(mentions, k)
    if not mentions:
        assert found.shape == (0, len(kb))
        return
    nothing = VectorIndex.build([], np.zeros(0, np.int32), len(kb))
    together = dense.descriptions.exact.joined(nothing if dense.contexts is None else dense.contexts.exact)
    expected = together.search(dense.vectors.of_mentions(mentions), k)
    assert found.indices.tolist() == expected.indices.tolist() and found.indptr.tolist() == expected.indptr.tolist()
    np.testing.assert_array_equal(found.data, expected.data)


@settings(max_examples=40, deadline=None)
@given(entities, contexts, contexts)
def test_mentions_added_later_are_worth_those_known_from_the_start(described, first, later):
    records = [{"id": str(row), "title": name, "description": text} for row, (name, text) in enumerate(described)]
    kb = KnowledgeBase.from_records(records)
    few = [
        [document(n, name, text, str(row)) for n, (name, text, row) in enumerate(part[:3])] for part in (first, later)
    ]
    grown = VectorSource.build(SourceInputs(kb, few[0]), CONFIG).with_documents(few[1])
    whole = VectorSource.build(SourceInputs(grown.kb, few[0] + few[1]), CONFIG).contexts
    if grown.contexts is None:
        assert whole is None
        return
    # What the first documents say of entities that only the later ones made known was not kept.
    counts = np.bincount(grown.contexts.groups, minlength=len(grown.kb))
    at_once = np.bincount(whole.groups, minlength=len(grown.kb))
    assert (counts[: len(kb)] >= np.minimum(at_once[: len(kb)], 3)).all() and len(grown.kb) >= len(kb)
    assert set(grown.kb.ids) == set(kb.ids) | {mention.entity for each in few[1] for mention in each.mentions}
