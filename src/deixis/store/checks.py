"""Checks on loaded arrays, so that the compiled core only ever sees what it expects. All raise `StoreError`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from deixis.errors import StoreError

MAX_WEIGHT = 1e9  # of a learned weight: a larger one is of a damaged file


def require(arrays: Mapping[str, NDArray[Any]], name: str, dtype: DTypeLike, ndim: int = 1) -> NDArray[Any]:
    """The array of that name, which has that dtype and number of dimensions.

    Examples
    --------
    >>> require({"tree.sizes": np.zeros(3, np.int32)}, "tree.sizes", np.int64)
    Traceback (most recent call last):
    deixis.errors.StoreError: The array 'tree.sizes' must be int64 with 1 dimension(s), got int32 with 1. \
The model is damaged or from another version; build it again.
    """
    if name not in arrays:
        raise StoreError(f"The model has no array {name!r}. It is damaged or from another version; build it again.")
    array = arrays[name]
    if array.dtype != np.dtype(dtype) or array.ndim != ndim:
        raise StoreError(
            f"The array {name!r} must be {np.dtype(dtype)} with {ndim} dimension(s), got {array.dtype} with "
            f"{array.ndim}. The model is damaged or from another version; build it again."
        )
    return array


def require_narrow(arrays: Mapping[str, NDArray[Any]], name: str, ndim: int = 1) -> NDArray[np.uint32]:
    """The same for numbers that have four bytes, and had eight, with a sign, up to format 3."""
    if name in arrays and arrays[name].dtype == np.int64 and not (arrays[name] >> 32).any():
        return require(arrays, name, np.int64, ndim).astype(np.uint32)
    return require(arrays, name, np.uint32, ndim)


def require_value(
    arrays: Mapping[str, NDArray[Any]], name: str, kind: type, low: float | None = None, high: float | None = None
) -> Any:  # noqa: ANN401 - of that type
    """The number, word or truth value of that name, which is of that type; a whole number also serves as a float.

    Numbers must lie in `low` to `high`, both allowed.

    Examples
    --------
    >>> require_value({"tree.n_features": np.array(7)}, "tree.n_features", int)
    7
    """
    if name not in arrays:
        raise StoreError(f"The model has no value {name!r}. It is damaged or from another version; build it again.")
    value = arrays[name].item() if arrays[name].ndim == 0 else arrays[name]
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise StoreError(
            f"The value {name!r} must be of type {kind.__name__}, got {type(value).__name__}. The model is damaged or "
            "from another version; build it again."
        )
    lowest, highest = (-np.inf if low is None else low), (np.inf if high is None else high)
    if isinstance(value, (int, float)) and not lowest <= value <= highest:
        raise StoreError(
            f"The value {name!r} must lie in {lowest}..{highest}, got {value}. The model is damaged; run "
            "'deixis doctor' or build it again."
        )
    return value


def check_length(name: str, array: NDArray[Any], length: int) -> None:
    """The array has `length` rows."""
    if len(array) != length:
        raise _damaged(name, f"has {len(array)} rows where {length} are expected")


def check_indptr(name: str, indptr: NDArray[Any], n_items: int) -> None:
    """The array cuts `n_items` items into rows: begins with 0, never falls, ends with `n_items`."""
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != n_items:
        ends = "nothing" if len(indptr) == 0 else f"{indptr[0]}..{indptr[-1]}"
        raise _damaged(name, f"must run from 0 to {n_items}, got {ends}")
    if not is_sorted(indptr):
        raise _damaged(name, "must never fall")


def check_range(name: str, array: NDArray[Any], low: float, high: float) -> None:
    """Every value is at least `low` and below `high`."""
    if array.size == 0:
        return
    smallest, largest = array.min(), array.max()
    # Written so that NaN, which compares as false, does not pass.
    if not (smallest >= low and largest < high):
        raise _damaged(name, f"must lie in [{low}, {high}), got {smallest}..{largest}")


def check_rising(name: str, array: NDArray[Any], may_be_equal: bool = False) -> None:
    """Every value is larger than the one before it, or at least not smaller."""
    if not (is_sorted(array) if may_be_equal else bool(np.all(array[1:] > array[:-1]))):
        raise _damaged(name, "must never fall" if may_be_equal else "must rise")


def is_sorted(array: NDArray[Any]) -> bool:
    """Whether no value is smaller than the one before it."""
    return bool(np.all(array[1:] >= array[:-1]))


def _damaged(name: str, problem: str) -> StoreError:
    return StoreError(f"The array {name!r} {problem}. The model is damaged; run 'deixis doctor' or build it again.")
