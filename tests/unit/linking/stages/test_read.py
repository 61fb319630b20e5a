"""What detection and a reader say of the same spans, weighed together."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.special import expit

from deixis.candidates.candidate_lists import candidate_lists
from deixis.decision.decision import Decision, Decisions
from deixis.detection.config import FindingConfig
from deixis.errors import ConfigError, MissingExtraError, StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.logistic import weighed
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.lazy_parts import open_reader, reader_from
from deixis.linking.model import Reader
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.decide import mentions_among
from deixis.linking.stages.rank import RankedSpans
from deixis.linking.stages.read import EVIDENCE, PossibleLinks, passage_candidates, read
from deixis.linking.stored import model_arrays
from deixis.neural.reader.spans import Reading
from deixis.store.lazy_part import LazyPart
from deixis.tables import CandidateTable, Ranking, Spans
from deixis.training.reader import f1_of, fit_reading, reader_input_of
from deixis.types import Document, Mention
from tests.golden.stand_ins import ChecksumReader
from tests.linkers import with_decisions, with_parts

KB = KnowledgeBase.from_records(
    [
        {"id": "Q90", "title": "Paris", "description": "capital of France"},
        {"id": "Q167646", "title": "Paris", "description": "prince of Troy"},
        {"id": "Q22647", "title": "Troy", "description": "a city besieged by the Greeks"},
    ]
)
TEXT = "To save Troy, Paris had to die."
DETECTION = [1.0, 0, 0, 0, 0, 0]
BOTH = [1.0, 0, 1.0, 1.0, -1.0, 1.0]

Proposal = tuple[int, int, int, list[tuple[str, float]]]


def proposed(*spans: Proposal) -> tuple[Spans, Ranking]:
    """Spans of TEXT that detection thinks possible, as (document, start, end, ids with probabilities)."""
    numbers, starts, ends = np.array([each[:3] for each in spans], dtype=np.int64).reshape(-1, 3).T
    pairs = [pair for *_, own in spans for pair in own]
    rows = np.array([KB.row_of(name) for name, _ in pairs], dtype=np.int64)
    counts = np.cumsum([0, *(len(own) for *_, own in spans)])
    named = np.ones(len(spans), dtype=bool)
    ranking = Ranking(counts, rows, np.array([score for _, score in pairs], dtype=np.float64))
    return Spans(numbers, starts, ends, np.zeros(len(spans)), named), ranking


PARIS = proposed((0, 14, 19, [("Q90", 0.6), ("Q167646", 0.4)]), (0, 8, 12, [("Q22647", 0.9)]))


def linked(
    links: PossibleLinks, weights: list[float], threshold: float = 0.5, may_overlap: bool = False
) -> list[tuple[str, list[str]]]:
    """The spans that are links by these weights, each with the titles and ids of its candidates."""
    spans, ranking = links.ranked(expit(weighed(links.evidence, np.array(weights))))
    is_link = mentions_among(spans, ranking.best_scores(), threshold, may_overlap)
    own = candidate_lists(KB, ranking.take(is_link))
    assert all(each.title for candidates in own for each in candidates)
    keys = spans.take(is_link).keys()
    return [(TEXT[start:end], [each.id for each in listed]) for (_, start, end), listed in zip(keys, own, strict=True)]


def test_a_span_that_only_one_of_the_two_knows_is_a_possible_link_too() -> None:
    links = PossibleLinks.of(*PARIS, [Reading(0, 14, 19, 1, 0.9, 0.8), Reading(0, 8, 19, 2, 0.1, 0.1)])
    assert [key[:3] for key in links.keys()] == [(0, 8, 12), (0, 8, 19), (0, 14, 19), (0, 14, 19)]
    assert links.evidence.shape == (4, len(EVIDENCE))
    columns = dict(zip(EVIDENCE, links.evidence.T.tolist(), strict=True))
    assert columns["is_not_found"] == [0, 1, 0, 0]
    assert columns["is_not_read"] == [1, 0, 1, 0]


def test_the_reader_can_overrule_the_best_candidate() -> None:
    links = PossibleLinks.of(*PARIS, [Reading(0, 14, 19, 1, 0.9, 0.9)])
    assert [(text, ids[0]) for text, ids in linked(links, DETECTION)] == [("Troy", "Q22647"), ("Paris", "Q90")]
    assert linked(links, BOTH)[-1] == ("Paris", ["Q167646", "Q90"])


def test_links_overlap_only_when_asked_for() -> None:
    links = PossibleLinks.of(*proposed((0, 8, 12, [("Q22647", 0.9)]), (0, 8, 19, [("Q90", 0.6)])), [])
    assert [text for text, _ in linked(links, DETECTION)] == ["Troy"]
    assert [text for text, _ in linked(links, DETECTION, may_overlap=True)] == ["Troy", "Troy, Paris"]


def test_texts_in_which_nothing_is_possible_stay_empty() -> None:
    links = PossibleLinks.of(*proposed(), [])
    assert len(links) == 0 and linked(links, DETECTION) == []


def test_the_entities_of_a_span_stand_best_first_and_each_span_once() -> None:
    readings = [Reading(0, 14, 19, 1, 0.9, 0.9), Reading(1, 14, 19, 2, 0.5, 0.5)]
    links = PossibleLinks.of(*PARIS, readings)
    spans, ranking = links.ranked(np.array([0.1, 0.3, 0.8, 0.4]))
    assert list(spans.keys()) == [(0, 8, 12), (0, 14, 19), (1, 14, 19)]
    assert ranking.rows.tolist() == [2, 1, 0, 2] and ranking.scores.tolist() == [0.1, 0.8, 0.3, 0.4]
    assert list(links.take(np.array([2])).keys()) == [(0, 14, 19, 1)]


def test_a_passage_is_given_the_likeliest_entities_of_its_own_mentions() -> None:
    pytest.importorskip("tokenizers")
    from deixis.neural.reader.passages import Passage

    first, last = Passage(0, 0, TEXT[:12]), Passage(0, 8, TEXT[8:])
    assert passage_candidates(*PARIS, [first, last], k=2) == [[2], [2, 0]]


def test_weights_are_learned_from_whoever_is_right() -> None:
    """Detection always thinks of the city; the reader knows better, and the documents say so."""
    documents, readings = [], []
    for number in range(40):
        is_prince = number % 2 == 0
        gold = "Q167646" if is_prince else "Q90"
        documents.append(Document(str(number), TEXT, mentions=(Mention(14, 19, "Paris", gold),)))
        readings.append(Reading(number, 14, 19, int(is_prince), 0.9, 0.9))
    spans = proposed(*((number, 14, 19, [("Q90", 0.6), ("Q167646", 0.4)]) for number in range(40)))
    links = PossibleLinks.of(*spans, readings)
    weights, decision = fit_reading(KB, documents, links, None)
    answers = [
        each.with_mentions([Mention(14, 19, "Paris", ids[0])])
        for each, (_, ids) in zip(documents, linked(links, weights.tolist(), decision.min_probability), strict=True)
    ]
    assert f1_of("both", KB, documents, answers).value == 1.0
    assert weights[list(EVIDENCE).index("span")] >= 0
    assert decision.curve is not None and len(decision.curve) == 40
    assert linked(links, weights.tolist(), decision.with_threshold(1.0).min_probability) == []


def read_by(linker: Linker, weights: list[float], threshold: float = 0.5) -> Linker:
    """The linker with a reader that is never opened."""
    reader = Reader(LazyPart({"reader.x": np.ones(1)}, "reader", lambda arrays, prefix: None), np.array(weights))
    return with_decisions(with_parts(linker, reader=reader), read=Decision(threshold=threshold))


def test_a_reader_is_stored_with_its_weights_and_its_threshold() -> None:
    plain = Linker.build(KB, n_threads=1)
    arrays = model_arrays(read_by(plain, [1.0, -1.0, 0.5, 0.25, 0, 2.0], threshold=0.3).model)
    again = reader_from(arrays, KB, 1)
    assert again is not None and again.weights.tolist() == [1.0, -1.0, 0.5, 0.25, 0, 2.0]
    assert Decisions.from_arrays(arrays, "decisions").read.min_probability == 0.3
    assert reader_from(model_arrays(plain.model), KB, 1) is None
    assert Decisions.from_arrays(model_arrays(plain.model), "decisions").read is None
    for damaged in (np.ones(2), np.full(6, 1e9)):
        with pytest.raises(StoreError, match=r"reader\.weights"):
            reader_from(arrays | {"reader.weights": damaged}, KB, 1)
    assert len(EVIDENCE) == len(again.weights)


def test_without_its_extra_a_reader_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.delitem(sys.modules, "deixis.neural.reader.run", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install 'deixis\[onnx\]'"):
        open_reader(KB)({}, "reader.part")


def test_only_a_model_with_a_reader_can_be_told_to_read() -> None:
    linker = Linker.build(KB)
    with pytest.raises(ConfigError, match="deixis fit reader MODEL --mentions"):
        linker.link(TEXT, reader=True)
    with pytest.raises(ConfigError, match="no reader"):
        linker.link_many([TEXT], reader=True)
    assert linker.link(TEXT, reader=False) == linker.link(TEXT)


def test_a_plan_without_a_reader_cannot_read() -> None:
    plan = LinkPlan.of(Linker.build(KB).model, LinkOptions(), detects=True)
    with pytest.raises(ValueError, match="no reader in this plan"):
        read(plan, [], [])


def test_spans_of_all_batches_are_read_together_and_keep_the_numbers_of_their_documents() -> None:
    linker = read_by(Linker.build(KB, n_threads=1), BOTH)
    opened = ChecksumReader(KB.titles, Reading)
    part = LazyPart({}, "reader", lambda arrays, prefix: opened)
    linker = with_parts(linker, reader=Reader(part, np.array(BOTH)))
    documents = [Document("a", "nothing"), Document("b", TEXT), Document("c", ""), Document("d", TEXT)]
    plan = LinkPlan.of(linker.model, LinkOptions(), detects=True)
    batches = []
    for number in (1, 3):
        spans, ranking = proposed((number, 8, 12, [("Q22647", 0.9)]), (number, 14, 19, [("Q90", 0.6)]))
        nothing = CandidateTable(np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int64), {})
        batches.append(RankedSpans(spans, spans.in_context(documents), nothing, ranking, ranking, np.ones(len(spans))))
    both = read(plan, documents, batches)
    alone = [read(plan, documents, [each]) for each in batches]
    assert list(both.spans.keys()) == [key for each in alone for key in each.spans.keys()]
    assert both.scored.scores.tolist() == [score for each in alone for score in each.scored.scores.tolist()]
    assert {key[0] for key in both.spans.keys()} == {1, 3} and len(both.spans) >= 4


def test_what_is_proposed_overlaps_and_may_be_unlikely() -> None:
    spans, ranking = reader_input_of(Linker.build(KB).model, [Document("d", TEXT)])
    assert {TEXT[start:end] for _, start, end in spans.keys()} >= {"Troy", "Paris"}
    assert (np.diff(ranking.starts) > 0).all() and len(ranking) == len(spans)


def test_a_reader_hears_of_spans_that_are_too_unlikely_to_be_ranked_without_it() -> None:
    config = LinkerConfig(finding=FindingConfig(min_chance=0.9999, names="sure"))
    linker = Linker.build(KB, config=config, n_threads=1)
    spans, _ = reader_input_of(linker.model, [Document("d", TEXT)])
    assert not linker.link(TEXT).mentions
    assert {"Troy", "Paris"} <= {TEXT[start:end] for _, start, end in spans.keys()}
