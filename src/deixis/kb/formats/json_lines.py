"""JSON lines to records: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from deixis.errors import DataError
from deixis.kb.records import BadRecord
from deixis.store.files import decode_line

_ARRAY_HINT = "a JSON array; a file of arrays is read with --format json"
_SPREAD_HINT = "an object spread over several lines; such a file is read with --format json"


def read_json_lines(
    lines: Iterator[tuple[int, bytes]], path: object
) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """Each line's number with its record, or with what is wrong with it; blank lines are left out."""
    decoder = json.JSONDecoder()
    decode = decoder.raw_decode
    for number, raw in lines:
        if not raw or raw.isspace():
            continue
        try:
            text = raw.decode("utf-8")
            if text[0] == "{":
                record, end = decode(text)
            if text[0] != "{" or end != len(text):  # white space, or something that is wrong
                record = decoder.decode(text)
        except UnicodeDecodeError:
            yield number, _encoding_problem(raw, path, number)
        except json.JSONDecodeError as error:
            hint = _SPREAD_HINT if raw.strip() == b"{" else f"{error.msg}, column {error.colno}"
            yield number, BadRecord("bad_json", f"not JSON: {_ARRAY_HINT if raw.strip() == b'[' else hint}")
        except (ValueError, RecursionError):
            yield number, BadRecord("bad_json", "not usable JSON: nested too deep, or a number with too many digits")
        else:
            if type(record) is dict:
                yield number, record
            else:
                hint = _ARRAY_HINT if isinstance(record, list) else f'{type(record).__name__}, not {{"id": ...}}'
                yield number, BadRecord("wrong_type", f"not a JSON object but {hint}")


def _encoding_problem(raw: bytes, path: object, number: int) -> BadRecord:
    try:
        decode_line(raw, path, number)
    except DataError as error:
        return BadRecord("encoding", error.reason)
    raise AssertionError("the line decodes after all")
