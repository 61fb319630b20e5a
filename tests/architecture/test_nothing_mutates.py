"""A model is data: nothing assigns to it, neither to its attributes nor into its arrays."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "deixis"
HEART = ("linking", "decision", "training", "explanation", "linker.py", "tables.py")
MODELS = {"linker", "model"}
OF_TORCH = "neural"  # where a model is a network
FILES = sorted(PACKAGE.rglob("*.py"))
ROOMS = [path for path in FILES if path.relative_to(PACKAGE).parts[0] in HEART]
OTHERS = [path for path in FILES if path.relative_to(PACKAGE).parts[0] != OF_TORCH]


def name_of(path):
    return str(path.relative_to(PACKAGE))


def root_of(node):
    """The variable at the beginning of `a.b[c].d`; None for what is no such chain."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def stores(node):
    """The attributes and places that a statement writes to, and variables that it changes in place."""
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For)):
        targets = [node.target]
    else:
        return
    for target in targets:
        for each in ast.walk(target):
            is_store = isinstance(getattr(each, "ctx", None), (ast.Store, ast.Del))
            if is_store and isinstance(each, (ast.Attribute, ast.Subscript)):
                yield each
            elif is_store and isinstance(each, ast.Name) and isinstance(node, ast.AugAssign):
                yield each


def functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def parameters(function):
    told = function.args
    return {each.arg for each in (*told.posonlyargs, *told.args, *told.kwonlyargs, told.vararg, told.kwarg) if each}


def mutations(function):
    """Where a function writes into what it was given; a constructor may write to `self`."""
    given = parameters(function) - ({"self"} if function.name == "__init__" else set())
    for statement in ast.walk(function):
        for target in stores(statement):
            if root_of(target) in given:
                yield f"line {statement.lineno}: {ast.unparse(statement)}"
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("setattr", "object.__setattr__", "delattr"):
            if function.name != "__post_init__":
                yield f"line {call.lineno}: {ast.unparse(call)}"


@pytest.mark.parametrize("path", ROOMS, ids=name_of)
def test_no_function_of_the_heart_writes_into_what_it_is_given(path):
    assert [each for function in functions(path) for each in mutations(function)] == []


@pytest.mark.parametrize("path", OTHERS, ids=name_of)
def test_nobody_assigns_to_a_model_or_a_linker(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        for target in stores(node)
        if isinstance(target, ast.Attribute) and _names_a_model(target.value)
    ]
    assert found == []


def _names_a_model(node):
    """`model`, `linker`, `self.model`, `served.linker`: what is called so, wherever it is kept."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
    return name in MODELS


@pytest.mark.parametrize("path", ROOMS, ids=name_of)
def test_every_record_of_the_heart_is_frozen(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                written = ast.unparse(decorator)
                assert not written.startswith("dataclass") or "frozen=True" in written, f"{node.name}: {written}"


@pytest.mark.parametrize(
    "code",
    [
        "def f(model):\n    model.ranker = None",
        "def f(model):\n    model.ranker.weights[0] = 1",
        "def f(weights):\n    weights += 1",
        "def f(weights):\n    weights[:] *= 2",
        "def f(self):\n    self.seen = 1",
        "def f(model):\n    a, model.b = 1, 2",
        "def f(model):\n    del model.b",
        "def f(model):\n    for model.b in range(3):\n        pass",
        "def f(model):\n    object.__setattr__(model, 'b', 1)",
    ],
)
def test_a_mutation_is_seen(code):
    (function,) = ast.parse(code).body
    assert list(mutations(function))


def test_what_only_reads_or_makes_anew_is_no_mutation():
    code = "def f(self, model, rows):\n    scores = model.scores.copy()\n    scores[rows] = 1\n    rows = rows + 1"
    assert not list(mutations(ast.parse(code).body[0]))
    assert not list(mutations(ast.parse("def __init__(self, x):\n    self.x = x").body[0]))
