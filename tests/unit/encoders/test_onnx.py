"""Vectors by onnxruntime, of a tiny encoder that torch made."""

import json

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("sentence_transformers")
from sentence_transformers import SentenceTransformer

from deixis.encoders import token_graph
from deixis.encoders.onnx import OnnxEncoder
from deixis.errors import DataError, StoreError
from deixis.neural.onnx_export import encoder_to_onnx, pair_scorer_to_onnx
from tests.tiny_encoders import N_DIMS, save_tiny_bert, tiny_sentence_encoder

TEXTS = ["Paris is the capital of France", "Troy", "", "To save Troy, Paris had to be sacrificed", "a city " * 200]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A SentenceTransformer folder with a graph beside its weights."""
    place = tiny_sentence_encoder(tmp_path_factory.mktemp("tiny"), TEXTS, n_tokens=32)
    (place / "model.onnx").write_bytes(encoder_to_onnx(SentenceTransformer(str(place), device="cpu")))
    return place


@pytest.fixture(scope="module")
def encoder(folder):
    return OnnxEncoder.from_folder(folder)


def test_vectors_are_those_of_torch_long_texts_cut_alike(encoder, folder):
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, atol=1e-5)


@pytest.mark.parametrize("batch", [1, 40, 10_000])
def test_a_text_has_one_vector_whatever_is_encoded_with_it(encoder, monkeypatch, batch):
    singles = np.concatenate([encoder.encode([text]) for text in TEXTS])
    monkeypatch.setattr(token_graph, "BATCH", batch)
    np.testing.assert_allclose(encoder.encode([*TEXTS, *TEXTS]), np.concatenate([singles, singles]), atol=1e-5)


def test_any_text_has_a_row_of_length_one(encoder):
    rows = encoder.encode(["", " ", "\x00\ud800", "🦕" * 300, "word " * 1000])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert encoder.encode([]).shape == (0, N_DIMS)


def test_it_comes_back_from_its_arrays(encoder):
    arrays = encoder.to_arrays("x")
    assert {name: array.dtype for name, array in arrays.items()} == {"x.onnx": np.uint8, "x.tokenizer": np.uint8}
    again = OnnxEncoder.from_arrays(arrays, "x", n_threads=2)
    assert again.digest == encoder.digest
    np.testing.assert_allclose(again.encode(TEXTS), encoder.encode(TEXTS), atol=1e-5)


def test_a_saved_folder_is_the_same_encoder(encoder, tmp_path):
    encoder.save(tmp_path / "saved")
    again = OnnxEncoder.from_folder(tmp_path / "saved")
    assert again.digest == encoder.digest
    np.testing.assert_allclose(again.encode(TEXTS), encoder.encode(TEXTS), atol=1e-5)


def test_bytes_do_as_well_as_files(encoder, folder):
    given = [(folder / name).read_bytes() for name in ("model.onnx", "tokenizer.json")]
    np.testing.assert_allclose(OnnxEncoder(*given).encode(TEXTS[:2]), encoder.encode(TEXTS[:2]), atol=1e-5)


def test_a_tokenizer_that_cuts_nothing_is_made_to(folder):
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    assert tokenizer["truncation"] is None
    arrays = OnnxEncoder((folder / "model.onnx"), json.dumps(tokenizer).encode()).to_arrays("x")
    assert json.loads(arrays["x.tokenizer"].tobytes())["truncation"]["max_length"] == 512


def test_more_tokens_than_the_graph_takes_are_an_error_that_says_so(folder, capfd):
    encoder = OnnxEncoder(folder / "model.onnx", folder / "tokenizer.json")
    with pytest.raises(DataError, match="does not take texts of 402 tokens"):
        encoder.encode(TEXTS)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_that_lacks_a_file_is_refused(folder, tmp_path, missing):
    for name in {"model.onnx", "tokenizer.json"} - {missing}:
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with pytest.raises(DataError, match=f"it has no {missing}"):
        OnnxEncoder.from_folder(tmp_path)


def test_what_is_no_graph_or_no_tokenizer_is_refused(folder):
    graph, tokenizer = ((folder / name).read_bytes() for name in ("model.onnx", "tokenizer.json"))
    with pytest.raises(DataError, match="Not an ONNX graph"):
        OnnxEncoder(b"no graph", tokenizer)
    with pytest.raises(DataError, match=r"Not a tokenizer\.json"):
        OnnxEncoder(graph, b"{}")
    with pytest.raises(DataError, match="cannot be read"):
        OnnxEncoder(folder / "nothing.onnx", tokenizer)
    with pytest.raises(StoreError, match=r"no array 'x\.tokenizer'"):
        OnnxEncoder.from_arrays({"x.onnx": np.zeros(1, np.uint8)}, "x")


def test_a_graph_without_pooling_is_refused(tmp_path, folder):
    from sentence_transformers import CrossEncoder

    graph = pair_scorer_to_onnx(CrossEncoder(str(save_tiny_bert(tmp_path, TEXTS)), num_labels=1, device="cpu"))
    with pytest.raises(DataError, match="pooling must be in the graph"):
        OnnxEncoder(graph, folder / "tokenizer.json")
