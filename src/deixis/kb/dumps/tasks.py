"""The tasks of an import: reading a shard, joining a bucket. Each writes files of its own, which appear when whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from deixis.errors import DataError
from deixis.kb.dumps.join import PartWriter, joined, write_ordered
from deixis.kb.dumps.page import DumpPage, DumpPages
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.dumps.shards import Shard, ShardLines, Tick
from deixis.kb.entity import Alias, Entity
from deixis.kb.entity_batch import EntityFields
from deixis.kb.formats import DUMP_PAGES, JOINED_DUMPS
from deixis.kb.list_batch import ListBatch
from deixis.kb.record_mapping import RecordMapping
from deixis.kb.records import BadRecord
from deixis.types import Document
from deixis.xml_prolog import without_declarations

N_TOGETHER = 256
_MAX_HEAD = 1 << 20
_XML_PAGE = b"<page>"


@dataclass(frozen=True, slots=True)
class Job:
    """What is done with every shard: the format of the dumps, what is taken, and where outputs go."""

    format: str
    folder: str
    query: str | None = None
    has_texts: bool = False
    skip_bad: bool = False
    max_line: int = 256 * 10**6
    n_buckets: int = 1

    @property
    def is_joined(self) -> bool:
        """Whether entities come out after a join, and not of each shard."""
        return self.format in JOINED_DUMPS

    def path(self, kind: str, number: int) -> Path:
        """The file of a shard, a bucket or a step."""
        return Path(self.folder, f"{kind}-{number:05d}")


@dataclass(slots=True)
class ShardReport:
    """What came of a shard: records read, entities and texts written, line ends, and the lines that are bad."""

    n_records: int = 0
    n_entities: int = 0
    n_documents: int = 0
    n_lines: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)


def read_shard(job: Job, number: int, shard: Shard, tick: Tick) -> ShardReport:
    """Writes the entities of a shard, or their parts to be joined, and its annotated texts."""
    report = ShardReport()
    lines = ShardLines(shard, begins_record_of(job.format), job.max_line, tick)
    pages = _pages(job, shard, lines)
    with ExitStack() as files:
        write = files.enter_context(_part_output(job, number) if job.is_joined else _entity_output(job, number))
        texts = files.enter_context(text_output(job.path("texts", number))) if job.has_texts else None
        while batch := list(islice(pages, N_TOGETHER)):
            report.n_records += len(batch)
            good, bad = write(batch)
            report.bad += bad
            if bad and not job.skip_bad:
                raise DataError(bad[0][1], path=shard.path, line=bad[0][0])
            for page in good:
                report.n_entities += page.record is not None
                if texts is not None and page.document is not None:
                    report.n_documents += 1
                    texts.write(document_line(page.document))
    report.n_lines = lines.n_lines
    return report


def join_bucket(job: Job, bucket: int, n_shards: int, n_steps: int) -> int:
    """Writes the entities of a bucket in order; how many there are."""
    parts = [job.path("parts", number) for number in range(n_shards)]
    moved = [job.path("moved", step) for step in range(n_steps)]
    records = joined(parts, moved, job.n_buckets, bucket, DumpQuery.of(job.query))
    return write_ordered(records, job.path("bucket", bucket))


def begins_record_of(format: str) -> Callable[[bytes], object]:
    """Whether a line of a dump begins a record of it."""
    if format == "wikipedia":
        return lambda line: _XML_PAGE in line
    if format == "cirrussearch":
        return lambda line: line.startswith((b'{"index":', b'{"create":'))
    return lambda line: True


def document_line(document: Document) -> str:
    """A document as a line of JSON, with its mentions."""
    mentions = [
        {"start": each.start, "end": each.end, "text": each.text, "entity": each.entity} for each in document.mentions
    ]
    lang = {} if document.lang is None else {"lang": document.lang}
    record = {"id": document.id, **lang, "text": document.text, "mentions": mentions}
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace").decode() + "\n"


def entity_line(fields: EntityFields) -> str:
    """An entity as a line of JSON."""
    return (
        json.dumps(
            Entity(
                fields.id,
                fields.title,
                tuple(Alias(*alias) for alias in fields.aliases),
                dict(fields.descriptions),
                tuple(fields.types),
                fields.n_seen,
                fields.url,
                tuple(fields.alt_ids),
            ).to_record(),
            ensure_ascii=False,
        )
        + "\n"
    )


def checked_entities(records: list[tuple[int, dict[str, Any]]]) -> tuple[list[EntityFields], list[tuple[int, str]]]:
    """The entities of records, checked as those of every list, and what is wrong with the others."""
    batch = ListBatch.of([line for line, _ in records], [record for _, record in records], _MAPPING)
    return list(batch.entities.rows()), [(batch.lines[row], problem.reason) for row, problem in batch.problems.items()]


_MAPPING = RecordMapping("native", "id", "title")
_Batch = list[tuple[int, DumpPage | BadRecord]]
_Write = Callable[[_Batch], tuple[list[DumpPage], list[tuple[int, str]]]]


@contextmanager
def text_output(path: Path) -> Iterator[TextIO]:
    """A new file of text that takes its name when the block has ended well."""
    partial = path.with_name(f"{path.name}.part")
    try:
        with open(partial, "w", encoding="utf-8", newline="\n") as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _part_output(job: Job, number: int) -> Iterator[_Write]:
    with PartWriter(job.path("parts", number), job.n_buckets) as writer:

        def write(batch: _Batch) -> tuple[list[DumpPage], list[tuple[int, str]]]:
            good, bad = [], []
            for line, page in batch:
                if isinstance(page, BadRecord):
                    bad.append((line, page.reason))
                else:
                    writer.add(page, [number, line])
                    good.append(page)
            return good, bad

        yield write


@contextmanager
def _entity_output(job: Job, number: int) -> Iterator[_Write]:
    with text_output(job.path("entities", number)) as file:

        def write(batch: _Batch) -> tuple[list[DumpPage], list[tuple[int, str]]]:
            bad = [(line, page.reason) for line, page in batch if isinstance(page, BadRecord)]
            pages = [(line, page) for line, page in batch if isinstance(page, DumpPage)]
            records = [(line, page.record) for line, page in pages if page.record is not None]
            entities, problems = checked_entities(records)
            file.writelines(map(entity_line, entities))
            wrong = {line for line, _ in problems}
            return [page for line, page in pages if line not in wrong], sorted([*bad, *problems])

        yield write


def _pages(job: Job, shard: Shard, lines: ShardLines) -> DumpPages:
    """The pages of a shard; those of XML know the head of their file."""
    options: dict[str, Any] = {"has_texts": job.has_texts, "max_page": job.max_line}
    if job.format == "wikipedia" and shard.begin > 0:
        options["head"] = _head_of(shard)
    pages: DumpPages = DUMP_PAGES[job.format](iter(lines), shard.path, DumpQuery.of(job.query), **options)
    return pages


def _head_of(shard: Shard) -> bytes:
    """What the file of a shard has before its first page."""
    whole = Shard(shard.path, 0, shard.size, shard.size, shard.modified)
    head = bytearray()
    for _, raw in without_declarations(iter(ShardLines(whole, bool, _MAX_HEAD, lambda n: None)), shard.path):
        if _XML_PAGE in raw or len(head) > _MAX_HEAD:
            break
        head += raw + b"\n"
    return bytes(head)
