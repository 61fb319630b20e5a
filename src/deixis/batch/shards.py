"""Shards: the parts of input files that are linked each as one. How a kind of file is cut and read is in a module each.

Where a file is cut depends on what is in it, never on how many processes there are.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from deixis.batch.settings import LINES, PARQUET, SUFFIXES
from deixis.documents.arriving import ArrivingLines
from deixis.documents.sniffing import format_of, opening_of
from deixis.errors import DataError
from deixis.progress import track
from deixis.registry import Lazy, LazyRegistry
from deixis.store.files import STDIN, compression_suffix, content_suffix
from deixis.types import Document

ReadDocument = tuple[int | None, Document | DataError]
"""The number of a line or row, if known, and the document there or why there is none."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines or rows of a file, one after the other: the number of the first, how many, and what they hash to.

    `begin` is how many bytes of lines, or how many rows, are before them.
    """

    first: int
    n_rows: int
    begin: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a file, the kind and the format that it is read with, and its output's name in the output folder."""

    output: str
    path: str
    kind: str
    format: str
    part: Part


class ShardReader(Protocol):
    """Cuts files of a kind, and reads the parts; it may keep a file open from one part to the next."""

    def cut(self, path: str) -> Iterator[Part]:
        """The parts of a file, in order."""

    def read(self, shard: Shard) -> Iterator[ReadDocument]:
        """The documents of a shard, and what is wrong with the others."""


SHARD_READERS = LazyRegistry(
    "kind of shard",
    {
        "lines": Lazy("deixis.batch.line_shards:LineShards"),
        "rows": Lazy("deixis.batch.parquet_shards:ParquetShards", extra="arrow"),
        "file": Lazy("deixis.batch.file_shards:FileShards"),
    },
)


def plan_shards(paths: Sequence[str | os.PathLike[str]], format: str | None, to: str) -> list[Shard]:
    """The shards of files and of all files in folders, in order.

    Two files whose outputs would have one name are an error, before anything is linked.
    """
    files = list(_files_in(paths))
    stem_to_path: dict[str, str] = {}
    for stem, path in files:
        if stem in stem_to_path:
            raise DataError(
                f"its links would have the same name as those of {stem_to_path[stem]}; give the folder that both are "
                "in, or link them into folders of their own",
                path=path,
            )
        stem_to_path[stem] = path
    return [shard for stem, path in track(files, "reading") for shard in _shards_of(stem, path, format, to)]


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The hash of a file's bytes."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _shards_of(stem: str, path: str, format: str | None, to: str) -> Iterator[Shard]:
    name = format or _format_of(path)
    kind = "rows" if name == PARQUET else "lines" if name in LINES else "file"
    suffix = SUFFIXES[to] + ("" if to == PARQUET else compression_suffix(path))
    for number, part in enumerate(SHARD_READERS[kind]().cut(path)):
        yield Shard(f"{stem}-{number:05}{suffix}", path, kind, name, part)


def _format_of(path: str) -> str:
    """The format of a file by its name or its beginning; `parquet` for a table that has documents as rows."""
    if content_suffix(path) in (".parquet", ".pq"):
        return PARQUET
    return format_of(path, opening_of(ArrivingLines(path)))


def _files_in(paths: Iterable[str | os.PathLike[str]]) -> Iterator[tuple[str, str]]:
    """Each file, and what its outputs' names begin with; of a folder those at any depth, but for hidden ones."""
    for path in (os.fspath(each) for each in paths):
        if path == STDIN:
            raise DataError("several processes link files: give their names, not '-'")
        if not os.path.isdir(path):
            if not os.path.exists(path):
                raise DataError("no such file; check the path", path=path)
            yield _stem(PurePosixPath(Path(path).name)), path
            continue
        below = sorted(each.relative_to(path) for each in Path(path).rglob("*") if each.is_file())
        files = [each for each in below if not any(part.startswith((".", "_")) for part in each.parts)]
        if not files:
            raise DataError("a folder without files", path=path)
        for each in files:
            yield _stem(PurePosixPath(each.as_posix())), os.path.join(path, each)


def _stem(path: PurePosixPath) -> str:
    bare = path.with_suffix("") if compression_suffix(path) else path
    return str(bare.with_suffix("") if bare.suffix else bare)
