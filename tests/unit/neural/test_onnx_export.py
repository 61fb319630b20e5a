"""Graphs give what torch gives: padded, alone, in batches of other sizes than the traced one."""

import numpy as np
import pytest

pytest.importorskip("sentence_transformers")
import onnxruntime
import torch
from sentence_transformers import CrossEncoder, SentenceTransformer

from deixis.errors import ConfigError, DataError
from deixis.neural import onnx_export
from deixis.neural.onnx_export import encoder_to_onnx, pair_scorer_to_onnx
from tests.tiny_encoders import N_DIMS, save_tiny_bert, tiny_sentence_encoder

TEXTS = [
    "Paris is the capital of France",
    "Troy",
    "a city in Texas, not the one in the Iliad, nor one of the others",
    "",
    "To save Troy, Paris had to be sacrificed",
]


def run(graph: bytes, features: dict) -> np.ndarray:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    wanted = [given.name for given in session.get_inputs()]
    (found,) = session.run(None, {name: features[name].numpy() for name in wanted})
    return found


@pytest.fixture(scope="module", params=["mean", "cls"])
def encoder(request, tmp_path_factory):
    folder = tiny_sentence_encoder(tmp_path_factory.mktemp("tiny"), TEXTS, pooling=request.param)
    return SentenceTransformer(str(folder), device="cpu")


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    torch.manual_seed(1)
    return CrossEncoder(str(save_tiny_bert(tmp_path_factory.mktemp("pairs"), TEXTS)), num_labels=1, device="cpu")


@pytest.mark.parametrize("n_texts", [1, 2, 5])
def test_pooled_vectors_are_those_of_torch_whatever_the_batch_and_its_padding(encoder, n_texts):
    features = encoder.tokenizer(TEXTS[:n_texts], padding=True, return_tensors="pt")
    assert n_texts == 1 or not features["attention_mask"].all()
    found = run(encoder_to_onnx(encoder), features)
    assert found.shape == (n_texts, N_DIMS)
    np.testing.assert_allclose(found, encoder.encode(TEXTS[:n_texts]), atol=1e-5)


@pytest.mark.parametrize("n_pairs", [1, 2, 4])
def test_each_pair_has_the_logit_of_torch(scorer, n_pairs):
    pairs = list(zip(TEXTS[:n_pairs], TEXTS[::-1][:n_pairs], strict=True))
    features = scorer.tokenizer(*map(list, zip(*pairs, strict=True)), padding=True, return_tensors="pt")
    found = run(pair_scorer_to_onnx(scorer), features)
    expected = scorer.predict(pairs, activation_fn=torch.nn.Identity())
    assert found.shape == (n_pairs,)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_second_text_of_a_pair_counts_as_second(scorer):
    one, other = (scorer.tokenizer([a], [b], return_tensors="pt") for a, b in (TEXTS[:2], TEXTS[1::-1]))
    graph = pair_scorer_to_onnx(scorer)
    assert abs(run(graph, one) - run(graph, other)) > 1e-6


def test_the_same_model_gives_the_same_bytes_and_stays_as_it_was(encoder):
    encoder.train()
    attention = encoder[0].auto_model.config._attn_implementation
    graph = encoder_to_onnx(encoder)
    assert graph == encoder_to_onnx(encoder)
    assert encoder.training and encoder[0].auto_model.config._attn_implementation == attention
    encoder.eval()


def test_the_bytes_name_no_file_of_this_machine(encoder):
    graph = encoder_to_onnx(encoder)
    assert b"site-packages" not in graph and onnx_export.__file__.encode() not in graph


def test_a_classifier_of_several_classes_is_no_pair_scorer(tmp_path):
    model = CrossEncoder(str(save_tiny_bert(tmp_path, TEXTS)), num_labels=3, device="cpu")
    with pytest.raises(ConfigError, match="one number per pair, but this one gives 3"):
        pair_scorer_to_onnx(model)


def test_a_graph_that_differs_from_its_model_is_not_given_away(encoder, monkeypatch):
    monkeypatch.setattr(onnx_export, "MAX_DIFFERENCE", -1.0)
    with pytest.raises(DataError, match="cannot be traced"):
        encoder_to_onnx(encoder)
