"""Starts the workers, replaces those that die, and requests reloads."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from deixis.errors import ConfigError, StoreError
from deixis.service.config import ServiceConfig
from deixis.service.process.logs import log_to_stderr
from deixis.service.process.shared_state import ALIVE, LOADED, RELOAD_REQUESTED, SharedState
from deixis.service.process.worker import EXIT_CANNOT_START, run_worker
from deixis.service.served import kind_of
from deixis.store.manifest import MANIFEST_NAME

logger = logging.getLogger(__name__)

# A forked worker has everything imported: it serves again in tenths of a second. Elsewhere than on Linux forking is not
# safe with the libraries that NumPy brings.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"
LOOK_SECONDS = 0.2
LONG_SECONDS = 2.0  # of verifying the model, from which on it is said how long it took
MAX_PAUSE = 5.0


def serve(config: ServiceConfig, host: str, port: int, n_workers: int, announce: Callable[[str], None]) -> None:
    """Serves until a signal ends it; `announce` is called with the address once requests are answered."""
    begin = time.monotonic()
    kind_of(config.model, verify=config.verify)
    seconds = round(time.monotonic() - begin, 3)
    listeners = listening(host, port, n_workers)
    log_to_stderr(config.is_quiet)
    if config.verify and seconds > LONG_SECONDS:
        logger.info("model verified", extra={"record": {"seconds": seconds, "skip": "--no-verify"}})
    shown, number = listeners[0].getsockname()[:2]
    url = f"http://[{shown}]:{number}" if ":" in shown else f"http://{shown}:{number}"
    Supervisor(config, listeners).run(lambda: announce(url))


def listening(host: str, port: int, n_workers: int) -> list[socket.socket]:
    """A listening socket for each worker, all on one address, so that Linux distributes new connections evenly.

    With a single socket, the worker that wakes first would take all waiting connections. The supervisor holds the
    sockets, so that connections of a worker that dies wait for its replacement. Other systems share one socket.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With a socket of its own each worker shares its address with any other; so who has it already shows only here.
    first = _bound(family, host, port, is_shared=False)
    if n_workers == 1 or sys.platform != "linux":
        listeners = [first] * n_workers
    else:
        port = first.getsockname()[1]
        first.close()
        listeners = [_bound(family, host, port, is_shared=True) for _ in range(n_workers)]
    for listener in listeners:
        listener.listen(2048)
        listener.setblocking(False)
    return listeners


def _bound(family: socket.AddressFamily, host: str, port: int, is_shared: bool) -> socket.socket:
    # The protocol is named, since asyncio turns Nagle's algorithm off only where it is: else every answer waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"Cannot listen on {host} port {port}: {error.strerror}. Choose another with --host and --port; --port 0 "
            "takes a free one."
        ) from None
    return listener


class Supervisor:
    """Keeps a process running for each of the listeners until it is told to stop."""

    def __init__(self, config: ServiceConfig, listeners: list[socket.socket]) -> None:
        self._config, self._listeners, n_workers = config, listeners, len(listeners)
        self._context: Any = multiprocessing.get_context(START_METHOD)
        self.shared = SharedState(n_workers)
        self.workers: list[BaseProcess] = []
        self._starts = [(0.0, 0.05)] * n_workers  # when each was started last, and the pause before the next
        self._is_stopping = False
        self._is_reload_requested = False
        self._manifest = _stamp(config.model)

    def run(self, when_ready: Callable[[], None]) -> None:
        """Serves until SIGTERM or SIGINT, then lets the workers finish; SIGHUP has them load the model anew.

        What a script starts in the background ignores SIGINT, and goes on doing so: it is meant for what is in front.
        """
        signal.signal(signal.SIGTERM, self._stop)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._stop)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, self._request_reload)
        self.workers = [self._started(number) for number in range(self.shared.n_workers)]
        is_ready = False
        while not self._is_stopping:
            # Of those that died and are not started again yet nothing is to be awaited: they would not let it wait.
            living = [worker.sentinel for worker in self.workers if worker.exitcode is None]
            wait(living, timeout=LOOK_SECONDS if is_ready else 0.05)
            if not is_ready and self.shared.n_loaded == len(self.workers):
                is_ready = True
                when_ready()
            self._look_after(is_ready)
        self._end()

    def _look_after(self, is_ready: bool) -> None:
        """Replaces workers that have died; requests a reload on SIGHUP or when the folder has changed."""
        for number, worker in enumerate(self.workers):
            if worker.exitcode is None or self._is_stopping:
                continue
            self.shared.row(number)[ALIVE] = 0
            if not is_ready and worker.exitcode == EXIT_CANNOT_START:
                self._end()
                raise StoreError("The service cannot start; see the log line above.")
            begin, pause = self._starts[number]
            if time.monotonic() < begin + pause and not self.shared.row(number)[LOADED]:
                continue  # back off from a worker that keeps dying before it serves
            logger.error("worker died", extra={"record": {"worker": number, "exit": worker.exitcode}})
            self.workers[number] = self._started(number)
        stamp = _stamp(self._config.model)
        if self._is_reload_requested or (stamp is not None and stamp != self._manifest):
            self._is_reload_requested = False
            self._manifest = stamp
            self.shared.request(RELOAD_REQUESTED)

    def _started(self, number: int) -> BaseProcess:
        _, pause = self._starts[number]
        row = self.shared.row(number)
        self._starts[number] = (time.monotonic(), 0.1 if row[LOADED] else min(MAX_PAUSE, 2 * pause))
        row[LOADED], row[ALIVE] = 0, 1
        worker: BaseProcess = self._context.Process(
            target=run_worker,
            args=(self._config, self.shared, number, self._listeners[number], os.getpid()),
            name=f"deixis-worker-{number}",
            daemon=True,
        )
        worker.start()
        return worker

    def _end(self) -> None:
        """Terminates the workers, waits as long as a request may take, and kills those still running."""
        for worker in self.workers:
            if worker.is_alive():
                worker.terminate()
        deadline = time.monotonic() + self._config.limits.seconds + 5
        for worker in self.workers:
            worker.join(max(0.0, deadline - time.monotonic()))
            if worker.is_alive():
                worker.kill()
                worker.join()
        for listener in self._listeners:
            listener.close()

    def _stop(self, _number: int, _frame: object) -> None:
        self._is_stopping = True

    def _request_reload(self, _number: int, _frame: object) -> None:
        self._is_reload_requested = True


def _stamp(model: Path) -> tuple[int, int, int] | None:
    """The identity of a saved model, which changes when it is replaced; None while there is none."""
    try:
        status = os.stat(model / MANIFEST_NAME)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
