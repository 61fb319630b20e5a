"""A model as bytes, for whoever has no place for a folder: the folder's files in a zip archive, not compressed."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.array_files import zero_array
from deixis.store.layout import Layout, write_arrays
from deixis.store.manifest import DTYPES, MANIFEST_NAME, MAX_MANIFEST, SMALL, ArrayEntry, Manifest, array_file
from deixis.store.manifest_reading import parse_manifest
from deixis.store.model_folder import StoredModel, check_kind, stored_arrays
from deixis.store.regular_files import RESTORE

WHERE = "The value of bytes"
_DATE = (1980, 1, 1, 0, 0, 0)  # the same model is the same bytes


def pack_model(kind: str, config: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The model as bytes: what `save_model` would write, unpacked by any tool that knows zip.

    Examples
    --------
    >>> data = pack_model("toy", {"width": 3}, {"tree.sizes": np.arange(3)})
    >>> model = unpack_model(data, "toy")
    >>> model.config["width"], model.arrays["tree.sizes"].tolist()
    (3, [0, 1, 2])
    """
    from importlib.metadata import version  # only who saves waits for this import

    buffer = io.BytesIO()
    layout = Layout.of(arrays)
    entries: dict[str, ArrayEntry] = dict(layout.zeros)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for file, held, is_small in layout.files():
            with archive.open(zipfile.ZipInfo(file, _DATE), "w", force_zip64=True) as stream:
                entries |= write_arrays(stream, held, is_small)
        manifest = Manifest(kind, config, layout.values, entries, deixis_version=version("deixis"))
        archive.writestr(zipfile.ZipInfo(MANIFEST_NAME, _DATE), manifest.to_json())
    return buffer.getvalue()


def unpack_model(data: bytes, kind: str) -> StoredModel:
    """The model that `pack_model` made the bytes of; every hash is compared."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            manifest = parse_manifest(_content(archive, MANIFEST_NAME, MAX_MANIFEST).decode("utf-8"), WHERE)
            check_kind(manifest, kind, WHERE)
            n_bytes = sum(manifest.files.values())
            if n_bytes > len(data):  # files of an archive can share their bytes
                raise StoreError(f"These {len(data):,} bytes cannot hold arrays of {n_bytes:,} bytes. {RESTORE}")
            file_to_bytes = {file: _content(archive, file, size) for file, size in manifest.files.items()}
            arrays = {name: _array(file_to_bytes, name, entry) for name, entry in manifest.arrays.items()}
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, RuntimeError, OSError) as error:
        raise StoreError(f"These {len(data):,} bytes are no Deixis model, or cut off: {error}.") from error
    return StoredModel(Path(WHERE), manifest, stored_arrays(manifest, arrays))


def _array(file_to_bytes: Mapping[str, bytes], name: str, entry: ArrayEntry) -> NDArray[Any]:
    if entry.is_zero:
        return zero_array(entry)
    raw = memoryview(file_to_bytes[array_file(name if entry.offset is None else SMALL)])
    if entry.offset is not None:
        raw = raw[entry.offset : entry.offset + entry.size]
    if len(raw) != entry.size or hashlib.sha256(raw).hexdigest() != entry.sha256:
        raise StoreError(f"The array {name!r} in these bytes is damaged: its sha256 is not the one in the manifest.")
    return np.frombuffer(raw, dtype=DTYPES[entry.dtype]).reshape(entry.shape)


def _content(archive: zipfile.ZipFile, file: str, max_size: int) -> bytes:
    info = archive.getinfo(file)
    if info.compress_type != zipfile.ZIP_STORED:  # nothing grows when it is unpacked
        raise StoreError(f"{file} in these bytes is compressed; a model's files are not.")
    if info.file_size > max_size:
        raise StoreError(f"{file} in these bytes has {info.file_size:,} bytes; at most {max_size:,} belong there.")
    return archive.read(file)
