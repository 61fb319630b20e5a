"""The document formats by name. A reader is a function: numbered lines and the file's name in, documents out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from deixis.registry import Lazy, LazyRegistry
from deixis.store.files import content_suffix
from deixis.types import Document

DocumentReader = Callable[[Iterable[tuple[int, str]], str], Iterator[Document]]

READERS = LazyRegistry(
    "document format",
    {
        "native": Lazy("deixis.documents.native:read_native"),
        "text": Lazy("deixis.documents.plain_text:read_text"),
        "lines": Lazy("deixis.documents.plain_text:read_text_lines"),
    },
)

FORMAT_BY_SUFFIX = {".jsonl": "native", ".ndjson": "native", ".json": "native", ".txt": "text", ".md": "text"}


def format_of_name(name: str) -> str | None:
    """The format that a file's name promises, a suffix of compression set aside; None when it promises nothing.

    Examples
    --------
    >>> format_of_name("news/testa.jsonl.gz"), format_of_name("letter.txt"), format_of_name("-")
    ('native', 'text', None)
    """
    return FORMAT_BY_SUFFIX.get(content_suffix(name))


def format_of_content(first_line: str) -> str:
    """The format that a text's first line that is not blank looks like: a JSON object, or words."""
    return "native" if first_line.lstrip().startswith("{") else "text"
