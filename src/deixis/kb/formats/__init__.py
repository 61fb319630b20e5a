"""The file formats a knowledge base can be read from, and how one is recognised.

A format is `read(lines, path)` or, for files that are no lines of text and for folders, `read(path)`; either gives the
number of each line (or row) with its record, or with the `BadRecord` that it is.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.errors import ConfigError, DataError
from deixis.kb.formats.signatures import format_of_file, format_of_text
from deixis.kb.records import BadRecord, RecordMapping
from deixis.registry import Lazy, LazyRegistry
from deixis.store.files import STDIN, content_suffix, open_byte_lines

if TYPE_CHECKING:
    from deixis.kb.formats.arrow import ArrowTable

FORMATS = LazyRegistry(
    "knowledge base format",
    {
        "jsonl": Lazy("deixis.kb.formats.json_lines:read_json_lines"),
        "csv": Lazy("deixis.kb.formats.csv:read_csv"),
        "tsv": Lazy("deixis.kb.formats.csv:read_tsv"),
        "annif-tsv": Lazy("deixis.kb.formats.csv:read_annif_tsv"),
        "names": Lazy("deixis.kb.formats.name_lines:read_name_lines"),
        "excel": Lazy("deixis.kb.formats.excel:read_excel", extra="excel"),
        "parquet": Lazy("deixis.kb.formats.arrow:read_parquet", extra="arrow"),
        "arrow": Lazy("deixis.kb.formats.arrow:read_arrow", extra="arrow"),
        "sqlite": Lazy("deixis.kb.formats.sqlite:read_sqlite"),
        "skos": Lazy("deixis.kb.formats.skos:read_skos", extra="rdf"),
        "owl": Lazy("deixis.kb.formats.owl:read_owl", extra="rdf"),
        "obo": Lazy("deixis.kb.formats.obo:read_obo", extra="obo"),
        "wikidata": Lazy("deixis.kb.formats.wikidata:read_wikidata"),
        "wikidata-query": Lazy("deixis.kb.formats.wikidata_query:read_wikidata_query"),
        "geonames": Lazy("deixis.kb.formats.geonames:read_geonames"),
        "mesh": Lazy("deixis.kb.formats.mesh:read_mesh"),
        "umls": Lazy("deixis.kb.formats.umls:read_umls"),
        "wordnet": Lazy("deixis.kb.formats.wordnet:read_wordnet"),
    },
)
PATH_FORMATS = frozenset({"excel", "parquet", "arrow", "sqlite", "umls", "wordnet"})  # `read(path)`
_TABLES = LazyRegistry("kind of table", {"arrow": Lazy("deixis.kb.formats.arrow:read_table", extra="arrow")})
_SUFFIX_TO_FORMAT = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".obo": "obo", ".owl": "owl",
} | dict.fromkeys((".ttl", ".nt", ".rdf", ".xml", ".jsonld"), "skos")  # fmt: skip
_RDF_OPENINGS = (b"@prefix", b"@base", b"PREFIX ", b"<?xml", b"<rdf:RDF")
_TABLE_SUFFIXES = (".tsv", ".tab")
# Known by name, but not read, or never as text: their first lines may look like a table's.
_FOREIGN_SUFFIXES = (
    ".nq",
    ".sql",
    ".html",
    ".xlsx",
    ".xls",
    ".ods",
    ".parquet",
    ".feather",
    ".arrow",
    ".sqlite",
    ".db",
)
_HEAD = 1 << 16  # bytes by which the content of a file is recognised


def guess_format(path: str | os.PathLike[str], head: bytes) -> str:
    r"""The name of a text's format: by its first lines where they show it, or else by the file's suffix.

    Examples
    --------
    >>> guess_format("kb.jsonl.gz", b""), guess_format("-", b"id,title"), guess_format("subjects.tsv", b"<u:1>\tcat")
    ('jsonl', 'csv', 'annif-tsv')
    >>> guess_format("Y.txt", b"Toys, Games"), guess_format("kb.txt", b"id,title")
    ('names', 'csv')
    """
    suffix = content_suffix(path)
    start = head.lstrip().partition(b"\n")[0].strip()
    known = format_of_text(head, path)
    if known is not None:
        return known
    if suffix in _SUFFIX_TO_FORMAT:
        return _SUFFIX_TO_FORMAT[suffix]
    if suffix in _TABLE_SUFFIXES:
        return "annif-tsv" if start.startswith(b"<") else "tsv"
    if suffix == ".txt" and not _names_columns(start):
        return "names"
    if suffix not in _FOREIGN_SUFFIXES:
        if start.startswith((b"{", b"[")):
            return "jsonl"
        if start.startswith(_RDF_OPENINGS):
            return "skos"
        if start.startswith(b"<") and b">\t" in start:
            return "annif-tsv"
        if b"\t" in start:
            return "tsv"
        if b"," in start or b";" in start:
            return "csv"
    accepted = ", ".join(FORMATS)
    first = ascii(start[:40].decode("utf-8", "replace"))
    raise DataError(
        f"cannot tell the format from the suffix {suffix!r} or the first line {first}; accepted: {accepted} "
        f"(each also compressed). Convert the file, or name its format",
        path=path,
    )


def _names_columns(first_line: bytes) -> bool:
    """Whether a line begins JSON lines, one of Annif's tables, or a table whose columns have names that are known."""
    if first_line.startswith((b"{", b"[", b"<", *_RDF_OPENINGS)):
        return True
    columns = re.split(r"[\t,;]", first_line.decode("utf-8", "replace").lower())
    try:
        RecordMapping.choose(column.strip() for column in columns)
    except BadRecord:
        return False
    return True


def open_records(
    path: str | os.PathLike[str], format: str | None = None, *, query: str | None = None
) -> tuple[str, Iterator[tuple[int, dict[str, Any] | BadRecord]]]:
    """The format's name, and each record of the file with the number of its line.

    `query` is the `select` whose rows are the entities, for an SQLite database.
    """
    if format is None and path != STDIN:
        format = format_of_file(Path(path))
    if query is not None and format != "sqlite":
        raise ConfigError(f"A query is for SQLite databases, and {path} is none; leave the query out.")
    if format in PATH_FORMATS:
        if path == STDIN:
            raise DataError(f"{format} is not read from standard input; give the name of the file", path=path)
        return format, FORMATS[format](Path(path), **({} if query is None else {"query": query}))
    lines = open_byte_lines(path)
    if format is None:
        head, lines = _with_head(lines)
        if head is None:
            raise DataError("the file is empty: no entities", path=path)
        format = guess_format(path, head)
    return format, FORMATS[format](lines, path)


def open_table(table: ArrowTable) -> Iterator[dict[str, Any]]:
    """The records of a table in memory."""
    records: Iterator[dict[str, Any]] = _TABLES["arrow"](table)
    return records


def _with_head(lines: Iterator[tuple[int, bytes]]) -> tuple[bytes | None, Iterator[tuple[int, bytes]]]:
    """The first lines, None if there is none at all, and every line from the beginning."""
    first: list[tuple[int, bytes]] = []
    size = 0
    for numbered in lines:
        first.append(numbered)
        size += len(numbered[1].strip())
        if size >= _HEAD:
            break
    return (b"\n".join(raw for _, raw in first) if first else None), itertools.chain(first, lines)
