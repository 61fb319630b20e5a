"""A process of the pool: `python -m deixis.batch.worker`. JSON lines come on stdin and go out on stdout.

The first line names what makes the function, and its argument; each further line is a task for it. Where stdin ends, so does
the process, at once: whoever started it is done, or dead.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import signal
import sys
import threading
import traceback
from typing import Any, BinaryIO

from deixis.errors import ConfigError, MissingExtraError, StoreError, ToolkitError, WriteError

STOPPING: dict[str, type[ToolkitError]] = {each.__name__: each for each in (ConfigError, StoreError, WriteError)}
"""Errors that every task would have: they end the run."""


def main() -> None:
    """Does one task after the other until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the first one decides
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, lines), daemon=True).start()
    try:
        setup = json.loads(lines.get())
        module, _, name = setup["function"].partition(":")
        make: Any = importlib.import_module(module)
        for part in name.split("."):
            make = getattr(make, part)
        function = make(setup["argument"])
    except Exception as error:
        _send(answers, {"stop": _words(error)})
        return
    while True:
        task = json.loads(lines.get())
        try:
            result = function(task, lambda n: _send(answers, {"advance": n}))
        except Exception as error:
            key = "stop" if isinstance(error, tuple(STOPPING.values())) else "failed"
            _send(answers, {key: _words(error)})
        else:
            _send(answers, {"result": result})


def _read(stream: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
    for line in stream:
        lines.put(line)
    os._exit(0)


def _send(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


def _words(error: Exception) -> list[str]:
    """The class of an error, and what to say of it."""
    if isinstance(error, MissingExtraError):
        return [ConfigError.__name__, str(error)]
    if isinstance(error, ToolkitError):
        return [type(error).__name__, str(error)]
    return [type(error).__name__, f"{error}\n{''.join(traceback.format_exception(error))}"]


if __name__ == "__main__":
    main()
