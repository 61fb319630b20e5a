"""JSON objects, one a line: the checks that every reader of such files makes, and how their writers write a line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TextIO, cast, get_args

from deixis.documents.places import Place
from deixis.documents.spans import MakeError, without_surrogates
from deixis.errors import DataError
from deixis.types import Document, Mention, NilReason

_HINT = "Write one JSON object a line"


def read_records(lines: Iterable[tuple[int, str]], path: str) -> Iterator[tuple[dict[str, Any], Place]]:
    """The object of each line that is not blank, and where it stands."""
    for number, line in lines:
        if line.strip():
            place = Place(path, number)
            yield json_object(line, place), place


def json_object(line: str, place: Place, hint: str = _HINT) -> dict[str, Any]:
    """The object that a line holds; `hint` ends the message for a line that is not JSON."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        problem = f"not JSON ({error.msg} at column {error.colno}): {shown(line.strip())}"
        raise place.error(f"{problem}. {hint}") from None
    except RecursionError:
        raise place.error(f"JSON nested too deeply: {shown(line.strip())}") from None
    except ValueError:
        raise place.error(f"a number with too many digits: {shown(line.strip())}") from None
    if not isinstance(record, dict):
        raise place.error(f"a document must be a JSON object, got {shown(record)}. {hint}")
    return record


def text_in(record: Mapping[str, Any], key: str, place: Place, example: str) -> str:
    """The string at a key that must be there; the error shows the keys that are, and an example of a line."""
    value = record.get(key)
    if not isinstance(value, str):
        raise place.error(
            f"a document needs a {key!r} that is a string, got {shown(value)}. Keys here: "
            f"{', '.join(map(repr, record)) or 'none'}. Example: {example}"
        )
    return without_surrogates(value)


def records_in(record: Mapping[str, Any], key: str, place: Place, what: str) -> list[dict[str, Any]]:
    """The list of objects at a key; empty if the key is missing or null. `what` describes what each should hold."""
    values = record.get(key)
    if values is None:
        return []
    if not isinstance(values, list):
        raise place.error(f"{key!r} must be a list of objects with {what}, got {shown(values)}")
    for value in values:
        if not isinstance(value, dict):
            raise place.error(f"{key!r} must hold objects with {what}, got {shown(value)}")
    return values


def name_in(record: Mapping[str, Any], key: str, place: Place) -> str | None:
    """The string at a key, or the whole number as a string; None if the key is missing or null.

    Examples
    --------
    >>> name_in({"id": 7}, "id", Place("docs.jsonl", 1))
    '7'
    """
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise place.error(f"{key!r} must be a string, got {shown(value)}")
    return without_surrogates(str(value))


def entity_in(record: Mapping[str, Any], key: str, place: Place) -> str | None:
    """The entity's id at a key; None if the key is missing or null. An empty id would be neither an entity nor NIL."""
    entity = name_in(record, key, place)
    if entity == "":
        raise place.error(
            f"{key!r} must not be empty: give an entity's id, or null if it has none. Got {shown(record)}"
        )
    return entity


def score_in(record: Mapping[str, Any], place: Place, key: str = "score") -> float | None:
    """The finite number at a key; None if the key is missing or null."""
    value = record.get(key)
    if value is None:
        return None
    try:
        if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
            return float(value)
    except OverflowError:  # a whole number that no float can hold
        pass
    raise place.error(f"{key!r} must be a finite number, got {shown(value)}")


def nil_reason_in(record: Mapping[str, Any], error: MakeError) -> NilReason | None:
    """The reason at `nil_reason`; None if the key is missing or null."""
    value = record.get("nil_reason")
    for reason in get_args(NilReason):
        if value == reason:
            return cast(NilReason, reason)
    if value is None:
        return None
    reasons = ", ".join(repr(reason) for reason in get_args(NilReason))
    raise error(f"'nil_reason' must be one of {reasons}, or null; got {shown(value)}")


def reasons_of(mention: Mention) -> dict[str, Any]:
    """What a score is made of, and why there is no link, as JSON holds it; what is not known is left out."""
    scores = {"mention_score": mention.mention_score, "entity_score": mention.entity_score}
    known: dict[str, Any] = {name: short_score(score) for name, score in scores.items() if score is not None}
    return known if mention.nil_reason is None else known | {"nil_reason": mention.nil_reason}


def short_score(score: float) -> float:
    """The score with the six digits that count: more are noise of 32-bit arithmetic."""
    return float(f"{score:.6g}")


def write_record(record: Mapping[str, Any], stream: TextIO) -> None:
    """Writes the object as one line of readable UTF-8."""
    stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_each(
    documents: Iterable[Document], stream: TextIO, record_of: Callable[[Document], Mapping[str, Any]]
) -> int:
    """Writes the object of each document as a line, as they come, and returns how many there were."""
    n_documents = 0
    for document in documents:
        write_record(record_of(document), stream)
        n_documents += 1
    return n_documents


def unwritable(document: Document, mention: Mention, why: str, path: str) -> DataError:
    """The error about a mention that the format cannot hold; `why` goes on after the mention's name."""
    return DataError(f"the mention {mention.start}-{mention.end} of document {document.id!r} {why}", path=path)


def shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """The value as an error message shows it, cut short if it is long."""
    words = repr(value)
    return words if len(words) <= 80 else f"{words[:77]}..."
