"""DaMuEL (Kubeša and Straka, 2023) to records: JSON lines, a Wikidata item each, of a language or of Wikidata.

A file of a language has the label, aliases, description and article of each item. Those of Wikidata have the classes
that become types, and no names: they are joined with the first by the item. The texts of links to an item are its
aliases with counts, and their number is its count.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from deixis.kb.dumps.join import joined_records
from deixis.kb.dumps.page import DumpPage, DumpPages, Lines, apart
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.formats.dump_json import Records, checked, parsed, query_of, string, strings
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord
from deixis.types import Document, Mention

_BY_AUTHORS = "wiki"
_ITEM_PAGE = "https://www.wikidata.org/wiki/"


def read_damuel_items(lines: Lines, path: object, options: ReadOptions | None = None, n_bytes: int = 0) -> Records:
    """The record of each item that has a name.

    Examples
    --------
    >>> item = b'{"qid": "Q90", "lang": "it", "label": "Parigi", "aliases": ["Lutezia"], "description": "capitale"}'
    >>> [(record["id"], record["title"]) for _, record in read_damuel_items(iter([(1, item)]), "part-00000.xz")]
    [('Q90', 'Parigi')]
    """
    query = query_of("damuel", options)
    return joined_records(damuel_pages(lines, path, query), query, n_bytes)


def damuel_pages(lines: Lines, path: object, query: DumpQuery, *, has_texts: bool = False, **_: object) -> DumpPages:
    """Each item with the links of its article."""
    for number, raw in lines:
        if raw and not raw.isspace():
            page = checked(partial(_item, has_texts=has_texts), parsed(raw), query)
            if page is not None:
                yield number, page


def _item(item: Any, query: DumpQuery, has_texts: bool) -> DumpPage | BadRecord | None:  # noqa: ANN401 - JSON as it comes
    if not isinstance(item, dict) or not isinstance(item.get("qid"), str) or not item["qid"]:
        return BadRecord("missing_field", "not an item of DaMuEL: an object with a 'qid' is expected")
    identifier, language = item["qid"], string(item, "lang")
    if "claims" in item or "named_entities" in item:
        return DumpPage({"id": identifier, "types": _types(item)})
    if not query.has_language(language):
        return None
    article = item.get("wiki") or {}
    title = string(article, "title")
    names = [name for name in (string(item, "label"), title, *strings(item, "aliases"), *_redirects(article)) if name]
    described = string(item, "description")
    record: dict[str, Any] = {"id": identifier, "url": _ITEM_PAGE + identifier}
    record |= {"title": names[0]} if names else {}
    record["aliases"] = [{"text": name, "lang": language} for name in dict.fromkeys(names)]
    record["descriptions"] = {language: described} if described else {}
    mentions = _mentions(article)
    links = tuple((mention.entity, mention.text) for mention in mentions if mention.entity)
    document = None
    if has_texts and article:
        document = Document(identifier, string(article, "text"), lang=language or None, mentions=apart(mentions))
    return DumpPage(record, None, links, language, document)


def _types(item: dict[str, Any]) -> list[str]:
    """The classes: the ids of what the item is an instance of, and kinds of names such as `PER`."""
    claims, named = item.get("claims") or {}, item.get("named_entities") or {}
    classes = [value for kind, value, *_ in claims.get("instance of", []) if kind in ("qid", "wikibase-item")]
    return list(dict.fromkeys([*strings(named, "type"), *(value.partition(":")[0] for value in classes)]))


def _redirects(article: dict[str, Any]) -> list[str]:
    values = article.get("redirects") or []
    return [each for each in values if isinstance(each, str)]


def _mentions(article: dict[str, Any]) -> list[Mention]:
    """The links that the article's authors made; their places are tokens, whose places are code points."""
    text, tokens = string(article, "text"), article.get("tokens") or []
    mentions = []
    for link in article.get("links") or []:
        if link.get("origin", _BY_AUTHORS) != _BY_AUTHORS:
            continue
        first, last = link["start"], link["end"] - 1
        if not 0 <= first <= last < len(tokens):
            raise ValueError(f"a link to tokens {first} to {last + 1} of {len(tokens)}")
        start, end = tokens[first]["start"], tokens[last]["end"]
        if not 0 <= start < end <= len(text):
            raise ValueError(f"a link to characters {start} to {end} of {len(text)}")
        entity = string(link, "qid") or None
        mentions.append(Mention(start, end, text[start:end], entity, is_nil=entity is None))
    return mentions
