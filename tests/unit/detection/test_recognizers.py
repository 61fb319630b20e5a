"""Spans of a recognizer: any function, or a spaCy pipeline."""

import pytest

from deixis.detection.recognizers import SpacyRecognizer, recognized
from deixis.errors import DataError

TEXT = "😀 In Paris, Ann Lee wept."


def test_spans_outside_the_text_are_refused() -> None:
    with pytest.raises(DataError, match="0\\.\\.99"):
        recognized(lambda texts: [[(0, 99)] for _ in texts], [TEXT])
    with pytest.raises(DataError, match="answered for 0"):
        recognized(lambda _: [], [TEXT])


def test_a_pipeline_of_spacy_tells_its_entities_in_code_points() -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "GPE", "pattern": "Paris"}, {"label": "PERSON", "pattern": "Ann Lee"}])
    found = recognized(SpacyRecognizer(nlp), [TEXT, ""])
    assert [[TEXT[start:end] for start, end in spans] for spans in found] == [["Paris", "Ann Lee"], []]
    assert [TEXT[s:e] for s, e in recognized(SpacyRecognizer(nlp, labels=["GPE"]), [TEXT])[0]] == ["Paris"]


def test_a_pipeline_that_is_not_there_is_an_error_that_says_so() -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    with pytest.raises(DataError, match="no spaCy pipeline 'en_no_such_pipeline'"):
        SpacyRecognizer.load("en_no_such_pipeline")
