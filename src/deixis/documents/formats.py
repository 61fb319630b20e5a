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
        "native": Lazy("deixis.documents.native:read_native"),
        "text": Lazy("deixis.documents.plain_text:read_text"),
        "lines": Lazy("deixis.documents.plain_text:read_text_lines"),
        "elevant": Lazy("deixis.documents.elevant:read_elevant"),
        "elevant-links": Lazy("deixis.documents.elevant:read_elevant_links"),
        "aida": Lazy("deixis.documents.aida:read_aida"),
        "kilt": Lazy("deixis.documents.kilt:read_kilt"),
        "blink": Lazy("deixis.documents.blink:read_blink"),
        "zeshel": Lazy("deixis.documents.zeshel:read_zeshel"),
        "damuel": Lazy("deixis.documents.damuel:read_damuel"),
        "damuel-all": Lazy("deixis.documents.damuel:read_damuel_all"),
        "mewsli": Lazy("deixis.documents.mewsli:read_mewsli"),
        "hipe": Lazy("deixis.documents.hipe:read_hipe"),
        "pubtator": Lazy("deixis.documents.pubtator:read_pubtator"),
        "bioc-json": Lazy("deixis.documents.bioc_json:read_bioc_json"),
        "bioc-xml": Lazy("deixis.documents.bioc_xml:read_bioc_xml"),
        "nif": Lazy("deixis.documents.nif:read_nif"),
        "hf": Lazy("deixis.documents.hf:read_hf"),
    },
)

WRITERS = LazyRegistry(
    "document format to write",
    {
        "native": Lazy("deixis.documents.native_out:write_native"),
        "elevant": Lazy("deixis.documents.elevant:write_elevant"),
        "elevant-links": Lazy("deixis.documents.elevant:write_elevant_links"),
        "aida": Lazy("deixis.documents.aida:write_aida"),
        "kilt": Lazy("deixis.documents.kilt:write_kilt"),
        "blink": Lazy("deixis.documents.blink:write_blink"),
        "zeshel": Lazy("deixis.documents.zeshel:write_zeshel"),
        "damuel": Lazy("deixis.documents.damuel:write_damuel"),
        "mewsli": Lazy("deixis.documents.mewsli:write_mewsli"),
        "hipe": Lazy("deixis.documents.hipe:write_hipe"),
        "pubtator": Lazy("deixis.documents.pubtator:write_pubtator"),
        "bioc-json": Lazy("deixis.documents.bioc_json:write_bioc_json"),
        "bioc-xml": Lazy("deixis.documents.bioc_xml:write_bioc_xml"),
        "nif": Lazy("deixis.documents.nif_out:write_nif"),
        "hf": Lazy("deixis.documents.hf:write_hf"),
        "web-annotation": Lazy("deixis.documents.web_annotation:write_web_annotation"),
    },
)
