"""A process of the pool: `python -m deixis.processes.worker`. JSON lines come on stdin and go out on stdout.

The first line names what makes the function, and its argument; each further line is a task for it. Where stdin ends,
so does the process, at once: whoever started it is done, or dead.
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
from collections.abc import Callable
from typing import Any, BinaryIO

from deixis.errors import ConfigError, MissingExtraError, StoreError, ToolkitError, WriteError

STOPPING: dict[str, type[ToolkitError]] = {each.__name__: each for each in (ConfigError, StoreError, WriteError)}
"""Errors that every task would have: they end the run."""
Function = Callable[[dict[str, Any], Callable[[int], None]], dict[str, Any]]
"""A task, and what to call with how much more of it is done, to its result."""


def main() -> None:
    """Does one task after the other until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the first one decides
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, lines), daemon=True).start()
    setup = json.loads(lines.get())
    try:
        function = made(setup["function"], setup["argument"])
    except Exception as error:
        _send(answers, {"stop": _words(error)})
        return
    while True:
        _send(answers, answer(function, json.loads(lines.get()), lambda n: _send(answers, {"advance": n})))


def made(function: str, argument: Any) -> Function:  # noqa: ANN401 - any JSON
    """What is called with tasks: made by the function that is named, `module:name`, of its argument."""
    module, _, name = function.partition(":")
    make: Any = importlib.import_module(module)
    for part in name.split("."):
        make = getattr(make, part)
    calls: Function = make(argument)
    return calls


def answer(function: Function, task: dict[str, Any], advance: Callable[[int], None]) -> dict[str, Any]:
    """The result of a task, or why there is none, as JSON holds it; `stop` is what every task would say."""
    try:
        return {"result": function(task, advance)}
    except tuple(STOPPING.values()) as error:
        return {"stop": _words(error)}
    except Exception as error:
        return {"failed": _words(error)}


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
