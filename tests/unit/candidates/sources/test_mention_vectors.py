"""Vectors of encoders that know the marker, and of those that do not."""

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.mention_vectors import (
    MarkedVectors,
    PlainVectors,
    VectorTextsConfig,
    described,
    vectors_by,
)
from deixis.candidates.sources.vectors import VectorConfig, VectorSource
from deixis.encoders.config import EncoderConfig
from deixis.encoders.registry import FunctionEncoder, register_encoder
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import MentionInContext

KB = KnowledgeBase.from_records(
    [
        {"id": "city", "title": "Paris", "descriptions": {"en": "capital of France", "de": "Hauptstadt Frankreichs"}},
        {"id": "bare", "title": "Troy"},
    ]
)


class TaughtEncoder:
    """An encoder whose tokenizer may know the marker; it remembers what it was asked."""

    def __init__(self, knows_marker: bool) -> None:
        self.tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
        self.tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        if knows_marker:
            self.tokenizer.add_special_tokens(["[M]"])
        self.asked: list[str] = []

    def encode(self, texts: list[str], /) -> np.ndarray:
        self.asked += texts
        return np.array([[text.count("Paris"), text.count("Troy"), 1.0] for text in texts], dtype=np.float32)


def mention(name: str, text: str) -> MentionInContext:
    return MentionInContext(name, text, text.index(name), text.index(name) + len(name))


def test_an_encoder_that_knows_the_marker_reads_one_marked_text_of_so_many_tokens():
    encoder = TaughtEncoder(knows_marker=True)
    vectors = vectors_by(encoder, VectorTextsConfig(n_tokens=8))
    assert isinstance(vectors, MarkedVectors)
    vectors.of_mentions([mention("Paris", "one two three four Paris five six seven eight")])
    assert encoder.asked == ["three four [M] Paris [M] five six seven"]
    encoder.asked.clear()
    np.concatenate(list(vectors.of_entities(KB, np.arange(2))))
    assert encoder.asked == ["[M] Paris [M] capital of France", "[M] Paris [M] Hauptstadt Frankreichs", "[M] Troy [M]"]


def test_a_mention_longer_than_the_window_is_cut_and_not_refused():
    encoder = TaughtEncoder(knows_marker=True)
    vectors = vectors_by(encoder, VectorTextsConfig(n_tokens=8))
    long, short = mention("a b c d e f g h i", "x a b c d e f g h i y"), mention("Troy", "Troy")
    assert vectors.of_mentions([long, short]).shape == (2, 3)
    assert encoder.asked == ["[M] a b c d e f [M]", "[M] Troy [M]"]


def test_a_mention_without_letters_has_no_vector():
    for encoder in (TaughtEncoder(knows_marker=True), TaughtEncoder(knows_marker=False)):
        vectors = vectors_by(encoder, VectorTextsConfig())
        blank, named = vectors.of_mentions([mention(" ", "a Troy"), mention("Troy", "a Troy")])
        assert not blank.any() and np.linalg.norm(named) == pytest.approx(1)


def test_any_other_encoder_reads_name_and_text_apart():
    for encoder in (TaughtEncoder(knows_marker=False), FunctionEncoder(lambda texts: [[1.0, 2.0]] * len(texts))):
        assert isinstance(vectors_by(encoder, VectorTextsConfig()), PlainVectors)
    encoder = TaughtEncoder(knows_marker=False)
    vectors = vectors_by(encoder, VectorTextsConfig(n_characters=11))
    vectors.of_mentions([mention("Paris", "near Troy, Paris fell")])
    assert encoder.asked == ["Paris", "y, Paris fe"]
    encoder.asked.clear()
    list(vectors.of_entities(KB, np.arange(2)))
    assert encoder.asked == ["Paris", "Paris", "Troy", "capital of France", "Hauptstadt Frankreichs", ""]


def test_chosen_rows_have_their_own_texts():
    assert [each.tolist() for each in described(KB, np.array([1, 0]))] == [[1, 0, 0], [-1, 0, 1]]
    assert [each.tolist() for each in described(KB, np.zeros(0, np.int64))] == [[], []]


def test_a_taught_encoder_makes_dense_candidates_of_marked_texts():
    encoder = TaughtEncoder(knows_marker=True)
    register_encoder("taught", encoder)
    source = VectorSource.build(SourceInputs(KB), VectorConfig(encoder=EncoderConfig(name="taught")))
    assert [one.id for one in source.generate([mention("Troy", "to save Troy")], 1)[0]] == ["bare"]
    assert encoder.asked[-1] == "to save [M] Troy [M]"
