"""JSONP: JSON as a call of a function of the page that loads it.

Any page can load a script, so JSONP would bypass CORS. A cross-site request is therefore answered only if its origin is
one of the allowed CORS origins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from starlette.responses import Response

from deixis.service.api.failures import Json, Refusal
from deixis.service.dialects.forms import bad

NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*)*")
MAX_NAME = 128


def answer(request: Request, content: Any, callback: str | None, origins: Sequence[str]) -> Response:  # noqa: ANN401
    """The content as JSON, or as a call of the function named by `callback`."""
    response = Json(content)
    if not callback:
        return response
    if len(callback) > MAX_NAME or not NAME.fullmatch(callback):
        raise bad(f"callback must be the name of a function, such as jsonp123, got {callback[:50]!r}.")
    _check_page(request, origins)
    # With the comment, the callback's name is not the first bytes of the file, which other formats could interpret.
    body = b"/**/" + callback.encode("ascii") + b"(" + bytes(response.body) + b");"
    return Response(body, headers={"content-type": "text/javascript", "x-content-type-options": "nosniff"})


def _check_page(request: Request, origins: Sequence[str]) -> None:
    if request.headers.get("sec-fetch-site", "none") in ("none", "same-origin") or "*" in origins:
        return
    parts = urlsplit(request.headers.get("referer", ""))
    origin = f"{parts.scheme}://{parts.netloc}"
    if origin not in origins:
        raise Refusal(
            403,
            "origin",
            f"The origin {origin[:100]!r} is not allowed. Start the service with --cors-origin to allow it.",
        )
