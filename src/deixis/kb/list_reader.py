"""One list, read: recognised, its mapping guessed from the first records, every record checked.

`deixis build`, `deixis kb check`, `KnowledgeBase.read` and vocabularies of `deixis xmr` all read lists with this.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping
from typing import Any

from deixis.errors import DataError
from deixis.kb.formats import GUESSED, TABLES, open_records
from deixis.kb.list_report import N_EXAMPLES, ListReport, example_of
from deixis.kb.long_rows import with_whole_titles
from deixis.kb.mapping_guess import N_SAMPLED, guess_mapping
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord, EntityFields, RecordMapping

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
        records = self._opened.records
        head = list(itertools.islice(records, N_SAMPLED))
        self.sample = [record for _, record in head if isinstance(record, dict)]
        problem = self._understand(head)
        is_marked, has_all_keys = bool(self._source or self.options.has_prefix), self._opened.format in TABLES
        records = itertools.chain(head, records)
        if self._opened.format == "tsv":
            records = with_whole_titles(records, self.mapping, list(self._keys), self.path)
        for line, record in records:
            if isinstance(record, BadRecord):
                yield line, record, _NO_RECORD
                continue
            if self.mapping is None:
                yield line, problem or BadRecord("missing_field", "no fields"), record
                continue
            try:
                fields = self.mapping.parse(record)
            except BadRecord as bad:
                yield line, bad, record
                continue
            if not has_all_keys and not record.keys() <= self._keys.keys():
                self._keys.update(dict.fromkeys(record))
            if is_marked:
                fields = self._marked(fields)
            if len(self._examples) < N_EXAMPLES:
                self._examples.append(example_of(fields))
            yield line, fields, record

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

    def _marked(self, fields: EntityFields) -> EntityFields:
        """The entity with the name of its list: as a type, and before its id if that is wished."""
        if self._source:
            fields = fields._replace(types=[*fields.types, f"source:{self._source}"])
        if self.options.has_prefix:
            fields = fields._replace(id=f"{self._source or source_name(self.path)}:{fields.id}")
        return fields


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
