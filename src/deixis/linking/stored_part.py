"""A part of a saved model that is slow to open and needs an extra: opened when it is asked for the first time."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.registry import LazyRegistry


class StoredPart:
    """The arrays of a part, and the name of the class in `kinds` that makes the part of them."""

    def __init__(
        self,
        kinds: LazyRegistry,
        name: str,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        kb: KnowledgeBase,
        n_threads: int = 0,
    ) -> None:
        self._kinds = kinds
        self._name = name
        self._arrays = {key: array for key, array in arrays.items() if key.startswith(f"{prefix}.")}
        self._prefix = prefix
        self._kb = kb
        self._n_threads = n_threads

    @functools.cached_property
    def opened(self) -> Any:  # noqa: ANN401 - whatever class it is
        """The part itself."""
        return self._kinds[self._name].from_arrays(self._arrays, self._prefix, self._kb, self._n_threads)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays it is stored in; nothing is opened for that."""
        return {prefix + name.removeprefix(self._prefix): array for name, array in self._arrays.items()}
