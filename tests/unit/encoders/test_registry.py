from types import SimpleNamespace

import numpy as np
import pytest

from deixis.encoders.config import EncoderConfig
from deixis.encoders.registry import (
    encode_rows,
    encoder_arrays,
    encoder_from_arrays,
    fit_encoder,
    register_encoder,
)
from deixis.errors import ConfigError, DataError, UnknownNameError
from deixis.store.strings import StringTable

NONE = StringTable.from_strings([])


def vowels(texts):
    return [[text.count(vowel) for vowel in "aeiou"] for text in texts]


@pytest.mark.parametrize("given", [vowels, SimpleNamespace(encode=vowels)], ids=["function", "object"])
def test_a_users_own_encoder_works_by_its_name(given):
    register_encoder("vowels", given)
    config = EncoderConfig(name="vowels")
    encoder = fit_encoder(config, NONE)
    assert encode_rows(encoder, ["Paris"]).round(3).tolist() == [pytest.approx([0.707, 0, 0.707, 0, 0], abs=1e-3)]
    arrays = encoder_arrays(encoder, "x", config)
    assert all(name.startswith("x.identity") for name in arrays)  # of itself nothing is kept
    assert encoder_from_arrays(arrays, "x", config) is encoder


def test_names_of_our_own_are_taken():
    with pytest.raises(ConfigError, match="choose another"):
        register_encoder("chars", vowels)


def test_what_cannot_encode_is_refused():
    with pytest.raises(ConfigError, match="got int"):
        register_encoder("seven", 7)


def test_an_unknown_name_comes_with_those_that_are_known():
    register_encoder("vowels", vowels)
    with pytest.raises(UnknownNameError, match="Known: .*vowels.*Did you mean 'chars'"):
        fit_encoder(EncoderConfig(name="char"), NONE)


def test_rows_become_float32_of_length_one_and_blank_texts_zero():
    rows = encode_rows(SimpleNamespace(encode=lambda texts: np.full((len(texts), 4), 2.0)), ["a", " ", "\n"])
    assert rows.dtype == np.float32 and rows.tolist() == [[0.5] * 4, [0.0] * 4, [0.0] * 4]


@pytest.mark.parametrize(
    ("given", "problem"),
    [([[1.0]], "one row of numbers per text"), ([1.0, 2.0], "shape"), ([["a"], ["b"]], "numbers"),
     ([[np.nan], [1.0]], "not finite")],
)  # fmt: skip
def test_what_is_no_row_per_text_is_refused(given, problem):
    with pytest.raises(DataError, match=problem):
        encode_rows(SimpleNamespace(encode=lambda texts: given), ["a", "b"])
