"""How likely a span is a mention: learned from documents, from the knowledge base, or by the dictionary's rules."""

import numpy as np
import pytest
from scipy.special import expit

from deixis.detection.config import FindingConfig
from deixis.detection.detector import SpanDetector
from deixis.detection.dictionary import DictionaryDetector
from deixis.detection.name_facts import NameFacts
from deixis.detection.odds import KeyOdds
from deixis.detection.span_features import FEATURES, N_OWN, n_repeated, own_features
from deixis.detection.span_scorer import SpanScorer, default_weights
from deixis.detection.spans import SpanTable
from deixis.errors import StoreError
from deixis.learners.logistic import fit_logistic, weighed
from deixis.store.strings import StringTable

NAMES = StringTable.from_strings(["May", "Paris", "Troy", "Apple", "New Troy"])
OWN_TEXTS = StringTable.from_strings(["It may rain in Paris.", "You may eat an apple; Paris may not."] * 20)
DETECTOR = DictionaryDetector.build(NAMES)
FACTS = NameFacts.build(DETECTOR, NAMES, np.arange(5), np.array([1.0, 30, 5, 2, 0]), OWN_TEXTS)
TEXTS = [f"In {town} they say May {verb} and Apple {verb}." for town in ("Paris", "Troy") for verb in ("fell", "came")]


def spans_of(texts: list[str]) -> SpanTable:
    return DETECTOR.spans(texts, any_case=True, max_run=3)


def taught() -> tuple[SpanTable, np.ndarray, SpanScorer]:
    texts = TEXTS * 10
    spans = spans_of(texts)
    columns = zip(spans.texts.tolist(), spans.starts.tolist(), spans.ends.tolist(), strict=True)
    is_mention = np.array([texts[n][s:e] in ("Paris", "Troy") for n, s, e in columns])
    return spans, is_mention, SpanScorer.fit(spans, is_mention, FACTS)


def test_what_documents_annotate_is_likely_and_what_they_leave_is_not() -> None:
    spans, is_mention, scorer = taught()
    chances = expit(scorer.log_odds(spans))
    assert chances[is_mention].min() > 0.8
    assert chances[~is_mention].max() < 0.2


def test_the_same_documents_teach_the_same() -> None:
    first, second = taught()[2], taught()[2]
    assert first.weights.tobytes() == second.weights.tobytes()


def test_a_scorer_is_stored_and_comes_back_the_same() -> None:
    spans, _, scorer = taught()
    arrays = scorer.to_arrays("scorer")
    again = SpanScorer.from_arrays(arrays, "scorer")
    assert (again.log_odds(spans) == scorer.log_odds(spans)).all()
    with pytest.raises(StoreError, match=r"scorer\.seen\.keys' must rise"):
        SpanScorer.from_arrays(arrays | {"scorer.seen.keys": arrays["scorer.seen.keys"][::-1]}, "scorer")
    detector = SpanDetector(DETECTOR, scorer).to_arrays("d")
    detector["d.scorer.facts.table"] = detector["d.scorer.facts.table"][:-1]
    with pytest.raises(StoreError, match=r"d\.scorer\.facts\.table' has"):
        SpanDetector.from_arrays(detector, "d", config=FindingConfig(), dictionary=DETECTOR.config)


def test_rules_take_a_name_that_no_longer_name_covers() -> None:
    text = "In New Troy and Troy it may rain on Ann"
    spans = spans_of([text])
    is_taken = SpanScorer.by_rules().log_odds(spans) > 0
    taken = spans.take(is_taken)
    assert [text[s:e] for s, e in zip(taken.starts, taken.ends, strict=True)] == ["New Troy", "Troy"]
    assert SpanScorer.from_arrays(SpanScorer.by_rules().to_arrays("x"), "x").is_by_rules


def test_a_recognizer_speaks_for_a_span() -> None:
    spans, _, scorer = taught()
    text = "and then Ann came"
    plain = spans_of([text])
    told = plain.merged(SpanTable.of_spans([[(9, 12)]], [text]))
    assert (scorer.log_odds(told) - scorer.log_odds(plain)).max() > 3
    assert SpanScorer.by_rules().log_odds(told).max() > 0
    assert len(spans) > 0


@pytest.mark.parametrize("kind", ["described", "bare"])
def test_without_documents_the_knowledge_base_tells_names_from_words(kind: str) -> None:
    told = default_weights(kind)
    assert set(told) == set(FEATURES[:N_OWN])
    text = "They met in Paris, and you may go."
    spans = spans_of([text])
    log_odds = SpanScorer.from_kb(FACTS, kind).log_odds(spans)
    by_text = {text[s:e]: odds for s, e, odds in zip(spans.starts, spans.ends, log_odds.tolist(), strict=True)}
    assert by_text["Paris"] > by_text["may"]


def test_features_have_their_names_and_do_not_hang_on_neighbours_in_the_batch() -> None:
    together = spans_of(TEXTS)
    alone = spans_of(TEXTS[1:2])
    rows = own_features(together, FACTS)[together.texts == 1]
    assert rows.shape == (len(alone), N_OWN)
    assert (rows == own_features(alone, FACTS)).all()


def test_spans_that_read_alike_are_counted_in_their_text() -> None:
    spans = DETECTOR.spans(["Troy and TROY and Paris", "Troy"])
    assert n_repeated(spans).tolist() == [2, 2, 1, 1]


def test_odds_of_what_was_seen_rarely_are_small() -> None:
    keys = np.repeat(np.array([1, 2, 3], dtype=np.uint64), [1, 50, 100])
    is_mention = np.repeat([True, True, False], [1, 50, 100])
    rare, frequent, never = KeyOdds.fit(keys, is_mention, 1.0).of(np.array([1, 2, 3], dtype=np.uint64)).tolist()
    assert 0 < rare < frequent and never < 0


def test_weights_that_must_not_be_negative_are_not() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(200, 2)).astype(np.float32)
    is_right = features[:, 0] - features[:, 1] > 0
    free = fit_logistic(features, is_right)
    bounded = fit_logistic(features, is_right, is_positive=np.array([True, True]))
    assert free[1] < -1 and bounded[1] == 0
    assert (weighed(features, free) > 0).mean() == pytest.approx(is_right.mean(), abs=0.05)
