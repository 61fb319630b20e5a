"""Writes the `source_modules` of the import contracts in pyproject.toml from the layers: `python tools/contracts.py`.

A contract "... stays in ROOM" forbids a library to every room but the last word of its name, so a new room is one word
in `layers`. `tests/architecture/test_contracts.py` fails while the file and the layers differ.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def with_source_modules(text: str) -> str:
    """The text of pyproject.toml with the rooms of every `forbidden` contract made from the layers."""
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    layers = [re.split(r"\s*[|:]\s*", layer) for layer in next(c["layers"] for c in contracts if c["type"] == "layers")]
    for contract in contracts:
        if contract["type"] == "forbidden":
            text = _with_rooms(text, contract["name"], layers)
    return text


def _with_rooms(text: str, name: str, layers: list[list[str]]) -> str:
    home = name.split()[-1]
    if home not in {room for layer in layers for room in layer}:
        raise SystemExit(f"contract {name!r}: its last word must be a room of the layers, so that the others are known")
    lines = [", ".join(f'"deixis.{room}"' for room in layer if room != home) for layer in layers]
    rooms = "".join(f"    {line},\n" for line in lines if line)
    pattern = re.compile(rf'(name = "{re.escape(name)}"\n(?:[^\[\n]*\n)*source_modules = \[)[^\]]*\]')
    changed, n_places = pattern.subn(lambda match: f"{match[1]}\n{rooms}]", text)
    if n_places != 1:
        raise SystemExit(f"contract {name!r}: {n_places} places with `source_modules` in pyproject.toml, not one")
    return changed


def main() -> None:
    """Rewrites pyproject.toml where the layers ask for it."""
    PYPROJECT.write_text(with_source_modules(PYPROJECT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
