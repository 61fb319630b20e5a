from types import SimpleNamespace

import numpy as np
import pytest

from deixis.encoders.chars import CharSketchEncoder
from deixis.encoders.config import EncoderConfig
from deixis.encoders.identity import EncoderIdentity
from deixis.encoders.registry import encoder_arrays, encoder_from_arrays, register_encoder
from deixis.errors import StoreError
from deixis.store.strings import StringTable


def encoder(n_dims=2, **other):
    return SimpleNamespace(encode=lambda texts: np.ones((len(texts), n_dims)), **other)


def chars(*names):
    return CharSketchEncoder.fit(StringTable.from_strings(names))


def test_an_identity_comes_back_from_its_arrays():
    identity = EncoderIdentity("Zürich/北京", "a" * 64, 384)
    assert EncoderIdentity.from_arrays(identity.to_arrays("x"), "x") == identity


@pytest.mark.parametrize("damage", [{"x.n_dims": np.array("many")}, {"x.n_dims": np.array(0)}, {"x.id": np.array(3)}])
def test_arrays_that_name_no_encoder_are_refused(damage):
    (name,) = damage
    with pytest.raises(StoreError, match=name):
        EncoderIdentity.from_arrays(EncoderIdentity("a", "b", 3).to_arrays("x") | damage, "x")


def test_what_an_encoder_learned_is_in_its_digest():
    one, same, other = (EncoderIdentity.of("chars", chars(*names)) for names in (["Paris"], ["Paris"], ["Troy"]))
    assert one == same and len(one.digest) == 64 and one.digest != other.digest and one.n_dims == 256


def test_another_digest_or_length_is_an_error_that_names_both():
    identity = EncoderIdentity.of("/home/me/mine", encoder(digest="abc"))
    assert identity == EncoderIdentity("mine", "abc", 2)
    identity.check(encoder(digest="abc"))
    with pytest.raises(StoreError, match="'mine' of 2 numbers and SHA-256 abc, but the one found has 3 numbers"):
        identity.check(encoder(n_dims=3, digest="abc"))
    with pytest.raises(StoreError, match="the one found has 2 numbers and SHA-256 xyz"):
        identity.check(encoder(digest="xyz"))


def test_an_encoder_without_a_digest_is_known_by_its_length_alone():
    identity = EncoderIdentity.of("mine", encoder())
    identity.check(encoder(digest="xyz"))
    with pytest.raises(StoreError, match="Give back the encoder"):
        identity.check(encoder(n_dims=3))


def test_a_model_notices_that_the_name_of_its_encoder_now_means_another():
    config = EncoderConfig(name="mine")
    register_encoder("mine", encoder(digest="abc"))
    arrays = encoder_arrays(encoder(digest="abc"), "x", config)
    encoder_from_arrays(arrays, "x", config)
    register_encoder("mine", encoder(digest="xyz"))
    with pytest.raises(StoreError, match="build the model again"):
        encoder_from_arrays(arrays, "x", config)
