"""Collects entities one by one into flat buffers: a million of them never exist as Python objects."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence, Sized
from itertools import accumulate, chain, islice

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.kb.columns import EntityColumns
from deixis.kb.records import EntityFields
from deixis.store.strings import StringTable, StringTableBuilder

_MAX_LANGS = 2**15 - 1
_BATCH = 256  # entities that wait to be put into the buffers together


class ColumnsBuilder:
    """Streams entities in and gives columns out.

    Examples
    --------
    >>> builder = ColumnsBuilder()
    >>> builder.add(EntityFields("Q90", "Paris", [("Parigi", "it", 0)], [], ["city"], 0, "", []))
    >>> columns = builder.build()
    >>> columns.titles[0], columns.aliases[0], columns.langs
    ('Paris', 'Parigi', ('it',))
    """

    def __init__(self) -> None:
        self._ids, self._titles, self._urls = StringTableBuilder(), StringTableBuilder(), StringTableBuilder()
        self._counts = array("q")
        self._aliases, self._alias_indptr = StringTableBuilder(), array("q", [0])
        self._alias_langs, self._alias_counts = array("h"), array("q")
        self._descriptions, self._description_indptr = StringTableBuilder(), array("q", [0])
        self._description_langs = array("h")
        self._type_codes, self._type_indptr = array("i"), array("q", [0])
        self._alt_ids, self._alt_id_indptr = StringTableBuilder(), array("q", [0])
        self._lang_to_code: dict[str, int] = {"": -1}
        self._type_to_code: dict[str, int] = {}
        self._waiting: list[EntityFields] = []

    def __len__(self) -> int:
        return len(self._counts) + len(self._waiting)

    def add(self, fields: EntityFields) -> None:
        """Append one entity."""
        self._waiting.append(fields)
        if len(self._waiting) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        """Put the entities that wait into the buffers, field by field."""
        if not self._waiting:
            return
        ids, titles, aliases, descriptions, types, n_seen, urls, alt_ids = zip(*self._waiting, strict=True)
        self._waiting = []
        self._ids.extend(ids)
        self._titles.extend(titles)
        self._urls.extend(urls)
        self._counts.extend(n_seen)
        _extend_indptr(self._alias_indptr, aliases)
        names = list(chain.from_iterable(aliases))
        if names:
            texts, langs, counts = zip(*names, strict=True)
            self._aliases.extend(texts)
            self._alias_langs.extend(self._codes(langs))
            self._alias_counts.extend(counts)
        _extend_indptr(self._description_indptr, descriptions)
        described = list(chain.from_iterable(descriptions))
        if described:
            langs, texts = zip(*described, strict=True)
            self._descriptions.extend(texts)
            self._description_langs.extend(self._codes(langs))
        _extend_indptr(self._type_indptr, types)
        for name in chain.from_iterable(types):
            self._type_codes.append(self._type_to_code.setdefault(name, len(self._type_to_code)))
        _extend_indptr(self._alt_id_indptr, alt_ids)
        self._alt_ids.extend(list(chain.from_iterable(alt_ids)))

    def build(self) -> EntityColumns:
        """The columns of everything added so far."""
        self._flush()
        return EntityColumns(
            ids=self._ids.build(),
            titles=self._titles.build(),
            urls=self._urls.build(),
            counts=_int64(self._counts),
            aliases=self._aliases.build(),
            alias_indptr=_int64(self._alias_indptr),
            alias_langs=np.array(self._alias_langs, dtype=np.int16),
            alias_counts=_int64(self._alias_counts),
            descriptions=self._descriptions.build(),
            description_indptr=_int64(self._description_indptr),
            description_langs=np.array(self._description_langs, dtype=np.int16),
            type_names=StringTable.from_strings(self._type_to_code),
            type_indptr=_int64(self._type_indptr),
            type_codes=np.array(self._type_codes, dtype=np.int32),
            alt_ids=self._alt_ids.build(),
            alt_id_indptr=_int64(self._alt_id_indptr),
            langs=tuple(lang for lang in self._lang_to_code if lang),
        )

    def _codes(self, langs: Sequence[str]) -> Iterable[int]:
        for lang in dict.fromkeys(langs):
            if lang not in self._lang_to_code:
                self._new_lang(lang)
        return map(self._lang_to_code.__getitem__, langs)

    def _new_lang(self, lang: str) -> None:
        code = len(self._lang_to_code) - 1
        if code >= _MAX_LANGS:
            raise DataError(
                f"more than {_MAX_LANGS} different languages (the last is {lang!r}); check the 'lang' fields"
            )
        self._lang_to_code[lang] = code


def _extend_indptr(indptr: array[int], lists: Sequence[Sized]) -> None:
    indptr.extend(islice(accumulate(map(len, lists), initial=indptr[-1]), 1, None))


def _int64(values: array[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)
