"""The file formats a list can be read from, and how one is recognised.

A format is `read(lines, path)` or, for files that are no lines of text and for folders, `read(path)`; either gives the
number of each line (or row) with its record, or with the `BadRecord` that it is.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.errors import ConfigError, DataError
from deixis.kb.formats.bounded import bounded
from deixis.kb.formats.json_shape import is_json_lines
from deixis.kb.formats.signatures import format_of_file, format_of_text
from deixis.kb.formats.table_shape import NONE, TableShape, guess_delimiter
from deixis.kb.header_words import is_header
from deixis.kb.list_lines import LineDecoder, ListLines
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord
from deixis.registry import Lazy, LazyRegistry
from deixis.store.files import STDIN, content_suffix

if TYPE_CHECKING:
    from deixis.kb.formats.arrow import ArrowTable

FORMATS = LazyRegistry(
    "knowledge base format",
    {
        "jsonl": Lazy("deixis.kb.formats.json_lines:read_json_lines"),
        "json": Lazy("deixis.kb.formats.json_values:read_json"),
        "csv": Lazy("deixis.kb.formats.csv:read_csv"),
        "tsv": Lazy("deixis.kb.formats.csv:read_tsv"),
        "annif-tsv": Lazy("deixis.kb.formats.csv:read_annif_tsv"),
        "names": Lazy("deixis.kb.formats.name_lines:read_name_lines"),
        "label-lines": Lazy("deixis.kb.formats.name_lines:read_label_lines"),
        "excel": Lazy("deixis.kb.formats.excel:read_excel", extra="excel"),
        "parquet": Lazy("deixis.kb.formats.arrow:read_parquet", extra="arrow"),
        "arrow": Lazy("deixis.kb.formats.arrow:read_arrow", extra="arrow"),
        "sqlite": Lazy("deixis.kb.formats.sqlite:read_sqlite"),
        "skos": Lazy("deixis.kb.formats.skos:read_skos", extra="rdf"),
        "owl": Lazy("deixis.kb.formats.owl:read_owl", extra="rdf"),
        "obo": Lazy("deixis.kb.formats.obo:read_obo", extra="obo"),
        "wikidata": Lazy("deixis.kb.formats.wikidata:read_wikidata"),
        "cirrussearch": Lazy("deixis.kb.formats.cirrussearch:read_cirrussearch"),
        "wikipedia": Lazy("deixis.kb.formats.wikipedia:read_wikipedia"),
        "damuel": Lazy("deixis.kb.formats.damuel_items:read_damuel_items"),
        "kilt-pages": Lazy("deixis.kb.formats.kilt_pages:read_kilt_pages"),
        "wikidata-query": Lazy("deixis.kb.formats.wikidata_query:read_wikidata_query"),
        "geonames": Lazy("deixis.kb.formats.geonames:read_geonames"),
        "mesh": Lazy("deixis.kb.formats.mesh:read_mesh"),
        "umls": Lazy("deixis.kb.formats.umls:read_umls"),
        "wordnet": Lazy("deixis.kb.formats.wordnet:read_wordnet"),
    },
)
TABLES = ("csv", "tsv")
GUESSED = (*TABLES, "jsonl", "json", "excel", "parquet", "arrow", "sqlite")
"""Formats whose records have fields of any name; those of the others have ours."""
WHOLE_DUMPS = ("wikidata", "cirrussearch")
"""Dumps whose every record is a whole entity: `read(lines, path, options)`."""
JOINED_DUMPS = ("wikipedia", "damuel", "kilt-pages")
"""Dumps whose records are joined on disk, in as many parts as their size needs."""
DUMP_PAGES = LazyRegistry(
    "dump format",
    {
        "wikidata": Lazy("deixis.kb.formats.wikidata:wikidata_pages"),
        "cirrussearch": Lazy("deixis.kb.formats.cirrussearch:cirrussearch_pages"),
        "wikipedia": Lazy("deixis.kb.formats.wikipedia:wikipedia_pages"),
        "damuel": Lazy("deixis.kb.formats.damuel_items:damuel_pages"),
        "kilt-pages": Lazy("deixis.kb.formats.kilt_pages:kilt_pages"),
    },
)
"""The same dumps by pages, with links and texts: `pages(lines, path, query, has_texts=...)`."""
PATH_FORMATS = frozenset({"excel", "parquet", "arrow", "sqlite", "umls", "wordnet"})  # `read(path, options)`
_ARROW = LazyRegistry("kind of table", {"arrow": Lazy("deixis.kb.formats.arrow:read_table", extra="arrow")})
_DECODED = (*TABLES, "annif-tsv", "names", "label-lines")
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_SUFFIX_TO_FORMAT = {".obo": "obo", ".owl": "owl"} | dict.fromkeys((".ttl", ".nt", ".rdf", ".xml", ".jsonld"), "skos")
_RDF_OPENINGS = (b"@prefix", b"@base", b"PREFIX ", b"<?xml", b"<rdf:RDF")
_TABLE_SUFFIXES = (".tsv", ".tab")
# Known by name, but not read, or never as text: their first lines may look like a table's.
_FOREIGN_SUFFIXES = (
    ".nq", ".sql", ".html", ".xlsx", ".xls", ".ods", ".parquet", ".feather", ".arrow", ".sqlite", ".db",
)  # fmt: skip
_N_HEAD = 200  # lines looked at
_MAX_HEAD = 1 << 20
_UNKNOWN_SIZE = 4 << 30  # of a dump that comes through a pipe


@dataclass(frozen=True, slots=True)
class OpenedList:
    """A list's format, and each of its records with the number of its line."""

    format: str
    records: Iterator[tuple[int, dict[str, Any] | BadRecord]]
    lines: ListLines | None = None
    decoder: LineDecoder | None = None
    shape: TableShape | None = None

    @property
    def encoding(self) -> str:
        """The encoding so far: a line that is not UTF-8 may come late."""
        if self.lines is None or self.lines.encoding != "utf-8":
            return "utf-8" if self.lines is None else self.lines.encoding
        return "utf-8" if self.decoder is None else self.decoder.encoding


