"""Linking stays small enough to read: few parameters, few imports, and a pipeline of one screen."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "deixis"
FILES = sorted((PACKAGE / "linking").rglob("*.py"))
MAX_PARAMETERS = 6
MAX_IMPORTS = 15
MAX_LINES = 60  # of the function that is linking


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path):
    return str(path.relative_to(PACKAGE))


def n_parameters(function):
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return len([each for each in every if each.arg not in ("self", "cls")])


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_function_has_many_parameters(path):
    functions = [node for node in ast.walk(parsed(path)) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
    assert [getattr(each, "name", "lambda") for each in functions if n_parameters(each) > MAX_PARAMETERS] == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_module_imports_many_others(path):
    modules = {node.module for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom)}
    own = sorted(module for module in modules if module and module.startswith("deixis"))
    assert len(own) <= MAX_IMPORTS, own


def test_the_pipeline_is_one_function_of_one_screen():
    tree = parsed(PACKAGE / "linking" / "pipeline.py")
    (function,) = (node for node in tree.body if getattr(node, "name", "") == "link_documents")
    assert function.end_lineno - function.lineno + 1 < MAX_LINES
