"""DaMuEL's texts (Kubeša and Straka, 2023): JSON lines, one Wikidata item a line, its Wikipedia article in `wiki`.

Tokens count code points of the text; links count tokens; both are half-open. A line carries no scores or candidates,
and no undecided mentions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from deixis.documents.json_lines import (
    entity_in,
    name_in,
    read_records,
    records_in,
    shown,
    text_in,
    unwritable,
    write_record,
)
from deixis.documents.places import Place
from deixis.documents.spans import checked_span, in_text_order
from deixis.types import Document, Mention

# Links that an article's authors made; all others were found by DaMuEL's makers, from names and redirects.
_BY_AUTHORS = "wiki"
_WORD = re.compile(r"\S+")
_EXAMPLE = '{"qid": "Q1", "wiki": {"text": "Paris fled.", "tokens": [{"start": 0, "end": 5}], "links": []}}'


def read_damuel(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document per line that has an article, with the links that the article's authors made.

    A link to a page without a Wikidata item (no `qid`) is NIL. Items without an article are passed over.

    Examples
    --------
    >>> marks = '"tokens": [{"start": 0, "end": 5}], "links": [{"start": 0, "end": 1, "qid": "Q7"}]'
    >>> line = '{"qid": "Q1", "lang": "en", "wiki": {"text": "Paris fled.", ' + marks + "}}"
    >>> document = next(read_damuel([(1, line)], "part-00000.xz"))
    >>> document.id, document.lang, document.mentions[0].text, document.mentions[0].entity
    ('Q1', 'en', 'Paris', 'Q7')
    """
    return _articles(lines, path, has_all_links=False)


def read_damuel_all(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """The same documents, with the links that were found automatically as well."""
    return _articles(lines, path, has_all_links=True)


def write_damuel(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one line per document, its mentions as links between tokens; returns how many there were.

    Tokens are words between spaces, cut where mentions begin and end.
    """
    n_documents = 0
    for document in documents:
        tokens = _tokens(document)
        links = _links(document, tokens, path)
        lang = {} if document.lang is None else {"lang": document.lang}
        spans = [{"start": start, "end": end} for start, end in tokens]
        wiki = {"title": document.id, "text": document.text, "tokens": spans, "links": links}
        write_record({"qid": document.id, **lang, "wiki": wiki}, stream)
        n_documents += 1
    return n_documents


def _articles(lines: Iterable[tuple[int, str]], path: str, has_all_links: bool) -> Iterator[Document]:
    for record, place in read_records(lines, path):
        article = record.get("wiki")
        if article is None and "text" in record:
            article = record
        if article is not None:
            yield _document(record, article, place, has_all_links)


def _document(record: Mapping[str, Any], article: object, place: Place, has_all_links: bool) -> Document:
    if not isinstance(article, dict):
        raise place.error(f"'wiki' must be an object with 'text', 'tokens' and 'links', got {shown(article)}")
    text = text_in(article, "text", place, _EXAMPLE)
    tokens = records_in(article, "tokens", place, "'start' and 'end'")
    links = records_in(article, "links", place, "'start', 'end' and 'qid'")
    mentions = [
        _mention(link, tokens, text, place)
        for link in links
        if has_all_links or link.get("origin") in (None, _BY_AUTHORS)
    ]
    return Document(
        id=name_in(record, "qid", place) or str(place.line),
        text=text,
        lang=name_in(record, "lang", place),
        mentions=in_text_order(mentions),
    )


def _mention(link: Mapping[str, Any], tokens: list[dict[str, Any]], text: str, place: Place) -> Mention:
    first, end = link.get("start"), link.get("end")
    if type(first) is not int or type(end) is not int or not 0 <= first < end <= len(tokens):
        raise place.error(f"a link needs 'start' < 'end' among the article's {len(tokens)} tokens, got {shown(link)}")
    start, stop = checked_span(tokens[first].get("start"), tokens[end - 1].get("end"), text, place.error)
    entity = entity_in(link, "qid", place)
    return Mention(start, stop, text[start:stop], entity, is_nil=entity is None)


def _tokens(document: Document) -> list[tuple[int, int]]:
    """Spans of tokens such that each mention begins with one and ends with one."""
    text = document.text
    cuts = sorted({place for mention in document.mentions for place in (mention.start, mention.end)})
    edges = {place for mention in document.mentions for place in (mention.start, mention.end - 1)}
    # A mention may begin or end with a space, which no word holds: it becomes a token by itself.
    spans = {(place, place + 1) for place in edges if text[place].isspace()}
    for start, end in itertools.pairwise([0, *cuts, len(text)]):
        spans.update(word.span() for word in _WORD.finditer(text, start, end))
    return sorted(spans)


def _links(document: Document, tokens: list[tuple[int, int]], path: str) -> list[dict[str, Any]]:
    start_to_token = {start: number for number, (start, _) in enumerate(tokens)}
    end_to_token = {end: number for number, (_, end) in enumerate(tokens)}
    links = []
    for mention in document.mentions:
        if not mention.is_decided:
            raise unwritable(document, mention, "has no entity and is not NIL: DaMuEL has no such link", path)
        place = {"start": start_to_token[mention.start], "end": end_to_token[mention.end] + 1, "origin": _BY_AUTHORS}
        links.append(place if mention.entity is None else {**place, "qid": mention.entity})
    return links
