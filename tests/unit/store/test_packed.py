"""Models as bytes: whole or refused."""

import io
import zipfile

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store.model_folder import open_model
from deixis.store.packed import pack_model, unpack_model

ARRAYS = {
    "tree.weights": np.arange(12, dtype=np.float32).reshape(3, 4),
    "kb.empty": np.empty((0, 5), np.uint8),
    "kb.flags": np.array([True, False]),
    "kb.vectors": np.zeros(9_000),
    "scale": np.array(2.5),
}


def packed():
    return pack_model("toy", {"width": 3}, ARRAYS)


def test_what_is_packed_is_unpacked():
    model = unpack_model(packed(), "toy")
    assert (model.kind, model.config) == ("toy", {"width": 3})
    assert model.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert model.arrays[name].dtype == array.dtype and model.arrays[name].shape == array.shape
        np.testing.assert_array_equal(model.arrays[name], array)
        assert array.ndim == 0 or not model.arrays[name].flags.writeable


def test_the_same_model_is_the_same_bytes():
    assert packed() == packed()


def test_unpacked_by_any_tool_it_is_a_model_folder(tmp_path):
    with zipfile.ZipFile(io.BytesIO(packed())) as archive:
        archive.extractall(tmp_path / "model")
    model = open_model(tmp_path / "model", "toy", verify=True)
    np.testing.assert_array_equal(model.arrays["tree.weights"], ARRAYS["tree.weights"])


def test_another_kind_is_named():
    with pytest.raises(StoreError, match="kind 'toy', but 'linker' is needed"):
        unpack_model(packed(), "linker")


@pytest.mark.parametrize("data", [b"", b"no zip", packed()[:-40], packed()[: len(packed()) // 2]])
def test_what_is_no_model_or_cut_off_is_refused(data):
    with pytest.raises(StoreError, match="no Deixis model, or cut off"):
        unpack_model(data, "toy")


def test_every_single_changed_byte_is_noticed_or_harmless():
    """Fields of the archive that nobody reads may change; what comes out is the same or an error."""
    whole = packed()
    for place in [
        *range(0, 2_000, 7),
        *range(2_000, len(whole) - 3_000, 999),
        *range(len(whole) - 3_000, len(whole), 7),
    ]:
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        try:
            model = unpack_model(bytes(damaged), "toy")
        except StoreError:
            continue
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(model.arrays[name], array)


def test_an_archive_that_grows_when_it_is_unpacked_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed())) as archive, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name))
    with pytest.raises(StoreError, match="is compressed"):
        unpack_model(buffer.getvalue(), "toy")
