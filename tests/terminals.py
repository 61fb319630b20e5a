"""A command run at a pseudo-terminal, as a person sees it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_CONTROL = re.compile(r"\x1b\[[0-9;?]*([A-Za-z])|\r\n|[\r\n]|[^\x1b\r\n]")


@dataclass(frozen=True)
class Seen:
    """What came out: all that was sent to the terminal, and what went into a pipe."""

    terminal: str
    piped: str
    code: int

    def lines(self) -> list[str]:
        """Every line that ever stood on the screen when something else was written below it or over it."""
        lines, line = [], ""
        for match in _CONTROL.finditer(self.terminal):
            if match[1] == "K" or match[0] in ("\r", "\n", "\r\n"):  # erased, gone back to its beginning, or ended
                lines.append(line)
                line = ""
            elif match[1] is None:
                line += match[0]
        return [each for each in (*lines, line) if each.strip()]


def run_at_terminal(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    stdin: str = "",
    columns: int = 80,
    is_piped: bool = False,
) -> Seen:
    """Runs a command whose stderr, and stdout unless it `is_piped`, are a terminal that is so many columns wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {name: value for name, value in environment.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    variables |= {
        "TERM": "xterm-256color",
        **{name: environment[name] for name in ("NO_COLOR",) if name in environment},
    }
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, stdin=pipe, stdout=pipe if is_piped else theirs, stderr=theirs, cwd=folder, env=variables
    )
    os.close(theirs)
    piped: list[bytes] = []
    if process.stdout is not None:
        reading = threading.Thread(target=lambda: piped.append(process.stdout.read()))
        reading.start()
    process.stdin.write(stdin.encode())
    process.stdin.close()
    shown = _all_of(ours)
    os.close(ours)
    code = process.wait(timeout=120)
    if process.stdout is not None:
        reading.join()
        process.stdout.close()
    return Seen(shown.decode(), b"".join(piped).decode(), code)


def _all_of(terminal: int) -> bytes:
    pieces = []
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # the last program that had it open has ended
            return b"".join(pieces)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
