"""A document may hold more mentions than walk through the stations at once."""

import tracemalloc

import numpy as np
import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking import portions as portions_module
from deixis.linking.linker import Linker
from deixis.linking.portions import portions
from deixis.ranking.ranker import weights_of
from deixis.types import Document, Mention, MentionInContext


def test_mentions_are_linked_the_same_however_many_walk_together(monkeypatch):
    kb = KnowledgeBase.from_records(
        [
            {"id": "city", "title": "Paris", "description": "capital of France on the Seine"},
            {"id": "prince", "title": "Paris", "description": "prince of Troy who carried off Helen"},
            {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
        ]
    )
    linker = Linker.build(kb)
    texts = ["Paris fled Troy with Helen. Paris on the Seine. " * 3, "no name here", "Troy", "Paris and Troy"]
    together = linker.link(texts)
    monkeypatch.setattr(portions_module, "MENTIONS_AT_ONCE", 9)  # a longer document would lose sight of itself
    assert linker.link(texts) == together
    assert len(together[0].mentions) == 9


def mentions_of(*counts):
    """As many mentions of documents that follow one another."""
    return [
        MentionInContext("x", f"text {number}", 0, 1, None, str(number))
        for number, n in enumerate(counts)
        for _ in range(n)
    ]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((), []),
        ((3,), [(0, 3)]),
        ((4,), [(0, 4)]),
        ((5,), [(0, 4), (4, 5)]),
        ((2, 2, 1), [(0, 4), (4, 5)]),
        ((3, 3, 3), [(0, 3), (3, 6), (6, 9)]),
        ((1, 9, 2), [(0, 1), (1, 5), (5, 9), (9, 12)]),
        ((4, 4), [(0, 4), (4, 8)]),
    ],
)
def test_whole_documents_walk_together_and_long_ones_are_cut_from_their_start(monkeypatch, counts, expected):
    monkeypatch.setattr(portions_module, "MENTIONS_AT_ONCE", 4)
    assert [(portion.start, portion.stop) for portion in portions(mentions_of(*counts))] == expected


@pytest.fixture(scope="module")
def coherent():
    """A linker for which only the other mentions of a document count."""
    kb = KnowledgeBase.from_records(
        [
            {"id": "city", "title": "Paris", "description": "capital of France on the Seine"},
            {"id": "prince", "title": "Paris", "description": "prince of Troy who carried off Helen"},
        ]
    )
    linker = Linker.build(kb)
    linker.ranker = linker.ranker.with_weights(weights_of({"others": 1.0}))
    return linker


TEXT = "Paris, Seine, Troy"
PARIS, SEINE, TROY = Mention(0, 5, "Paris"), Mention(7, 12, "Seine"), Mention(14, 18, "Troy")


def test_other_mentions_of_a_document_speak_for_a_candidate(coherent):
    by_river = coherent.link(Document("a", TEXT, mentions=(PARIS, SEINE)))
    by_war = coherent.link(Document("a", TEXT, mentions=(TROY, PARIS)))
    assert [by_river.mentions[0].candidates[0].id, by_war.mentions[1].candidates[0].id] == ["city", "prince"]
    alone = coherent.link(Document("a", TEXT, mentions=(PARIS, PARIS)))
    assert {candidate.score for mention in alone.mentions for candidate in mention.candidates} == {0.5}


def test_documents_with_the_same_text_do_not_lend_each_other_their_mentions(coherent):
    documents = [
        Document(str(number), TEXT, mentions=mentions)
        for number, mentions in enumerate([(PARIS, SEINE), (PARIS,), (TROY, PARIS), (SEINE, TROY), (PARIS,)])
    ]
    assert coherent.link(documents) == [coherent.link(document) for document in documents]


def test_a_batch_is_its_singles_however_many_mentions_walk_together(coherent, monkeypatch):
    monkeypatch.setattr(portions_module, "MENTIONS_AT_ONCE", 3)
    rng = np.random.default_rng(0)
    documents = [
        Document(str(number), TEXT, mentions=tuple(rng.permutation([PARIS, SEINE, TROY, PARIS, TROY])[: number % 6]))
        for number in range(14)
    ]
    assert coherent.link(documents) == [coherent.link(document) for document in documents]


def test_a_long_document_takes_no_more_room_for_having_many_names():
    """Three thousand different names in one text: room for what is proposed, not for all names times all names."""
    names = [f"{first}{second}" for first in ("Abel", "Berg", "Carl", "Dorn", "Edel", "Funk") for second in range(500)]
    kb = KnowledgeBase.from_records({"id": name, "title": name, "description": f"home of {name}"} for name in names)
    linker = Linker.build(kb, n_threads=1)
    document = Document("d", " ".join(names))
    tracemalloc.start()
    linked = linker.link(document)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(linked.mentions) == 3000
    assert [mention.entity for mention in linked.mentions[::100]] == names[::100]
    assert peak < 400e6
