"""URIs of entities, for dialects that identify entities by URI."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from deixis.documents.formats.nif.iris import to_iri
from deixis.kb.knowledge_base import KnowledgeBase


def uri_of(kb: KnowledgeBase, identifier: str, prefix: str) -> str:
    """The entity's `url` if that is http or https; else its id if that is a URI; else prefix and id.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "http://x.org/1", "title": "Troy"},
    ...                                  {"id": "new york", "title": "New York", "url": "https://example.org/NY"}])
    >>> [uri_of(kb, each, "http://kb.example/") for each in ("Q90", "http://x.org/1", "new york")]
    ['http://kb.example/Q90', 'http://x.org/1', 'https://example.org/NY']
    """
    row = kb.row_of(identifier)
    url = kb.urls[row] if row is not None else ""
    if is_on_the_web(url) and _is_iri(url):
        return url
    return identifier if _is_iri(identifier) else prefix + quote(identifier, safe="", errors="replace")


def is_on_the_web(url: str) -> bool:
    """Whether the URL is http or https with a host, so that it may become a link (not `javascript:`, `data:` ...).

    Examples
    --------
    >>> [is_on_the_web(url) for url in ("https://example.org/a", "javascript:alert(1)", "urn:x:y", "https:///a")]
    [True, False, False, False]
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return url[:4].lower() == "http" and parts.scheme in ("http", "https") and bool(parts.netloc)


def _is_iri(name: str) -> bool:
    return to_iri(name, "entity") == name
