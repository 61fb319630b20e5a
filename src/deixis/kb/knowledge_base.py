"""The knowledge base: entities as columns, found by id or row, read from files, memory-mapped from models."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.kb import READING
from deixis.kb.columns import EntityColumns
from deixis.kb.entity import Alias, Entity
from deixis.kb.id_index import IdIndex
from deixis.kb.language_choice import ALL, with_one_description, with_titles_in
from deixis.kb.names import entity_descriptions, entity_names
from deixis.store.part import nested
from deixis.store.strings import StringTable
from deixis.tables import EntityMask
from deixis.types import Document

if TYPE_CHECKING:
    from deixis.kb.formats.arrow import ArrowTable
    from deixis.kb.list_report import ReadReport
    from deixis.kb.read_options import ReadOptions

logger = logging.getLogger(__name__)

FilePath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class KnowledgeBase(EntityColumns):
    """Entities that text can be linked to.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "aliases": ["City of Light"], "types": ["city"]},
    ...     {"id": "Q167646", "title": "Paris", "description": "son of Priam, king of Troy"},
    ... ])
    >>> len(kb), kb.row_of("Q167646"), kb.entity("Q90").aliases
    (2, 1, (Alias(text='City of Light', lang='', count=0),))
    >>> names, rows = kb.names()
    >>> list(zip(names, rows.tolist()))
    [('Paris', 0), ('Paris', 1), ('City of Light', 0)]
    """

    index: Annotated[IdIndex, nested(ids="ids", alt_ids="alt_ids", alt_id_indptr="alt_id_indptr")]

    @classmethod
    def read(
        cls,
        path: FilePath | Iterable[FilePath],
        options: ReadOptions | None = None,
        *,
        skip_bad: bool = False,
        description_language: str = ALL,
        annotated: Iterable[Document] = (),
        **changes: Any,  # noqa: ANN401 - the fields of ReadOptions
    ) -> KnowledgeBase:
        """The entities of a file or of several; a bad line is an error, or with `skip_bad` a warning.

        How a list is read is guessed from it; `options`, or single fields of them such as `columns={"id": "SKU"}`,
        overrule the guess. `description_language` and `annotated` are those of `with_description_language`.
        """
        kb, report = cls.read_with_report(path, options, skip_bad=skip_bad, **changes)
        kb = kb.with_description_language(description_language, annotated)
        if report.n_skipped:
            logger.warning("bad lines skipped: %d; the first: %s", report.n_skipped, report.skipped[0])
        return kb

    @classmethod
    def read_with_report(
        cls,
        path: FilePath | Iterable[FilePath],
        options: ReadOptions | None = None,
        *,
        skip_bad: bool = False,
        **changes: Any,  # noqa: ANN401 - the fields of ReadOptions
    ) -> tuple[KnowledgeBase, ReadReport]:
        """The same, with how each file was understood and what was skipped."""
        columns, report = READING["files"](path, options, skip_bad=skip_bad, **changes)
        return cls.from_columns(columns), report

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any] | Entity]) -> KnowledgeBase:
        """A knowledge base of records (any accepted spelling of the fields) or entities."""
        plain = (record.to_record() if isinstance(record, Entity) else record for record in records)
        return cls.from_columns(READING["records"](plain))

    @classmethod
    def from_table(cls, table: ArrowTable) -> KnowledgeBase:
        """A knowledge base of the rows of a table in memory: of pandas, Polars, DuckDB or Arrow (extra `arrow`).

        Examples
        --------
        >>> import pyarrow as pa
        >>> kb = KnowledgeBase.from_table(pa.table({"id": ["Q90"], "title": ["Paris"], "aliases": [["City of Light"]]}))
        >>> kb.entity("Q90").aliases[0].text
        'City of Light'
        """
        if not hasattr(table, "__arrow_c_stream__"):
            raise DataError(f"not a table but {type(table).__name__}; give a data frame, or records to from_records")
        return cls.from_columns(READING["table"](table))

    @classmethod
    def from_columns(cls, columns: EntityColumns) -> KnowledgeBase:
        """A knowledge base of these columns, its ids indexed."""
        index = IdIndex.build(columns.ids, columns.alt_ids, columns.alt_id_indptr)
        return cls(**_column_values(columns), index=index)

    def take(self, rows: Iterable[int] | NDArray[np.integer]) -> KnowledgeBase:
        """A knowledge base of only these rows, in this order."""
        chosen = np.asarray(rows if isinstance(rows, np.ndarray) else list(rows), dtype=np.int64)
        return KnowledgeBase.from_columns(self.take_rows(chosen))

    def with_entities(self, records: Iterable[Mapping[str, Any] | Entity]) -> KnowledgeBase:
        """A knowledge base of these entities, whose rows stay what they are, and of further ones after them.

        Examples
        --------
        >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])
        >>> list(kb.with_entities([{"id": "Q22647", "title": "Troy"}]).ids)
        ['Q90', 'Q22647']
        """
        further = KnowledgeBase.from_records(records)
        for identifier in further.ids:
            if self.row_of(identifier) is not None:
                raise DataError(
                    f"The knowledge base has an entity {identifier!r} already; give the new one another id."
                )
        return KnowledgeBase.from_records(itertools.chain(self.entities(), further.entities()))

    def with_description_language(self, language: str, annotated: Iterable[Document] = ()) -> KnowledgeBase:
        """The same entities, each with one description: in this language, or in another if it has none in this one.

        `all` keeps every description; `mentions` takes the language in which the entity has most mentions, by the
        counts of its aliases and by `annotated` documents, then the one with most mentions of any entity.
        """
        mentions = ((mention.entity, document.lang) for document in annotated for mention in document.mentions)
        pairs = ((self.row_of(gold), lang) for gold, lang in mentions if gold is not None and lang is not None)
        return with_one_description(self, language, ((row, lang) for row, lang in pairs if row is not None))

    def with_title_language(self, language: str) -> KnowledgeBase:
        """The same entities, called by their first alias in this language; those that have none keep their titles.

        Examples
        --------
        >>> aliases = [{"text": "Parigi", "lang": "it"}]
        >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "aliases": aliases}])
        >>> kb.with_title_language("it").entity("Q90").title
        'Parigi'
        """
        return KnowledgeBase.from_columns(with_titles_in(self, language))

    def row_of(self, identifier: str) -> int | None:
        """The row of the entity with this id or equivalent id, or None."""
        return self.index.row_of(identifier)

    def own_id(self, identifier: str) -> str | None:
        """The entity's own id, for that id or an equivalent one; None if the knowledge base has neither."""
        row = self.row_of(identifier)
        return None if row is None else self.ids[row]

    def rows_of(self, identifiers: Iterable[str]) -> NDArray[np.int64]:
        """The row of each id; -1 where there is none."""
        return self.index.rows_of(identifiers)

    def title(self, row: int) -> str:
        """The title of the entity in a row."""
        return self.titles[row]

    def entity(self, row_or_id: int | str) -> Entity:
        """Everything about one entity."""
        row = self.row_of(row_or_id) if isinstance(row_or_id, str) else int(row_or_id)
        if row is None:
            raise DataError(f"no entity has the id {row_or_id!r}")
        if not 0 <= row < len(self):
            raise DataError(f"no entity in row {row}; the knowledge base has {len(self)}")
        described = range(*self.description_indptr[row : row + 2].tolist())
        return Entity(
            id=self.ids[row],
            title=self.titles[row],
            aliases=tuple(self._alias(item) for item in range(*self.alias_indptr[row : row + 2].tolist())),
            descriptions={self._lang(self.description_langs[item]): self.descriptions[item] for item in described},
            types=self.types(row),
            count=int(self.counts[row]),
            url=self.urls[row],
            alt_ids=tuple(self.alt_ids[item] for item in range(*self.alt_id_indptr[row : row + 2].tolist())),
        )

    def types(self, row: int) -> tuple[str, ...]:
        """The names of the types of the entity in a row."""
        codes = self.type_codes[self.type_indptr[row] : self.type_indptr[row + 1]]
        return tuple(self.type_names[code] for code in codes.tolist())

    def entities(self) -> Iterator[Entity]:
        """Every entity, one at a time."""
        return (self.entity(row) for row in range(len(self)))

    def names(self) -> tuple[StringTable, NDArray[np.int32]]:
        """All titles, then all aliases, no name twice for one entity; and the row each belongs to."""
        return entity_names(self)

    def description_texts(self, rows: NDArray[np.integer] | None = None) -> StringTable:
        """One text per entity, or per entity in `rows`: its descriptions, joined by a space."""
        return entity_descriptions(self, rows)

    @cached_property
    def described_fraction(self) -> float:
        """The share of entities that have a description."""
        return float((np.diff(self.description_indptr) > 0).mean()) if len(self) else 0.0

    @property
    def live(self) -> EntityMask | None:
        """Which rows count; None: all, as in every knowledge base without edits."""
        return None

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return len(self)

    def names_of(self, row: int) -> list[str]:
        """The title and the aliases of the entity in a row."""
        first, last = self.alias_indptr[row : row + 2].tolist()
        return [self.titles[row], *self.aliases.strings(range(first, last))]

    def _alias(self, item: int) -> Alias:
        return Alias(self.aliases[item], self._lang(self.alias_langs[item]), int(self.alias_counts[item]))

    def _lang(self, code: int) -> str:
        return self.langs[code] if code >= 0 else ""


def _column_values(columns: EntityColumns) -> dict[str, Any]:
    return {column.name: getattr(columns, column.name) for column in fields(EntityColumns)}
