"""Models as bytes: whole or refused."""

import hashlib
import io
import json
import struct
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store.manifest import FORMAT, FORMAT_VERSION, MAX_MANIFEST, checksum_of
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


def nested_archive(n_files, n_bytes):
    """A model whose files are stored inside each other, so that together they are far larger than the archive."""
    data, entries, directory, offsets = b"\0" * n_bytes, {}, b"", []
    for number in reversed(range(n_files)):
        name = f"a{number}"
        entries[name] = {"dtype": "uint8", "shape": [len(data)], "size": len(data)}
        entries[name]["sha256"] = hashlib.sha256(data).hexdigest()
        file = f"{name}.bin".encode()
        about = struct.pack("<5H3I2H", 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(file), 0)
        data = b"PK\3\4" + about + file + data
        offsets.append((file, about, len(data)))
    fields = {"format": FORMAT, "format_version": FORMAT_VERSION, "kind": "toy", "config": {}, "values": {}}
    fields |= {"arrays": entries, "deixis_version": "1.0"}
    text = json.dumps(fields | {"checksum": checksum_of(fields)}).encode()
    about = struct.pack("<5H3I2H", 20, 0, 0, 0, 33, zlib.crc32(text), len(text), len(text), 13, 0)
    whole = data + b"PK\3\4" + about + b"manifest.json" + text
    for file, about_file, n_left in [*offsets, (b"manifest.json", about, 0)]:
        begin = len(data) - n_left
        directory += b"PK\1\2" + struct.pack("<H", 20) + about_file + struct.pack("<3H2I", 0, 0, 0, 0, begin) + file
    n = n_files + 1
    return whole + directory + b"PK\5\6" + struct.pack("<4H2IH", 0, 0, n, n, len(directory), len(whole), 0)


def test_an_archive_whose_files_are_inside_each_other_is_refused():
    data = nested_archive(200, 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=r"cannot hold arrays of 20\d,\d{3},\d{3} bytes"):
            unpack_model(data, "toy")
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_a_manifest_in_bytes_has_its_limit_too():
    with pytest.raises(StoreError, match=rf"may have at most {MAX_MANIFEST:,}"):
        pack_model("toy", {"words": "x" * MAX_MANIFEST}, {})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("manifest.json", b" " * (MAX_MANIFEST + 1))
    with pytest.raises(StoreError, match=r"manifest\.json in these bytes has 2,097,153 bytes; at most"):
        unpack_model(buffer.getvalue(), "toy")


def test_arrays_of_zeros_take_no_room_in_the_bytes():
    arrays = {"kb.counts": np.zeros(50_000), "kb.ids": np.arange(50_000)}
    data = pack_model("toy", {}, arrays)
    assert len(data) < 410_000
    assert unpack_model(data, "toy").arrays["kb.counts"].tobytes() == arrays["kb.counts"].tobytes()
