"""What Python and the compiled core both know is written once, and all that the core offers is used."""

import ast
import enum
import re
from collections.abc import Iterator
from pathlib import Path

from deixis.native import _core
from tools.make_core_stub import PAGE, stub

ROOT = Path(__file__).resolve().parents[2]
NATIVE = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src" / "deixis" / "native").glob("*.?pp")}
MODULES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src" / "deixis").rglob("*.py")}
OFFERED = {name: value for name, value in vars(_core).items() if not name.startswith("_")}
CONSTANTS = {name: value for name, value in OFFERED.items() if not callable(value)}
ENUMS = {name: kind for name, kind in OFFERED.items() if isinstance(kind, type) and issubclass(kind, enum.Enum)}


def written_by_hand(source: str) -> Iterator[str]:
    """The names in capitals that a module gives to numbers it writes itself; underscores before them do not count."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and not _has_more_than_numbers(node.value):
            for each in (each for target in node.targets for each in ast.walk(target)):
                if isinstance(each, ast.Name) and each.id.isupper():
                    yield each.id.lstrip("_")


def _has_more_than_numbers(value: ast.expr) -> bool:
    parts = list(ast.walk(value))
    texts = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return bool(texts) or any(isinstance(part, ast.Name | ast.Attribute) for part in parts)


def test_a_constant_written_by_hand_is_seen():
    source = "_MAX_WALK, LEAST = 10, 2**3\nMOST = _core.MAX_WALK\nname = 1\nNAME = 'name'"
    assert list(written_by_hand(source)) == ["MAX_WALK", "LEAST"]


def test_the_stub_is_that_of_the_core_as_it_is_built():
    assert PAGE.read_text(encoding="utf-8") == stub(), "run: python -m tools.make_core_stub"


def test_no_constant_of_the_core_is_written_a_second_time():
    known = CONSTANTS.keys() | {member for kind in ENUMS.values() for member in kind.__members__}
    again = {path.name: set(written_by_hand(source)) & known for path, source in MODULES.items()}
    assert {name: constants for name, constants in again.items() if constants} == {}


def test_no_enum_of_the_core_is_written_a_second_time():
    trees = [ast.parse(source) for source in MODULES.values()]
    classes = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    assert classes & ENUMS.keys() == set()


def test_no_comment_says_that_two_files_must_agree():
    pattern = re.compile(r"(?:#|//).*\b(?:same \w+ as|numbers as|as in) .*\.(?:hpp|cpp|py)\b")
    lines = [line for text in (MODULES | NATIVE).values() for line in text.splitlines()]
    assert [line for line in lines if pattern.search(line)] == []


def test_all_that_the_core_offers_is_used_by_a_module():
    used = set()
    for source in MODULES.values():
        used.update(re.findall(r"\b_core\.(\w+)", source))
        for names in re.findall(r"from deixis\.native\._core import (.*)", source):
            used.update(re.findall(r"\w+", names))
    assert OFFERED.keys() - used == set()


def test_prefetching_is_written_in_one_place():
    assert [path.name for path, text in NATIVE.items() if "__builtin_prefetch" in text] == ["prefetch.hpp"]


def test_arguments_are_refused_in_one_place():
    pattern = re.compile(r"throw (?:std::invalid_argument|std::length_error|nb::(?:value|type)_error)")
    assert {path.name for path, text in NATIVE.items() if pattern.search(text)} == {"border.hpp", "border.cpp"}
