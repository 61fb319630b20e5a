"""A set of names, kept as hashes: whether a name was seen, whatever its case and spacing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deixis.store.part import Part
from deixis.store.string_hashes import hash_string


@dataclass(frozen=True)
class NameSet(Part):
    """Sorted 64-bit hashes of folded names.

    Examples
    --------
    >>> NameSet.of(["New  York"]).holds(["NEW YORK", "York"]).tolist()
    [True, False]
    """

    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))

    @classmethod
    def of(cls, names: Iterable[str]) -> NameSet:
        """The set of `names`."""
        return cls(np.unique(_hashes(map(folded, names))))

    def __or__(self, other: NameSet) -> NameSet:
        return NameSet(np.union1d(self.hashes, other.hashes))

    def holds(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each name is in the set."""
        if not len(self.hashes):
            return np.zeros(len(names), dtype=bool)
        hashes = _hashes(map(folded, names))
        positions = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.asarray(self.hashes[positions] == hashes)


def folded(name: str) -> str:
    """The name without differences of case, spacing and compatible characters.

    Examples
    --------
    >>> folded("  Straße\u00a0 42 ") == folded("STRASSE 42")
    True
    """
    if not name.isascii():
        # Once more after folding: it takes some letters apart.
        name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(name.casefold().split())


def _hashes(names: Iterable[str]) -> NDArray[np.uint64]:
    return np.array([hash_string(name) for name in names], dtype=np.uint64)
