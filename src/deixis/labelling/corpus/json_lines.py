"""Labelled documents as JSON, one object a line: Deixis' own keys, Annif's, and those of published XMC sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from deixis.documents.json_lines import json_object, name_in, shown
from deixis.documents.places import Place
from deixis.documents.spans import without_surrogates
from deixis.errors import DataError
from deixis.labelling.corpus.records import LabelledRecord, LabelReference, checked_text, records_of_lines

_EXAMPLE = '{"id": "d1", "text": "Paper engineering", "labels": ["p1542", "p7445"]}'
_HINT = f"Write one JSON object a line, such as {_EXAMPLE}"
_LABEL_KEYS = ("labels", "subjects")
_ID_KEYS = ("id", "uri")
_NAME_KEYS = ("label", "title", "name")


def read_json_lines(lines: Iterable[tuple[int, bytes]], path: str) -> Iterator[LabelledRecord | DataError]:
    """One document per line that is not blank.

    Its text is `title` and `text` (either may be missing), its labels are `labels` or `subjects`: ids or names, or
    objects with `id` or `uri` and `label`. A document without either has no labels. Other keys pass.

    Examples
    --------
    >>> line = b'{"id": 7, "text": "Paper engineering", "labels": ["p1542", {"uri": "p7445", "label": "paper"}]}'
    >>> document = next(read_json_lines([(1, line)], "train.jsonl"))
    >>> document.id, document.text, [str(label) for label in document.labels]
    ('7', 'Paper engineering', ['p1542', 'p7445'])
    """
    return records_of_lines(lines, path, record_from_json)


def record_from_json(line: str, location: Place) -> LabelledRecord:
    """The document that one line, or a whole file, holds."""
    record = json_object(line, location, _HINT)
    present = [key for key in _LABEL_KEYS if record.get(key) is not None]
    if len(present) > 1:
        raise location.error(f"both {present[0]!r} and {present[1]!r} are given; keep the one that holds the labels")
    labels = _labels(record[present[0]], present[0], location) if present else []
    return LabelledRecord(location, name_in(record, "id", location) or "", _text(record, location), labels)


def _text(record: Mapping[str, Any], location: Place) -> str:
    if "text" not in record and "title" not in record:
        keys = ", ".join(map(repr, record)) or "none"
        raise location.error(f"a document needs a 'text'. Keys here: {keys}. Example: {_EXAMPLE}")
    parts = []
    for key in ("title", "text"):
        value = record.get(key)
        if value is not None and not isinstance(value, str):
            raise location.error(f"{key!r} must be a string, got {shown(value)}")
        if value and not value.isspace():
            parts.append(value)
    return checked_text("\n".join(parts), location)


def _labels(values: object, key: str, location: Place) -> list[LabelReference]:
    if not isinstance(values, list):
        raise location.error(f"{key!r} must be a list of labels, got {shown(values)}. Example: {_EXAMPLE}")
    return [_label(value, key, location) for value in values]


def _label(value: object, key: str, location: Place) -> LabelReference:
    if isinstance(value, str):
        if value and not value.isspace():
            return LabelReference(word=without_surrogates(value))
    elif isinstance(value, int) and not isinstance(value, bool):
        return LabelReference(id=str(value))
    elif isinstance(value, dict):
        id_ = next((found for each in _ID_KEYS if (found := name_in(value, each, location))), "")
        name = next((found for each in _NAME_KEYS if (found := name_in(value, each, location))), "")
        if id_ or name:
            return LabelReference(id=id_, name=name)
    raise location.error(
        f"{key!r} must hold ids or names of labels, or objects with 'id' or 'uri' and 'label', got {shown(value)}"
    )
