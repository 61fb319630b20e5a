"""Files of arrays: raw little-endian values, written with their hashes, read back by mapping."""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.layout import write_arrays
from deixis.store.manifest import DTYPES, SMALL, ArrayEntry, Manifest, array_file
from deixis.store.regular_files import RESTORE, open_regular

_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class FileCheck:
    """Whether one file of a model is as it was written; `problem` describes what is wrong with it.

    Examples
    --------
    >>> FileCheck("tree.sizes.bin").ok, FileCheck("notes.txt", "is not part of the model").ok
    (True, False)
    """

    file: str
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problem


def write_file(path: Path, arrays: Mapping[str, NDArray[Any]], is_small: bool) -> dict[str, ArrayEntry]:
    """Write one file of arrays, make it last, and give the entries of its arrays."""
    with open(path, "wb") as stream:
        entries = write_arrays(stream, arrays, is_small)
        stream.flush()
        os.fsync(stream.fileno())
    return entries


def map_arrays(folder: Path, manifest: Manifest) -> dict[str, NDArray[Any]]:
    """The arrays, read-only, their pages read when they are needed; sizes of files are checked, hashes are not."""
    n_small = manifest.files.get(array_file(SMALL), 0)
    small = (
        _mapped(folder / array_file(SMALL), n_small, np.dtype(np.uint8), (n_small,))
        if n_small
        else np.empty(0, np.uint8)
    )
    arrays = {}
    for name, entry in manifest.arrays.items():
        dtype = DTYPES[entry.dtype]
        if entry.is_zero:
            arrays[name] = zero_array(entry)
        elif entry.offset is None:
            arrays[name] = _mapped(folder / array_file(name), entry.size, dtype, entry.shape)
        else:
            arrays[name] = small[entry.offset : entry.offset + entry.size].view(dtype).reshape(entry.shape)
            arrays[name].flags.writeable = False
    return arrays


def zero_array(entry: ArrayEntry) -> NDArray[Any]:
    """An array of zeros, read-only, which takes no memory: all its pages are the system's page of zeros."""
    try:
        pages = mmap.mmap(-1, entry.size, access=mmap.ACCESS_COPY)
    except (OSError, OverflowError, MemoryError) as error:
        raise StoreError(f"There is no address space for {entry.size:,} bytes of zeros.") from error
    zeros = np.frombuffer(pages, dtype=DTYPES[entry.dtype]).reshape(entry.shape)
    zeros.flags.writeable = False
    return zeros


def hash_files(folder: Path, manifest: Manifest) -> Iterator[FileCheck]:
    """The verdict on each file of arrays, every byte of it read."""
    file_to_entries: dict[str, dict[str, ArrayEntry]] = {}
    for name, entry in sorted(manifest.arrays.items(), key=lambda item: (item[1].offset or 0, item[0])):
        if not entry.is_zero:
            file_to_entries.setdefault(_file(name, entry), {})[name] = entry
    for file, size in sorted(manifest.files.items()):
        try:
            with _open_checked(folder / file, size) as stream:
                problem = _damage(stream, file_to_entries[file])
        except StoreError as error:
            problem = str(error)
        yield FileCheck(file, problem)


def _damage(stream: BinaryIO, entries: Mapping[str, ArrayEntry]) -> str:
    """What is wrong with the bytes of a file, whose arrays come in the order of their places; empty if nothing is."""
    for name, entry in entries.items():
        if any(stream.read((entry.offset or 0) - stream.tell())):
            return f"is damaged: there is something before the array {name!r}"
        digest, n_left = hashlib.sha256(), entry.size
        while n_left and (chunk := stream.read(min(_CHUNK, n_left))):
            digest.update(chunk)
            n_left -= len(chunk)
        if digest.hexdigest() != entry.sha256:
            which = "its sha256" if entry.offset is None else f"the sha256 of the array {name!r}"
            return f"is damaged: {which} is not the one in the manifest"
    return ""


def _file(name: str, entry: ArrayEntry) -> str:
    return array_file(name if entry.offset is None else SMALL)


def _mapped(path: Path, size: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    with _open_checked(path, size) as stream:
        if size == 0:  # an empty file cannot be mapped
            empty = np.empty(shape, dtype=dtype)
            empty.flags.writeable = False
            return empty
        # A plain array over the same pages: np.memmap itself makes every small slice slower. It is mapped as what it
        # is, since SciPy copies arrays whose base has more than twice as many items.
        try:
            return np.memmap(stream, dtype=dtype, mode="r", shape=shape).view(np.ndarray)
        except (OSError, MemoryError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StoreError(f"{path} cannot be mapped: {reason}. It needs {size:,} bytes of address space.") from error


@contextmanager
def _open_checked(path: Path, size: int) -> Iterator[BinaryIO]:
    with open_regular(path) as stream:
        n_bytes = os.fstat(stream.fileno()).st_size
        if n_bytes != size:
            raise StoreError(
                f"{path} has {n_bytes:,} bytes where the manifest says {size:,}: cut off or damaged. {RESTORE}"
            )
        yield stream
