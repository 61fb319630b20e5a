"""Names of entities beyond titles and aliases: initials, names stated in descriptions, and how one-word names begin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.features.acronyms import acronyms
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.features.stated_names import StatedNames
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.native import _core
from deixis.store.numbers import narrowed
from deixis.store.part import Part, array
from deixis.store.row_parts import ColumnParts, RowParts
from deixis.store.strings import StringTable

N_LETTERS = 4  # that a name and what is said of its people begin with: Norway, Norwegian
_FORMS = NameForms(NameFormsConfig.loose())


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
    firsts, lengths = keys.offsets[:-1], np.diff(keys.offsets)
    numbers = np.zeros(len(keys), dtype=np.uint64)
    spaces = np.concatenate([[0], np.cumsum(keys.data == ord(" "))])
    is_word = (spaces[keys.offsets[1:]] == spaces[firsts]) & (lengths >= N_LETTERS)
    for position in range(N_LETTERS):
        numbers[is_word] = (numbers[is_word] << np.uint64(8)) | keys.data[firsts[is_word] + position]
    # A letter beyond ASCII has several bytes; those of four letters at least eight.
    is_longer = is_word & (numbers & np.uint64(0x80808080) != 0)
    numbers[is_longer & (lengths < 2 * N_LETTERS)] = 0
    is_longer &= lengths >= 2 * N_LETTERS
    for position in range(N_LETTERS, 2 * N_LETTERS):
        numbers[is_longer] = (numbers[is_longer] << np.uint64(8)) | keys.data[firsts[is_longer] + position]
    return numbers


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

    def is_stated(self, rows: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each row's description states the name of the key beside it."""
        return _holds(self.stated_indptr, self.stated, rows, keys)

    def is_begun(self, rows: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether a name of each row begins as the key beside it says."""
        return _holds(self.begun_indptr, self.begun, rows, keys)


class OwnNameParts:
    """The same as `OwnNames` of entities that lie in several parts, one after the other; it is not stored."""

    def __init__(self, names: Sequence[OwnNames], parts: RowParts) -> None:
        self.names, self.parts = tuple(names), parts
        self.initials = ColumnParts([each.initials for each in names], parts)
        self.is_name_page = ColumnParts([each.is_name_page for each in names], parts)

    def is_stated(self, rows: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each row's description states the name of the key beside it."""
        return self.parts.gather(rows, lambda part, at, own: self.names[part].is_stated(own, keys[at]))

    def is_begun(self, rows: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether a name of each row begins as the key beside it says."""
        return self.parts.gather(rows, lambda part, at, own: self.names[part].is_begun(own, keys[at]))


def initials_of(mentions: Iterable[str]) -> NDArray[np.uint64]:
    """Hashes of mentions that are written like initials, to be compared with `OwnNames.initials`; 1 for any other."""
    hashes = _nonempty_hashes(StringTable.from_strings(mentions))
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


def _holds(
    indptr: NDArray[np.uint32], values: NDArray[np.uint64], rows: NDArray[np.int64], keys: NDArray[Any]
) -> NDArray[np.bool_]:
    """Whether the values of each row hold the key beside it."""
    is_held: NDArray[np.uint8] = _core.rows_hold(indptr, values, rows, keys)
    return is_held.astype(bool)
