"""Options checked against a model: which decision holds in which situation, with which threshold."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from deixis.decision.decision import Decision
from deixis.decision.link_model import LinkModel
from deixis.decision.threshold_curve import ThresholdCurve
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import KEPT_OPTIONS, Linker
from deixis.linking.model import Reader
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan, LinkPlans
from deixis.store.lazy_part import LazyPart
from deixis.types import Document, Mention
from tests.linkers import Contrarian, with_decisions, with_parts, with_reranker

KB = KnowledgeBase.from_records(
    [{"id": "city", "title": "Paris"}, {"id": "hero", "title": "Paris"}, {"id": "troy", "title": "Troy"}]
)
RAW = "They saw Paris and Troy."
GIVEN = Document("d", RAW, mentions=(Mention(9, 14, "Paris"), Mention(19, 23, "Troy")))


@functools.cache
def linker():
    return Linker.build(KB, n_threads=1)


def curve(low):
    scores = np.linspace(0.01, 1, 200)
    return ThresholdCurve(np.arange(200), scores, scores > low, np.ones(200, bool))


@functools.cache
def model():
    """A model with every part and a decision for each situation, told apart by their thresholds."""
    whole = with_reranker(linker(), Contrarian(), Decision(threshold=0.3, curve=curve(0.3)))
    whole = with_decisions(
        whole,
        given=Decision(threshold=0.1, curve=curve(0.1)),
        detected=Decision(LinkModel.default(), 0.2, curve(0.2)),
        read=Decision(threshold=0.4, curve=curve(0.4)),
    )
    reader = Reader(LazyPart({}, "reader", lambda arrays, prefix: None), np.zeros(6))
    return with_parts(whole, reader=reader).model


GIVEN_, DETECTED, RERANKED, READ = 0.1, 0.2, 0.3, 0.4
SITUATIONS = [
    # detects, reader, rerank: scored by, selected by, decided by
    ((False, False, False), (GIVEN_, GIVEN_, GIVEN_)),
    ((False, False, True), (GIVEN_, GIVEN_, RERANKED)),
    ((True, False, False), (DETECTED, DETECTED, DETECTED)),
    ((True, False, True), (DETECTED, DETECTED, DETECTED)),
    ((True, True, False), (DETECTED, READ, READ)),
    ((True, True, True), (DETECTED, READ, RERANKED)),
]


@pytest.mark.parametrize(("situation", "expected"), SITUATIONS)
def test_every_situation_has_the_decision_that_the_table_says(situation, expected):
    detects, reads, reranks = situation
    plan = LinkPlan.of(model(), LinkOptions(reader=reads, rerank=reranks), detects)
    assert tuple(each.min_probability for each in (plan.scoring, plan.selecting, plan.deciding)) == expected
    assert (plan.reader is not None) is reads and (plan.reranker is not None) is reranks
    if not reads and detects:
        assert isinstance(plan.deciding.model, LinkModel)


@pytest.mark.parametrize(("situation", "expected"), SITUATIONS)
@pytest.mark.parametrize("how", [{"threshold": 0.77}, {"target_precision": 0.95}], ids=["threshold", "precision"])
def test_a_threshold_asked_for_is_that_of_the_last_decision(situation, expected, how):
    detects, reads, reranks = situation
    plan = LinkPlan.of(model(), LinkOptions(reader=reads, rerank=reranks, **how), detects)
    wanted = 0.77 if "threshold" in how else curve(expected[-1]).for_precision(0.95).threshold
    assert plan.deciding.min_probability == wanted
    assert plan.selecting.min_probability != expected[1]


@pytest.mark.parametrize("reads", [False, True], ids=["detected", "read"])
def test_a_target_precision_that_is_not_known_for_raw_text_is_an_error_there_and_only_there(reads):
    whole = model()
    decision = "read" if reads else "detected"
    without = replace(getattr(whole.decisions, decision), curve=None)
    plans = LinkPlans.of(
        replace(whole, decisions=replace(whole.decisions, **{decision: without})),
        LinkOptions(target_precision=0.95, reader=reads),
    )
    assert [plan.detects for plan, _ in plans.for_each_kind([GIVEN])] == [False]
    with pytest.raises(ConfigError, match=r"precision of 0\.95 on texts without given mentions.*deixis calibrate"):
        list(plans.for_each_kind([GIVEN, Document("a", "x")]))


def test_a_reader_is_used_where_there_is_one_unless_refused_and_never_on_given_mentions():
    whole = model()
    assert LinkPlan.of(whole, LinkOptions(), detects=True).reader is whole.reader
    assert LinkPlan.of(whole, LinkOptions(reader=False), detects=True).reader is None
    assert LinkPlan.of(whole, LinkOptions(), detects=False).reader is None
    with_it, without = (LinkPlan.of(whole, LinkOptions(reader=each), detects=True) for each in (True, False))
    assert with_it.min_probability <= 0.02 < without.min_probability + 0.02  # it hears of improbable spans, too


def test_as_many_candidates_are_ranked_as_count_are_shown_or_are_read():
    whole = model()
    n = whole.config.n_candidates
    assert LinkPlan.of(whole, LinkOptions(), detects=True).depth == n == 20
    assert LinkPlan.of(whole, LinkOptions(top_k=1), detects=True).depth == n
    assert LinkPlan.of(whole, LinkOptions(top_k=50), detects=True).depth == 50
    few = replace(whole, config=replace(whole.config, n_candidates=1))
    assert LinkPlan.of(few, LinkOptions(rerank=True), detects=False).depth == Contrarian.n_candidates
    plan = LinkPlan.of(whole, LinkOptions(top_k=7), detects=True)
    assert (plan.n_candidates, plan.n_shown) == (n, 7)


def test_documents_are_parted_by_whether_they_bring_mentions():
    plans = LinkPlans.of(model(), LinkOptions())
    documents = [Document("a", "x"), GIVEN, Document("b", "y"), GIVEN]
    assert [(plan.detects, numbers) for plan, numbers in plans.for_each_kind(documents)] == [
        (False, [1, 3]),
        (True, [0, 2]),
    ]
    assert [plan.detects for plan, _ in plans.for_each_kind(documents[:1])] == [True]
    assert list(plans.for_each_kind([])) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rerank": True}, "no re-ranker, so it cannot rerank.*deixis fit reranker MODEL --mentions train.jsonl"),
        ({"reader": True}, "no reader, so it cannot read.*deixis fit reader MODEL --mentions train.jsonl"),
        ({"vectors": "both"}, "no vectors, so there are no 'both' to compare with"),
        ({"target_precision": 0.9}, "the model was never calibrated"),
    ],
)
def test_what_a_model_does_not_have_is_said_before_anything_is_read(options, words):
    with pytest.raises(ConfigError, match=words):
        linker().link_many(iter(()), **options)
    if set(options) <= set(KEPT_OPTIONS):
        with pytest.raises(ConfigError, match=words):
            linker().with_options(**options)


def is_linked(text, threshold, how):
    if how == "kept":
        return [m.entity is not None for m in linker().with_options(threshold=threshold).link(text).mentions]
    return [m.entity is not None for m in linker().link(text, threshold=threshold).mentions]


@pytest.mark.parametrize("text", [RAW, GIVEN], ids=["raw", "given"])
@pytest.mark.parametrize("how", ["asked", "kept"])
def test_a_threshold_holds_for_mentions_that_are_given_and_that_are_detected(text, how):
    """Two things are called Paris, and nothing tells which is meant: it is less sure than Troy."""
    assert is_linked(text, 0.0, how) == [True, True]
    assert is_linked(text, 0.87, how) == [False, True]
    assert is_linked(text, 1.0, how) == [False, False]


def test_the_linker_itself_stays_as_it_was():
    before = linker().link(RAW)
    linker().with_options(threshold=1.0)
    assert linker().link(RAW) == before


def test_the_threshold_in_force_is_known():
    strict = linker().with_options(threshold=0.7)
    for detects in (True, False):
        assert LinkPlan.of(strict.model, LinkOptions(), detects).deciding.min_probability == 0.7
        assert LinkPlan.of(linker().model, LinkOptions(), detects).deciding.min_probability == 0.25
        assert LinkPlan.of(linker().model, LinkOptions(threshold=0.6), detects).deciding.min_probability == 0.6


def test_a_threshold_kept_with_rerank_is_that_of_the_reranker_alone():
    whole = with_reranker(linker(), Contrarian(), Decision(threshold=0.3))
    kept = whole.with_options(threshold=0.8, rerank=True).model.decisions
    assert (kept.given.min_probability, kept.reranked.min_probability) == (0.25, 0.8)
    kept = whole.with_options(threshold=0.8).model.decisions
    assert (kept.given.min_probability, kept.reranked.min_probability) == (0.8, 0.3)


def test_a_linker_in_bytes_links_as_it_does_and_is_the_same_bytes_again():
    strict = linker().with_options(threshold=0.7)
    other = Linker.from_bytes(strict.to_bytes(), n_threads=1)
    assert list(other.link_many([RAW, GIVEN])) == list(strict.link_many([RAW, GIVEN]))
    assert other.to_bytes() == strict.to_bytes()
