"""Writes the list of rooms in docs/explanation/architecture.md from the layers and the rooms' docstrings.

Run it after adding a room: `python tools/make_rooms.py`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
BLOCK = re.compile(r"(<!-- rooms -->\n).*?(<!-- /rooms -->)", re.DOTALL)


def rooms() -> str:
    """A table: the rooms of each layer, highest first, and the first sentence of each."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(each["layers"] for each in contracts if each["type"] == "layers")
    lines = ["| room | what is in it |", "| --- | --- |"]
    for layer in layers:
        lines += [f"| `{room}` | {purpose(room)} |" for room in re.split(r"\s*[|:]\s*", layer)]
    return "\n".join(lines) + "\n"


def purpose(room: str) -> str:
    """The first sentence of a room's docstring."""
    folder = ROOT / "src" / "deixis" / room
    source = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split())


def page() -> str:
    """The whole page, its list of rooms made anew."""
    return BLOCK.sub(lambda found: found[1] + rooms() + found[2], PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
