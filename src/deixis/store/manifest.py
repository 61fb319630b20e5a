"""What a model folder says about itself: the fields of `manifest.json` and its own checksum."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError

MANIFEST_NAME = "manifest.json"
MAX_MANIFEST = 1 << 21
"""Bytes of a manifest: forty times the largest known, some 8,000 arrays; read, JSON can take thirty times its size."""
ARRAY_SUFFIX = ".bin"
SMALL = "small"  # the file that holds all small arrays; no array has this name
FORMAT = "deixis-model"
FORMAT_VERSION = 4
OLDEST_VERSION = 2  # that is read as it is: its arrays under the same names, some of them stored in another way
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
MAX_WORD = 100  # letters of a kind or a version, and of what errors quote


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """One array of a model: its dtype and shape, size and hash of its bytes, and where they begin in the small file.

    An array without an offset has a file of its own, unless it is all zeros, which are nowhere.
    """

    dtype: str
    shape: tuple[int, ...]
    size: int
    sha256: str
    offset: int | None = None
    is_zero: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of `manifest.json`.

    Examples
    --------
    >>> manifest = Manifest("linker", {"beam": 10}, {"ranker.n_features": 7}, {}, deixis_version="0.1.0")
    >>> json.loads(manifest.to_json())["values"]
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
        own = {name: entry for name, entry in self.arrays.items() if entry.offset is None and not entry.is_zero}
        sizes = {array_file(name): entry.size for name, entry in own.items()}
        ends = [entry.offset + entry.size for entry in self.arrays.values() if entry.offset is not None]
        return sizes | ({array_file(SMALL): max(ends)} if ends else {})

    def to_json(self) -> str:
        """The text of the file, its own checksum included."""
        # Through JSON once, so that the checksum is of what a reader will see (tuples as lists, keys as text).
        fields = json.loads(json.dumps({"format": FORMAT, **asdict(self)}, allow_nan=False))
        text = json.dumps(fields | {"checksum": checksum_of(fields)}, indent=1)  # ASCII: as many bytes
        if len(text) >= MAX_MANIFEST:
            raise StoreError(
                f"The manifest of {len(self.arrays):,} arrays would have {len(text):,} bytes; a model may have at most "
                f"{MAX_MANIFEST:,}. Use fewer or shorter settings, or fewer parts."
            )
        return text


def array_file(name: str) -> str:
    """The name of the file that holds the array `name`."""
    return name + ARRAY_SUFFIX


def check_array_name(name: str) -> None:
    """The name is plain enough to be a file's: no folders, no dots that climb."""
    if not _ARRAY_NAME.fullmatch(name) or ".." in name or name == SMALL:
        raise StoreError(
            f"Not an array name: {quoted(name)}. Use letters, digits, '_', '-' and single dots, and not {SMALL!r}."
        )


def stored_dtype(name: str, array: NDArray[Any]) -> np.dtype[Any]:
    """The little-endian dtype under which the array is kept."""
    dtype = DTYPES.get(array.dtype.name)
    if dtype is None:
        raise StoreError(f"The array {name!r} has dtype {array.dtype}; a model can hold {', '.join(DTYPES)}.")
    return dtype


def quoted(value: object) -> str:
    """What a file says, for an error: no more of it than can be read."""
    shown = repr(value[:MAX_WORD] if isinstance(value, (str, list)) else value)
    return shown if len(shown) <= MAX_WORD else f"{shown[:MAX_WORD]}..."


def checksum_of(fields: Mapping[str, Any]) -> str:
    """The checksum of a manifest's other fields."""
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
