"""The document formats by name.

A reader is a function: numbered lines and the file's name in, documents out. A writer is a function: documents, a
stream and the file's name (`-` for stdout) in, how many documents were written out. Formats that keep texts in files of
their own find or make them beside that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from deixis.registry import Lazy, LazyRegistry
from deixis.types import Document

DocumentReader = Callable[[Iterable[tuple[int, str]], str], Iterator[Document]]
DocumentWriter = Callable[[Iterable[Document], TextIO, str], int]

READERS = LazyRegistry(
    "document format",
    {
        "native": Lazy("deixis.documents.formats.native:read_native"),
        "text": Lazy("deixis.documents.formats.plain_text:read_text"),
        "lines": Lazy("deixis.documents.formats.plain_text:read_text_lines"),
        "html": Lazy("deixis.documents.formats.plain_text:read_html"),
        "elevant": Lazy("deixis.documents.formats.elevant:read_elevant"),
        "elevant-links": Lazy("deixis.documents.formats.elevant:read_elevant_links"),
        "aida": Lazy("deixis.documents.formats.aida:read_aida"),
        "kilt": Lazy("deixis.documents.formats.kilt:read_kilt"),
        "blink": Lazy("deixis.documents.formats.blink:read_blink"),
        "zeshel": Lazy("deixis.documents.formats.zeshel:read_zeshel"),
        "damuel": Lazy("deixis.documents.formats.damuel:read_damuel"),
        "damuel-all": Lazy("deixis.documents.formats.damuel:read_damuel_all"),
        "mewsli": Lazy("deixis.documents.formats.mewsli:read_mewsli"),
        "hipe": Lazy("deixis.documents.formats.hipe:read_hipe"),
        "pubtator": Lazy("deixis.documents.formats.pubtator:read_pubtator"),
        "bioc-json": Lazy("deixis.documents.formats.bioc.json:read_bioc_json"),
        "bioc-xml": Lazy("deixis.documents.formats.bioc.xml:read_bioc_xml"),
        "nif": Lazy("deixis.documents.formats.nif.read:read_nif", extra="rdf"),
        "hf": Lazy("deixis.documents.formats.hf:read_hf"),
    },
)

WRITERS = LazyRegistry(
    "document format to write",
    {
        "native": Lazy("deixis.documents.formats.native_out:write_native"),
        "html": Lazy("deixis.documents.formats.html_out:write_html"),
        "elevant": Lazy("deixis.documents.formats.elevant:write_elevant"),
        "elevant-links": Lazy("deixis.documents.formats.elevant:write_elevant_links"),
        "aida": Lazy("deixis.documents.formats.aida:write_aida"),
        "kilt": Lazy("deixis.documents.formats.kilt:write_kilt"),
        "blink": Lazy("deixis.documents.formats.blink:write_blink"),
        "zeshel": Lazy("deixis.documents.formats.zeshel:write_zeshel"),
        "damuel": Lazy("deixis.documents.formats.damuel:write_damuel"),
        "mewsli": Lazy("deixis.documents.formats.mewsli:write_mewsli"),
        "hipe": Lazy("deixis.documents.formats.hipe:write_hipe"),
        "pubtator": Lazy("deixis.documents.formats.pubtator:write_pubtator"),
        "bioc-json": Lazy("deixis.documents.formats.bioc.json:write_bioc_json"),
        "bioc-xml": Lazy("deixis.documents.formats.bioc.xml:write_bioc_xml"),
        "nif": Lazy("deixis.documents.formats.nif.write:write_nif"),
        "hf": Lazy("deixis.documents.formats.hf:write_hf"),
        "web-annotation": Lazy("deixis.documents.formats.web_annotation:write_web_annotation"),
        "csv": Lazy("deixis.documents.formats.table_out:write_csv"),
        "tsv": Lazy("deixis.documents.formats.table_out:write_tsv"),
        "parquet": Lazy("deixis.documents.formats.parquet_out:write_parquet", extra="arrow"),
    },
)
