"""Errors as HTTP responses: status code and JSON body."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from deixis.errors import (
    ConfigError,
    ConflictError,
    DataError,
    MissingExtraError,
    NotFittedError,
    StoreError,
    ToolkitError,
    UnknownEntityError,
    UnknownNameError,
)

logger = logging.getLogger(__name__)


class Refusal(ToolkitError):
    """A request that the service refuses, with the status code to answer."""

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.headers = status, kind, dict(headers or {})


STATUSES: dict[type[Exception], tuple[int, str]] = {
    ConfigError: (422, "setting"),
    DataError: (422, "data"),
    UnknownEntityError: (404, "not_found"),
    ConflictError: (409, "conflict"),
    UnknownNameError: (422, "unknown_name"),
    NotFittedError: (409, "not_fitted"),
    StoreError: (500, "model"),
    MissingExtraError: (501, "missing_extra"),
    ToolkitError: (422, "request"),
}
KINDS = {400: "request", 404: "not_found", 405: "method", 422: "request"}
MAX_DETAILS = 20
NO_VALUE = ("missing", "json_invalid", "extra_forbidden")  # errors that no value causes


class Json(Response):
    """JSON in ASCII, so that any text can be sent, even a lone surrogate."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - any JSON value
        """The bytes."""
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


def failure(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None, **more: object) -> Json:
    """The answer for an error."""
    return Json({"error": {"kind": kind, "message": message, **more}}, status, dict(headers or {}))


def answer_to(error: Exception) -> Json:
    """The response for an exception; an unexpected one is reported without its message."""
    if isinstance(error, Refusal):
        return failure(error.status, error.kind, str(error), error.headers)
    for kind in type(error).__mro__:
        if kind in STATUSES:
            return failure(*STATUSES[kind], str(error))
    # Its message may contain a user's text, so only type and location are logged.
    logger.error("unexpected", extra={"record": {"error": type(error).__name__, "where": where(error)}})
    return failure(
        500,
        "unexpected",
        f"Unexpected error ({type(error).__name__}). Please report it to the project together with the request; the "
        "service's log has the location.",
    )


def where(error: Exception) -> list[str]:
    """The last frames of an error's traceback."""
    frames = traceback.extract_tb(error.__traceback__)[-12:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def handle_failures(app: FastAPI) -> None:
    """Makes the app answer every error in JSON."""

    async def on_error(_request: Request, error: Exception) -> Response:
        return answer_to(error)

    async def on_invalid(_request: Request, error: Exception) -> Response:
        return _invalid(error.errors() if isinstance(error, RequestValidationError) else [])

    async def on_http(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            return answer_to(error)
        message = str(error.detail)
        if error.status_code == 400:  # the framework only reports that the body cannot be parsed
            message = f"{message}: it must be JSON in UTF-8, not nested too deeply."
        if error.status_code == 404:
            message = f"There is no path {request.url.path[:200]!r}. /openapi.json lists the paths."
        elif error.status_code == 405:
            methods = " or ".join(sorted((error.headers or {}).get("Allow", "another method").split(", ")))
            message = f"{request.method} is not allowed for {request.url.path[:200]}; use {methods}."
        return failure(error.status_code, KINDS.get(error.status_code, "request"), message, error.headers)

    app.add_exception_handler(ToolkitError, on_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)


def _invalid(errors: Sequence[Mapping[str, Any]]) -> Json:
    """The response for a body that does not match the schema: location and expectation, never the whole body."""
    details = [
        {"where": ".".join(map(str, each.get("loc", ())))[:200], "what": str(each.get("msg", ""))[:500] + _got(each)}
        for each in errors[:MAX_DETAILS]
    ]
    first = details[0] if details else {"where": "body", "what": "does not match the schema"}
    return failure(
        422, "request", f"{first['where']}: {first['what']}. The schema is in /openapi.json.", None, details=details
    )


def _got(error: Mapping[str, Any]) -> str:
    """The value that does not match, if it is a short one."""
    value = error.get("input")
    is_shown = value is None or isinstance(value, bool | int | float | str)
    return f", got {value!r:.100}" if is_shown and error.get("type") not in NO_VALUE else ""
