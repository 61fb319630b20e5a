"""KILT's knowledge source (Petroni et al., 2021) to records: JSON lines, a page of English Wikipedia each.

The id is the title, the Wikidata item another one; the first paragraph is the description. The texts of links to a page
are its aliases with counts, and their number is its count, so the file is read to its end before the first entity.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

from deixis.kb.dumps.join import joined_records
from deixis.kb.dumps.page import DumpPage, DumpPages, Lines, apart
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.dumps.titles import Wiki, is_disambiguation, page_url
from deixis.kb.formats.dump_json import Records, checked, parsed, query_of, string, strings
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord
from deixis.types import Document, Mention

_WIKI = Wiki()
_LANGUAGE = "en"
_NO_PARAGRAPH = "::::"  # in headings and list items


def read_kilt_pages(lines: Lines, path: object, options: ReadOptions | None = None, n_bytes: int = 0) -> Records:
    r"""The record of each page.

    Examples
    --------
    >>> page = b'{"wikipedia_id": "7", "wikipedia_title": "Paris", "text": ["Paris\\n", "Paris is a city.\\n"], "anchors": []}'
    >>> [(record["id"], record["descriptions"]) for _, record in read_kilt_pages(iter([(1, page)]), "kilt.json")]
    [('Paris', {'en': 'Paris is a city.'})]
    """  # noqa: E501
    query = query_of("kilt-pages", options)
    return joined_records(kilt_pages(lines, path, query), query, n_bytes)


def kilt_pages(lines: Lines, path: object, query: DumpQuery, *, has_texts: bool = False, **_: object) -> DumpPages:
    """Each page with its links."""
    if not query.has_language(_LANGUAGE):
        return
    for number, raw in lines:
        if raw and not raw.isspace():
            yield number, checked(partial(_page, has_texts=has_texts), parsed(raw), query)


def _page(page: Any, query: DumpQuery, has_texts: bool) -> DumpPage | BadRecord:  # noqa: ANN401 - JSON as it comes
    if not isinstance(page, dict) or not isinstance(page.get("wikipedia_title"), str):
        return BadRecord("missing_field", "not a page of KILT: an object with a 'wikipedia_title' is expected")
    links = tuple((target, string(anchor, "text")) for anchor in _anchors(page) if (target := _target(anchor)))
    categories = string(page, "categories").split(",")
    if is_disambiguation([], categories):
        return DumpPage(links=links, language=_LANGUAGE)
    title, info = page["wikipedia_title"], page.get("wikidata_info") or {}
    paragraphs = (" ".join(each.split()) for each in strings(page, "text")[1:])
    text = next((each for each in paragraphs if each and _NO_PARAGRAPH not in each), string(info, "description"))
    label, item = string(info, "wikidata_label"), string(info, "wikidata_id")
    names = dict.fromkeys([title, *([label] if label else []), *strings(info, "aliases")])
    record: dict[str, Any] = {
        "id": title,
        "title": title,
        "aliases": [{"text": name, "lang": _LANGUAGE} for name in names],
        "descriptions": {_LANGUAGE: text} if text else {},
        "url": page_url(_LANGUAGE, title),
        "alt_ids": [item] if item else [],
    }
    return DumpPage(record, None, links, _LANGUAGE, _document(page) if has_texts else None)


def _anchors(page: Mapping[str, Any]) -> list[dict[str, Any]]:
    anchors = page.get("anchors") or []
    if not isinstance(anchors, list) or not all(isinstance(each, dict) for each in anchors):
        raise TypeError("'anchors' must be a list of objects")
    return anchors


def _target(anchor: Mapping[str, Any]) -> str | None:
    """The title of the page that an anchor links to."""
    return string(dict(anchor), "wikipedia_title") or _WIKI.target(string(dict(anchor), "href"))


def _document(page: dict[str, Any]) -> Document:
    """The paragraphs as one text with the anchors as mentions; those that the text does not have are left out."""
    paragraphs = strings(page, "text")
    starts = [0, *itertools.accumulate(map(len, paragraphs))]
    mentions: list[Mention] = []
    for anchor in _anchors(page):
        number, start, end = (anchor.get(key) for key in ("paragraph_id", "start", "end"))
        target = _target(anchor)
        if target is None or type(number) is not int or type(start) is not int or type(end) is not int:
            continue
        is_there = 0 <= number < len(paragraphs) and 0 <= start < end
        if is_there and paragraphs[number][start:end] == anchor.get("text"):
            mentions.append(Mention(starts[number] + start, starts[number] + end, anchor["text"], target))
    return Document(page["wikipedia_title"], "".join(paragraphs), lang=_LANGUAGE, mentions=apart(mentions))
