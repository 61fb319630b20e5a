"""Files recognised by what they hold: by the bytes they begin with, and of texts by their first lines."""

from __future__ import annotations

import csv
import lzma
import os
import re
import zipfile
import zlib
from pathlib import Path

from deixis.errors import DataError
from deixis.kb.formats.geonames import is_geonames
from deixis.kb.formats.mesh import ROOTS
from deixis.kb.formats.umls import is_umls
from deixis.kb.formats.wikidata_query import entity_variable
from deixis.kb.formats.wordnet import is_wordnet
from deixis.kb.read_options import ReadOptions
from deixis.store.files import open_bytes, unpacked

ZIP_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, NotImplementedError, RuntimeError,
)  # fmt: skip
"""What the standard library raises about an archive that is damaged or of a kind it does not know."""
_START_TO_FORMAT = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # an IPC stream
    b"SQLite format 3\0": "sqlite",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "excel",  # .xls
}
_SAVE = "save or export the list as CSV, .xlsx or JSON lines"
_START_TO_FOREIGN = {
    b"%PDF": f"is a PDF; {_SAVE}",
    b"\x89PNG": f"is an image (PNG); {_SAVE}",
    b"\xff\xd8\xff": f"is an image (JPEG); {_SAVE}",
    b"GIF8": f"is an image (GIF); {_SAVE}",
    b"FEA1": "is Feather version 1; write it again with a newer version of its library",
    b"7z\xbc\xaf\x27\x1c": "is a 7z archive; unpack it first",
    b"Rar!": "is a RAR archive; unpack it first",
    b"\x7fELF": f"is a program; {_SAVE}",
    b"\x80\x04\x95": f"is a Python pickle, which is not read for safety; {_SAVE}",
    b"{\\rtf": f"is rich text (RTF); {_SAVE}",
}
_OFFICE = {"word/": "a Word document", "ppt/": "a PowerPoint document", "META-INF/": "a program or a book"}
_TEXT_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_WEB_PAGE = re.compile(rb"<!doctype html|<html", re.IGNORECASE)
_XML = re.compile(rb"<\?xml|<!--|<!DOCTYPE|<rdf:RDF")
_MESH = re.compile(rb"<(?:%s)[\s>]" % "|".join(ROOTS).encode())
_RDF_START = re.compile(rb"@prefix|@base|prefix |base |<[^<>\s]+>\s+<[^<>\s]+>\s|[\[{]", re.IGNORECASE)
_CONCEPT = re.compile(rb"skos:Concept\b|skos/core#Concept\b")
_CLASS = re.compile(rb"owl:(?:Class|Ontology)\b|owl#(?:Class|Ontology)\b")
_OBO = re.compile(rb"^(?:format-version:|\[Term\][ \t\r]*$)", re.MULTILINE)
_WIKIDATA_ITEM = re.compile(rb'"(?:labels|descriptions|claims|sitelinks)"\s*:\s*[\[{]')
_WIKIDATA_ID = re.compile(rb'"id"\s*:\s*"[QPL]\d+"')
_MEDIAWIKI = re.compile(rb"<mediawiki[\s>]")
_CIRRUS_ACTION = re.compile(rb'\{\s*"(?:index|create)"\s*:\s*\{\s*("_\w+"\s*:|\})')
_KILT_PAGE = re.compile(rb'"wikipedia_title"\s*:')
_DAMUEL_ITEM = re.compile(rb'"qid"\s*:\s*"Q\d+"')
_SPARQL_RESULTS = re.compile(rb'"head"\s*:\s*\{\s*"(?:vars|link)"')
_QUERY_PAGE = re.compile(rb'"(\w+)Label"\s*:')


def format_of_file(path: Path, options: ReadOptions | None = None) -> str | None:
    """The format of a folder, or of a file that is no text; None for a text, a `DataError` for what is no list."""
    if path.is_dir():
        if is_wordnet(path):
            return "wordnet"
        if is_umls(path):
            return "umls"
        raise DataError("is a folder; give a file, or a folder of WordNet or of UMLS (MRCONSO.RRF)", path=path)
    if is_umls(path):
        return "umls"
    if not path.is_file():
        return None  # a pipe, which can be read only once, or nothing at all
    with open_bytes(path, is_text=False) as stream:
        start = stream.read(4096)
    for opening, name in _START_TO_FORMAT.items():
        if start.startswith(opening):
            return name
    if start.startswith(b"PK\x03\x04"):
        return _format_of_zip(path, (options or ReadOptions()).max_whole)
    _refuse_binary(start, path)
    return None


