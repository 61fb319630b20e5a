"""uvicorn's HTTP protocol with limits on the time and the size of headers."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from deixis.service.config import Limits

MAX_HEADER_BYTES = 64 << 10


_UVICORNS: Any = AutoHTTPProtocol  # httptools' if that is installed, else h11's


class PatientProtocol(_UVICORNS):  # type: ignore[misc]
    """uvicorn's protocol with limits; without them it would wait for ever.

    A client that sends headers very slowly (slow loris) is disconnected after `header_seconds`, one that never ends
    them after 64 KB. Connections beyond `max_connections` are closed.
    """

    limits = Limits()
    _timer: asyncio.TimerHandle | None = None
    _n_header_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Starts the timer for headers."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.max_connections:
            transport.abort()
        else:
            self._await_headers()

    def data_received(self, data: bytes) -> None:
        """Stops the timer when a request's headers are complete."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget_timer()
            self._n_header_bytes = 0
            return
        self._n_header_bytes += len(data)
        if self._n_header_bytes > MAX_HEADER_BYTES:
            self.transport.abort()
        elif not self.transport.is_closing():
            self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the timer."""
        self._forget_timer()
        super().connection_lost(exc)

    def _await_headers(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.limits.header_seconds, self.transport.abort)

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def patient_protocol(limits: Limits) -> type[asyncio.Protocol]:
    """The protocol class with these limits."""
    return type("PatientProtocol", (PatientProtocol,), {"limits": limits})
