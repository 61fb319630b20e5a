"""One array, one file: raw little-endian values, written with their hash, read back by mapping."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.manifest import DTYPES, ArrayEntry, array_file, stored_dtype

_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class FileCheck:
    """Whether one file of a model is as it was written; `problem` says what is wrong with it.

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


def write_array(folder: Path, name: str, array: NDArray[Any]) -> ArrayEntry:
    """Write the array's file, make it last, and give its entry for the manifest."""
    dtype = stored_dtype(name, array)
    values = np.ascontiguousarray(array, dtype=dtype)
    digest = hashlib.sha256()
    raw = values.reshape(-1).view(np.uint8).data
    with open(folder / array_file(name), "wb") as stream:
        for start in range(0, len(raw), _CHUNK):
            digest.update(raw[start : start + _CHUNK])
            stream.write(raw[start : start + _CHUNK])
        stream.flush()
        os.fsync(stream.fileno())
    return ArrayEntry(dtype.name, array.shape, values.nbytes, digest.hexdigest())


def map_array(folder: Path, name: str, entry: ArrayEntry) -> NDArray[Any]:
    """The array, read-only, its pages read when they are needed; its file's size is checked, its hash is not."""
    with _open_checked(folder, name, entry) as stream:
        if entry.size == 0:  # an empty file cannot be mapped
            empty = np.empty(entry.shape, dtype=DTYPES[entry.dtype])
            empty.flags.writeable = False
            return empty
        mapped = np.memmap(stream, dtype=DTYPES[entry.dtype], mode="r", shape=entry.shape)
    # A plain array over the same pages: np.memmap itself makes every small slice slower.
    return mapped.view(np.ndarray)


def hash_array(folder: Path, name: str, entry: ArrayEntry) -> FileCheck:
    """The verdict on the array's file, every byte of it read."""
    digest = hashlib.sha256()
    try:
        with _open_checked(folder, name, entry) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except StoreError as error:
        return FileCheck(array_file(name), str(error))
    if digest.hexdigest() != entry.sha256:
        return FileCheck(array_file(name), "is damaged: its sha256 is not the one in the manifest")
    return FileCheck(array_file(name))


@contextmanager
def _open_checked(folder: Path, name: str, entry: ArrayEntry) -> Iterator[BinaryIO]:
    path = folder / array_file(name)
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):
            raise StoreError(f"{path} is a link; a model's files must be its own. Copy the file there.")
        stream = open(path, "rb")
    except FileNotFoundError:
        raise StoreError(f"{path} is missing. Restore or build the model again.") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
    with stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size != entry.size:
            raise StoreError(
                f"{path} has {status.st_size:,} bytes where the manifest says {entry.size:,}: cut off or damaged. "
                f"Restore or build the model again."
            )
        yield stream
