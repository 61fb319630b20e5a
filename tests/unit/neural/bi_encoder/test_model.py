"""The bi-encoder: its marker is a token, nothing it reads is cut, and it opens what it can."""

import numpy as np
import pytest

from deixis.errors import ConfigError, DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import MentionInContext
from tests.tiny_encoders import tiny_sentence_encoder

bi_encoder = pytest.importorskip("deixis.neural.bi_encoder.model")

TEXTS = ["the old tower stands in paris", "paris is the capital of france", "troy was burnt"]
KB = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "description": "capital of France " * 30}])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_sentence_encoder(tmp_path_factory.mktemp("tiny") / "encoder", TEXTS, n_tokens=64)


def test_the_marker_is_one_token_with_a_vector_of_its_own(folder):
    encoder = bi_encoder.BiEncoder.open(folder, n_tokens=16)
    tokenizer = encoder.model.tokenizer
    read = tokenizer("the[M]tower [M]", add_special_tokens=False)["input_ids"]
    assert tokenizer.convert_ids_to_tokens(read) == ["the", "[M]", "tower", "[M]"]
    n_vectors = len(encoder.model.transformers_model.get_input_embeddings().weight)
    assert n_vectors == len(tokenizer) and tokenizer.convert_tokens_to_ids("[M]") < n_vectors
    assert not np.allclose(*encoder.encode(["[M] paris [M] troy", "paris [M] troy [M]"]))


def test_opening_again_does_not_add_the_marker_again(folder, tmp_path):
    first = bi_encoder.BiEncoder.open(folder, n_tokens=16)
    first.save(tmp_path / "saved")
    again = bi_encoder.BiEncoder.open(tmp_path / "saved", n_tokens=16)
    assert len(again.model.tokenizer) == len(first.model.tokenizer)
    np.testing.assert_allclose(again.encode(TEXTS), first.encode(TEXTS), atol=1e-6)


def test_opening_twice_gives_the_same_vectors_for_marked_texts(folder):
    first, second = (bi_encoder.BiEncoder.open(folder, n_tokens=16) for _ in range(2))
    np.testing.assert_array_equal(first.encode(["[M] paris [M]"]), second.encode(["[M] paris [M]"]))


def test_nothing_of_a_full_window_is_cut(folder):
    encoder = bi_encoder.BiEncoder.open(folder, n_tokens=16)
    mention = MentionInContext("paris", "the tower " * 30 + "paris" + " the tower" * 30, 300, 305)
    texts = encoder.texts.of_mentions([mention]) + encoder.texts.of_entities(KB)[0]
    assert encoder.texts.windows.n_tokens(texts) == [16, 16]
    read = encoder.model.preprocess(texts)["input_ids"]
    assert read.shape == (2, 18)  # and the two tokens around each text


def test_vectors_have_length_one_and_stand_in_the_order_of_the_texts(folder):
    encoder = bi_encoder.BiEncoder.open(folder, n_tokens=16)
    many = [TEXTS[number % 3] for number in range(1100)]
    vectors = encoder.encode(many)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors, encoder.encode(TEXTS)[np.arange(1100) % 3], atol=1e-5)
    assert encoder.encode([]).shape == (0, 32)


def test_entities_are_encoded_with_the_rows_they_belong_to(folder):
    vectors, rows = bi_encoder.BiEncoder.open(folder, n_tokens=16).encode_entities(KB)
    assert vectors.shape == (1, 32) and rows.tolist() == [0]


def test_layers_can_be_cut_off(folder):
    whole, half = (bi_encoder.BiEncoder.open(folder, 16, n_layers) for n_layers in (0, 1))
    assert len(half.model.transformers_model.encoder.layer) == 1
    assert not np.allclose(whole.encode(TEXTS), half.encode(TEXTS), atol=1e-3)
    with pytest.raises(ConfigError, match=r"n_layers must lie in 1\.\.2, or be 0 for all, got 3"):
        bi_encoder.BiEncoder.open(folder, 16, 3)


def test_a_window_longer_than_the_encoder_reads_is_an_error(folder):
    with pytest.raises(ConfigError, match="n_tokens, with the tokens around a text, is 502, and the encoder reads 128"):
        bi_encoder.BiEncoder.open(folder, n_tokens=500)


def test_a_folder_without_an_encoder_is_an_error_that_says_what_is_allowed(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match=r"could be opened.* Give 'minilm', the folder"):
        bi_encoder.BiEncoder.open(tmp_path)
