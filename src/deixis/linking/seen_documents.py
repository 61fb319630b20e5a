"""The documents that a model was trained on; they must not be used to evaluate it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deixis.store.part import Part
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable
from deixis.types import Document


@dataclass(frozen=True, eq=False)
class SeenDocuments(Part):
    """A set of documents, kept as sorted hashes of their texts; spacing does not count, nor do their mentions.

    Examples
    --------
    >>> seen = SeenDocuments.of([Document("d1", "To save Troy")])
    >>> seen.holds([Document("x", "To save  Troy"), Document("d1", "To save Paris")]).tolist()
    [True, False]
    """

    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))

    @classmethod
    def of(cls, documents: Iterable[Document]) -> SeenDocuments:
        """The set of `documents`."""
        return cls(np.unique(_hashes(documents)))

    def __len__(self) -> int:
        return len(self.hashes)

    def __or__(self, other: SeenDocuments) -> SeenDocuments:
        return SeenDocuments(np.union1d(self.hashes, other.hashes))

    def holds(self, documents: Iterable[Document]) -> NDArray[np.bool_]:
        """Whether each document is in the set."""
        return np.isin(_hashes(documents), self.hashes)

    def split(self, documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
        """The documents that are in the set and those that are not, in their old order."""
        pairs = list(zip(documents, self.holds(documents).tolist(), strict=True))
        return [document for document, is_in in pairs if is_in], [document for document, is_in in pairs if not is_in]


def _hashes(documents: Iterable[Document]) -> NDArray[np.uint64]:
    plain = (" ".join(document.text.split()).encode("utf-8", "replace").decode() for document in documents)
    return hash_strings(StringTable.from_strings(plain))
