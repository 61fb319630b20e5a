"""Collects entities batch by batch into flat buffers: a million of them never exist as Python objects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.kb.columns import EntityColumns
from deixis.kb.entity_batch import EntityBatch, RaggedTexts
from deixis.store.numbers import NumbersBuilder
from deixis.store.strings import StringTable, StringTableBuilder

_MAX_LANGS = 2**15 - 1


class ColumnsBuilder:
    """Streams entities in and gives columns out.

    Examples
    --------
    >>> builder = ColumnsBuilder()
    >>> builder.add(EntityBatch(["Q90"], ["Paris"], RaggedTexts.of([[("Parigi", "it", 0)]])))
    >>> columns = builder.build()
    >>> columns.titles[0], columns.aliases[0], columns.langs
    ('Paris', 'Parigi', ('it',))
    """

    def __init__(self) -> None:
        self._ids, self._titles, self._urls = StringTableBuilder(), StringTableBuilder(), StringTableBuilder()
        self._counts = NumbersBuilder(np.int64)
        self._aliases, self._alias_lengths = StringTableBuilder(), _lengths()
        self._alias_langs, self._alias_counts = NumbersBuilder(np.int16), NumbersBuilder(np.int64)
        self._descriptions, self._description_lengths = StringTableBuilder(), _lengths()
        self._description_langs = NumbersBuilder(np.int16)
        self._type_codes, self._type_lengths = NumbersBuilder(np.int32), _lengths()
        self._alt_ids, self._alt_id_lengths = StringTableBuilder(), _lengths()
        self._lang_to_code: dict[str, int] = {"": -1}
        self._type_to_code: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, batch: EntityBatch) -> None:
        """Append some entities."""
        n_rows = len(batch)
        self._learn_langs(batch)
        self._ids.extend(batch.ids)
        self._titles.extend(batch.titles)
        if batch.urls:
            self._urls.extend(batch.urls)
        else:
            self._urls.extend_empty(n_rows)
        _extend(self._counts, batch.n_seen, n_rows)
        aliases = batch.aliases
        _extend(self._alias_lengths, aliases.lengths, n_rows)
        self._aliases.extend(aliases.texts)
        self._alias_langs.extend(self._codes(aliases))
        _extend(self._alias_counts, aliases.counts, len(aliases.texts))
        _extend(self._description_lengths, batch.descriptions.lengths, n_rows)
        self._descriptions.extend(batch.descriptions.texts)
        self._description_langs.extend(self._codes(batch.descriptions))
        _extend(self._type_lengths, batch.types.lengths, n_rows)
        codes = [self._type_to_code.setdefault(name, len(self._type_to_code)) for name in batch.types.texts]
        self._type_codes.extend(np.array(codes, dtype=np.int32))
        _extend(self._alt_id_lengths, batch.alt_ids.lengths, n_rows)
        self._alt_ids.extend(batch.alt_ids.texts)

    def build(self) -> EntityColumns:
        """The columns of everything added; nothing can be added after it."""
        return EntityColumns(
            ids=self._ids.build(),
            titles=self._titles.build(),
            urls=self._urls.build(),
            counts=self._counts.build(),
            aliases=self._aliases.build(),
            alias_indptr=self._alias_lengths.build_sums(),
            alias_langs=self._alias_langs.build(),
            alias_counts=self._alias_counts.build(),
            descriptions=self._descriptions.build(),
            description_indptr=self._description_lengths.build_sums(),
            description_langs=self._description_langs.build(),
            type_names=StringTable.from_strings(self._type_to_code),
            type_indptr=self._type_lengths.build_sums(),
            type_codes=self._type_codes.build(),
            alt_ids=self._alt_ids.build(),
            alt_id_indptr=self._alt_id_lengths.build_sums(),
            langs=tuple(lang for lang in self._lang_to_code if lang),
        )

    def _codes(self, named: RaggedTexts) -> NDArray[np.int16]:
        if not named.langs:
            return np.full(len(named.texts), -1, dtype=np.int16)
        return np.array([self._lang_to_code[lang] for lang in named.langs], dtype=np.int16)

    def _learn_langs(self, batch: EntityBatch) -> None:
        """Number new languages entity by entity, so that the numbers do not depend on where a batch ends."""
        if self._lang_to_code.keys() >= {*batch.aliases.langs, *batch.descriptions.langs}:
            return
        for several in zip(batch.aliases.rows(len(batch)), batch.descriptions.rows(len(batch)), strict=True):
            for _, lang, _ in chain(*several):
                if lang not in self._lang_to_code:
                    self._new_lang(lang)

    def _new_lang(self, lang: str) -> None:
        code = len(self._lang_to_code) - 1
        if code >= _MAX_LANGS:
            raise DataError(
                f"more than {_MAX_LANGS} different languages (the last is {lang!r}); check the 'lang' fields"
            )
        self._lang_to_code[lang] = code


def _lengths() -> NumbersBuilder:
    """How many items each row has, whose sums say where they begin."""
    lengths = NumbersBuilder(np.int64)
    lengths.append(0)
    return lengths


def _extend(numbers: NumbersBuilder, values: Sequence[int], n_values: int) -> None:
    """Add values; without any, zeros."""
    if values:
        numbers.extend(np.array(values, dtype=np.int64))
    else:
        numbers.extend_zeros(n_values)
