"""A part of a saved model that is slow to open and needs an extra: opened when it is first used."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


class LazyPart:
    """The arrays of a part, and what makes the part of them: a function of arrays and their prefix.

    Examples
    --------
    >>> import numpy as np
    >>> part = LazyPart({"a.x": np.array([1, 2])}, "a", lambda arrays, prefix: int(arrays[f"{prefix}.x"].sum()))
    >>> part.opened, sorted(part.to_arrays("b"))
    (3, ['b.x'])
    """

    def __init__(self, arrays: Arrays, prefix: str, open_part: Callable[[Arrays, str], Any]) -> None:
        self._arrays = {key: array for key, array in arrays.items() if key.startswith(f"{prefix}.")}
        self._prefix = prefix
        self._open_part = open_part

    @classmethod
    def from_arrays(cls, arrays: Arrays, prefix: str, open_part: Callable[[Arrays, str], Any]) -> LazyPart:
        """The part under a prefix, not opened yet."""
        return cls(arrays, prefix, open_part)

    @functools.cached_property
    def opened(self) -> Any:  # noqa: ANN401 - whatever class it is
        """The part itself."""
        return self._open_part(self._arrays, self._prefix)

    def changed(self, change: Callable[[Any], Any]) -> LazyPart:
        """The same part with a change that is made when it is first used; both open it once."""
        return LazyPart(self._arrays, self._prefix, lambda arrays, prefix: change(self.opened))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays it is stored in; nothing is opened for that."""
        return {prefix + name.removeprefix(self._prefix): array for name, array in self._arrays.items()}
