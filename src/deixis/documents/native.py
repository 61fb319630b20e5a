"""The native format: one JSON object a line with `text`, and `id`, `lang`, `mentions` if it likes; other keys pass."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from deixis.documents.cleaning import without_surrogates
from deixis.documents.places import Place
from deixis.documents.spans import checked_span, checked_surface
from deixis.types import Candidate, Document, Mention


def read_native(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document per line that is not blank; a document without an `id` gets its line's number.

    A mention's `entity` is its gold id, `null` says that it means nothing in the knowledge base, and a mention without
    the key is undecided.

    Examples
    --------
    >>> line = '{"text": "Paris fled.", "mentions": [{"start": 0, "end": 5, "entity": null}]}'
    >>> document = next(read_native([(1, line)], "greek.jsonl"))
    >>> document.id, document.mentions[0].text, document.mentions[0].is_nil
    ('1', 'Paris', True)
    """
    for number, line in lines:
        if line.strip():
            yield document_from_json(line, Place(path, number))


def document_from_json(line: str, place: Place) -> Document:
    """The document that one line holds."""
    record = _parsed(line, place)
    if not isinstance(record.get("text"), str):
        raise place.error(
            f"a document needs a 'text' that is a string, got {_shown(record.get('text'))}. Keys here: "
            f'{", ".join(map(repr, record)) or "none"}. Example: {{"id": "d1", "text": "Paris fled."}}'
        )
    text = without_surrogates(record["text"])
    mentions = record.get("mentions")
    if not isinstance(mentions, list | None):
        raise place.error(f"'mentions' must be a list of objects with 'start' and 'end', got {_shown(mentions)}")
    found = [_mention(mention, text, place) for mention in mentions or ()]
    return Document(
        id=_name(record.get("id"), "id", place) or str(place.line),
        text=text,
        lang=_name(record.get("lang"), "lang", place),
        mentions=tuple(sorted(found, key=lambda mention: (mention.start, mention.end))),
    )


def _parsed(line: str, place: Place) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise place.error(
            f"not JSON ({error.msg} at column {error.colno}): {_shown(line.strip())}. Write one JSON object a line; "
            "for plain text choose the format 'text' or 'lines'"
        ) from None
    except RecursionError:
        raise place.error(f"JSON nested too deeply: {_shown(line.strip())}") from None
    if not isinstance(record, dict):
        raise place.error(f"a document must be a JSON object, got {_shown(record)}")
    return record


def _mention(record: Any, text: str, place: Place) -> Mention:  # noqa: ANN401 - any JSON value
    if not isinstance(record, dict):
        raise place.error(f"a mention must be an object with 'start' and 'end', got {_shown(record)}")
    start, end = checked_span(record.get("start"), record.get("end"), text, place.error)
    if record.get("text") is not None:
        checked_surface(record["text"], start, end, text, place.error)
    entity = _name(record.get("entity"), "entity", place)
    is_nil = entity is None and ("entity" in record or record.get("nil") is True)
    return Mention(
        start=start,
        end=end,
        text=text[start:end],
        entity=entity,
        score=_score(record, place),
        is_nil=is_nil,
        candidates=_candidates(record.get("candidates"), place),
    )


def _candidates(records: Any, place: Place) -> tuple[Candidate, ...]:  # noqa: ANN401 - any JSON value
    if records is None:
        return ()
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise place.error(f"'candidates' must be a list of objects with 'id' and 'score', got {_shown(records)}")
    found = []
    for record in records:
        name = _name(record.get("id"), "id", place)
        if name is None:
            raise place.error(f"a candidate needs an 'id', got {_shown(record)}")
        title = _name(record.get("title"), "title", place) or ""
        found.append(Candidate(id=name, score=_score(record, place) or 0.0, title=title))
    return tuple(found)


def _score(record: Mapping[str, Any], place: Place) -> float | None:
    value = record.get("score")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise place.error(f"'score' must be a finite number, got {_shown(value)}")
    return float(value)


def _name(value: Any, key: str, place: Place) -> str | None:  # noqa: ANN401 - any JSON value
    """A string, a whole number as a string, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise place.error(f"{key!r} must be a string, got {_shown(value)}")
    return without_surrogates(str(value))


def _shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    words = repr(value)
    return words if len(words) <= 80 else f"{words[:77]}..."
