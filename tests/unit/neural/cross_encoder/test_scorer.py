"""Pairs through a graph, without torch."""

import numpy as np
import pytest

pytest.importorskip("sentence_transformers")
import torch
from sentence_transformers import CrossEncoder

from deixis.encoders import token_graph
from deixis.errors import StoreError
from deixis.neural.cross_encoder.scorer import OnnxPairScorer
from deixis.neural.onnx_export import pair_scorer_to_onnx
from deixis.neural.sentence_encoder import tokenizer_bytes
from tests.tiny_encoders import save_tiny_bert

PAIRS = [("Paris", "the capital of France"), ("Troy was a city that is no more", "a city"), ("", "Paris")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    torch.manual_seed(1)
    texts = [text for pair in PAIRS for text in pair]
    return CrossEncoder(str(save_tiny_bert(tmp_path_factory.mktemp("pairs"), texts)), num_labels=1, device="cpu")


@pytest.fixture(scope="module")
def scorer(model):
    return OnnxPairScorer(*(np.frombuffer(b, np.uint8) for b in (pair_scorer_to_onnx(model), tokenizer_bytes(model))))


@pytest.mark.parametrize("batch", [1, 20, 2048])
def test_scores_are_the_logits_of_torch_in_batches_of_any_size(model, scorer, monkeypatch, batch):
    monkeypatch.setattr(token_graph, "BATCH", batch)
    np.testing.assert_allclose(scorer.scores(PAIRS), model.predict(PAIRS, activation_fn=torch.nn.Identity()), atol=1e-5)
    assert scorer.scores([]).shape == (0,)


def test_half_a_character_is_no_obstacle(scorer):
    assert np.isfinite(scorer.scores([("Paris \ud800", "\udfff")])).all()


def test_it_comes_back_from_its_arrays_and_damage_is_noticed(scorer):
    arrays = scorer.to_arrays("x")
    assert OnnxPairScorer.from_arrays(arrays, "x").scores(PAIRS).tobytes() == scorer.scores(PAIRS).tobytes()
    with pytest.raises(StoreError, match="Learn it again"):
        OnnxPairScorer.from_arrays(arrays | {"x.onnx": np.zeros(9, np.uint8)}, "x")
