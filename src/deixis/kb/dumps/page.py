"""What one record of a dump gives: an entity or a part of one, a redirect, links, an annotated text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from deixis.kb.records import BadRecord
from deixis.types import Document, Mention

Lines = Iterator[tuple[int, bytes]]


@dataclass(frozen=True, slots=True)
class DumpPage:
    """What a record gives; of an entity whose parts are apart, records with one id are joined."""

    record: dict[str, Any] | None = None
    """The entity; without a `title` only more about one."""
    redirect: tuple[str, str] | None = None
    """The title of a redirect and of the page that it leads to."""
    links: tuple[tuple[str, str], ...] = ()
    """Of each link the id of its target and its text."""
    language: str = ""
    """The language of the links."""
    document: Document | None = None
    """The text with its links as mentions, if it was wished."""


DumpPages = Iterator[tuple[int, DumpPage | BadRecord]]


def records_of(pages: DumpPages) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """The entities alone, for dumps whose every record is a whole one."""
    for number, page in pages:
        if isinstance(page, BadRecord):
            yield number, page
        elif page.record is not None:
            yield number, page.record


def apart(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions in the order of the text; of two that overlap, the first."""
    ordered: list[Mention] = []
    for mention in sorted(mentions, key=lambda each: (each.start, -each.end)):
        if not ordered or mention.start >= ordered[-1].end:
            ordered.append(mention)
    return tuple(ordered)
