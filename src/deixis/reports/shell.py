"""The frame of a page: one file, nothing fetched, and a policy that forbids the browser to try."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from deixis.reports.markup import Content, Html, element, joined

_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style>", re.DOTALL)


def html_page(title: str, body: Content, lang: str = "en") -> Html:
    """A whole page around `body`, with the style and the script of reports inside it.

    Examples
    --------
    >>> page = html_page("Numbers", "1 < 2")
    >>> page.startswith("<!doctype html>"), "1 &lt; 2" in page, "default-src" in page
    (True, True, True)
    """
    style, script = asset("page.css"), asset("page.js")
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script, [style, *_STYLE.findall(body)])),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content="Deixis"),
        element("title", title),
        element("style", Html(style)),
    ]
    page = [element("head", joined(head, "\n")), element("body", body, element("script", Html(script)))]
    return Html(f"<!doctype html>\n{element('html', joined(page, Html(chr(10))), lang=lang)}\n")


@cache
def asset(name: str) -> str:
    """The text of a file that lies beside this module."""
    return files("deixis.reports").joinpath(name).read_text(encoding="utf-8")


def _policy(script: str, styles: list[str]) -> str:
    """Nothing may be loaded or sent; only these styles and this script, known by their hashes, may run."""
    hashes = " ".join(dict.fromkeys(_hash(style) for style in styles))
    return f"default-src 'none'; style-src {hashes}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
