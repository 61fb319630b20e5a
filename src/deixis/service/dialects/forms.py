"""Fields of query strings and forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from fastapi import Request

from deixis.service.api.failures import Refusal

FORM = "application/x-www-form-urlencoded"
MAX_FIELDS = 100


async def fields_of(request: Request) -> dict[str, str]:
    """The fields of the query string and of the form in the body; of two fields with one name the last counts."""
    fields = dict(request.query_params)
    body = await request.body()
    if not body:
        return fields
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:
        raise bad(f"The body must be a form ({FORM}), got {kind[:100] or 'no content-type'!r}.")
    try:
        sent = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise bad(f"The form must be text in UTF-8 with at most {MAX_FIELDS} fields.") from None
    return fields | dict(sent)


def number(fields: Mapping[str, str], name: str, low: float, high: float) -> float | None:
    """The number in a field; None if it is missing or empty."""
    text = fields.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise bad(f"{name} must be a number from {low:g} to {high:g}, got {text[:50]!r}.")
    return value


def whole_number(fields: Mapping[str, str], name: str, low: int, high: int) -> int | None:
    """The whole number in a field; None if it is missing or empty."""
    value = number(fields, name, low, high)
    if value is not None and not value.is_integer():
        raise bad(f"{name} must be a whole number, got {fields[name][:50]!r}.")
    return None if value is None else int(value)


def bad(message: str) -> Refusal:
    """The refusal (422) of a request that does not match the dialect."""
    return Refusal(422, "request", message)


def form_schema(**fields: str) -> dict[str, Any]:
    """A route's `openapi_extra` for a form of text fields with descriptions; the first field is required."""
    properties = {name: {"type": "string", "description": meaning} for name, meaning in fields.items()}
    schema = {"type": "object", "required": [next(iter(fields))], "properties": properties}
    return {"requestBody": {"required": True, "content": {FORM: {"schema": schema}}}}


def query_schema(**fields: str) -> dict[str, Any]:
    """The same for fields of a query string."""
    first = next(iter(fields))
    return {
        "parameters": [
            {
                "name": name,
                "in": "query",
                "required": name == first,
                "schema": {"type": "string"},
                "description": meaning,
            }
            for name, meaning in fields.items()
        ]
    }
