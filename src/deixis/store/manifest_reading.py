"""Reading `manifest.json`, which may come from anybody: nothing in it is trusted, and errors quote little of it."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deixis.errors import StoreError
from deixis.store.manifest import (
    ALIGNMENT,
    DTYPES,
    FORMAT,
    FORMAT_1_COUNT,
    FORMAT_VERSION,
    MANIFEST_NAME,
    MAX_MANIFEST,
    MAX_WORD,
    OLDEST_VERSION,
    ArrayEntry,
    Manifest,
    Value,
    check_array_name,
    checksum_of,
    quoted,
)
from deixis.store.regular_files import RESTORE, open_regular

MAX_DIMENSIONS = 32
_SHA256 = re.compile(r"[0-9a-f]{64}")


def read_manifest(folder: Path, is_any_version: bool = False) -> Manifest:
    """The checked manifest of a model folder; with `is_any_version` also that of a model we could not open."""
    path = folder / MANIFEST_NAME
    if not folder.exists():
        raise StoreError(f"No model at {folder}: there is no such folder. Check the path, or build one there.")
    if not folder.is_dir():
        raise StoreError(f"No model at {folder}: it is a file. A model is a folder with a {MANIFEST_NAME}.")
    if not os.path.lexists(path):
        raise StoreError(f"{folder} is not a Deixis model: it has no {MANIFEST_NAME}. Check the path.")
    with open_regular(path) as stream:
        n_bytes = os.fstat(stream.fileno()).st_size
        if n_bytes > MAX_MANIFEST:
            raise StoreError(
                f"{path} has {n_bytes:,} bytes; that of a model has at most {MAX_MANIFEST:,}. Check the path."
            )
        try:
            text = stream.read(MAX_MANIFEST).decode("utf-8")
        except UnicodeDecodeError as error:
            raise StoreError(f"{path} is damaged (not UTF-8 text). {RESTORE}") from error
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}. {RESTORE}") from error
    return parse_manifest(text, str(path), is_any_version)


def parse_manifest(text: str, where: str, is_any_version: bool = False) -> Manifest:
    """The manifest in `text`; `where` is named in errors."""
    try:
        fields = json.loads(text, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, _TwiceError) else "not JSON"
        raise StoreError(f"{where} is cut off or damaged ({reason}). {RESTORE}") from error
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise StoreError(f"{where} does not belong to a Deixis model. Check the path.")
    version, is_old = fields.get("format_version"), "values" not in fields
    readable = range(FORMAT_1_COUNT, FORMAT_1_COUNT + 1) if is_old else range(OLDEST_VERSION, FORMAT_VERSION + 1)
    if type(version) is int and version not in readable and not is_any_version:
        raise StoreError(_other_version(where, version, is_old, fields.get("deixis_version")))
    checksum = fields.pop("checksum", None)
    try:
        is_whole = checksum == checksum_of(fields)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{where} is damaged (a number is not finite, or it is nested too deep). {RESTORE}") from error
    if not is_whole:
        raise StoreError(f"{where} was changed or damaged: its checksum does not fit. {RESTORE}")
    try:
        arrays = {name: _parse_entry(name, entry) for name, entry in fields["arrays"].items()}
        values = {name: _parse_value(name, value) for name, value in fields.get("values", {}).items()}
        _check_positions(arrays)
        _check_zeros(arrays)
        if twin := next((name for name in values if name in arrays), None):
            raise ValueError(f"{twin!r} is an array and a value")
        for name, is_valid in _FIELDS.items():
            if not is_valid(fields[name]):
                raise ValueError(f"{name} is {quoted(fields[name])}")
    except (KeyError, TypeError, ValueError, AttributeError, StoreError) as error:
        raise StoreError(f"{where} is not a valid manifest ({error}). Build the model again.") from error
    kind, config, deixis_version = fields["kind"], fields["config"], fields["deixis_version"]
    return Manifest(kind, config, values, arrays, deixis_version, 1 if is_old else fields["format_version"])


def _other_version(where: str, version: int, is_old: bool, writer: object) -> str:
    deixis_version = writer if _is_word(writer) else quoted(writer)
    shown = quoted(version)
    if is_old and version < FORMAT_1_COUNT:
        return (
            f"{where} has format 1 in version {shown}, written by Deixis {deixis_version}; this Deixis reads format "
            f"{FORMAT_VERSION}, and format 1 from version {FORMAT_1_COUNT} on. Build the model again."
        )
    advice = "Install a newer Deixis." if is_old or version > FORMAT_VERSION else "Build the model again."
    return (
        f"{where} has format version {shown}, written by Deixis {deixis_version}; this Deixis reads versions "
        f"{OLDEST_VERSION} to {FORMAT_VERSION}. {advice}"
    )


def _parse_entry(name: str, entry: Mapping[str, Any]) -> ArrayEntry:
    check_array_name(name)
    dtype, shape, size, sha256 = entry["dtype"], entry["shape"], entry["size"], entry["sha256"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"array {name!r}: unknown dtype {quoted(dtype)}")
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS or not all(map(_is_count, shape)):
        raise ValueError(f"array {name!r}: bad shape {quoted(shape)}")
    if not _is_count(DTYPES[dtype].itemsize * math.prod(n or 1 for n in shape)):  # what NumPy asks of empty ones, too
        raise ValueError(f"array {name!r}: shape {quoted(shape)} of {dtype} is too large")
    if not _is_count(size) or math.prod(shape) * DTYPES[dtype].itemsize != size:
        raise ValueError(f"array {name!r}: shape {quoted(shape)} of {dtype} does not make {quoted(size)} bytes")
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise ValueError(f"array {name!r}: bad sha256 {quoted(sha256)}")
    offset = entry.get("offset")
    if offset is not None and (not _is_count(offset) or offset % ALIGNMENT):
        raise ValueError(f"array {name!r}: bad offset {quoted(offset)}")
    is_zero = entry.get("is_zero", False)
    if type(is_zero) is not bool or (is_zero and (offset is not None or not size)):
        raise ValueError(f"array {name!r}: bad is_zero {quoted(is_zero)}")
    return ArrayEntry(dtype, tuple(shape), size, sha256, offset, is_zero)


def _parse_value(name: str, value: object) -> Value:
    check_array_name(name)
    if not isinstance(value, (int, float, str)) or (type(value) is int and not -(2**63) <= value < 2**63):
        raise ValueError(f"value {name!r}: {quoted(value)} is no number, word or truth value")
    return value


def _check_positions(arrays: Mapping[str, ArrayEntry]) -> None:
    """The arrays of the small file stand one after the other, as near as they may."""
    positions = sorted((each.offset, each.size, name) for name, each in arrays.items() if each.offset is not None)
    end = 0
    for offset, size, name in positions:
        if offset < end:
            raise ValueError(f"array {name!r}: its place in the small file is taken")
        if offset >= end + ALIGNMENT:
            raise ValueError(f"array {name!r}: bad offset {offset}, since what is before it ends at {end}")
        end = offset + size


def _check_zeros(arrays: Mapping[str, ArrayEntry]) -> None:
    """There are no more zeros than other bytes, so that the files of a model say what memory it can take."""
    n_zeros = sum(entry.size for entry in arrays.values() if entry.is_zero)
    n_others = sum(entry.size for entry in arrays.values() if not entry.is_zero)
    if n_zeros > n_others:
        raise ValueError(f"{n_zeros:,} bytes are said to be zeros, and only {n_others:,} are there")


def _is_count(value: object) -> bool:
    """Whether it is a number of bytes or items that a machine can count."""
    return type(value) is int and 0 <= value < 2**63


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_WORD and value.isprintable()


_FIELDS: dict[str, Callable[[object], bool]] = {
    "format_version": lambda value: type(value) is int,
    "kind": _is_word,
    "config": lambda value: isinstance(value, dict),
    "deixis_version": _is_word,
}
"""Fields of a manifest, and whether a value can be theirs."""


class _TwiceError(ValueError):
    """A name came twice in one JSON object, where each reader may take another of the two."""


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        name = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise _TwiceError(f"{quoted(name)} comes twice")
    return fields
