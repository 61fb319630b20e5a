"""The document formats by name.

A reader is a function: numbered lines and the file's name in, documents out. A writer is a function: documents, a
stream and the file's name (`-` for stdout) in, how many documents were written out. Formats that keep texts in files of
their own find or make them beside that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from deixis.registry import Lazy, LazyRegistry
from deixis.store.files import content_suffix
from deixis.types import Document

DocumentReader = Callable[[Iterable[tuple[int, str]], str], Iterator[Document]]
DocumentWriter = Callable[[Iterable[Document], TextIO, str], int]

READERS = LazyRegistry(
    "document format",
    {
        "native": Lazy("deixis.documents.native:read_native"),
        "bioc-json": Lazy("deixis.documents.bioc_json:read_bioc_json"),
        "bioc-xml": Lazy("deixis.documents.bioc_xml:read_bioc_xml"),
        "nif": Lazy("deixis.documents.nif:read_nif"),
        "text": Lazy("deixis.documents.plain_text:read_text"),
        "lines": Lazy("deixis.documents.plain_text:read_text_lines"),
        "elevant": Lazy("deixis.documents.elevant:read_elevant"),
        "elevant-links": Lazy("deixis.documents.elevant:read_elevant_links"),
        "kilt": Lazy("deixis.documents.kilt:read_kilt"),
        "blink": Lazy("deixis.documents.blink:read_blink"),
        "zeshel": Lazy("deixis.documents.zeshel:read_zeshel"),
        "damuel": Lazy("deixis.documents.damuel:read_damuel"),
        "damuel-all": Lazy("deixis.documents.damuel:read_damuel_all"),
        "aida": Lazy("deixis.documents.aida:read_aida"),
        "hipe": Lazy("deixis.documents.hipe:read_hipe"),
        "mewsli": Lazy("deixis.documents.mewsli:read_mewsli"),
        "pubtator": Lazy("deixis.documents.pubtator:read_pubtator"),
    },
)

WRITERS = LazyRegistry(
    "document format to write",
    {
        "native": Lazy("deixis.documents.native_out:write_native"),
        "elevant": Lazy("deixis.documents.elevant:write_elevant"),
        "elevant-links": Lazy("deixis.documents.elevant:write_elevant_links"),
        "kilt": Lazy("deixis.documents.kilt:write_kilt"),
        "blink": Lazy("deixis.documents.blink:write_blink"),
        "zeshel": Lazy("deixis.documents.zeshel:write_zeshel"),
        "damuel": Lazy("deixis.documents.damuel:write_damuel"),
        "aida": Lazy("deixis.documents.aida:write_aida"),
        "hipe": Lazy("deixis.documents.hipe:write_hipe"),
        "mewsli": Lazy("deixis.documents.mewsli:write_mewsli"),
        "pubtator": Lazy("deixis.documents.pubtator:write_pubtator"),
        "bioc-json": Lazy("deixis.documents.bioc_json:write_bioc_json"),
        "bioc-xml": Lazy("deixis.documents.bioc_xml:write_bioc_xml"),
        "nif": Lazy("deixis.documents.nif_out:write_nif"),
    },
)

FORMAT_BY_SUFFIX = {".jsonl": "native", ".ndjson": "native", ".json": "native", ".txt": "text", ".md": "text"}

FORMAT_BY_OPENING = (
    (re.compile(r"-DOCSTART- *\("), "aida"),
    (re.compile(r"TOKEN\tNE-COARSE-LIT\t"), "hipe"),
    (re.compile(r"docid\tposition\tlength\t"), "mewsli"),
    (re.compile(r"\d+\|t\|"), "pubtator"),
)


def format_of_name(name: str) -> str | None:
    """The format that a file's name promises, a suffix of compression set aside; None when it promises nothing.

    Examples
    --------
    >>> format_of_name("news/testa.jsonl.gz"), format_of_name("letter.txt"), format_of_name("-")
    ('native', 'text', None)
    """
    return FORMAT_BY_SUFFIX.get(content_suffix(name))


def format_of_content(first_line: str) -> str:
    r"""The format that a text's first line that is not blank looks like: a JSON object, a table's opening, or words.

    Examples
    --------
    >>> format_of_content('{"text": "Paris fled."}'), format_of_content("-DOCSTART- (1 EU)"), format_of_content("Paris")
    ('native', 'aida', 'text')
    """
    if first_line.lstrip().startswith("{"):
        return "native"
    return next((name for opening, name in FORMAT_BY_OPENING if opening.match(first_line)), "text")