def format_of_text(head: bytes, path: str | os.PathLike[str]) -> str | None:
    r"""The format that the first lines of a text show beyond doubt; None if the file's name must tell.

    Examples
    --------
    >>> format_of_text(b"format-version: 1.2\n", "go.txt"), format_of_text(b"id,title\n", "list.csv")
    ('obo', None)
    """
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    first = text.partition(b"\n")[0]
    _refuse_binary(text[:4096], path)
    if _WEB_PAGE.match(text):
        raise DataError(f"is a web page; {_SAVE}", path=path)
    if _is_obo(text):
        return "obo"
    if _MEDIAWIKI.match(text) or (_XML.match(text) and _MEDIAWIKI.search(text)):
        return "wikipedia"
    if _XML.match(text):
        return "mesh" if _MESH.search(text) else _format_of_rdf(text)
    if first.startswith((b"{", b"[")):
        return _format_of_json(text)
    if _RDF_START.match(text) and _format_of_rdf(text):
        return _format_of_rdf(text)
    if is_geonames(first):
        return "geonames"
    return "wikidata-query" if _is_query_table(first) else None


def _format_of_zip(path: Path, max_unpacked: int) -> str:
    with unpacked(path, max_unpacked) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                names = archive.namelist()
                mimetype = b""
                if "mimetype" in names:
                    with archive.open("mimetype") as stream:
                        mimetype = stream.read(80)
        except ZIP_DAMAGE as error:
            raise DataError(f"is a damaged zip archive or workbook: {error}; fetch it again", path=path) from error
    if any(name.startswith("xl/") for name in names) or mimetype.endswith(b"opendocument.spreadsheet"):
        return "excel"
    what = next((kind for folder, kind in _OFFICE.items() if any(name.startswith(folder) for name in names)), None)
    if what is not None:
        raise DataError(f"is {what}; {_SAVE}", path=path)
    shown = ", ".join(ascii(name)[1:-1] for name in names[:5]) + (", ..." if len(names) > 5 else "")
    raise DataError(f"is a zip archive ({shown or 'empty'}); unpack it and give the list in it", path=path)


def _refuse_binary(start: bytes, path: str | os.PathLike[str]) -> None:
    for opening, problem in _START_TO_FOREIGN.items():
        if start.startswith(opening):
            raise DataError(problem, path=path)
    for opening, name in _START_TO_FORMAT.items():
        if start.startswith(opening):
            raise DataError(f"{name} is not read from standard input; give the name of the file", path=path)
    if start[257:262] == b"ustar":
        raise DataError("is a tar archive; unpack it and give the list in it", path=path)
    if b"\0" in start and not start.startswith(_TEXT_MARKS) and _is_no_text(start):
        raise DataError(f"is a binary file, not a list; {_SAVE}", path=path)


def _is_no_text(start: bytes) -> bool:
    """Whether bytes with zeros among them are no UTF-8 with a slip in it, and no UTF-16, which has many zeros."""
    if max(start[0::2].count(0), start[1::2].count(0)) * 4 > len(start):
        return False
    try:
        start[:-4].decode("utf-8")  # the last character may be cut
    except UnicodeDecodeError as error:
        return error.start < len(start) - 8
    return start.count(0) * 10 > len(start)


def _is_obo(text: bytes) -> bool:
    """Whether the header has OBO's version, or the first stanza is a term with an id."""
    opening = _OBO.search(text)
    return opening is not None and (opening[0].startswith(b"format") or b"\nid:" in text[opening.end() :])


def _format_of_rdf(text: bytes) -> str | None:
    if _CONCEPT.search(text):
        return "skos"
    return "owl" if _CLASS.search(text) else None


def _format_of_json(text: bytes) -> str | None:
    if _CIRRUS_ACTION.match(text):
        return "cirrussearch"
    if _KILT_PAGE.search(text) and b'"wikipedia_id"' in text:
        return "kilt-pages"
    if _DAMUEL_ITEM.search(text) and (b'"lang"' in text or b'"claims"' in text or b'"named_entities"' in text):
        return "damuel"
    if _SPARQL_RESULTS.search(text):
        return "wikidata-query"
    if _WIKIDATA_ID.search(text) and _WIKIDATA_ITEM.search(text) and b'"language"' in text:
        return "wikidata"
    label = _QUERY_PAGE.search(text)
    if label is not None and re.search(rb'"%s"\s*:\s*(?:\{[^{}]*)?"?https?://' % label[1], text):
        return "wikidata-query"
    if b'"@context"' in text or b'"@id"' in text:
        return _format_of_rdf(text)
    return None


def _is_query_table(first: bytes) -> bool:
    header = first.decode("utf-8", "replace").strip()
    delimiter = "\t" if "\t" in header else ","
    try:
        names = next(csv.reader([header], delimiter=delimiter), [])
    except csv.Error:
        return False
    return len(names) < 100 and entity_variable(names) is not None
