"""Entities whose parts stand apart in a dump, joined by their ids on disk: pages, redirects to them, links to them.

Parts go into buckets by a hash of the id, so that one bucket is in memory at a time. Redirects are followed twice: what
was said of a redirect, such as the texts of links to it, moves to the page that it leads to.
"""

from __future__ import annotations

import heapq
import json
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from deixis.kb.dumps.bucket_file import BucketWriter, read_bucket
from deixis.kb.dumps.page import DumpPage, DumpPages
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.records import BadRecord

N_REDIRECT_STEPS = 2
MIN_LINKS = 2
"""How often a text must link to a page to be one of its names."""
_KINDS = _PAGES, _LINKS, _REDIRECTS = range(3)
_MAX_COUNTED = 200_000
_MAX_NAME = 200  # characters
_BUCKET_BYTES = 32 << 20  # of a compressed dump; its parts in memory take some ten times as much
_MAX_BUCKETS = 512
Ordered = tuple[list[int], dict[str, Any]]
_Names = Counter[tuple[str, str | None]]
"""How often each text in each language links to a page; without a language the title of a redirect."""


def n_buckets_for(n_bytes: int) -> int:
    """How many buckets the parts of a dump of this size, compressed, go into."""
    return min(n_bytes // _BUCKET_BYTES + 1, _MAX_BUCKETS)


def bucket_of(identifier: str, n_buckets: int) -> int:
    """The bucket of an id."""
    return zlib.crc32(identifier.encode("utf-8", "surrogatepass")) % n_buckets


class PartWriter:
    """Writes the parts of pages to a file; equal links are counted on the way."""

    def __init__(self, path: Path, n_buckets: int) -> None:
        self._writer = BucketWriter(path)
        self._n_buckets = n_buckets
        self._links: Counter[tuple[str, str, str]] = Counter()

    def __enter__(self) -> PartWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is None:
            self._flush()
        self._writer.__exit__(kind, error, trace)

    def add(self, page: DumpPage, order: Sequence[int]) -> None:
        """Adds what a page says; entities come out in this order."""
        if page.record is not None:
            self._add(_PAGES, page.record["id"], [*order, page.record])
        if page.redirect is not None:
            self._add(_REDIRECTS, page.redirect[0], page.redirect)
        if page.links:
            self._links.update((target, text, page.language) for target, text in page.links if len(text) <= _MAX_NAME)
            if len(self._links) > _MAX_COUNTED:
                self._flush()

    def add_links(self, target: str, text: str, language: str | None, count: int) -> None:
        """Adds links that were counted already; without a language the title of a redirect."""
        self._add(_LINKS, target, [target, text, language, count])

    def _flush(self) -> None:
        bucket_to_links: defaultdict[int, list[object]] = defaultdict(list)
        for (target, text, language), count in self._links.items():
            bucket_to_links[self._bucket(_LINKS, target)].append((target, text, language, count))
        for bucket, links in bucket_to_links.items():
            self._writer.add(bucket, *links)
        self._links.clear()

    def _add(self, kind: int, identifier: str, values: object) -> None:
        self._writer.add(self._bucket(kind, identifier), values)

    def _bucket(self, kind: int, identifier: str) -> int:
        return bucket_of(identifier, self._n_buckets) * len(_KINDS) + kind


def follow_redirects(parts: Sequence[Path], moved: Sequence[Path], n_buckets: int, path: Path) -> None:
    """Writes the links that lead to a redirect as links to where it leads; at first redirects themselves, as names."""
    with PartWriter(path, n_buckets) as writer:
        for bucket in range(n_buckets):
            redirects = _redirects(parts, bucket)
            if not moved:
                for title, target in redirects.items():
                    writer.add_links(target, title, None, 0)
            for target, text, language, count in _lines(moved[-1:] or parts, bucket, _LINKS):
                if target in redirects:
                    writer.add_links(redirects[target], text, language, count)


def joined(
    parts: Sequence[Path], moved: Sequence[Path], n_buckets: int, bucket: int, query: DumpQuery
) -> Iterator[Ordered]:
    """The entities of a bucket, in their order; links whose page is not there are left out."""
    id_to_record: dict[str, Ordered] = {}
    for *order, record in _lines(parts, bucket, _PAGES):
        _merge(id_to_record, order, record)
    id_to_names: defaultdict[str, _Names] = defaultdict(Counter)
    redirects = _redirects(parts, bucket)
    for target, text, language, count in _lines([*parts, *moved], bucket, _LINKS):
        if target in id_to_record and target not in redirects:
            id_to_names[target][text, language] += count
    for order, record in sorted(id_to_record.values(), key=lambda each: each[0]):
        if "title" not in record:
            continue
        entity = _with_names(record, id_to_names.get(record["id"], Counter()))
        if entity["count"] >= query.min_count and query.has_types(entity.get("types", [])):
            yield order, entity


def joined_records(
    pages: DumpPages, query: DumpQuery, n_bytes: int
) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """The entities of a dump, joined in a temporary folder; what is wrong with a page comes as soon as it is read."""
    n_buckets = n_buckets_for(n_bytes)
    with tempfile.TemporaryDirectory(prefix="deixis-") as name:
        folder = Path(name)
        parts = [folder / "parts"]
        with PartWriter(parts[0], n_buckets) as writer:
            for number, page in pages:
                if isinstance(page, BadRecord):
                    yield number, page
                else:
                    writer.add(page, [number])
        moved: list[Path] = []
        for step in range(N_REDIRECT_STEPS):
            follow_redirects(parts, moved, n_buckets, folder / f"moved-{step}")
            moved.append(folder / f"moved-{step}")
        buckets = [folder / f"bucket-{bucket}" for bucket in range(n_buckets)]
        for bucket, path in enumerate(buckets):
            write_ordered(joined(parts, moved, n_buckets, bucket, query), path)
        for order, record in merged(buckets):
            yield order[0], record


def write_ordered(entities: Iterable[Ordered], path: Path) -> int:
    """Writes entities with their order to a file that takes its name when it is whole; how many there were."""
    partial = path.with_name(f"{path.name}.part")
    n_entities = 0
    with open(partial, "w", encoding="ascii") as file:
        for entity in entities:
            file.write(json.dumps(entity) + "\n")
            n_entities += 1
    partial.replace(path)
    return n_entities


def merged(paths: Iterable[Path]) -> Iterator[Ordered]:
    """The entities of several files, each in order, as one sequence in order."""

    def read(path: Path) -> Iterator[Ordered]:
        with open(path, encoding="ascii") as file:
            for line in file:
                order, record = json.loads(line)
                yield order, record

    key: Callable[[Ordered], list[int]] = lambda each: each[0]  # noqa: E731
    return heapq.merge(*map(read, paths), key=key)


def _lines(paths: Iterable[Path], bucket: int, kind: int) -> Iterator[list[Any]]:
    for path in paths:
        yield from read_bucket(path, bucket * len(_KINDS) + kind)


def _redirects(parts: Sequence[Path], bucket: int) -> dict[str, str]:
    return {title: target for title, target in _lines(parts, bucket, _REDIRECTS) if title != target}


def _merge(id_to_record: dict[str, Ordered], order: list[int], record: dict[str, Any]) -> None:
    """Adds what a record says to what others with its id said; what only one may say, the first has said."""
    if record["id"] not in id_to_record:
        id_to_record[record["id"]] = (order, record)
        return
    first_order, first = id_to_record[record["id"]]
    for key, value in record.items():
        if isinstance(value, list):
            first[key] = list(first.get(key, [])) + [each for each in value if each not in first.get(key, [])]
        elif isinstance(value, dict):
            first[key] = value | first.get(key, {})
        else:
            first.setdefault(key, value)
    id_to_record[record["id"]] = (min(first_order, order), first)


def _with_names(record: dict[str, Any], names: _Names) -> dict[str, Any]:
    """The entity with the texts that link to it as aliases, and their number as its count."""
    redirects = [text for text, language in names if language is None]
    aliases: dict[tuple[str, str], dict[str, Any]] = {}
    of_redirects: list[dict[str, Any]] = [{"text": text} for text in redirects]
    for each in (*record.get("aliases", []), *of_redirects):
        aliases.setdefault((each["text"], each.get("lang", "")), dict(each))
    for (text, language), count in names.most_common():
        if language is None:
            continue
        same = aliases.get((text, language)) or aliases.get((text, ""))
        if same is None and (count >= MIN_LINKS or text == record["title"]):
            same = aliases.setdefault((text, language), {"text": text})
        if same is not None:
            same |= {"count": same.get("count", 0) + count} | ({"lang": language} if language else {})
    extra: dict[str, Any] = {"aliases": list(aliases.values())} if aliases else {}
    if redirects:
        extra["alt_ids"] = [*record.get("alt_ids", []), *redirects]
    return record | extra | {"count": record.get("count", 0) + names.total()}
