"""Functions that processes of a pool are tried with."""

import os
import signal
import time
from pathlib import Path

from deixis.errors import ConfigError, DataError


def doubling(folder):
    """Doubles a number; what else a task says happens first."""
    return lambda task, advance: _do(Path(folder), task, advance)


def unable(folder):
    """Cannot be made."""
    raise ConfigError("no such thing")


def doomed(folder):
    """Dies as soon as it is made."""
    os.kill(os.getpid(), signal.SIGKILL)


def _do(folder, task, advance):
    number, what = task["number"], task.get("what")
    if what == "print":
        print("not an answer", flush=True)  # noqa: T201
    if what == "die once" and not (folder / "died").exists():
        advance(1)
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "fail":
        raise DataError("no text", path="a.jsonl", line=3)
    if what == "refuse":
        raise ConfigError("not with this model")
    if what == "stumble":
        raise ZeroDivisionError("nothing to divide by")
    if what == "sleep":
        (folder / f"{os.getpid()}").touch()
        time.sleep(600)
    advance(1)
    return {"double": 2 * number}
