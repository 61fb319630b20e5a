"""Writes src/deixis/native/_core.pyi from the compiled core: types, enums and constants are written once, in C++.

Run it after changing what the core offers, with the core built: `python -m tools.make_core_stub`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

from deixis.native import _core

PAGE = Path(__file__).resolve().parents[1] / "src" / "deixis" / "native" / "_core.pyi"
OPENING = "# Made by tools/make_core_stub.py from the compiled core; do not edit.\n"
_SIMPLER = [
    # nanobind writes what it knows of an array beyond its type; mypy reads none of it.
    (re.compile(r"Annotated\[(NDArray(?:\[[\w.]+\])?), dict\([^()]*(?:\([^()]*\)[^()]*)*\)\]"), r"\1"),
    (re.compile(r"\bNDArray(?=[\],\s)])(?!\n)"), "NDArray[Any]"),
    (re.compile(r"(ENTRY_FIELDS: list) = .*"), r"\1[tuple[str, str]]"),
    (re.compile(r"\n    __str__ = __repr__\n|\n    def __repr__\(self, /\): \.\.\.\n"), ""),  # of every flag
    (re.compile(r"(?<=\d)\n\n(?= *[A-Z_]+(?:: int)? = )"), "\n"),
]


def stub() -> str:
    """The stub of the core as it is built."""
    generator = StubGen(_core, include_docstrings=False)
    generator.put(_core)
    text = OPENING + generator.get()
    for pattern, replacement in _SIMPLER:
        text = pattern.sub(replacement, text)
    for command in (["check", "--select=I,F401,UP", "--fix-only", "--quiet"], ["format"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *command, f"--stdin-filename={PAGE}", "-"],
            input=text, capture_output=True, text=True, check=True, timeout=60,
        ).stdout  # fmt: skip
    return text


if __name__ == "__main__":
    PAGE.write_text(stub(), encoding="utf-8")
