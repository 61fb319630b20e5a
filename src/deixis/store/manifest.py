"""What a model folder says about itself: `manifest.json`, its fields, its own checksum. Trusts nothing it reads."""

from __future__ import annotations

import hashlib
import itertools
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
SMALL = "small"  # the file that holds all small arrays; no array has this name
FORMAT = "deixis-model"
FORMAT_VERSION = 2
# Manifests of format 1 have no values, and counted every change of an array while Deixis was young: the last was 5.
FORMAT_1_COUNT = 5
ALIGNMENT = 64  # of arrays in the small file: what any dtype and the compiled core are content with
# Little-endian whatever the machine; a dtype is looked up here and never parsed from a file.
DTYPES = {
    np.dtype(code).name: np.dtype(code)
    for code in ("<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "?")
}
Value = int | float | str | bool
"""A number, a word or a truth value of a model, which needs no array."""
_ARRAY_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """One array of a model: its dtype and shape, size and hash of its bytes, and where they begin in the small file.

    An array without an offset has a file of its own.
    """

    dtype: str
    shape: tuple[int, ...]
    size: int
    sha256: str
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of `manifest.json`.

    Examples
    --------
    >>> manifest = Manifest("linker", {"beam": 10}, {"ranker.n_features": 7}, {}, deixis_version="0.1.0")
    >>> parse_manifest(manifest.to_json(), "model").values
    {'ranker.n_features': 7}
    """

    kind: str
    config: dict[str, Any]
    values: dict[str, Value]
    arrays: dict[str, ArrayEntry]
    deixis_version: str
    format_version: int = FORMAT_VERSION

    @property
    def files(self) -> dict[str, int]:
        """The files of the arrays and their sizes."""
        sizes = {array_file(name): entry.size for name, entry in self.arrays.items() if entry.offset is None}
        ends = [entry.offset + entry.size for entry in self.arrays.values() if entry.offset is not None]
        return sizes | ({array_file(SMALL): max(ends)} if ends else {})

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
    if not _ARRAY_NAME.fullmatch(name) or ".." in name or name == SMALL:
        raise StoreError(
            f"Not an array name: {name!r}. Use letters, digits, '_', '-' and single dots, and not {SMALL!r}."
        )


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
    version, is_old = fields.get("format_version"), "values" not in fields
    if type(version) is int and version != (FORMAT_1_COUNT if is_old else FORMAT_VERSION) and not is_any_version:
        raise StoreError(_other_version(where, version, is_old, fields.get("deixis_version")))
    checksum = fields.pop("checksum", None)
    if checksum != _checksum(fields):
        raise StoreError(
            f"{where} was changed or damaged: its checksum does not fit. Restore or build the model again."
        )
    try:
        arrays = {name: _parse_entry(name, entry) for name, entry in fields["arrays"].items()}
        values = {name: _parse_value(name, value) for name, value in fields.get("values", {}).items()}
        _check_positions(arrays)
        kind, config, deixis_version = fields["kind"], fields["config"], fields["deixis_version"]
        if type(version) is not int or not isinstance(kind, str) or not isinstance(config, dict):
            raise ValueError("wrong field")
    except (KeyError, TypeError, ValueError, AttributeError, StoreError) as error:
        raise StoreError(f"{where} is not a valid manifest ({error}). Build the model again.") from error
    return Manifest(kind, config, values, arrays, str(deixis_version), 1 if is_old else version)


def _other_version(where: str, version: int, is_old: bool, deixis_version: object) -> str:
    if is_old and version < FORMAT_1_COUNT:
        return (
            f"{where} has format 1 in version {version}, written by Deixis {deixis_version}; this Deixis reads format "
            f"{FORMAT_VERSION}, and format 1 from version {FORMAT_1_COUNT} on. Build the model again."
        )
    advice = "Install a newer Deixis." if is_old or version > FORMAT_VERSION else "Build the model again."
    return (
        f"{where} has format version {version}, written by Deixis {deixis_version}; this Deixis reads version "
        f"{FORMAT_VERSION}. {advice}"
    )


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
    offset = entry.get("offset")
    if offset is not None and (type(offset) is not int or offset < 0 or offset % ALIGNMENT):
        raise ValueError(f"array {name!r}: bad offset {offset!r}")
    return ArrayEntry(dtype, tuple(shape), size, sha256, offset)


def _parse_value(name: str, value: object) -> Value:
    check_array_name(name)
    if not isinstance(value, (int, float, str)) or (type(value) is int and not -(2**63) <= value < 2**63):
        raise ValueError(f"value {name!r}: {value!r} is no number, word or truth value")
    return value


def _check_positions(arrays: Mapping[str, ArrayEntry]) -> None:
    """No two arrays share bytes of the small file."""
    positions = sorted((each.offset, each.size, name) for name, each in arrays.items() if each.offset is not None)
    for (offset, size, _), (following, _, name) in itertools.pairwise(positions):
        if offset + size > following:
            raise ValueError(f"array {name!r}: its place in the small file is taken")


def _checksum(fields: Mapping[str, Any]) -> str:
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
