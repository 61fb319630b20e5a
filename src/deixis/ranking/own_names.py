"""Names of entities beyond titles and aliases: initials, names stated in descriptions, and how one-word names begin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deixis.features.acronyms import acronym_of_mention, acronyms
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.features.stated_names import StatedNames
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.native import _core
from deixis.store.numbers import narrowed
from deixis.store.part import Part, array
from deixis.store.row_parts import ColumnParts
from deixis.store.strings import StringTable

_FORMS = NameForms(NameFormsConfig.loose())
_NO_INITIALS = np.zeros(0, dtype=np.uint64)


def name_keys(names: Iterable[str], n_threads: int) -> NDArray[np.uint64]:
    """A hash of each name, the same for names that differ in case, accents or punctuation only."""
    keys = _FORMS.keys(names, n_threads=n_threads)
    return _core.string_hashes(keys.data, keys.offsets)


def beginnings(names: Iterable[str], n_threads: int) -> NDArray[np.uint64]:
    """The first four letters of each name as a number; 0 if it is shorter, or has several words.

    Examples
    --------
    >>> norway, norwegian, new_york, rome = beginnings(["Norway", "norwegian", "New York", "Rom"], 1).tolist()
    >>> norway == norwegian, new_york, rome
    (True, 0, 0)
    """
    keys = _FORMS.keys(names, n_threads=n_threads)
    return _core.key_beginnings(keys.data, keys.offsets)


@dataclass(frozen=True, eq=False)
class OwnNames(Part):
    """Keys of names by entity; those of row `r` are `keys[indptr[r]:indptr[r + 1]]`.

    `initials` are hashes of the titles' acronyms. `stated` are keys of names that descriptions state, `begun` the first
    letters of names of one word. `is_name_page` is 1 where an entry only lists namesakes or members.
    """

    initials: Annotated[NDArray[np.uint64], array(length="n_entities")]
    is_name_page: Annotated[NDArray[np.uint8], array(length="n_entities", low=0, high=2)]
    stated_indptr: Annotated[NDArray[np.uint32], array(indptr_of="stated", length="n_entities")]
    stated: NDArray[np.uint64]
    begun_indptr: Annotated[NDArray[np.uint32], array(indptr_of="begun", length="n_entities")]
    begun: NDArray[np.uint64]

    @classmethod
    def of(cls, kb: KnowledgeBase, stated: StatedNames | None, n_threads: int = 0) -> OwnNames:
        """Those of the entities of `kb`; `stated` is what their descriptions state, if it was read before."""
        stated = stated or StatedNames.read(kb.titles, kb.description_texts())
        names, rows = kb.names()
        starts = beginnings(names.joined(stated.names), n_threads)
        all_rows = np.concatenate([rows, stated.rows])
        is_begun = starts > 0
        return cls(
            _nonempty_hashes(acronyms(kb.titles)), stated.is_name_page.astype(np.uint8),
            *_by_row(stated.rows, name_keys(stated.names, n_threads), len(kb)),
            *_by_row(all_rows[is_begun], starts[is_begun], len(kb)),
        )  # fmt: skip

    @classmethod
    def joined(cls, names: Sequence[OwnNames]) -> OwnNames:
        """Those of entities that lie in several parts, one after the other; they are not stored."""
        columns: list[Any] = [ColumnParts(parts) for parts in zip(*(own.columns for own in names), strict=True)]
        return cls(*columns)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """All arrays."""
        return self.initials, self.is_name_page, self.stated_indptr, self.stated, self.begun_indptr, self.begun


class NameColumns(NamedTuple):
    """What the names of candidates say of mentions, and what is known of them whatever the mention.

    1 where a mention is the title, the id, the initials of the title, a name that the description states, or any other
    name of the list or of annotated text; popularity where it only begins as a name does, and everywhere; 0 where the
    entry only lists namesakes or members; ln(1 + n) of the characters of the description, and of the aliases.
    """

    title: NDArray[np.float32]
    id: NDArray[np.float32]
    initials: NDArray[np.float32]
    stated: NDArray[np.float32]
    named: NDArray[np.float32]
    people: NDArray[np.float32]
    thing: NDArray[np.float32]
    popularity: NDArray[np.float32]
    description_length: NDArray[np.float32]
    n_names: NDArray[np.float32]


def initials_of(mentions: Sequence[str]) -> NDArray[np.uint64]:
    """Hashes of the mentions, 1 where one is not written like initials; none at all where none is."""
    initials = [acronym_of_mention(mention) for mention in mentions]
    if not any(initials):
        return _NO_INITIALS
    hashes = _nonempty_hashes(StringTable.from_strings(initials))
    hashes[hashes == 0] = 1
    return hashes


def _nonempty_hashes(table: StringTable) -> NDArray[np.uint64]:
    hashes = _core.string_hashes(table.data, table.offsets)
    hashes[np.diff(table.offsets) == 0] = 0
    return hashes


def _by_row(
    rows: NDArray[np.integer], keys: NDArray[np.uint64], n_rows: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Keys in the order of their rows, each once, and where those of each row begin."""
    order = np.lexsort((keys, rows))
    rows, keys = rows[order], keys[order]
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (rows[1:] != rows[:-1]) | (keys[1:] != keys[:-1])
    indptr = np.searchsorted(rows[is_new], np.arange(n_rows + 1)).astype(np.int64)
    return narrowed(indptr, "names"), keys[is_new]