def guess_format(path: str | os.PathLike[str], first_line: bytes, more_lines: Sequence[bytes] = ()) -> str:
    r"""The name of a text's format: by its first lines where they show it, or else by the file's suffix.

    Examples
    --------
    >>> guess_format("kb.jsonl.gz", b""), guess_format("-", b"id,title"), guess_format("subjects.tsv", b"<u:1>\tcat")
    ('jsonl', 'csv', 'annif-tsv')
    >>> guess_format("Y.txt", b"Toys, Games"), guess_format("kb.txt", b"id,title"), guess_format("kb.json", b"[")
    ('names', 'csv', 'json')
    """
    suffix = content_suffix(path)
    start = first_line.strip()
    known = format_of_text(b"\n".join([first_line, *more_lines]), path)
    if known is not None:
        return known
    if suffix in _SUFFIX_TO_FORMAT:
        return _SUFFIX_TO_FORMAT[suffix]
    if suffix in _JSON_SUFFIXES:
        return "jsonl" if is_json_lines(first_line, more_lines) else "json"
    if suffix == ".csv":
        return "csv"
    if suffix in _TABLE_SUFFIXES:
        return "annif-tsv" if start.startswith(b"<") else "tsv"
    if suffix not in _FOREIGN_SUFFIXES:
        if start.startswith((b"{", b"[")):
            return "jsonl" if is_json_lines(first_line, more_lines) else "json"
        if start.startswith(_RDF_OPENINGS):
            return "skos"
        if start.startswith(b"<") and b">\t" in start:
            return "annif-tsv"
        return _table_or_names(suffix, [start, *more_lines]) or _unknown(path, suffix, start)
    return _unknown(path, suffix, start)


