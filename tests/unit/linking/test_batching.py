"""What goes through the pipeline together: whole documents, long ones in parts, and the same for every company."""

import itertools
import time
import tracemalloc

import numpy as np
import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking import batching
from deixis.linking.batching import batches, in_lists, mention_batches
from deixis.ranking.weights import FeatureWeights
from deixis.tables import Spans
from deixis.types import Document, Mention, MentionInContext
from tests.linkers import with_weights


def test_mentions_are_linked_the_same_however_many_go_together(monkeypatch):
    kb = KnowledgeBase.from_records(
        [
            {"id": "city", "title": "Paris", "description": "capital of France on the Seine"},
            {"id": "prince", "title": "Paris", "description": "prince of Troy who carried off Helen"},
            {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
        ]
    )
    linker = Linker.build(kb)
    texts = ["Paris fled Troy with Helen. Paris on the Seine. " * 3, "no name here", "Troy", "Paris and Troy"]
    together = list(linker.link_many(texts))
    monkeypatch.setattr(batching, "SPANS_AT_ONCE", 9)  # a longer document would lose sight of itself
    assert list(linker.link_many(texts)) == together
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
def test_whole_documents_go_together_and_long_ones_are_cut_from_their_start(monkeypatch, counts, expected):
    monkeypatch.setattr(batching, "SPANS_AT_ONCE", 4)
    assert [(batch.start, batch.stop) for batch in mention_batches(mentions_of(*counts))] == expected
    ends = np.cumsum([len(batch) for batch in batches(spans_in(*([(0, 1)] * n for n in counts)), is_given=True)])
    assert ends.tolist() == [end for _, end in expected]  # spans are batched as mentions are


def spans_in(*documents):
    """Spans of documents that follow one another, as (start, end)."""
    rows = [(number, *span) for number, spans in enumerate(documents) for span in spans]
    numbers, starts, ends = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Spans(numbers, starts, ends, np.zeros(len(rows)), np.ones(len(rows), dtype=bool))


def batched(spans, is_given=False):
    return [list(batch.keys()) for batch in batches(spans, is_given)]


def test_a_long_document_is_cut_where_no_span_is_cut(monkeypatch):
    monkeypatch.setattr(batching, "SPANS_AT_ONCE", 3)
    apart, nested = [(0, 2), (3, 5), (6, 8), (9, 11)], [(0, 2), (3, 9), (4, 5), (6, 8), (9, 11)]
    assert [len(each) for each in batched(spans_in(apart))] == [3, 1]
    assert [len(each) for each in batched(spans_in(nested))] == [1, 3, 1]  # 3..9 stays with what is inside it
    assert [len(each) for each in batched(spans_in(nested), is_given=True)] == [3, 2]
    chain = [(n, n + 2) for n in range(6)]  # each overlaps the next: no place to cut
    assert [len(each) for each in batched(spans_in(chain))] == [6]
    assert [len(each) for each in batched(spans_in(chain, apart))] == [6, 3, 1]


def test_a_name_repeated_without_end_is_cut_all_the_same(monkeypatch):
    monkeypatch.setattr(batching, "SPANS_AT_ONCE", 3)
    chain = spans_in([(n, n + 2) for n in range(100)])  # as "Duran Duran" in "Duran Duran Duran ..."
    parts = batched(chain)
    assert max(map(len, parts)) <= 3 * batching.LONGEST_CHAIN
    kept = [key for part in parts for key in part]
    assert 90 <= len(kept) < 100 and kept == sorted(kept)  # what lies across a cut is left out
    for before, after in itertools.pairwise(parts):
        assert max(end for _, _, end in before) <= min(start for _, start, _ in after)


def test_cutting_a_long_text_takes_time_in_proportion_to_it():
    def seconds(n):
        spans = spans_in([(2 * number, 2 * number + 1) for number in range(n)])
        begin = time.thread_time()
        assert sum(map(len, batches(spans, is_given=False))) == n
        return time.thread_time() - begin

    seconds(10_000)
    assert seconds(1_600_000) < 40 * max(seconds(100_000), 1e-3)  # it was 250 times as much


@pytest.mark.parametrize("is_given", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_batches_are_those_of_each_document_alone_and_lose_nothing(monkeypatch, is_given, seed):
    """Short documents share a batch; a document longer than a batch is cut as if it were alone."""
    monkeypatch.setattr(batching, "SPANS_AT_ONCE", 6)
    rng = np.random.default_rng(seed)
    documents = [
        sorted((int(start), int(start + rng.integers(1, 6))) for start in rng.integers(0, 40, rng.integers(0, 20)))
        for _ in range(7)
    ]
    together = batched(spans_in(*documents), is_given)
    assert [key for batch in together for key in batch] == list(spans_in(*documents).keys())
    for number, spans in enumerate(documents):
        own = [[key[1:] for key in batch if key[0] == number] for batch in together]
        alone = [[key[1:] for key in batch] for batch in batched(spans_in(spans), is_given)]
        assert [each for each in own if each] == alone
    assert all(len(batch) <= 6 for batch in together) or not is_given


def test_lists_are_as_long_as_asked_for_and_nothing_is_read_ahead():
    numbers = iter(range(7))
    lists = in_lists(numbers, 3)
    assert next(lists) == [0, 1, 2] and next(numbers) == 3
    assert list(lists) == [[4, 5, 6]] and list(in_lists([], 3)) == []


@pytest.fixture(scope="module")
def coherent():
    """A linker for which only the other mentions of a document count."""
    kb = KnowledgeBase.from_records(
        [
            {"id": "city", "title": "Paris", "description": "capital of France on the Seine"},
            {"id": "prince", "title": "Paris", "description": "prince of Troy who carried off Helen"},
        ]
    )
    return with_weights(Linker.build(kb), FeatureWeights.of({"others": 1.0}))


TEXT = "Paris, Seine, Troy"
PARIS, SEINE, TROY = Mention(0, 5, "Paris"), Mention(7, 12, "Seine"), Mention(14, 18, "Troy")


def test_other_mentions_of_a_document_speak_for_a_candidate(coherent):
    by_river = coherent.link(Document("a", TEXT, mentions=(PARIS, SEINE)))
    by_war = coherent.link(Document("a", TEXT, mentions=(TROY, PARIS)))
    assert [by_river.mentions[0].candidates[0].id, by_war.mentions[1].candidates[0].id] == ["city", "prince"]
    alone = coherent.link(Document("a", TEXT, mentions=(PARIS, PARIS)))
    assert len({candidate.score for mention in alone.mentions for candidate in mention.candidates}) == 1


def test_documents_with_the_same_text_do_not_lend_each_other_their_mentions(coherent):
    documents = [
        Document(str(number), TEXT, mentions=mentions)
        for number, mentions in enumerate([(PARIS, SEINE), (PARIS,), (TROY, PARIS), (SEINE, TROY), (PARIS,)])
    ]
    assert list(coherent.link_many(documents)) == [coherent.link(document) for document in documents]


def test_a_batch_is_its_singles_however_many_mentions_go_together(coherent, monkeypatch):
    monkeypatch.setattr(batching, "SPANS_AT_ONCE", 3)
    rng = np.random.default_rng(0)
    documents = [
        Document(str(number), TEXT, mentions=tuple(rng.permutation([PARIS, SEINE, TROY, PARIS, TROY])[: number % 6]))
        for number in range(14)
    ]
    assert list(coherent.link_many(documents)) == [coherent.link(document) for document in documents]


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
