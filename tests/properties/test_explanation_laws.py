"""Laws of explanations: on every path to a link the parts add up, and the numbers are those that linking tells."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from deixis.decision.decision import Decision
from deixis.detection.config import FindingConfig
from deixis.documents.corrections import Correction
from deixis.documents.reading import read_documents
from deixis.explanation.explain import explain
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.model import Reader
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan
from deixis.neural.reader.spans import Reading
from deixis.store.lazy_part import LazyPart
from deixis.types import Document, Mention
from tests.golden.stand_ins import ChecksumReader, ChecksumReranker
from tests.linkers import with_decisions, with_parts, with_reranker

READER_WEIGHTS = np.array([1.0, -0.5, 0.8, 0.7, -0.4, 1.0])
TEXTS = [
    "Paris carried Helen off from Menelaus, and Troy fell.",
    "In May Java may rain; Paris Hilton and Paris, Texas, too. java is not Java",
    "The Amazon flows through Brazil; Amazon sends parcels from Georgia.",
]
GIVEN = ("Paris", "Troy", "Java", "Amazon", "Georgia", "may rain")
SPANS, NAMES, RANKINGS = ("given", "raw"), ("likely", "every"), ("plain", "rerank", "reader", "reader and rerank")
PATHS = [path for path in product(SPANS, NAMES, RANKINGS) if path[0] == "raw" or "reader" not in path[2]]


@cache
def linker(names: str, is_calibrated: bool) -> Linker:
    """The demo's linker with a re-ranker and a reader that are quick and know nothing."""
    config = LinkerConfig(finding=FindingConfig(names=names))
    built = with_reranker(Linker.build(read_demo(), config=config, n_threads=1), ChecksumReranker())
    if is_calibrated:
        gold = list(read_documents(demo_sentences_path()))
        built = built.calibrate(gold[::3]).calibrate(gold[::3], rerank=True)
    opened = ChecksumReader(built.kb.titles, Reading)
    reader = Reader(LazyPart({}, "reader", lambda arrays, prefix: opened), READER_WEIGHTS)
    return with_decisions(with_parts(built, reader=reader), read=Decision(threshold=0.3))


def options_of(ranking: str, **changes: object) -> LinkOptions:
    return LinkOptions(reader="reader" in ranking, rerank="rerank" in ranking).with_changes(**changes)


def document_of(text: str, spans: str) -> Document:
    names = [name for name in GIVEN if name in text] if spans == "given" else []
    places = sorted((text.index(name), text.index(name) + len(name)) for name in names)
    return Document("d", text, mentions=tuple(Mention(start, end, text[start:end]) for start, end in places))


def assert_adds_up(told) -> None:
    for candidate in (told.entity, told.runner_up):
        if candidate is not None:
            assert math.fsum(part.contribution for part in candidate.parts) == pytest.approx(candidate.total, abs=1e-6)
            assert math.exp(candidate.total - told.log_sum) == pytest.approx(candidate.score, rel=1e-4, abs=1e-7)
    for step in told.path:
        together = step.bias + step.rest + sum(ngram.contribution for ngram in step.ngrams)
        assert together == pytest.approx(step.margin, abs=1e-5)
    evidence = told.mention_evidence
    if evidence is not None:
        assert sum(part.contribution for part in evidence.parts) == pytest.approx(evidence.log_odds, abs=1e-6)
        assert expit(evidence.log_odds) == pytest.approx(evidence.probability, abs=1e-6)
        if evidence.span_parts:
            sum_of_parts = sum(part.contribution for part in evidence.span_parts)
            assert sum_of_parts == pytest.approx(evidence.span_log_odds, abs=1e-6)


def assert_agrees(told, mention: Mention) -> None:
    assert (told.start, told.end, told.text) == (mention.start, mention.end, mention.text)
    assert told.entity.id == mention.candidates[0].id
    assert told.is_linked == (mention.entity is not None)
    assert told.entity.probability == pytest.approx(mention.score, rel=1e-5)
    assert (told.entity.probability >= told.threshold) == told.is_linked
    if len(mention.candidates) > 1:
        assert told.runner_up.id == mention.candidates[1].id
        assert told.runner_up.probability == pytest.approx(mention.candidates[1].score, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("is_calibrated", [False, True], ids=["plain", "calibrated"])
@pytest.mark.parametrize(("spans", "names", "ranking"), PATHS)
@pytest.mark.parametrize("changes", [{}, {"threshold": 0.6}, {"overlaps": "keep", "top_k": 30}], ids=str)
def test_an_explanation_adds_up_and_says_what_linking_says(spans, names, ranking, is_calibrated, changes):
    asked, options, n_linked = linker(names, is_calibrated), options_of(ranking, **changes), 0
    for text in TEXTS:
        document = document_of(text, spans)
        mentions = {(m.start, m.end): m for m in asked.link(document, options).mentions}
        explanations = explain(asked.model, document, options=options)
        assert {(each.start, each.end) for each in explanations} == {
            key for key, mention in mentions.items() if mention.candidates
        }
        plan = LinkPlan.of(asked.model, options, detects=spans == "raw")
        for told in explanations:
            assert_adds_up(told)
            assert_agrees(told, mentions[told.start, told.end])
            is_name_linked = plan.detects and told.threshold == 0.0
            assert is_name_linked or told.threshold == plan.deciding.min_probability
            n_linked += told.is_linked
    assert n_linked > 0 or changes


@pytest.mark.parametrize(("spans", "names", "ranking"), PATHS)
def test_of_every_other_span_an_explanation_adds_up_and_says_that_it_is_not_linked(spans, names, ranking):
    asked, options = linker(names, False), options_of(ranking)
    document = document_of(TEXTS[1], spans)
    links = {(m.start, m.end): m.entity for m in asked.link(document, options).mentions}
    table = asked.model.detector.table([document.text])
    for key in zip(table.starts.tolist(), table.ends.tolist(), strict=True):
        if key not in links:
            (told,) = explain(asked.model, document, [key], options=options)
            assert_adds_up(told)
            assert not told.is_linked or spans == "given"  # as if it were given, too


@pytest.mark.parametrize(("spans", "names", "ranking"), PATHS)
def test_a_corrected_span_is_explained_as_it_is_linked(spans, names, ranking):
    text, options = TEXTS[0], options_of(ranking)
    corrections = [Correction(text, 0, 5, "gold", "paris_city"), Correction(text, 43, 47, "not_an_entity")]
    asked = linker(names, True).correct(corrections)
    document = document_of(text, spans)
    links = {(m.start, m.end): m.entity for m in asked.link(document, options).mentions}
    assert links[0, 5] == "paris_city" and links.get((43, 47)) is None
    paris, troy = (asked.explain(document, *key, options=options) for key in ((0, 5), (43, 47)))
    assert paris.is_corrected and paris.is_linked and paris.entity.id == "paris_city"
    assert troy.is_corrected and not troy.is_linked
    for told in (paris, troy):
        assert_adds_up(told)