def _table_or_names(suffix: str, lines: Sequence[bytes]) -> str | None:
    """Tables by their delimiter; in a `.txt` file a comma may be part of a name."""
    texts = [raw.decode("utf-8", "replace") for raw in lines if raw.strip()]
    delimiter = guess_delimiter(texts)
    is_named = delimiter != NONE and is_header(texts[0].split(delimiter))
    if delimiter == "\t":
        return "tsv"
    if delimiter != NONE and (suffix != ".txt" or is_named or (delimiter != "," and len(texts) > 1)):
        return "csv"
    if suffix == ".txt":
        return "csv" if is_header([texts[0].strip('" ')]) else "names"
    if suffix == "" and delimiter == NONE and (b"," in lines[0] or b";" in lines[0]):
        return "csv"
    return None


def _unknown(path: object, suffix: str, start: bytes) -> str:
    accepted = ", ".join(FORMATS)
    first = ascii(start[:40].decode("utf-8", "replace"))
    raise DataError(
        f"cannot tell the format from the suffix {suffix!r} or the first line {first}; accepted: {accepted} "
        f"(each also compressed). Convert the file, or name its format with --format",
        path=path,
    )


def open_records(path: str | os.PathLike[str], options: ReadOptions | None = None) -> OpenedList:
    """The list, opened and recognised; its records are read as they are taken."""
    options = options or ReadOptions()
    format = options.format
    if format is None and path != STDIN:
        format = format_of_file(Path(path), options)
    if options.query is not None and format is not None:
        _check_query(path, format)
    if format in PATH_FORMATS:
        if path == STDIN:
            raise DataError(f"{format} is not read from standard input; give the name of the file", path=path)
        return OpenedList(format, FORMATS[format](Path(path), options))
    reader = None if format is None else FORMATS[format]  # a misspelt name is an error before the file is opened
    source = ListLines(path, options)
    head, lines = _with_head(iter(source))
    texts = [raw for _, raw in head if raw.strip()]
    if format is None:
        if not texts:
            raise DataError("the file is empty: no entities", path=path)
        format = guess_format(path, texts[0], texts[1:])
        format = options.names_format if format == "names" else format
        reader = FORMATS[format]
    assert reader is not None
    if options.query is not None:
        _check_query(path, format)
    if format in WHOLE_DUMPS:
        return OpenedList(format, reader(lines, path, options), source)
    if format in JOINED_DUMPS:
        n_bytes = Path(path).stat().st_size if Path(path).is_file() else _UNKNOWN_SIZE
        return OpenedList(format, reader(lines, path, options, n_bytes), source)
    if format not in _DECODED:
        return OpenedList(format, bounded(reader, format, options)(lines, path), source)
    decoder = LineDecoder(has_fallback=options.encoding is None and format != "label-lines")
    if format not in TABLES:
        return OpenedList(format, reader(lines, path, decoder=decoder), source, decoder)
    first = "\t" if format == "tsv" and options.delimiter is None else None
    shape = TableShape.of([raw.decode("utf-8", "replace") for raw in texts], options, first)
    records = reader(lines, path, options=options, shape=shape, decoder=decoder)
    return OpenedList(format, records, source, decoder, shape)


def _check_query(path: object, format: str) -> None:
    if format not in ("sqlite", *WHOLE_DUMPS, *JOINED_DUMPS):
        raise ConfigError(f"A query is for SQLite databases and dumps, and {path} is {format}; leave the query out.")


def _with_head(
    lines: Iterator[tuple[int, bytes]],
) -> tuple[list[tuple[int, bytes]], Iterator[tuple[int, bytes]]]:
    """The first lines, and all lines from the beginning."""
    head: list[tuple[int, bytes]] = []
    n_bytes = 0
    for numbered in lines:
        head.append(numbered)
        n_bytes += len(numbered[1])
        if len(head) >= _N_HEAD or n_bytes >= _MAX_HEAD:
            break
    return head, itertools.chain(head, lines)


def open_table(table: ArrowTable) -> Iterator[dict[str, Any]]:
    """The records of a table in memory."""
    records: Iterator[dict[str, Any]] = _ARROW["arrow"](table)
    return records
