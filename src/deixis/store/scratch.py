"""Large arrays while a model is built: in memory, or in files that the system may take out of memory and bring back.

The files have no names: whatever happens to the process, nothing is left of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from deixis.errors import StoreError

MIN_BYTES = 1 << 22
"""Bytes of an array that is not worth a file."""
_folder: ContextVar[Path | None] = ContextVar("deixis_scratch_folder", default=None)


@contextmanager
def scratch_in(folder: Path) -> Iterator[None]:
    """Keep large arrays in files of this folder for as long as the block runs."""
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)


class GrowingArray:
    """Collects numbers of one type chunk by chunk and gives them as one array, which is never held twice.

    Examples
    --------
    >>> numbers = GrowingArray(np.int32)
    >>> numbers.extend(np.array([3, 4]))
    >>> numbers.extend(np.array([5]))
    >>> numbers.build().tolist(), len(numbers)
    ([3, 4, 5], 3)
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._buffer = bytearray()
        self._file: IO[bytes] | None = None
        self._n_bytes = 0
        self._folder = _folder.get()

    def __len__(self) -> int:
        return self._n_bytes // self._dtype.itemsize

    def extend(self, values: NDArray[Any]) -> None:
        """Add numbers at the end."""
        raw = np.ascontiguousarray(values, dtype=self._dtype).reshape(-1).view(np.uint8).data
        self._n_bytes += len(raw)
        if self._folder is None or self._n_bytes < MIN_BYTES:
            self._buffer += raw
            return
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - it lives as long as the array
                self._file.write(self._buffer)
                self._buffer = bytearray()
            self._file.write(raw)
        except OSError as error:
            if self._file is not None:
                self._file.close()
            raise _no_room(self._folder, error) from error

    def build(self) -> NDArray[Any]:
        """All numbers; nothing can be added after it."""
        if self._file is None:
            return np.frombuffer(self._buffer, dtype=self._dtype) if self._buffer else np.empty(0, dtype=self._dtype)
        try:
            with self._file:
                self._file.flush()
                mapped = np.memmap(self._file, dtype=self._dtype, mode="r+")
            # A plain array over the same pages: np.memmap itself makes every small slice slower.
            return mapped.view(np.ndarray)
        except OSError as error:
            raise _no_room(self._folder, error) from error


def concatenated(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """The arrays one after the other, all of the type of the first.

    Examples
    --------
    >>> concatenated([np.array([1]), np.array([2, 3])]).tolist()
    [1, 2, 3]
    """
    if _folder.get() is None:
        return np.concatenate(arrays)
    joined = GrowingArray(arrays[0].dtype)
    for array in arrays:
        joined.extend(array)
    return joined.build()


def _no_room(folder: object, error: OSError) -> StoreError:
    return StoreError(
        f"A large array could not be written in the folder {folder}: {error.strerror or error}. Make room there, or "
        "choose another place for the model."
    )
