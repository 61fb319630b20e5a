"""One worker process: a model, a queue, threads, and a socket on the shared port."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from deixis.errors import ToolkitError
from deixis.service.app import create_app
from deixis.service.config import ServiceConfig
from deixis.service.patient_protocol import patient_protocol
from deixis.service.process.logs import log_to_stderr
from deixis.service.process.shared_state import SharedState
from deixis.service.state import ServiceState

logger = logging.getLogger(__name__)

EXIT_CANNOT_START = 3
# Linking releases the GIL for many short calls of the compiled core. With Python's default of five milliseconds it
# would wait that long after each call while other threads read or refuse requests.
SWITCH_SECONDS = 0.0002


class Server(uvicorn.Server):
    """uvicorn's server; it stops when its supervisor is gone, and reports not ready before it stops listening."""

    def __init__(self, config: uvicorn.Config, state: ServiceState, parent: int) -> None:
        super().__init__(config)
        self._state, self._parent = state, parent

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stops on SIGTERM; SIGINT, which the terminal sends to all processes, is left to the supervisor."""
        with super().capture_signals():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            yield

    async def on_tick(self, counter: int) -> bool:
        """Whether to stop."""
        if self._parent and os.getppid() != self._parent:
            self.should_exit = True
        is_end = await super().on_tick(counter)
        self._state.is_ready = not is_end
        return is_end


def run_worker(
    config: ServiceConfig, shared: SharedState, number: int, listener: socket.socket, parent: int = 0
) -> None:
    """Serves until a signal; accepted requests are answered first. Exits the process if it cannot start."""
    log_to_stderr(config.is_quiet)
    for name in ("SIGHUP", "SIGTERM", "SIGINT"):
        if hasattr(signal, name):  # the supervisor's do not hold here; SIGTERM is uvicorn's in a moment
            signal.signal(getattr(signal, name), _leave if name == "SIGTERM" else signal.SIG_IGN)
    try:
        state = ServiceState(config, shared, number)
    except (ToolkitError, OSError) as error:
        logger.error("cannot start", extra={"record": {"error": type(error).__name__, "message": str(error)}})
        sys.exit(EXIT_CANNOT_START)
    sys.setswitchinterval(SWITCH_SECONDS)
    app = create_app(state)
    state.metrics.add("deixis_workers_started_total")
    settings = uvicorn.Config(
        app,
        http=patient_protocol(config.limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=2048,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(config.limits.seconds) + 1,
    )
    server = Server(settings, state, parent)
    logger.info("worker started", extra={"record": {"worker": number}})
    asyncio.run(server.serve(sockets=[listener]))


def _leave(_number: int, _frame: object) -> None:
    sys.exit(0)
