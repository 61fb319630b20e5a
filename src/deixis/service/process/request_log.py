"""Counts and logs every request: route, status and time; its text only with --log-texts."""

from __future__ import annotations

import logging
import secrets
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deixis.service.api.failures import answer_to
from deixis.service.process.metrics import OTHER
from deixis.service.state import GENERATION, ServiceState

logger = logging.getLogger(__name__)
MAX_LOGGED = 2000  # bytes of a body, with --log-texts


class Observing:
    """The outermost middleware; it also turns unexpected errors into JSON."""

    def __init__(self, app: ASGIApp, state: ServiceState) -> None:
        self._app, self._state = app, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request to the app, and counts and logs it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin, status, seen, name = time.monotonic(), 0, bytearray(), secrets.token_hex(6)
        GENERATION.set(None)

        async def receive_logged() -> Message:
            message = await receive()
            if self._state.config.is_texts_logged and len(seen) < MAX_LOGGED:
                seen.extend(message.get("body", b"")[: MAX_LOGGED - len(seen)])
            return message

        async def send_logged(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", name.encode("ascii"))]
                if GENERATION.get() is not None:
                    message["headers"].append((b"deixis-generation", str(GENERATION.get()).encode("ascii")))
            await send(message)

        try:
            await self._app(scope, receive_logged, send_logged)
        except Exception as error:  # noqa: BLE001 - the outermost handler
            if status:
                raise
            await answer_to(error)(scope, receive_logged, send_logged)
        seconds = time.monotonic() - begin
        route = route_of(scope)
        if route == OTHER and self._state.metrics.knows(scope["path"]):  # refused by the request guard
            route = scope["path"]
        self._state.metrics.observe(route, status, seconds)
        record: dict[str, Any] = {
            "id": name, "method": scope["method"], "route": route, "status": status, "ms": round(seconds * 1000, 2),
        }  # fmt: skip
        if self._state.config.is_texts_logged:
            query = scope.get("query_string", b"").decode("latin-1")
            record |= {"path": scope["path"], "query": query, "body": seen.decode("utf-8", "replace")}
        logger.log(logging.ERROR if status >= 500 else logging.INFO, "request", extra={"record": record})


def route_of(scope: Scope) -> str:
    """The route's path pattern, which contains no user input."""
    path = getattr(scope.get("route"), "path", None)
    return path if isinstance(path, str) else OTHER
