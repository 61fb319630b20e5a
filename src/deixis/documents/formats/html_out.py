"""Linked documents as one page for people to read, out: it needs no other file, and nothing reads it back."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TextIO

from deixis.marked_html import STYLE
from deixis.types import Document

_HEAD = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Links</title>
<style>
body {{ margin: 2em auto; padding: 0 1em; max-width: 60em; }}
{STYLE}</style>
</head>
<body class="deixis">
"""


def write_html(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes a section for each document, as they come, and returns how many there were."""
    stream.write(_HEAD)
    n_documents = 0
    for document in documents:
        language = f' lang="{escape(document.lang)}"' if document.lang else ""
        stream.write(f"<section{language}>\n<h2>{escape(document.id)}</h2>\n{document.to_html()}</section>\n")
        n_documents += 1
    stream.write("</body>\n</html>\n")
    return n_documents
