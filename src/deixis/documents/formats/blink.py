"""BLINK's JSON lines (Wu et al., 2020): one mention a line, with the text before and after it.

The source counts nothing. Contexts that were cut out as they stand say so (`start_pos` is the length of
`context_left`) and are joined as they are; others had their spaces stripped, and get one back. A line carries no
language, scores or candidates; several mentions of a document become several lines, which are read as documents of
their own, and a document without mentions becomes none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from deixis.documents.formats.mention_lines import named_mentions
from deixis.documents.json_lines import entity_in, name_in, read_records, text_in, write_record
from deixis.documents.places import Place
from deixis.types import Document, Mention

# What BLINK writes where it does not know what a mention means.
_UNDECIDED_ID, _UNDECIDED = -1, "unknown"
_ID_KEYS = ("id", "query_id", "mention_id")
_TITLE_KEYS = ("label_title", "Wikipedia_title")
_EXAMPLE = '{"context_left": "So", "mention": "Paris", "context_right": "fled.", "label_title": "Paris (mythology)"}'


def read_blink(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document with one mention per line. Its entity is the `label_title`, or where there is none the `label_id`.

    The `label_id` -1 is undecided, as is a line without label; a `label_id` that is null is NIL.

    Examples
    --------
    >>> line = '{"context_left": "So", "mention": "Paris", "context_right": "fled.", "label_title": "Paris (myth)"}'
    >>> document = next(read_blink([(1, line)], "test.jsonl"))
    >>> document.text, document.mentions[0].start, document.mentions[0].entity
    ('So Paris fled.', 3, 'Paris (myth)')
    """
    for record, place in read_records(lines, path):
        left, surface, right = (
            text_in(record, key, place, _EXAMPLE) for key in ("context_left", "mention", "context_right")
        )
        if not surface:
            raise place.error("'mention' must hold at least one character, got ''")
        if record.get("start_pos") != len(left):
            left, right = _spaced(left, surface, right)
        start, end = len(left), len(left) + len(surface)
        entity = _entity(record, place)
        is_nil = entity is None and "label_id" in record and record["label_id"] is None
        name = next(filter(None, (name_in(record, key, place) for key in _ID_KEYS)), str(place.line))
        yield Document(name, left + surface + right, mentions=(Mention(start, end, surface, entity, is_nil=is_nil),))


def write_blink(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one line per mention, the whole text around it as contexts; returns how many documents came.

    The entity's id stands in both `label_title` and `label_id`: BLINK's own row numbers are not known here.
    """
    n_documents = 0
    for document in documents:
        for name, mention in named_mentions(document):
            write_record({"id": name, **_contexts(document.text, mention), **_label(mention)}, stream)
        n_documents += 1
    return n_documents


def _spaced(left: str, surface: str, right: str) -> tuple[str, str]:
    """The contexts with a space towards the mention, where nothing divides them from it."""
    has_left_gap = not left or left[-1].isspace() or surface[0].isspace()
    has_right_gap = not right or right[0].isspace() or surface[-1].isspace()
    return left if has_left_gap else f"{left} ", right if has_right_gap else f" {right}"


def _entity(record: Mapping[str, Any], place: Place) -> str | None:
    for key in _TITLE_KEYS:
        title = name_in(record, key, place)
        if title:
            return title
    name = entity_in(record, "label_id", place)
    return None if name == str(_UNDECIDED_ID) else name


def _contexts(text: str, mention: Mention) -> dict[str, Any]:
    left, right = text[: mention.start], text[mention.end :]
    pieces = {"context_left": left, "mention": mention.text, "context_right": right}
    return {**pieces, "start_pos": mention.start, "end_pos": mention.end}


def _label(mention: Mention) -> dict[str, Any]:
    if not mention.is_decided:
        return {"label": _UNDECIDED, "label_id": _UNDECIDED_ID}
    return {"label": "", "label_id": mention.entity, "label_title": mention.entity}
