"""Checks of a request before its body is read, and limits on the size and time of the body.

In this order: the `Host` header (against DNS rebinding), the token, room in the queue, the size of the body (its
declared length first, then the bytes as they arrive), and the time that the body takes.
"""

from __future__ import annotations

import asyncio
import hmac
import time

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deixis.service.api.failures import Refusal, answer_to
from deixis.service.config import Access
from deixis.service.state import ServiceState

WRITES = frozenset({"/learn", "/reload", "/undo", "/compact", "/entities/add", "/entities/remove"})
"""Paths that change the model; they always need a token, and so do all requests of these methods."""
WRITE_METHODS = frozenset({"PATCH", "PUT", "DELETE"})
HISTORY = "/changes"
"""It tells texts that people corrected, and who did so: it needs the token, too."""
PAGE = "/workbench"
SHORT_BODY = 64 << 10
LINGER_SECONDS, LINGER_BYTES = 1.0, 16 << 20  # how much of a refused body is still read


class RequestGuard:
    """Middleware around the whole app."""

    def __init__(self, app: ASGIApp, state: ServiceState) -> None:
        self._app, self._state = app, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            check_host(self._state.config.access, headers.get("host", ""))
            check_token(self._state.config.access, scope["method"], scope["path"], headers.get("authorization", ""))
            if scope["method"] == "POST" and scope["path"] not in WRITES:
                self._state.queue.check_room()
            check_encoding(headers.get("content-encoding", "identity"))
            self._check_length(headers.get("content-length"))
            body = await self._body(receive)
        except Refusal as refusal:
            await _refuse(refusal, scope, receive, send)
            return
        if body is None:  # the client has disconnected
            return
        if scope["method"] != "HEAD":
            await self._app(scope, _replayed(body, receive), send)
            return
        get_scope = {**scope, "method": "GET"}  # the server drops the body of a response to HEAD
        await self._app(get_scope, _replayed(body, receive), send)
        scope["route"] = get_scope.get("route")

    def _check_length(self, length: str | None) -> None:
        most = self._state.config.limits.max_body
        if length is not None and length.isdecimal() and int(length[:20]) > most:
            raise _too_large(f"of {int(length[:20]):,} bytes", most)

    async def _body(self, receive: Receive) -> bytes | None:
        limits = self._state.config.limits
        deadline, chunks, size = time.monotonic() + limits.body_seconds, [], 0
        while True:
            try:
                message = await asyncio.wait_for(receive(), deadline - time.monotonic())
            except TimeoutError:
                raise Refusal(
                    408, "slow", f"The body did not arrive within {limits.body_seconds:g} s. Send it without pauses."
                ) from None
            if message["type"] == "http.disconnect":
                return None
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > limits.max_body:
                raise _too_large("of this request", limits.max_body)
            if not message.get("more_body", False):
                return b"".join(chunks)


def check_host(access: Access, host: str) -> None:
    """Raises Refusal (421) for a request with another Host header.

    Otherwise a web page could let its own host name point to this machine and act as the service's page.
    """
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if access.hosts and name.strip("[]").lower() not in access.hosts:
        raise Refusal(
            421,
            "host",
            f"The host {name[:100]!r} is not allowed; allowed are {', '.join(access.hosts)}. Start the service with "
            "--allow-host to add one.",
        )


def check_encoding(encoding: str) -> None:
    """Raises Refusal (415) for a compressed body, whose size is not known before it is decompressed."""
    if encoding.strip().lower() not in ("", "identity"):
        raise Refusal(
            415, "encoding", f"The content encoding {encoding[:50]!r} is not supported. Send the body without encoding."
        )


def check_token(access: Access, method: str, path: str, authorization: str) -> None:
    """Raises Refusal (401 or 403) for a request that needs the token and does not have it."""
    path = path.rstrip("/") or "/"
    # The page, where the token is entered, needs none; requests posted to the same path do.
    is_page = method in ("GET", "HEAD") and (path in ("/", PAGE) or path.startswith(f"{PAGE}/"))
    is_protected = path in WRITES or path == HISTORY or method in WRITE_METHODS
    if is_page or not (is_protected or access.is_token_for_all):
        return
    if access.token is None:
        raise Refusal(
            403,
            "no_token",
            f"{path[:100]} needs a token, but the service was started without one. Start it with "
            "--token-file FILE or with DEIXIS_TOKEN set.",
        )
    scheme, _, token = authorization.partition(" ")
    # A constant-time comparison, so that the time reveals nothing about the token.
    is_right = hmac.compare_digest(token.strip().encode("utf-8", "replace"), access.token.encode("ascii"))
    if scheme.lower() != "bearer" or not is_right:
        raise Refusal(
            401,
            "token",
            f"{path[:100]} needs the token of this service. Send it as a header: Authorization: Bearer TOKEN",
            {"WWW-Authenticate": 'Bearer realm="deixis"'},
        )


def _too_large(what: str, most: int) -> Refusal:
    return Refusal(
        413,
        "too_large",
        f"The body {what} is too large: at most {most:,} bytes are allowed. Send several requests, or start the "
        "service with a larger --max-body.",
    )


async def _refuse(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    """Sends the refusal. A short body is read first and the connection kept; of a longer one some is read afterwards.

    A client that is cut off while sending may never see the response.
    """
    length = Headers(scope=scope).get("content-length", "")
    is_short = scope["method"] in ("GET", "HEAD", "OPTIONS") or (length.isdecimal() and int(length[:20]) <= SHORT_BODY)
    is_read = is_short and refusal.status != 408 and await _drained(receive, SHORT_BODY)
    answer = answer_to(refusal)
    if not is_read:
        answer.headers["connection"] = "close"
    await send({"type": "http.response.start", "status": answer.status_code, "headers": answer.raw_headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": not is_read})
    if not is_read:
        await _drained(receive, LINGER_BYTES)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drained(receive: Receive, n_bytes: int) -> bool:
    """Whether the rest of a body arrived in time and was short."""
    deadline = time.monotonic() + LINGER_SECONDS
    while n_bytes >= 0 and (wait := deadline - time.monotonic()) > 0:
        try:
            message = await asyncio.wait_for(receive(), wait)
        except TimeoutError:
            return False
        n_bytes -= len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return True
    return False


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` function that returns the whole body first, then later messages."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
