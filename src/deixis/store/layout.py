"""Where each array of a model is kept: values in the manifest, small arrays in one file, large ones in their own.

A large array of zeros, as of a column that a list does not have, is only named in the manifest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.manifest import (
    ALIGNMENT,
    SMALL,
    ArrayEntry,
    Value,
    array_file,
    check_array_name,
    stored_dtype,
)

MAX_SMALL = 1 << 16
"""Bytes of an array that is not small any more."""
_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class Layout:
    """The arrays of a model by the way they are kept, in the order of their names.

    Examples
    --------
    >>> arrays = {"tree.sizes": np.arange(3), "kb.ids": np.ones(9000), "kb.counts": np.zeros(9000)}
    >>> layout = Layout.of(arrays | {"tree.n_features": np.array(7)})
    >>> layout.values, list(layout.small), list(layout.large), list(layout.zeros)
    ({'tree.n_features': 7}, ['tree.sizes'], ['kb.ids'], ['kb.counts'])
    """

    values: dict[str, Value]
    small: dict[str, NDArray[Any]]
    large: dict[str, NDArray[Any]]
    zeros: dict[str, ArrayEntry]

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Layout:
        """The layout of these arrays; names and dtypes that cannot be stored are refused."""
        layout, zeros = cls({}, {}, {}, {}), set()
        for name, array in sorted(arrays.items()):
            check_array_name(name)
            if array.ndim == 0 and array.dtype.kind in "biufU":
                layout.values[name] = _value(name, array)
                continue
            stored_dtype(name, array)
            (layout.small if array.nbytes < MAX_SMALL else layout.large)[name] = array
            if name in layout.large and _is_zero(array):
                zeros.add(name)
        # Who opens a model gets no more zeros than it has bytes: its memory is bounded by its files.
        n_zeros = sum(layout.large[name].nbytes for name in zeros)
        if 2 * n_zeros <= layout.n_bytes:
            layout.zeros.update({name: _zero_entry(name, layout.large.pop(name)) for name in sorted(zeros)})
        return layout

    @property
    def n_bytes(self) -> int:
        """The size of all arrays that are written."""
        return sum(array.nbytes for arrays in (self.small, self.large) for array in arrays.values())

    def files(self) -> Iterator[tuple[str, dict[str, NDArray[Any]], bool]]:
        """Each file: its name, the arrays that are in it, and whether it is the one of small arrays."""
        if self.small:
            yield array_file(SMALL), self.small, True
        for name, array in self.large.items():
            yield array_file(name), {name: array}, False


def write_arrays(stream: IO[bytes], arrays: Mapping[str, NDArray[Any]], is_small: bool) -> dict[str, ArrayEntry]:
    """Writes one file of arrays, and gives their entries for the manifest."""
    entries, end = {}, 0
    for name, array in arrays.items():
        gap = -end % ALIGNMENT
        stream.write(b"\0" * gap)
        dtype, digest = stored_dtype(name, array), hashlib.sha256()
        raw = np.ascontiguousarray(array, dtype=dtype).reshape(-1).view(np.uint8).data
        for start in range(0, len(raw), _CHUNK):
            digest.update(raw[start : start + _CHUNK])
            stream.write(raw[start : start + _CHUNK])
        offset = end + gap if is_small else None
        entries[name] = ArrayEntry(dtype.name, array.shape, len(raw), digest.hexdigest(), offset)
        end += gap + len(raw)
    return entries


def _is_zero(array: NDArray[Any]) -> bool:
    """Whether all bytes are 0; most arrays that are not show it at one of their ends."""
    items = array.reshape(-1)
    return not (items[0] or items[-1]) and not np.ascontiguousarray(items).view(np.uint8).any()


def _zero_entry(name: str, array: NDArray[Any]) -> ArrayEntry:
    digest = hashlib.sha256()
    for start in range(0, array.nbytes, _CHUNK):
        digest.update(bytes(min(_CHUNK, array.nbytes - start)))
    return ArrayEntry(stored_dtype(name, array).name, array.shape, array.nbytes, digest.hexdigest(), is_zero=True)


def value_arrays(values: Mapping[str, Value]) -> dict[str, NDArray[Any]]:
    """The values of a manifest as arrays without dimensions, as `Layout.of` took them."""
    return {name: np.array(value) for name, value in values.items()}


def _value(name: str, array: NDArray[Any]) -> Value:
    value: Value = array.item()
    if isinstance(value, float) and not np.isfinite(value):
        raise StoreError(f"The value {name!r} is {value}; a model can hold finite numbers only.")
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise StoreError(f"The value {name!r} is {value}; a model can hold whole numbers of 64 bits only.")
    return value
