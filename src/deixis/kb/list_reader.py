"""One list, read: recognised, its mapping guessed from the first records, every record checked.

`deixis build`, `deixis kb check`, `KnowledgeBase.read` and vocabularies of `deixis xmr` all read lists with this.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from deixis.errors import DataError
from deixis.kb.entity_batch import EntityBatch, EntityFields
from deixis.kb.formats import GUESSED, TABLES, open_records
from deixis.kb.list_batch import ListBatch, in_batches
from deixis.kb.list_report import N_EXAMPLES, ListReport, example_of
from deixis.kb.long_rows import with_whole_titles
from deixis.kb.mapping_guess import N_SAMPLED, guess_mapping
from deixis.kb.read_options import ReadOptions
from deixis.kb.record_mapping import RecordMapping
from deixis.kb.records import BadRecord

FilePath = str | os.PathLike[str]
Parsed = tuple[int, EntityFields | BadRecord, Mapping[str, Any]]
_NO_RECORD: Mapping[str, Any] = {}


class ListReader:
    """Iterates over the entities of a list; `mapping` and `report()` say how it was understood."""

    def __init__(self, path: FilePath, options: ReadOptions | None = None, source: str = "") -> None:
        self.path = path
        self.options = options or ReadOptions()
        self.mapping: RecordMapping | None = None
        self.sample: list[dict[str, Any]] = []
        self._source = source
        self._opened = open_records(path, self.options)
        self._keys: dict[str, None] = {}
        self._examples: list[str] = []

    def __iter__(self) -> Iterator[Parsed]:
        """Each record's line, its checked fields or what is wrong with it, and the record itself."""
        for batch in self.batches():
            entities = batch.entities.rows()
            for row, (line, record) in enumerate(zip(batch.lines, batch.records, strict=True)):
                yield (
                    line,
                    batch.problems.get(row) or next(entities),
                    record if isinstance(record, dict) else _NO_RECORD,
                )

    def batches(self) -> Iterator[ListBatch]:
        """The records of the list, some at a time."""
        records = self._opened.records
        head = list(itertools.islice(records, N_SAMPLED))
        self.sample = [record for _, record in head if isinstance(record, dict)]
        problem = self._understand(head)
        records = itertools.chain(head, records)
        if self._opened.format == "tsv":
            records = with_whole_titles(records, self.mapping, list(self._keys), self.path)
        for lines, part in in_batches(records):
            batch = ListBatch.of(lines, part, self.mapping or problem or BadRecord("missing_field", "no fields"))
            if self._opened.format not in TABLES:
                for keys in batch.key_orders:
                    self._keys.update(dict.fromkeys(keys))
            batch = replace(batch, entities=self._marked(batch.entities))
            n_missing = N_EXAMPLES - len(self._examples)
            if n_missing > 0:
                self._examples += map(example_of, itertools.islice(batch.entities.rows(), n_missing))
            yield batch

    def report(self) -> ListReport:
        """How the list was understood, as far as it was read."""
        opened, mapping = self._opened, self.mapping
        return ListReport(
            path=str(self.path),
            format=opened.format,
            mapping="" if mapping is None else mapping.describe(self._keys),
            columns={} if mapping is None else mapping.fields_of(self._keys),
            separators={} if mapping is None else dict(mapping.separators),
            shape="" if opened.shape is None else str(opened.shape),
            encoding=opened.encoding,
            examples=tuple(self._examples),
        )

    def _understand(self, head: list[tuple[int, Any]]) -> BadRecord | None:
        """Chooses the mapping; what stands in the way is an error of the header, or of every record."""
        if not self.sample:
            return None
        format, shape = self._opened.format, self._opened.shape
        try:
            if format not in GUESSED and not self.options.columns:
                keys = self.sample[0]
                is_names_only = "id" not in keys and "title" in keys
                self.mapping = RecordMapping("native", None, "title") if is_names_only else RecordMapping.choose(keys)
            else:
                has_names = shape is None or shape.has_header
                self.mapping = guess_mapping(self.sample, self.options, is_table=format in TABLES, has_names=has_names)
        except BadRecord as problem:
            if format in TABLES:
                raise DataError(problem.reason, path=self.path, line=max(head[0][0] - 1, 1)) from None
            return problem
        except DataError as error:
            raise DataError(error.reason, path=self.path) from None
        self._keys = dict.fromkeys(self.sample[0])
        return None

    def _marked(self, entities: EntityBatch) -> EntityBatch:
        """The entities with the name of their list: as a type, and before their ids if that is wished."""
        if self._source:
            entities = entities.of_source(self._source)
        if self.options.has_prefix:
            entities = entities.with_prefix(self._source or source_name(self.path))
        return entities


def source_name(path: FilePath) -> str:
    """The name of a list: its file's, without suffixes.

    Examples
    --------
    >>> source_name("lists/drugs.csv.gz"), source_name("-")
    ('drugs', 'stdin')
    """
    name = os.path.basename(os.fspath(path).rstrip("/\\"))
    return "stdin" if name == "-" else name.split(".")[0] or name


def source_names(paths: list[FilePath]) -> list[str]:
    """A name for each of several lists: as short as it can be without being another's.

    Examples
    --------
    >>> source_names(["a/drugs.csv", "b/genes.obo"]), source_names(["a/kb.csv", "b/kb.csv"])
    (['drugs', 'genes'], ['a/kb.csv', 'b/kb.csv'])
    """
    names = [source_name(path) for path in paths]
    return names if len(set(names)) == len(names) else [os.fspath(path) for path in paths]
