import numpy as np
import pytest

from deixis.encoders.chars import CharSketchEncoder
from deixis.encoders.config import EncoderConfig
from deixis.errors import StoreError
from deixis.store.strings import StringTable

NAMES = ["Sean Connery", "Paris", "Paris, Texas", "Zürich", "北京", "Number 7", "Lake Zurich", "Constantinople"]


@pytest.fixture(scope="module")
def encoder() -> CharSketchEncoder:
    return CharSketchEncoder.fit(StringTable.from_strings(NAMES))


def test_rows_have_length_one_and_what_is_unknown_has_length_zero(encoder):
    rows = encoder.encode([*NAMES, "", "!!", "ψωχ"])
    assert rows.dtype == np.float32 and rows.shape == (len(NAMES) + 3, 256)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1.0] * len(NAMES) + [0.0] * 3, atol=1e-6)


def test_no_text_gives_no_rows(encoder):
    assert encoder.encode([]).shape == (0, 256)


def test_a_text_has_the_same_vector_whatever_it_is_encoded_with(encoder):
    together = encoder.encode(NAMES * 3)
    for place, name in enumerate(NAMES):
        assert encoder.encode([name]).tobytes() == together[place].tobytes() == together[place + 16].tobytes()


def test_dot_products_are_those_of_the_sparse_rows_give_or_take_the_width_of_the_sketch():
    names = [f"{first} {last}" for first in ("Anna", "Bernd", "Carl", "Dora") for last in ("Maier", "Meyer", "Lang")]
    encoder = CharSketchEncoder.fit(StringTable.from_strings(names), config=EncoderConfig(n_dims=1024))
    sparse_rows = encoder.vectorizer.transform(names)
    exact = (sparse_rows @ sparse_rows.T).toarray()
    vectors = encoder.encode(names)
    assert abs(vectors @ vectors.T - exact).max() < 4 / np.sqrt(1024)


def test_a_slip_of_the_pen_stays_near(encoder):
    likeness = encoder.encode(["Constantinopel"]) @ encoder.encode(NAMES).T
    assert likeness.argmax() == NAMES.index("Constantinople") and likeness.max() > 0.5


def test_what_is_stored_encodes_the_same(encoder):
    again = CharSketchEncoder.from_arrays(encoder.to_arrays("x"), "x", EncoderConfig())
    assert again.encode(NAMES).tobytes() == encoder.encode(NAMES).tobytes()
    with pytest.raises(StoreError):
        CharSketchEncoder.from_arrays({}, "x", EncoderConfig())
