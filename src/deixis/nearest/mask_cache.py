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
    """What an engine makes of masks, kept for the last few: the next call with the same array does not make it again.

    Only an array that cannot be written to is cached; another may have changed since. What makes it comes with each
    call: held here, an engine's own method would keep the engine and its files open until a garbage collection.

    Examples
    --------
    >>> masks = PreparedMasks()
    >>> masks.of(np.array([True, False, True]), lambda allowed: int(allowed.sum()))
    2
    """

    def __init__(self) -> None:
        self._entries: tuple[tuple[Mask, Prepared], ...] = ()

    def of(self, allowed: Mask, prepare: Callable[[Mask], Prepared]) -> Prepared:
        """What `prepare`, which is always the same, makes of this mask, or made of it before."""
        for mask, prepared in self._entries:
            if mask is allowed:
                return prepared
        prepared = prepare(allowed)
        if not allowed.flags.writeable:
            self._entries = ((allowed, prepared), *self._entries[: MAX_KEPT - 1])
        return prepared
