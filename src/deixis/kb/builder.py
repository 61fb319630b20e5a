"""Collects entities one by one into flat buffers: a million of them never exist as Python objects."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.kb.columns import EntityColumns
from deixis.kb.records import EntityFields
from deixis.store.strings import StringTable, StringTableBuilder

_MAX_LANGS = 2**15 - 1


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

    def __len__(self) -> int:
        return len(self._counts)

    def add(self, fields: EntityFields) -> None:
        """Append one entity."""
        self._ids.append(fields.id)
        self._titles.append(fields.title)
        self._urls.append(fields.url)
        self._counts.append(fields.n_seen)
        for text, lang, count in fields.aliases:
            self._aliases.append(text)
            self._alias_langs.append(self._lang_to_code[lang] if lang in self._lang_to_code else self._new_lang(lang))
            self._alias_counts.append(count)
        self._alias_indptr.append(len(self._alias_counts))
        for lang, text in fields.descriptions:
            self._descriptions.append(text)
            code = self._lang_to_code[lang] if lang in self._lang_to_code else self._new_lang(lang)
            self._description_langs.append(code)
        self._description_indptr.append(len(self._description_langs))
        for name in fields.types:
            self._type_codes.append(self._type_to_code.setdefault(name, len(self._type_to_code)))
        self._type_indptr.append(len(self._type_codes))
        for alt_id in fields.alt_ids:
            self._alt_ids.append(alt_id)
        self._alt_id_indptr.append(len(self._alt_ids))

    def build(self) -> EntityColumns:
        """The columns of everything added so far."""
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

    def _new_lang(self, lang: str) -> int:
        code = len(self._lang_to_code) - 1
        if code >= _MAX_LANGS:
            raise DataError(
                f"more than {_MAX_LANGS} different languages (the last is {lang!r}); check the 'lang' fields"
            )
        self._lang_to_code[lang] = code
        return code


def _int64(values: array[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)
