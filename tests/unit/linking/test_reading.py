"""What finding and a reader say of the same spans, weighed together."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from deixis.detection.config import FindingConfig
from deixis.errors import ConfigError, MissingExtraError, StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.linking.reader_learning import START, f1_of, weighed_by
from deixis.linking.reading import EVIDENCE, PossibleLinks, ReadingStation, StoredReader, passage_candidates
from deixis.neural.reader.spans import Reading
from deixis.types import Candidate, Document, Mention

KB = KnowledgeBase.from_records(
    [
        {"id": "Q90", "title": "Paris", "description": "capital of France"},
        {"id": "Q167646", "title": "Paris", "description": "prince of Troy"},
        {"id": "Q22647", "title": "Troy", "description": "a city besieged by the Greeks"},
    ]
)
TEXT = "To save Troy, Paris had to die."


def proposed(*mentions: tuple[int, int, list[tuple[str, float]]]) -> Document:
    """TEXT with mentions that finding thinks possible."""
    return Document(
        "d",
        TEXT,
        mentions=tuple(
            Mention(start, end, TEXT[start:end], ids[0][0], candidates=tuple(Candidate(*each) for each in ids))
            for start, end, ids in mentions
        ),
    )


def station(weights: list[float], threshold: float = 0.5) -> ReadingStation:
    """A station whose reader is never opened."""
    return ReadingStation(StoredReader({}, "reading.reader", KB), np.array(weights), NilRule(threshold))


PARIS = proposed((14, 19, [("Q90", 0.6), ("Q167646", 0.4)]), (8, 12, [("Q22647", 0.9)]))


def test_a_span_that_only_one_of_the_two_knows_is_a_possible_link_too() -> None:
    links = PossibleLinks.of(KB, [PARIS], [Reading(0, 14, 19, 1, 0.9, 0.8), Reading(0, 8, 19, 2, 0.1, 0.1)])
    assert [place for place, _ in links.places()] == [(0, 8, 12), (0, 8, 19), (0, 14, 19), (0, 14, 19)]
    assert links.evidence.shape == (4, len(EVIDENCE))
    not_found, not_read = (links.evidence[:, EVIDENCE.index(name)].tolist() for name in ("is_not_found", "is_not_read"))
    assert not_found == [0, 1, 0, 0]
    assert not_read == [1, 0, 1, 0]


def test_the_reader_can_overrule_the_best_candidate() -> None:
    links = PossibleLinks.of(KB, [PARIS], [Reading(0, 14, 19, 1, 0.9, 0.9)])
    by_finding = station([1.0, 0, 0, 0, 0, 0]).linked(KB, [PARIS], links)
    assert [mention.entity for mention in by_finding[0].mentions] == ["Q22647", "Q90"]
    by_both = station([1.0, 0, 1.0, 1.0, -1.0, 1.0]).linked(KB, [PARIS], links, k=2)
    told = by_both[0].mentions[-1]
    assert (told.text, told.entity, [each.id for each in told.candidates]) == ("Paris", "Q167646", ["Q167646", "Q90"])


def test_the_candidates_of_read_links_have_titles() -> None:
    links = PossibleLinks.of(KB, [PARIS], [Reading(0, 14, 19, 1, 0.9, 0.9)])
    (document,) = station([1.0, 0, 1.0, 1.0, -1.0, 1.0]).linked(KB, [PARIS], links, k=2)
    titles = [[candidate.title for candidate in mention.candidates] for mention in document.mentions]
    assert titles == [["Paris", "Paris"]]


def test_links_overlap_only_when_asked_for() -> None:
    nested = proposed((8, 12, [("Q22647", 0.9)]), (8, 19, [("Q90", 0.7)]))
    links = PossibleLinks.of(KB, [nested], [])
    drop, keep = (
        station([1.0, 0, 0, 0, 0, 0]).linked(KB, [nested], links, overlaps)[0].mentions for overlaps in ("drop", "keep")
    )
    assert [mention.text for mention in drop] == ["Troy"]
    assert [mention.text for mention in keep] == ["Troy", "Troy, Paris"]


def test_texts_in_which_nothing_is_possible_stay_empty() -> None:
    links = PossibleLinks.of(KB, [Document("d", "")], [])
    assert station([1.0, 0, 0, 0, 0, 0]).linked(KB, [Document("d", "")], links)[0].mentions == ()


def test_a_passage_is_given_the_likeliest_entities_of_its_own_mentions() -> None:
    pytest.importorskip("tokenizers")
    from deixis.neural.reader.passages import Passage

    first, last = Passage(0, 0, TEXT[:12]), Passage(0, 8, TEXT[8:])
    assert passage_candidates(KB, [PARIS], [first, last], k=2) == [[2], [2, 0]]


def test_weights_are_learned_from_whoever_is_right() -> None:
    """Finding always thinks of the city; the reader knows better, and the documents say so."""
    documents, readings = [], []
    for number in range(40):
        is_prince = number % 2 == 0
        gold = "Q167646" if is_prince else "Q90"
        documents.append(Document(str(number), TEXT, mentions=(Mention(14, 19, "Paris", gold),)))
        readings.append(Reading(number, 14, 19, int(is_prince), 0.9, 0.9))
    asked = [proposed((14, 19, [("Q90", 0.6), ("Q167646", 0.4)])) for _ in documents]
    links = PossibleLinks.of(KB, asked, readings)
    both = weighed_by(station(START.tolist()), KB, documents, links, NilRule())
    linked = both.linked(KB, asked, links)
    assert f1_of("both", KB, documents, linked).value == 1.0
    assert both.weights[EVIDENCE.index("span")] >= 0
    assert both.calibration is not None and len(both.calibration.held_out) == 40
    strict = both.ruled(NilRule(1.0))
    assert not strict.linked(KB, asked, links)[0].mentions


def test_a_station_is_stored_with_its_weights_and_its_threshold() -> None:
    stored = station([1.0, -1.0, 0.5, 0.25, 0, 2.0], threshold=0.3)
    again = ReadingStation.from_arrays(stored.to_arrays("reading"), "reading", KB)
    assert again is not None
    assert again.weights.tolist() == stored.weights.tolist() and again.nil.least_score == 0.3
    assert ReadingStation.from_arrays({}, "reading", KB) is None
    with pytest.raises(StoreError, match=r"reading\.weights"):
        ReadingStation.from_arrays(stored.to_arrays("reading") | {"reading.weights": np.ones(2)}, "reading", KB)


def test_without_its_extra_a_reader_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.delitem(sys.modules, "deixis.neural.reader.run", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install 'deixis\[onnx\]'"):
        _ = StoredReader({}, "reading.reader", KB).opened


def test_only_a_model_with_a_reader_can_be_told_to_read() -> None:
    linker = Linker.build(KB)
    with pytest.raises(ConfigError, match="deixis learn MODEL --mentions"):
        linker.link(TEXT, read=True)
    with pytest.raises(ConfigError, match="no reader"):
        linker.link([TEXT], read=True)
    assert linker.link(TEXT, read=False) == linker.link(TEXT)


def test_what_is_proposed_overlaps_and_may_be_unlikely() -> None:
    (document,) = Linker.build(KB).proposed([Document("d", TEXT)])
    assert {mention.text for mention in document.mentions} >= {"Troy", "Paris"}
    assert all(mention.entity is not None and mention.candidates for mention in document.mentions)


def test_a_reader_hears_of_spans_that_are_too_unlikely_to_be_ranked_without_it() -> None:
    config = LinkerConfig(finding=FindingConfig(min_names=0, min_chance=0.99))
    linker = Linker.build(KB, config=config, n_threads=1)
    (document,) = linker.proposed([Document("d", TEXT)])
    assert not linker.link(TEXT).mentions and {"Troy", "Paris"} <= {mention.text for mention in document.mentions}
