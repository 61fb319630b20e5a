"""From texts to spans: what is detected, how likely it is a mention, and what is left alone."""

import numpy as np
import pytest

from deixis.detection.config import FindingConfig
from deixis.detection.detector import SpanDetector
from deixis.errors import ConfigError, DataError
from deixis.linker import Linker
from deixis.store.strings import StringTable
from tests.raw_texts import annotated, links_of, trained, untaught

TOWNS = StringTable.from_strings(["Paris", "Troy", "New Troy"])
DETECTOR = SpanDetector.from_names(TOWNS, TOWNS, StringTable.from_strings([]))


def test_spans_stand_in_text_order_with_the_number_of_their_text():
    texts = ["They left Troy", "", "Then Paris left New Troy"]
    spans = DETECTOR.detect(texts, min_probability=0.5)
    assert list(spans.keys()) == [(0, 10, 14), (2, 5, 10), (2, 16, 24)]
    assert spans.has_name.all() and (spans.log_odds > 0).all()


def test_names_inside_longer_ones_are_spans_too():
    text = "They left New Troy"
    spans = DETECTOR.detect([text], min_probability=0.0)
    assert {"New Troy", "Troy"} <= {text[start:end] for _, start, end in spans.keys()}


def test_runs_of_capitals_that_are_no_name_are_spans_without_a_name():
    text = "They met Ann Zorblatt"
    spans = DETECTOR.detect([text], min_probability=0.0)
    named = dict(zip((text[start:end] for _, start, end in spans.keys()), spans.has_name.tolist(), strict=True))
    assert named["Ann Zorblatt"] is False


def test_nothing_is_detected_in_no_texts_and_in_empty_ones():
    for texts in ([], [""], ["", " \n"]):
        assert len(DETECTOR.detect(texts)) == 0


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


def test_without_documents_the_list_tells_names_from_words():
    text = "They came to New Troy, where it may rain."
    assert [pair for pair in links_of(untaught().link(text)) if pair[1]] == [("New Troy", "new-troy")]


def test_documents_teach_which_names_are_mentions():
    assert trained().model.decisions.detected.curve is not None
    text = "Then Ann saw Troy in the rain. May said that Paris stood."
    assert [pair for pair in links_of(trained().link(text)) if pair[1]] == [("Troy", "troy"), ("Paris", "paris")]


def test_names_that_only_documents_use_are_found():
    assert ("Germans", "germany") in links_of(trained().link("Then Ann saw Germans in the rain."))


def test_a_recognizer_adds_mentions_and_wrong_ones_are_refused():
    text = "the germanics came to Paris"
    assert [mention.text for mention in untaught().link(text).mentions] == ["Paris"]
    linked = untaught().link(text, recognizer=lambda texts: [[(4, 13)] for _ in texts])
    assert [mention.text for mention in linked.mentions] == ["germanics", "Paris"]
    with pytest.raises(DataError, match="code points"):
        untaught().link(text, recognizer=lambda texts: [[(4, 99)] for _ in texts])


@pytest.mark.parametrize("make", [untaught, trained])
def test_empty_texts_and_markup_have_no_mentions(make):
    for text in ("", "  \n", '<a href="Paris">', "http://Paris.example/Troy", "`Troy`"):
        assert make().link(text, names="every").mentions == ()


def test_offsets_count_code_points_in_every_script():
    (mention,) = untaught().link("😀 私は東京に住む。").mentions
    assert (mention.start, mention.end, mention.entity) == (4, 6, "tokyo")


def test_settings_are_checked():
    for wrong in ({"min_chance": 1.0}, {"max_run": -1}, {"min_documents": -1}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            FindingConfig(**wrong)
    with pytest.raises(ConfigError, match="every.*likely.*sure"):
        FindingConfig(names="some")


def test_a_stored_detector_detects_the_same(tmp_path):
    trained().save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model", n_threads=1)
    texts = [annotated(3).text + " Troy, PARIS and germans."]
    before, after = (each.model.detector.detect(texts) for each in (trained(), loaded))
    assert list(before.keys()) == list(after.keys()) and before.log_odds.tolist() == after.log_odds.tolist()
    assert loaded.link(texts[0]) == trained().link(texts[0])
