"""The file formats a knowledge base can be read from, and how one is recognised."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deixis.errors import DataError
from deixis.kb.formats.wordnet import PARTS as WORDNET_FILES
from deixis.kb.formats.wordnet import is_wordnet, read_wordnet
from deixis.kb.records import BadRecord, RecordMapping
from deixis.registry import Lazy, LazyRegistry
from deixis.store.files import content_suffix, open_byte_lines, with_first_line

FORMATS = LazyRegistry(
    "knowledge base format",
    {
        "jsonl": Lazy("deixis.kb.formats.json_lines:read_json_lines"),
        "csv": Lazy("deixis.kb.formats.csv:read_csv"),
        "tsv": Lazy("deixis.kb.formats.csv:read_tsv"),
        "annif-tsv": Lazy("deixis.kb.formats.csv:read_annif_tsv"),
        "names": Lazy("deixis.kb.formats.name_lines:read_name_lines"),
        "skos": Lazy("deixis.kb.formats.skos:read_skos", extra="rdf"),
        "wordnet": Lazy("deixis.kb.formats.wordnet:read_wordnet"),  # the only one that is a folder
    },
)
_SUFFIX_TO_FORMAT = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv"} | dict.fromkeys(
    (".ttl", ".nt", ".rdf", ".owl", ".xml", ".jsonld"), "skos"
)
_RDF_OPENINGS = (b"@prefix", b"@base", b"PREFIX ", b"<?xml", b"<rdf:RDF")
_TABLE_SUFFIXES = (".tsv", ".tab")
# Known by name, but not read: their first lines may look like a table's.
_FOREIGN_SUFFIXES = (".nq", ".obo", ".xlsx", ".parquet", ".sql", ".html")


def guess_format(path: str | os.PathLike[str], first_line: bytes) -> str:
    r"""The name of the format, from the file's suffix, or from its first line when the suffix does not tell.

    Examples
    --------
    >>> guess_format("kb.jsonl.gz", b""), guess_format("-", b"id,title"), guess_format("subjects.tsv", b"<u:1>\tcat")
    ('jsonl', 'csv', 'annif-tsv')
    >>> guess_format("Y.txt", b"Toys, Games"), guess_format("kb.txt", b"id,title")
    ('names', 'csv')
    """
    suffix = content_suffix(path)
    start = first_line.strip()
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
    raise DataError(
        f"cannot tell the format from the suffix {suffix!r} or the first line {start[:40]!r}; accepted: {accepted} "
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
    path: str | os.PathLike[str], format: str | None = None
) -> tuple[str, Iterator[tuple[int, dict[str, Any] | BadRecord]]]:
    """The format's name, and each record of the file with the number of its line."""
    if format == "wordnet" or (format is None and Path(path).is_dir()):
        return "wordnet", _open_wordnet(Path(path))
    lines = open_byte_lines(path)
    if format is None:
        first, lines = with_first_line(lines)
        if first is None:
            raise DataError("the file is empty: no entities", path=path)
        format = guess_format(path, first)
    return format, FORMATS[format](lines, path)


def _open_wordnet(folder: Path) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    if not is_wordnet(folder):
        what = "is a folder; give a file" if folder.is_dir() else "is no folder"
        raise DataError(f"{what}, or a folder with WordNet's {', '.join(WORDNET_FILES.values())}", path=folder)
    return read_wordnet(folder)
