"""What becomes of an error at this door: its status, and the JSON that is read."""

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
    DataError,
    MissingExtraError,
    NotFittedError,
    StoreError,
    ToolkitError,
    UnknownNameError,
)

logger = logging.getLogger(__name__)


class Refusal(ToolkitError):
    """A request that is not served, though nothing may be wrong with it."""

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.headers = status, kind, dict(headers or {})


STATUSES: dict[type[Exception], tuple[int, str]] = {
    ConfigError: (422, "setting"),
    DataError: (422, "data"),
    UnknownNameError: (422, "unknown_name"),
    NotFittedError: (409, "not_fitted"),
    StoreError: (500, "model"),
    MissingExtraError: (501, "missing_extra"),
    ToolkitError: (422, "request"),
}
KINDS = {400: "request", 404: "not_found", 405: "method", 422: "request"}
MAX_DETAILS = 20


class Json(Response):
    """JSON in ASCII: nothing that a text may hold, such as half of a surrogate pair, breaks it."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - whatever JSON can hold
        """The bytes."""
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


def failure(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None, **more: object) -> Json:
    """The answer for an error."""
    return Json({"error": {"kind": kind, "message": message, **more}}, status, dict(headers or {}))


def answer_to(error: Exception) -> Json:
    """The answer for an error that was raised on the way; of one that nobody expected, only that it happened."""
    if isinstance(error, Refusal):
        return failure(error.status, error.kind, str(error), error.headers)
    for kind in type(error).__mro__:
        if kind in STATUSES:
            return failure(*STATUSES[kind], str(error))
    # Its message may hold a user's text, so only what it is and where.
    logger.error("unexpected", extra={"record": {"error": type(error).__name__, "where": where(error)}})
    return failure(
        500,
        "unexpected",
        f"Deixis stumbled over something its authors did not expect ({type(error).__name__}). Please report it to the "
        "project, with what you sent; the service's log says where it happened.",
    )


def where(error: Exception) -> list[str]:
    """The last places in the code on the way to an error."""
    frames = traceback.extract_tb(error.__traceback__)[-12:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def handle_failures(app: FastAPI) -> None:
    """Lets the app answer every error in JSON."""

    async def on_error(_request: Request, error: Exception) -> Response:
        return answer_to(error)

    async def on_invalid(_request: Request, error: Exception) -> Response:
        return _invalid(error.errors() if isinstance(error, RequestValidationError) else [])

    async def on_http(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            return answer_to(error)
        message = str(error.detail)
        if error.status_code == 400:  # all that the framework says is that the body cannot be parsed
            message = f"{message}: it must be JSON in UTF-8, not nested too deeply."
        if error.status_code == 404:
            message = f"There is nothing at {request.url.path[:200]!r}. What there is says /openapi.json."
        elif error.status_code == 405:
            message = f"{request.method} does not go with {request.url.path[:200]!r}; /openapi.json says what does."
        return failure(error.status_code, KINDS.get(error.status_code, "request"), message, error.headers)

    app.add_exception_handler(ToolkitError, on_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)


def _invalid(errors: Sequence[Mapping[str, Any]]) -> Json:
    """What does not fit the schema: where, and what was expected; never the whole of what was sent."""
    details = [
        {"where": ".".join(map(str, each.get("loc", ())))[:200], "what": str(each.get("msg", ""))[:500]}
        for each in errors[:MAX_DETAILS]
    ]
    first = details[0] if details else {"where": "body", "what": "does not fit"}
    return failure(
        422, "request", f"{first['where']}: {first['what']}. The schema is in /openapi.json.", None, details=details
    )
