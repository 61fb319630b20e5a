"""Short names for classes, imported only when asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deixis.errors import MissingExtraError, UnknownNameError


@dataclass(frozen=True)
class Lazy:
    """Where a class lives (`module:name`) and the extra its imports need, if any."""

    target: str
    extra: str | None = None


class LazyRegistry(Mapping[str, Any]):
    """Short name -> class; the class's module is imported on first use.

    Examples
    --------
    >>> kinds = LazyRegistry("container", {"counter": Lazy("collections:Counter")})
    >>> kinds["counter"]("abba")["b"]
    2
    >>> kinds["countre"]
    Traceback (most recent call last):
    deixis.errors.UnknownNameError: No container named 'countre'. Known: counter. Did you mean 'counter'?
    """

    def __init__(self, kind: str, entries: Mapping[str, Lazy]) -> None:
        self._kind = kind
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - the registry holds classes of any kind
        entry = self._entries.get(name)
        if entry is None:
            raise UnknownNameError(self._kind, name, known=self._entries)
        module_name, _, attribute = entry.target.partition(":")
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if entry.extra is None or error.name is None or error.name.startswith("deixis"):
                raise
            raise MissingExtraError(f"The {self._kind} {name!r}", error.name, entry.extra) from error
        return getattr(module, attribute)

    def __contains__(self, name: object) -> bool:
        return name in self._entries  # without importing anything

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
