"""Which spans are mentions, and which mentions are linked."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit

from deixis.errors import ConfigError
from deixis.linking.batching import SPANS_AT_ONCE
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.decide import decide, mentions_among, reaches, select
from deixis.linking.stages.rank import RankedSpans
from deixis.tables import CandidateTable, Ranking, Spans
from deixis.training.detector import gold_spans
from deixis.types import Candidate, Document, Mention
from tests.linkers import with_decisions, with_parts
from tests.raw_texts import KB, annotated, links_of, trained, untaught

PARIS = Document("d", "Paris", mentions=(Mention(0, 5, "Paris"),))


def spans_of(*rows):
    """Spans of one document as (start, end, probability of being a mention, is it a name)."""
    starts, ends, probabilities, has_name = (np.array(column) for column in zip(*rows, strict=True))
    return Spans(np.zeros(len(rows), dtype=np.int64), starts, ends, logit(probabilities), has_name)


def taken(spans, probabilities, threshold=0.3, may_overlap=False):
    return mentions_among(spans, np.array(probabilities), threshold, may_overlap).tolist()


def ranked_spans(spans, document, *scores):
    """Each span with candidates of these scores, in the order of the knowledge base."""
    rows = [row for own in scores for row in range(len(own))]
    flat = np.array([score for own in scores for score in own], dtype=np.float64)
    ranking = Ranking(np.cumsum([0, *map(len, scores)]), np.array(rows, dtype=np.int64), flat)
    nothing = CandidateTable(np.zeros(len(spans) + 1, dtype=np.int64), np.empty(0, dtype=np.int64), {})
    return RankedSpans(spans, spans.in_context([document]), nothing, ranking, ranking, np.ones(len(spans)))


def decided(threshold, *scores, detects=False):
    """Paris as it is decided with these scores."""
    plan = LinkPlan.of(untaught().model, LinkOptions(threshold=threshold), detects)
    ((number, mention),) = decide(plan, [PARIS], ranked_spans(Spans.given([PARIS]), PARIS, scores))
    assert number == 0
    return mention


def test_the_best_candidate_is_linked_from_the_threshold_up():
    linked = decided(0.5, 0.5, 0.4)
    candidates = (Candidate("paris", 0.5, "Paris"), Candidate("troy", 0.4, "Troy"))
    assert (linked.entity, linked.score, linked.is_nil, linked.candidates) == ("paris", 0.5, False, candidates)


def test_below_the_threshold_a_mention_is_nil_and_keeps_score_and_candidates():
    refused = decided(0.51, 0.5)
    assert (refused.entity, refused.score, refused.is_nil) == (None, 0.5, True)
    assert refused.candidates == (Candidate("paris", 0.5, "Paris"),)


def test_without_candidates_a_mention_is_nil_whatever_the_threshold():
    nothing = decided(0.0)
    assert (nothing.entity, nothing.score, nothing.is_nil, nothing.candidates) == (None, None, True, ())
    assert decided(0.0, 0.0).entity == "paris"
    assert decided(0.0, 0.0, detects=True).entity is None  # nobody asked about a span that was detected


def test_an_answer_that_was_there_before_is_replaced():
    before = Mention(0, 5, "Xyzzy", entity="old", score=1.0, candidates=(Candidate("old", 1.0),))
    (after,) = untaught().link(Document("d", "Xyzzy", mentions=(before,))).mentions
    assert (after.entity, after.score, after.is_nil, after.candidates) == (None, None, True, ())


def test_a_probability_of_nothing_never_reaches_a_threshold():
    assert reaches(np.array([0.0, 0.2, 0.3]), 0.2).tolist() == [False, True, True]
    assert reaches(np.array([0.0, 1e-9]), 0.0).tolist() == [False, True]


def test_of_spans_that_overlap_the_links_of_the_best_sum_are_mentions_and_long_ones_weigh_more():
    spans = spans_of((0, 8, 0.9, True), (0, 3, 0.9, True), (4, 8, 0.9, True))
    assert taken(spans, [0.9, 0.5, 0.5]) == [True, False, False]
    assert taken(spans, [0.5, 0.55, 0.5]) == [True, False, False]
    assert taken(spans, [0.4, 0.6, 0.6]) == [False, True, True]
    assert taken(spans, [0.9, 0.5, 0.2], may_overlap=True) == [True, True, True]


def test_a_link_that_just_reaches_the_threshold_is_worth_something():
    assert taken(spans_of((0, 3, 0.1, False)), [0.3]) == [True]


def test_names_that_are_no_links_are_mentions_where_no_link_is():
    spans = spans_of(
        (0, 3, 0.9, True), (2, 6, 0.99, True), (7, 9, 0.9, True), (10, 12, 0.9, False), (13, 15, 0.4, True)
    )
    assert taken(spans, [0.9, 0.1, 0.1, 0.1, 0.1]) == [True, False, True, False, False]
    assert taken(spans, [0.9, 0.1, 0.1, 0.1, 0.1], may_overlap=True) == [True, True, True, False, False]


def test_given_mentions_are_all_selected_however_improbable_and_overlapping():
    document = Document("d", "New Troy", mentions=(Mention(0, 8, "New Troy"), Mention(4, 8, "Troy")))
    plan = LinkPlan.of(untaught().model, LinkOptions(types=()), detects=False)
    ranked = ranked_spans(Spans.given([document]), document, [0.001], [])
    assert select(plan, ranked).tolist() == [True, True]
    assert select(replace(plan, detects=True), ranked).tolist() == [True, False]  # names, and the longer one at that


def test_mentions_do_not_overlap_unless_asked():
    text = "Then Ann saw New Troy in the rain."
    apart = trained().link(text).mentions
    assert all(before.end <= after.start for before, after in zip(apart, apart[1:], strict=False))
    given = untaught().model.decisions.given
    low = with_decisions(
        trained(), detected=replace(trained().model.decisions.detected, threshold=given.min_probability)
    )
    kept = low.link(text, overlaps="keep").mentions
    assert {"New Troy"} <= {mention.text for mention in kept}
    assert {mention.text for mention in apart} <= {mention.text for mention in kept}
    with pytest.raises(ConfigError, match="'drop' or 'keep'"):
        untaught().link(text, overlaps="all")


def test_names_inside_names_are_kept_on_request():
    text, recognizer = "In New Troy.", lambda texts: [[(3, 11), (7, 11)] for _ in texts]
    assert links_of(untaught().link(text, recognizer=recognizer)) == [("New Troy", "new-troy")]
    kept = untaught().link(text, recognizer=recognizer, overlaps="keep")
    assert links_of(kept) == [("New Troy", "new-troy"), ("Troy", "troy")]


def test_every_name_is_also_every_name_inside_names_on_request():
    text = "From New Troy to Troy."
    assert links_of(untaught().link(text, names="every")) == [("New Troy", "new-troy"), ("Troy", "troy")]
    kept = untaught().link(text, names="every", overlaps="keep")
    assert links_of(kept) == [("New Troy", "new-troy"), ("Troy", "troy"), ("Troy", "troy")]


@pytest.mark.parametrize("make", [untaught, trained])
def test_given_mentions_stay_and_nothing_is_added(make):
    text = "Paris, Troy, x"
    given = Document("d", text, mentions=(Mention(13, 14, "x"), Mention(0, 11, "Paris, Troy"), Mention(7, 11, "Troy")))
    linked = make().link(given)
    assert [(m.start, m.end) for m in linked.mentions] == [(13, 14), (0, 11), (7, 11)]
    assert linked.mentions[2].entity == "troy"


@pytest.mark.parametrize("make", [untaught, trained])
def test_a_book_is_linked_in_parts_as_its_chapters_are(make):
    sentence = "Then Ann saw Troy in the rain. "
    n_sentences = SPANS_AT_ONCE + 200
    book = make().link(sentence * n_sentences)
    links = [mention for mention in book.mentions if mention.entity == "troy"]
    assert [mention.start for mention in links] == [13 + len(sentence) * number for number in range(n_sentences)]


def test_a_batch_is_linked_as_single_texts_are_on_one_thread_or_two():
    texts = [annotated(number).text for number in range(12)] + ["", "Paris"]
    together = [document.mentions for document in trained().link_many(texts)]
    assert together == [trained().link(text).mentions for text in texts]
    two = with_parts(trained(), n_threads=2)
    assert together == [document.mentions for document in two.link_many(texts)]


def test_a_threshold_may_be_chosen_or_settled_by_held_out_documents():
    detected = trained().model.decisions.detected
    assert detected.with_threshold(0.999).min_probability == 0.999
    assert detected.with_threshold(None, 0.5).threshold is not None
    assert detected.with_threshold(None, 0.5).expectation().precision >= 0.5
    assert detected.curve.is_known.sum() == len(gold_spans([annotated(n) for n in range(18)], KB.own_id))


def test_scores_are_probabilities():
    linked = trained().link_many([annotated(number).text for number in range(8)])
    scores = np.array([m.score for document in linked for m in document.mentions if m.score is not None])
    assert ((scores >= 0) & (scores <= 1)).all() and len(scores) > 8
