"""Processes that tests start and interrupt, and what they use; nothing here depends on how busy the machine is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds after which what a test waits for will never come


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:  # noqa: ANN401
    """A process that SIGINT interrupts, also where the tests run in the background and so ignore it themselves."""
    if sys.platform != "win32":
        options["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(command, **options)


def start_in_background(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:  # noqa: ANN401
    """A process that ignores SIGINT, as a script's shell starts what is followed by `&`."""
    return subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN), **options)


def processor_seconds(pid: int) -> float:
    """What a process has used so far, of all its threads; where that cannot be known, a clock."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return time.monotonic()
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    """Returns as soon as it is so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE:g} seconds"
        time.sleep(0.01)
