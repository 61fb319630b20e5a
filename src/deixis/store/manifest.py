"""What a model folder says about itself: `manifest.json`, its fields, its own checksum. Trusts nothing it reads."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError

MANIFEST_NAME = "manifest.json"
ARRAY_SUFFIX = ".bin"
FORMAT = "deixis-model"
FORMAT_VERSION = 5
# Little-endian whatever the machine; a dtype is looked up here and never parsed from a file.
DTYPES = {
    np.dtype(code).name: np.dtype(code)
    for code in ("<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "?")
}
_ARRAY_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """One array of a model: its dtype and shape, and the size and hash of its file."""

    dtype: str
    shape: tuple[int, ...]
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of `manifest.json`.

    Examples
    --------
    >>> manifest = Manifest("linker", {"beam": 10}, {}, deixis_version="0.1.0")
    >>> parse_manifest(manifest.to_json(), "model").config
    {'beam': 10}
    """

    kind: str
    config: dict[str, Any]
    arrays: dict[str, ArrayEntry]
    deixis_version: str
    format_version: int = FORMAT_VERSION

    def to_json(self) -> str:
        """The text of the file, its own checksum included."""
        # Through JSON once, so that the checksum is of what a reader will see (tuples as lists, keys as text).
        fields = json.loads(json.dumps({"format": FORMAT, **asdict(self)}, allow_nan=False))
        return json.dumps(fields | {"checksum": _checksum(fields)}, indent=1)


def array_file(name: str) -> str:
    """The name of the file that holds the array `name`."""
    return name + ARRAY_SUFFIX


def check_array_name(name: str) -> None:
    """The name is plain enough to be a file's: no folders, no dots that climb."""
    if not _ARRAY_NAME.fullmatch(name) or ".." in name:
        raise StoreError(f"Not an array name: {name!r}. Use letters, digits, '_', '-' and single dots.")


def stored_dtype(name: str, array: NDArray[Any]) -> np.dtype[Any]:
    """The little-endian dtype under which the array is kept."""
    dtype = DTYPES.get(array.dtype.name)
    if dtype is None:
        raise StoreError(f"The array {name!r} has dtype {array.dtype}; a model can hold {', '.join(DTYPES)}.")
    return dtype


def read_manifest(folder: Path, is_any_version: bool = False) -> Manifest:
    """The checked manifest of a model folder; with `is_any_version` also that of a model we could not open."""
    path = folder / MANIFEST_NAME
    if not folder.exists():
        raise StoreError(f"No model at {folder}: there is no such folder. Check the path, or build one there.")
    if not folder.is_dir():
        raise StoreError(f"No model at {folder}: it is a file. A model is a folder with a {MANIFEST_NAME}.")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StoreError(f"{folder} is not a Deixis model: it has no {MANIFEST_NAME}. Check the path.") from None
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is damaged (not UTF-8 text). Restore or build the model again.") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
    return parse_manifest(text, str(path), is_any_version)


def parse_manifest(text: str, where: str, is_any_version: bool = False) -> Manifest:
    """The manifest in `text`; `where` is named in errors."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{where} is cut off or damaged (not JSON). Restore or build the model again.") from error
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise StoreError(f"{where} does not belong to a Deixis model. Check the path.")
    version = fields.get("format_version")
    if type(version) is int and version != FORMAT_VERSION and not is_any_version:
        raise StoreError(
            f"{where} has format version {version}, written by Deixis {fields.get('deixis_version')}; this Deixis "
            f"reads version {FORMAT_VERSION}. "
            + ("Install a newer Deixis." if version > FORMAT_VERSION else "Build the model again.")
        )
    checksum = fields.pop("checksum", None)
    if checksum != _checksum(fields):
        raise StoreError(
            f"{where} was changed or damaged: its checksum does not fit. Restore or build the model again."
        )
    try:
        arrays = {name: _parse_entry(name, entry) for name, entry in fields["arrays"].items()}
        kind, config, deixis_version = fields["kind"], fields["config"], fields["deixis_version"]
        if type(version) is not int or not isinstance(kind, str) or not isinstance(config, dict):
            raise ValueError("wrong field")
    except (KeyError, TypeError, ValueError, AttributeError, StoreError) as error:
        raise StoreError(f"{where} is not a valid manifest ({error}). Build the model again.") from error
    return Manifest(kind, config, arrays, str(deixis_version))


def _parse_entry(name: str, entry: Mapping[str, Any]) -> ArrayEntry:
    check_array_name(name)
    dtype, shape, size, sha256 = entry["dtype"], entry["shape"], entry["size"], entry["sha256"]
    if dtype not in DTYPES:
        raise ValueError(f"array {name!r}: unknown dtype {dtype!r}")
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape) or len(shape) > 32:
        raise ValueError(f"array {name!r}: bad shape {shape!r}")
    if math.prod(shape) * DTYPES[dtype].itemsize != size:
        raise ValueError(f"array {name!r}: shape {shape!r} of {dtype} does not make {size!r} bytes")
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise ValueError(f"array {name!r}: bad sha256")
    return ArrayEntry(dtype, tuple(shape), size, sha256)


def _checksum(fields: Mapping[str, Any]) -> str:
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
