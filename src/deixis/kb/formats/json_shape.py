"""Whether JSON has one object a line, by its first lines."""

from __future__ import annotations

import json
from collections.abc import Sequence

from deixis.kb.header_words import field_of

_MAX_PARSED = 1 << 20


def is_json_lines(first_line: bytes, more_lines: Sequence[bytes] = ()) -> bool:
    """Whether every line is an object of its own; one line alone is, unless it holds a whole list.

    Examples
    --------
    >>> is_json_lines(b'{"id": 1, "title": "pump"}'), is_json_lines(b'{"1": {"title": "pump"}}'), is_json_lines(b"[")
    (True, False, False)
    """
    start = first_line.strip()
    if start.startswith(b"["):
        return any(line.lstrip().startswith(b"{") for line in more_lines[:1]) and _is_whole(start)
    if not start.startswith(b"{"):
        return True  # the reader of lines says what is wrong with each
    if more_lines:
        # An object that is not closed in its line, and whose next line goes on with it.
        return not (start == b"{" or (more_lines[0].lstrip()[:1] in (b'"', b"}", b"]", b",") and not _is_whole(start)))
    if len(start) > _MAX_PARSED:
        return False
    try:
        whole = json.loads(start)
    except (ValueError, RecursionError):
        return True
    return type(whole) is not dict or not whole or _is_entity(whole)


def _is_whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_entity(record: dict[str, object]) -> bool:
    if any(
        isinstance(value, list) and value and type(value[0]) is dict and "text" not in value[0]
        for value in record.values()
    ):
        return False
    if all(isinstance(value, dict) for value in record.values()):
        return False
    words = (field_of(key) for key in record)
    return any(known is not None for known in words)
