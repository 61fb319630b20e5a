"""Which format a file has: by its name, and where that leaves a choice by how it begins."""

from __future__ import annotations

import re
from collections.abc import Iterable

from deixis.documents.formats import READERS
from deixis.documents.json_lines import shown
from deixis.documents.places import Place
from deixis.errors import DataError
from deixis.store.files import content_suffix

MAX_LINES = 100
"""Lines read, at most, to see the keys of a JSON object that is spread over several."""

_MAX_CHARACTERS = 1 << 20
_SUFFIX_TO_FORMAT = {
    ".xml": "bioc-xml", ".ttl": "nif", ".nt": "nif", ".md": "text", ".pubtator": "pubtator", ".html": "html",
    ".htm": "html", ".xhtml": "html",
}  # fmt: skip
_TABLE_SUFFIXES = (".tsv", ".csv", ".conll", ".iob", ".bio")
_ARCHIVE_SUFFIXES = (".tar", ".tgz", ".tbz2", ".txz")
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_OPENINGS = (
    (re.compile(r"(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE), "html"),
    (re.compile(r"-DOCSTART-"), "aida"),
    (re.compile(r"TOKEN\tNE-COARSE-LIT\t|# *hipe2022:"), "hipe"),
    (re.compile(r"docid\tposition\tlength\t"), "mewsli"),
    (re.compile(r"[^|\t\n]{1,100}\|[ta]\|"), "pubtator"),
    (re.compile(r"(?:<\?xml\b.*|<!DOCTYPE collection\b.*|<collection[\s>].*)"), "bioc-xml"),
    (re.compile(r"@(?:prefix|base)\s+|PREFIX\s+[^:]*:\s*<|<[^<>\s]+>\s+<[^<>\s]+>\s"), "nif"),
)
# The first set of keys that an object has all of decides. `text` is in several formats, so it comes late.
_KEYS_TO_FORMAT = (
    ({"context_left"}, "blink"),
    ({"context_document_id"}, "zeshel"),
    ({"mentions"}, "native"),
    ({"documents"}, "bioc-json"),
    ({"PubTator3"}, "bioc-json"),
    ({"passages"}, "bioc-json"),
    ({"wiki"}, "damuel"),
    ({"tokens", "links"}, "damuel"),
    ({"text", "labels"}, "elevant"),
    ({"text", "entity_mentions"}, "elevant"),
    ({"text"}, "native"),
    ({"input"}, "kilt"),
)
_MARK = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"(\s*:)?|[{}\[\]]')
_OBJECT = re.compile(r'\s*(?:\[\s*)?\{\s*(?:["}]|$)|\s*\[\s*$')
_OTHER_LIST = re.compile(r"\s*\[\s*[^\s{\]]")
_ENOUGH = frozenset({"documents", "PubTator3", "passages", "context_left", "context_document_id", "mentions"})


def opening_of(lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """The first lines: up to one that is not blank, or as many as show the keys of the JSON object that they begin."""
    seen: list[tuple[int, str]] = []
    for number, line in lines:
        seen.append((number, line))
        text = "\n".join(line for _, line in seen)[:_MAX_CHARACTERS]
        if not text.strip():
            continue
        if len(seen) >= MAX_LINES or len(text) == _MAX_CHARACTERS or not _OBJECT.match(text) or _keys(text)[1]:
            break
    return seen


def format_of(name: str, opening: list[tuple[int, str]]) -> str:
    r"""The format of a file that has this name and begins with these lines; an error if it could be any.

    Examples
    --------
    >>> format_of("gold.ttl.gz", []), format_of("letter.txt", [(1, "Dear Paris")])
    ('nif', 'text')
    >>> format_of("testa.tsv", [(1, "-DOCSTART- (1 EU)")]), format_of("a.json", [(1, '{"input": "a [START_ENT]"}')])
    ('aida', 'kilt')
    """
    suffix = content_suffix(name)
    if suffix in _ARCHIVE_SUFFIXES:
        raise DataError("is an archive of files; unpack it and give the files", path=name)
    if suffix in _SUFFIX_TO_FORMAT:
        return _SUFFIX_TO_FORMAT[suffix]
    text = "\n".join(line for _, line in opening).lstrip()
    place = Place(name, opening[-1][0] if opening else 1)
    if suffix in _JSON_SUFFIXES or (suffix != ".txt" and _OBJECT.match(text)):
        return _format_of_json(text, place)
    format_name = next((format_ for pattern, format_ in _OPENINGS if pattern.match(text)), None)
    if format_name is None and text and suffix in _TABLE_SUFFIXES:
        raise place.error(f"no table that is known begins like this: {shown(text)}. {_way_out()}")
    return format_name or "text"


def _format_of_json(text: str, place: Place) -> str:
    keys, _ = _keys(text[:_MAX_CHARACTERS])
    if not keys:
        return "native"  # whose reader reports what is wrong with the line
    for needed, format_ in _KEYS_TO_FORMAT:
        if needed <= set(keys):
            return format_
    raise place.error(f"no format that is known has objects with the keys {', '.join(keys)}. {_way_out()}")


def _keys(text: str) -> tuple[list[str], bool]:
    """The keys of the first object, and whether they are enough to go by: all of them, or one that decides.

    `labels` that list other things than objects are somebody's own, and passed over.
    """
    keys: list[str] = []
    depth = outer = 0
    for match in _MARK.finditer(text):
        mark = match.group()[0]
        if mark in "{[":
            depth += 1
            outer = outer or depth * (mark == "{")
        elif mark in "}]":
            depth -= 1
            if outer and depth < outer:
                return keys, True
        elif outer and depth == outer and match.group(2) is not None:
            key = match.group(1)
            if key != "labels" or not _OTHER_LIST.match(text, match.end()):
                keys.append(key)
            if key in _ENOUGH:
                return keys, True
    return keys, False


def _way_out() -> str:
    return f"Name the format (on the command line with --format), one of: {', '.join(READERS)}"
