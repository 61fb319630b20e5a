"""How likely a span is a mention: by the list and the shipped weights, or learned from annotated documents."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from deixis.detection.config import FindingConfig
from deixis.detection.detector import SpanDetector
from deixis.detection.name_facts import NameFacts
from deixis.detection.names import NameMatcher
from deixis.detection.odds import KeyOdds
from deixis.detection.span_features import FEATURES, MEANINGS, N_LEARNED, N_OWN, own_features, text_counts
from deixis.detection.span_scorer import RECOGNIZED_ODDS, SpanScorer, default_weights
from deixis.detection.spans import Sign, SpanTable
from deixis.errors import StoreError
from deixis.learners.logistic import fit_logistic, weighed
from deixis.store.strings import StringTable

NAMES = StringTable.from_strings(["May", "Paris", "Troy", "Apple", "New Troy"])
OWN_TEXTS = StringTable.from_strings(["It may rain in Paris.", "You may eat an apple; Paris may not."] * 20)
MATCHER = NameMatcher.build(NAMES)
FACTS = NameFacts.build(MATCHER, NAMES, NAMES, OWN_TEXTS)
TEXTS = [f"In {town} they say May {verb} and Apple {verb}." for town in ("Paris", "Troy") for verb in ("fell", "came")]


def spans_of(texts: list[str]) -> SpanTable:
    return MATCHER.spans(texts, max_run=3)


def probability(names: list[str], text: str, span: str, descriptions: tuple[str, ...] = ()) -> float:
    """How likely the first occurrence of a span in a text is a mention, for a list of these names."""
    table = StringTable.from_strings(names)
    matcher = NameMatcher.build(table)
    facts = NameFacts.build(matcher, table, table, StringTable.from_strings(list(descriptions)))
    spans = matcher.spans([text], max_run=5)
    row = list(spans.positions()).index((0, text.index(span), text.index(span) + len(span)))
    return float(expit(SpanScorer.from_kb(facts).log_odds(spans)[row]))


def taught() -> tuple[SpanTable, np.ndarray, SpanScorer]:
    texts = TEXTS * 10
    spans = spans_of(texts)
    is_mention = np.array([texts[n][s:e] in ("Paris", "Troy") for n, s, e in spans.positions()])
    return spans, is_mention, SpanScorer.fit(spans, is_mention, FACTS)


def test_names_of_several_words_are_likely_in_any_case() -> None:
    diseases = ["Lung cancer", "Breast cancer", "Heart attack"]
    assert probability(diseases, "She died of lung cancer in May.", "lung cancer") > 0.5
    assert probability(diseases, "She died of a Heart Attack in May.", "Heart Attack") > 0.5


def test_the_lower_case_twin_of_a_proper_name_is_unlikely() -> None:
    towns = ["Split", "Bank", "Church", "Paris", "London", "Berlin", "Chicago"]
    for name in towns[:3]:
        assert probability(towns, f"We had a {name.lower()} day in the sun.", name.lower()) < 0.4
        assert probability(towns, f"We had a day in {name} in the sun.", name) > 0.5


def test_descriptions_that_write_a_name_in_lower_case_make_it_likelier_there() -> None:
    names, text = ["Amber", "Paris", "London"], "They found some amber in the sand."
    described = ("a piece of amber in the sea", "old amber from the coast") * 5
    assert probability(names, text, "amber", described) > probability(names, text, "amber")


def test_stop_words_are_hardly_mentions_and_names_in_capitals_only_are_none_in_lower_case() -> None:
    names = ["It", "WAS", "ALL", "Troy"]
    assert probability(names, "After that it was all over.", "it") < 0.01
    assert probability(names, "After that it was all over.", "was") < 0.01
    assert probability(names, "Children with ALL are treated.", "ALL") > 0.5


def test_a_part_of_a_longer_name_is_less_likely() -> None:
    text = "They came to New Troy and then to Troy."
    spans = spans_of([text])
    odds = dict(zip(spans.positions(), SpanScorer.from_kb(FACTS).log_odds(spans).tolist(), strict=True))
    assert odds[0, 17, 21] < odds[0, 34, 38] and odds[0, 13, 21] > 0


def test_what_documents_annotate_is_likely_and_what_they_leave_is_not() -> None:
    spans, is_mention, scorer = taught()
    chances = expit(scorer.log_odds(spans))
    assert chances[is_mention].min() > 0.8
    assert chances[~is_mention].max() < 0.2


def test_words_that_no_document_has_keep_the_default_weights() -> None:
    scorer, spans = taught()[2], spans_of(["They sailed to New Troy and Zorblatt."])
    untaught = SpanScorer.from_kb(FACTS)
    is_unseen = ~scorer.seen.has(spans.keys)
    assert is_unseen.any() and not is_unseen.all()
    assert (scorer.log_odds(spans)[is_unseen] == untaught.log_odds(spans)[is_unseen]).all()
    assert (scorer.weights_of(spans)[is_unseen] == default_weights()).all()
    assert (scorer.weights_of(spans)[~is_unseen] == scorer.weights).all()


def test_the_same_documents_teach_the_same() -> None:
    assert taught()[2].weights.tobytes() == taught()[2].weights.tobytes()


def test_a_scorer_is_stored_and_comes_back_the_same() -> None:
    spans, _, scorer = taught()
    arrays = scorer.to_arrays("scorer")
    again = SpanScorer.from_arrays(arrays, "scorer")
    assert (again.log_odds(spans) == scorer.log_odds(spans)).all()
    heavy = replace(scorer, weights=np.where(np.arange(len(scorer.weights)) == 0, 145.4, scorer.weights))
    assert SpanScorer.from_arrays(heavy.to_arrays("scorer"), "scorer").weights[0] == 145.4
    with pytest.raises(StoreError, match=r"scorer\.seen\.keys' must rise"):
        SpanScorer.from_arrays(arrays | {"scorer.seen.keys": arrays["scorer.seen.keys"][::-1]}, "scorer")
    with pytest.raises(StoreError, match=r"scorer\.weights"):
        SpanScorer.from_arrays(arrays | {"scorer.weights": arrays["scorer.weights"][1:]}, "scorer")
    detector = SpanDetector(MATCHER, scorer).to_arrays("d")
    detector["d.scorer.facts.table"] = detector["d.scorer.facts.table"][:-1]
    with pytest.raises(StoreError, match=r"d\.scorer\.facts\.table' has"):
        SpanDetector.from_arrays(detector, "d", config=FindingConfig())


def test_what_a_recognizer_says_speaks_for_a_span_and_makes_it_at_least_as_likely_as_not() -> None:
    text = "In Paris some germanics came"
    plain = spans_of([text])
    told = plain.merged(SpanTable.of_spans([[(3, 8), (14, 23)]], [text], Sign.RECOGNIZED))
    for scorer in (taught()[2], SpanScorer.from_kb(FACTS)):
        before = dict(zip(plain.positions(), scorer.log_odds(plain).tolist(), strict=True))
        after = dict(zip(told.positions(), scorer.log_odds(told).tolist(), strict=True))
        assert after[0, 3, 8] == pytest.approx(before[0, 3, 8] + RECOGNIZED_ODDS)
        assert after[0, 14, 23] >= 0


def test_every_feature_has_a_name_of_its_own_and_the_shipped_weights_are_of_these() -> None:
    assert len(default_weights()) == len(FEATURES) == N_OWN + N_LEARNED == len(MEANINGS) - 2
    assert (default_weights()[N_OWN:] == 0).all() and (default_weights() != 0).sum() > 50
    assert own_features(spans_of(TEXTS), FACTS).shape[1] == N_OWN


def test_features_do_not_hang_on_neighbours_in_the_batch() -> None:
    together, alone = spans_of(TEXTS), spans_of(TEXTS[1:2])
    rows = own_features(together, FACTS)[together.texts == 1]
    assert (rows == own_features(alone, FACTS)).all()


def test_spans_with_the_same_words_are_counted_in_their_text() -> None:
    spans = MATCHER.spans(["Troy and troys and Paris", "Troy"])
    assert text_counts(spans).tolist() == [[2, 1], [2, 1], [1, 0], [1, 0]]


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
