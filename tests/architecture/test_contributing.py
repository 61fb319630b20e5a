"""CONTRIBUTING's table of changes is true: every file it names exists, and so does every registry in it."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "deixis"
ROWS = [
    line
    for line in (ROOT / "CONTRIBUTING.md")
    .read_text(encoding="utf-8")
    .partition("| I want to ... |")[2]
    .splitlines()[2:]
    if line.startswith("|")
]
CHANGES = (
    "list format", "candidate source", "ranking feature", "metric", "link option", "endpoint", "text encoder",
    "calibration", "command", "document format", "engine for labels", "trainer",
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_every_typical_change_has_its_row(change):
    assert [row for row in ROWS if change in row.split("|")[1]], f"no row says where to add a {change}"


@pytest.mark.parametrize("row", ROWS, ids=[row.split("|")[1].strip() for row in ROWS])
def test_every_file_and_registry_that_a_row_names_exists(row):
    names = [name for name in re.findall(r"`([^`]+)`", row) if re.fullmatch(r"[a-z_]+/[a-z_/.]*", name)]
    for name in names:
        folder = name.removesuffix("x.py")
        paths = (PACKAGE / folder, ROOT / folder)
        assert any(path.exists() for path in paths), f"{name} is not there"
    for registry, module in re.findall(r"`([A-Za-z]+)` of `([a-z_/]+)\.py`", row):
        imported = importlib.import_module("deixis." + module.replace("/", ".").removesuffix(".__init__"))
        assert hasattr(imported, registry), f"{module} has no {registry}"
