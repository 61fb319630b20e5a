"""Filters as the engines take them: a mask over labels, checked, and what an engine makes of it once per mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError

Prepared = TypeVar("Prepared")
Mask = NDArray[np.bool_]
"""For each label, or row of a knowledge base, whether it may be found."""

MAX_KEPT = 4  # masks


def check_allowed(allowed: Mask, n_labels: int) -> None:
    """Whether a mask says True or False of each label; a `DataError` if not.

    Examples
    --------
    >>> check_allowed(np.array([True, False]), n_labels=2)
    """
    if not isinstance(allowed, np.ndarray) or allowed.dtype != np.bool_ or allowed.shape != (n_labels,):
        got = f"{allowed.dtype} of shape {allowed.shape}" if isinstance(allowed, np.ndarray) else repr(allowed)[:60]
        raise DataError(f"A filter must be an array of {n_labels} booleans, one for each label; got {got}.")


class PreparedMasks(Generic[Prepared]):
    """What `prepare` makes of masks, kept for the last few: the next call with the same array does not make it again.

    Only an array that cannot be written to is remembered; another may have changed since.

    Examples
    --------
    >>> masks = PreparedMasks(lambda allowed: int(allowed.sum()))
    >>> masks.of(np.array([True, False, True]))
    2
    """

    def __init__(self, prepare: Callable[[Mask], Prepared]) -> None:
        self._prepare = prepare
        self._kept: tuple[tuple[Mask, Prepared], ...] = ()

    def of(self, allowed: Mask) -> Prepared:
        """What was made of this mask."""
        for kept, prepared in self._kept:
            if kept is allowed:
                return prepared
        prepared = self._prepare(allowed)
        if not allowed.flags.writeable:
            self._kept = ((allowed, prepared), *self._kept[: MAX_KEPT - 1])
        return prepared
