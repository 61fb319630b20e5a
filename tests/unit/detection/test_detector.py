"""From texts to spans: what is detected, how likely it is a mention, and what is left alone."""

import numpy as np
import pytest

from deixis.detection.config import FindingConfig
from deixis.detection.detector import SpanDetector
from deixis.detection.dictionary import DictionaryDetector
from deixis.detection.span_scorer import SpanScorer
from deixis.errors import ConfigError, DataError
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from tests.raw_texts import KB, annotated, by_rules, links_of, trained

NAMES = SpanDetector(DictionaryDetector.build(["Paris", "Troy", "New Troy"]), SpanScorer.by_rules())


def texts_of(spans, texts):
    return [texts[number][start:end] for number, start, end in spans.keys()]


def test_spans_stand_in_text_order_with_the_number_of_their_text():
    texts = ["Troy fell", "", "Paris in New Troy"]
    spans = NAMES.detect(texts)
    assert list(spans.keys()) == [(0, 0, 4), (2, 0, 5), (2, 9, 17)]
    assert spans.has_name.all() and (spans.log_odds > 0).all()


def test_without_overlaps_names_inside_longer_ones_are_no_mentions():
    texts = ["From New Troy to Troy"]
    assert texts_of(NAMES.detect(texts), texts) == ["New Troy", "Troy"]
    assert texts_of(NAMES.detect(texts, may_overlap=True), texts) == ["New Troy", "Troy", "Troy"]


def test_nothing_is_detected_in_no_texts_and_in_empty_ones():
    for texts in ([], [""], ["", " \n"]):
        assert len(NAMES.detect(texts)) == 0


def test_a_batch_is_detected_as_its_texts_are():
    detector = trained().model.detector
    texts = [annotated(number).text for number in range(9)] + ["", "Troy, PARIS and germans."]
    together = detector.detect(texts, min_probability=0.0)
    singles = [detector.detect([text], min_probability=0.0) for text in texts]
    assert together.starts.tolist() == [start for each in singles for start in each.starts.tolist()]
    assert together.log_odds.tobytes() == np.concatenate([each.log_odds for each in singles]).tobytes()


def test_a_lower_probability_lets_more_spans_through_and_loses_none():
    detector, texts = trained().model.detector, [annotated(3).text + " Troy, PARIS and germans."]
    found = [set(detector.detect(texts, min_probability=least).keys()) for least in (0.0, 0.02, 0.5, 0.9)]
    assert all(after <= before for before, after in zip(found, found[1:], strict=False))
    assert len(found[0]) > len(found[-1])
    assert set(detector.detect(texts).keys()) == set(
        detector.detect(texts, min_probability=detector.config.min_chance).keys()
    )


def test_without_documents_a_short_list_goes_by_the_rules_of_its_dictionary():
    assert by_rules().model.detector.uses_rules
    text = "In New Troy it may rain, in May too."
    assert links_of(by_rules().link(text)) == [("New Troy", "new-troy"), ("May", "may")]


def test_documents_teach_which_names_are_mentions():
    model = trained().model
    assert not model.detector.uses_rules and model.decisions.detected.curve is not None
    text = "Then Ann saw Troy in the rain. May said that Paris stood."
    assert [pair for pair in links_of(trained().link(text)) if pair[1]] == [("Troy", "troy"), ("Paris", "paris")]


def test_names_that_only_documents_use_are_found():
    assert ("Germans", "germany") in links_of(trained().link("Then Ann saw Germans in the rain."))


def test_a_recognizer_adds_mentions_and_wrong_ones_are_refused():
    text = "the germans came to Paris"
    linked = by_rules().link(text, recognizer=lambda texts: [[(4, 11)] for _ in texts])
    assert [mention.text for mention in linked.mentions] == ["germans", "Paris"]
    with pytest.raises(DataError, match="code points"):
        by_rules().link(text, recognizer=lambda texts: [[(4, 99)] for _ in texts])


@pytest.mark.parametrize("make", [by_rules, trained])
def test_empty_texts_and_markup_have_no_mentions(make):
    for text in ("", "  \n", '<a href="Paris">', "http://Paris.example/Troy", "`Troy`"):
        assert make().link(text).mentions == ()


def test_offsets_count_code_points_in_every_script():
    (mention,) = by_rules().link("😀 私は東京に住む。").mentions
    assert (mention.start, mention.end, mention.entity) == (4, 6, "tokyo")


def test_rules_can_be_asked_for_and_settings_are_checked():
    config = LinkerConfig(finding=FindingConfig(scoring="rules"), held_out_share=0.0)
    linker = Linker.build(KB, [annotated(number) for number in range(30)], config, n_threads=1)
    assert linker.model.detector.uses_rules
    with pytest.raises(ConfigError, match="min_chance"):
        FindingConfig(min_chance=1.0)
    with pytest.raises(ConfigError, match="max_run"):
        FindingConfig(max_run=-1)


def test_a_stored_detector_detects_the_same(tmp_path):
    trained().save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model", n_threads=1)
    texts = [annotated(3).text + " Troy, PARIS and germans."]
    before, after = (each.model.detector.detect(texts) for each in (trained(), loaded))
    assert list(before.keys()) == list(after.keys()) and before.log_odds.tolist() == after.log_odds.tolist()
    assert loaded.link(texts[0]) == trained().link(texts[0])
