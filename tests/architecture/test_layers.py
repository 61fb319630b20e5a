"""Imports point down: the table in pyproject.toml, read with the standard library alone."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "deixis"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
LAYERS = [[room.strip() for room in layer.split("|")] for layer in CONTRACTS[0]["layers"]]
HEIGHT = {room: len(LAYERS) - number for number, layer in enumerate(LAYERS) for room in layer}
FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imported_modules(path: Path) -> set[str]:
    """Every module that the file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the full name"
            found.add(node.module)
    return found


def test_every_room_has_a_layer():
    rooms = {room_of(path) for path in FILES} - {"__init__"}
    assert rooms == set(HEIGHT)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    here = room_of(path)
    if here == "__init__":
        return  # the root only names what others hold, and imports it when asked
    for module in imported_modules(path):
        first, _, rest = module.partition(".")
        if first == "deixis" and rest:
            there = rest.split(".")[0]
            assert there == here or HEIGHT[there] < HEIGHT[here], f"{here} must not import {module}"


def test_inside_the_package_nobody_imports_the_public_names_from_the_root():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "deixis":
                assert [alias.name for alias in node.names] == ["__version__"], path


@pytest.mark.parametrize("contract", CONTRACTS[1:], ids=lambda contract: contract["name"])
def test_libraries_stay_in_the_rooms_that_may_use_them(contract):
    rooms = {name.removeprefix("deixis.") for name in contract["source_modules"]}
    for path in FILES:
        if room_of(path) in rooms:
            tops = {module.partition(".")[0] for module in imported_modules(path)}
            assert not tops & set(contract["forbidden_modules"]), path


def test_nothing_can_run_code_from_a_file():
    """No pickle in any of its disguises, in the package or its tools."""
    for path in FILES:
        tops = {module.partition(".")[0] for module in imported_modules(path)}
        assert not tops & {"pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}, path
        source = path.read_text(encoding="utf-8")
        assert "allow_pickle=True" not in source, path
        assert not {"eval(", "exec("} & {word for word in source.split() if word.startswith(("eval(", "exec("))}, path


def test_no_room_is_a_drawer_for_everything():
    names = {part for path in FILES for part in path.relative_to(PACKAGE).with_suffix("").parts}
    assert not names & {"utils", "util", "common", "helpers", "base", "misc"}
