"""Lines of docstrings and comments that became too long: their last words go to the next line."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

LIMIT = 120


def wrap_long_lines(root: Path) -> None:
    """Wraps what the formatter leaves alone, below `root`; says what it could not wrap."""
    for name in sorted({place["filename"] for place in _too_long(root)}):
        path = Path(name)
        path.write_text(wrapped(path.read_text(encoding="utf-8")), encoding="utf-8")
    for place in _too_long(root):
        print(f"too long: {place['filename']}:{place['location']['row']}")


def wrapped(source: str) -> str:
    """The module with the long lines of its docstrings and comments wrapped."""
    row = 0
    while row < len(lines := source.split("\n")):
        if len(lines[row]) > LIMIT and (row in _docstring_rows(source) or lines[row].lstrip().startswith("# ")):
            source = "\n".join(_with_break(lines, row))
        row += 1
    return source


def _with_break(lines: list[str], row: int) -> list[str]:
    line = lines[row]
    start = re.match(r"\s*(?:# )?", line)[0]  # type: ignore[index]
    if line.lstrip().startswith(">>> "):
        end = line.rindex(", ", 0, LIMIT) + 1
        return [*lines[:row], line[:end], f"{start}...     {line[end:].strip()}", *lines[row + 1 :]]
    end = line.rindex(" ", 0, LIMIT + 1)
    rest, after = line[end + 1 :], lines[row + 1] if row + 1 < len(lines) else ""
    goes_on = after.startswith(start) and re.match(r"[\w`(\"']", after[len(start) :]) and '"""' not in after
    if goes_on:
        return [*lines[:row], line[:end], f"{start}{rest} {after[len(start) :]}", *lines[row + 2 :]]
    return [*lines[:row], line[:end], start + rest, *lines[row + 1 :]]


def _docstring_rows(source: str) -> set[int]:
    rows: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            rows |= set(range(node.lineno - 1, (node.end_lineno or node.lineno)))
    return rows


def _too_long(root: Path) -> list[dict[str, object]]:
    words = [Path(sys.executable).parent / "ruff", "check", "--select", "E501", "--output-format", "json", "."]
    return json.loads(subprocess.run(words, cwd=root, capture_output=True, text=True, check=False).stdout)
