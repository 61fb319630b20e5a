"""HTML pages made of users' texts and entities: everything is escaped, and no script runs."""

from __future__ import annotations

from html import escape

from starlette.responses import Response

from deixis.service.dialects.uris import is_on_the_web

POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'"


class Page(Response):
    """An HTML page that loads nothing and runs no script."""

    media_type = "text/html"
    charset = "utf-8"

    def __init__(self, title: str, body: str, status: int = 200) -> None:
        headers = {"content-security-policy": POLICY, "x-content-type-options": "nosniff"}
        super().__init__(_page(title, body), status, headers)

    def render(self, content: str) -> bytes:
        """The bytes; lone surrogates become question marks."""
        return content.encode("utf-8", "replace")


def _page(title: str, body: str) -> str:
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
    return f"<!DOCTYPE html>\n<html><head>{head}</head>\n<body>{body}</body></html>\n"


def link(uri: str, text: str) -> str:
    """The text as a link to the URI; a URI that is not http or https becomes a title instead.

    Examples
    --------
    >>> link("javascript:alert(1)", "<b>")
    '<span title="javascript:alert(1)">&lt;b&gt;</span>'
    """
    if not is_on_the_web(uri):
        return f'<span title="{escape(uri)}">{escape(text)}</span>'
    return f'<a href="{escape(uri)}" title="{escape(uri)}" target="_blank" rel="noopener noreferrer">{escape(text)}</a>'
