"""Dumps of Wikipedia's search index (CirrusSearch) to records: a line with an action, then one with the page.

The id is the title, redirects are aliases and other ids, and so is the Wikidata item; the text before the first heading
is the description, and the number of pages that link to the page is the count. Disambiguation pages, and pages that are
no articles, are left out.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from deixis.kb.dumps.page import DumpPage, DumpPages, Lines, records_of
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.dumps.titles import is_disambiguation, page_url
from deixis.kb.formats.dump_json import Records, checked, parsed, query_of, strings
from deixis.kb.read_options import ReadOptions
from deixis.kb.records import BadRecord

logger = logging.getLogger(__name__)
_ACTIONS = ("index", "create", "update", "delete")


def read_cirrussearch(lines: Lines, path: object, options: ReadOptions | None = None) -> Records:
    r"""The record of each article.

    Examples
    --------
    >>> page = b'{"title": "Paris", "namespace": 0, "language": "en", "wikibase_item": "Q90", "incoming_links": 9}'
    >>> dump = [b'{"index": {"_type": "_doc", "_id": "22989"}}', page]
    >>> for number, record in read_cirrussearch(enumerate(dump, start=1), "simplewiki-cirrussearch-content.json"):
    ...     print(number, record["id"], record["alt_ids"], record["count"], record["url"])
    2 Paris ['Q90'] 9 https://en.wikipedia.org/wiki/Paris
    """
    return records_of(cirrussearch_pages(lines, path, query_of("cirrussearch", options)))


def cirrussearch_pages(lines: Lines, path: object, query: DumpQuery, **_: object) -> DumpPages:
    """Each article of the dump."""
    n_left_out = 0
    is_page = True
    for number, raw in lines:
        page = None if not raw or raw.isspace() else parsed(raw)
        if page is None:
            continue
        if _is_action(page):
            is_page = not _is_of_namespace(page)
            continue
        record = checked(_record, page, query) if is_page else None
        if record is None:
            n_left_out += 1
        else:
            yield number, record if isinstance(record, BadRecord) else DumpPage(record)
    if n_left_out:
        logger.warning("%s: disambiguation pages and pages that are no articles left out: %d", path, n_left_out)


def _is_action(page: object) -> bool:
    return isinstance(page, dict) and len(page) == 1 and next(iter(page)) in _ACTIONS


def _is_of_namespace(action: Any) -> bool:  # noqa: ANN401 - JSON as it comes
    """Whether an action adds the names of a namespace, as dumps before 2019 have them."""
    about = next(iter(action.values()))
    return isinstance(about, dict) and about.get("_type") == "namespace"


def _record(page: Any, query: DumpQuery) -> dict[str, Any] | BadRecord | None:  # noqa: ANN401 - JSON as it comes
    if not isinstance(page, dict) or "title" not in page:
        return BadRecord("missing_field", "not a page of CirrusSearch: an object with a 'title' is expected")
    language, title, count = page.get("language") or "", page["title"], page.get("incoming_links") or 0
    if page.get("namespace") or not query.has_language(language) or count < query.min_count:
        return None
    if is_disambiguation(strings(page, "template"), strings(page, "category")):
        return None
    redirects = [each["title"] for each in page.get("redirect") or [] if not each.get("namespace")]
    text = " ".join((page.get("opening_text") or "").split())
    item = page.get("wikibase_item")
    record = {"id": title, "title": title, "count": count, "alt_ids": [*([item] if item else []), *redirects]}
    record["aliases"] = [{"text": each, "lang": language} for each in (title, *redirects)] if language else redirects
    if text:
        record |= {"descriptions": {language: text}} if language else {"description": text}
    if language:
        record["url"] = page_url(language, title)
    json.dumps(record)
    return record
