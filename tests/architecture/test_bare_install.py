"""A bare install does all that needs no extra, and an extra brings all that its part of Deixis needs."""

import ast
import json
import os
import re
import subprocess
import sys
import urllib.request
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.packages import DEV, EXTRAS, HIDE, PROJECT, ROOT, hidden_but_for, modules_of

SOURCE = ROOT / "src"
IMPORT_ALL = """
import importlib, pkgutil
import deixis
for module in pkgutil.walk_packages(deixis.__path__, 'deixis.'):
    if module.name.endswith('__main__'): continue
    try: importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        assert error.name.partition('.')[0] in HIDDEN, error
        print(module.name)
"""


def python(code: str, hidden: set[str]) -> str:
    """What the code prints where these modules are not installed."""
    whole = f"HIDDEN = {hidden!r}\n{HIDE}{code}"
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def failing_with(*extras: str) -> frozenset[str]:
    """The modules of Deixis that do not import where only these extras are installed."""
    return frozenset(python(IMPORT_ALL, hidden_but_for(*extras)).split())


@cache
def trees() -> dict[str, ast.Module]:
    """The modules of Deixis by name."""
    found = {}
    for path in SOURCE.glob("deixis/**/*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def imports() -> dict[str, set[str]]:
    """What each module of Deixis imports of the others, at its head or in a function."""
    return {name: _imported(tree) & trees().keys() for name, tree in trees().items()}


@cache
def behind_registries() -> dict[str, set[str]]:
    """The modules that registries open for each extra."""
    behind: dict[str, set[str]] = {}
    for node in (node for tree in trees().values() for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Lazy":
            for extra in (each.value for each in node.keywords if each.arg == "extra"):
                behind.setdefault(ast.literal_eval(extra), set()).add(ast.literal_eval(node.args[0]).partition(":")[0])
    return behind


def _imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        found |= _imported(node)
    return found


def test_what_a_bare_install_cannot_import_is_behind_a_registry_that_names_an_extra():
    failed, points = failing_with(), PROJECT["project"]["entry-points"].values()
    reached = {target.partition(":")[0] for each in points for target in each.values()}
    reached = reached.union(*behind_registries().values())
    waiting = list(reached & failed)
    while waiting:
        new = imports()[waiting.pop()] & failed - reached
        reached |= new
        waiting += new
    assert failed and failed <= reached
    assert {module for module, imported in imports().items() if imported & failed} <= failed
    assert "deixis.service.config" not in failed  # what `deixis serve --help` shows


def test_every_extra_that_a_registry_names_can_be_installed():
    assert behind_registries() and behind_registries().keys() <= EXTRAS.keys()


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_all_that_its_modules_need(extra):
    opened = sorted(behind_registries().get(extra, ()))
    python(f"import importlib\nfor name in {opened!r}: importlib.import_module(name)", hidden_but_for(extra))


def test_what_needs_no_torch_imports_without_it():
    failed = failing_with(*EXTRAS.keys() - {"neural"})
    trainers = {"deixis.training.reranker", "deixis.training.encoder", "deixis.training.reader"}
    assert failed >= trainers and all(name.startswith("deixis.neural.") for name in failed - trainers)
    assert not failed & {"deixis.neural.windows", "deixis.neural.bi_encoder.mining", "deixis.neural.opening"}


def test_what_an_extra_brings_is_not_only_for_tests():
    """What the tests import and Deixis never names belongs to the group of developers."""
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("**/*.py")]
    by_tests = {name.partition(".")[0] for text in tests for name in _imported(ast.parse(text))}
    by_tests |= {name for text in tests for name in re.findall(r'importorskip\("(\w+)', text)}
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.glob("**/*.py"))
    for extra, requirements in EXTRAS.items():
        brought = modules_of({canonicalize_name(Requirement(each).name) for each in requirements}) & by_tests
        assert {module for module in brought if not re.search(rf"\b{module}\b", source)} == set(), extra


def test_a_library_leaves_the_choice_of_versions_to_those_who_install_it():
    assert [each for listed in EXTRAS.values() for each in listed if "==" in each] == []
    assert [each for each in DEV if each.startswith("torch==")]  # the tests' figures are those of one version


class Bare:
    """Runs `deixis` where only some packages are installed."""

    def __init__(self, folder: Path, *extras: str) -> None:
        self.folder = folder
        hiding = folder / "hiding"
        hiding.mkdir()
        (hiding / "sitecustomize.py").write_text(f"HIDDEN = {hidden_but_for(*extras)!r}\n{HIDE}", encoding="utf-8")
        self.environment = {**os.environ, "PYTHONPATH": str(hiding), "PYTHONWARNINGS": "error", "NO_COLOR": "1"}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "deixis.cli", *arguments]

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(
            self.command(*arguments), cwd=self.folder, env=self.environment, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout


def test_what_is_hidden_cannot_be_imported(tmp_path):
    assert "rapidfuzz" in hidden_but_for() and "numpy" not in hidden_but_for()
    code = "import importlib.util, numpy; print(importlib.util.find_spec('rapidfuzz'))"
    assert python(code, hidden_but_for()) == "None\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "kb.jsonl").write_text(
        '{"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"}\n'
        '{"id": "paris", "title": "Paris", "description": "prince of Troy who carried Helen off"}\n'
        '{"id": "city", "title": "Paris", "description": "capital of France on the Seine"}\n',
        encoding="utf-8",
    )
    (tmp_path / "gold.jsonl").write_text(
        '{"id": "g", "text": "To save Troy, Pariss had to go.", "mentions": ['
        '{"start": 8, "end": 12, "entity": "troy"}, {"start": 14, "end": 20, "entity": "paris"}]}\n',
        encoding="utf-8",
    )
    return tmp_path


def test_a_bare_install_builds_links_explains_and_measures(small):
    deixis = Bare(small)
    deixis("demo")
    deixis("kb", "check", "kb.jsonl")
    deixis("build", "kb.jsonl", "-o", "model")
    assert '"entity": "troy"' in deixis("link", "model", "gold.jsonl")
    assert "Troy means Troy (troy)" in deixis("explain", "model", "gold.jsonl")
    assert "accuracy" in deixis("eval", "model", "gold.jsonl", "--json")
    assert "Everything is fine." in deixis("doctor")
    assert "Everything is fine." in deixis("doctor", "model")


def test_a_service_needs_what_its_extra_brings_and_no_more(small):
    deixis = Bare(small, "serve")
    deixis("build", "kb.jsonl", "-o", "model")
    asking = subprocess.Popen(
        deixis.command("serve", "model", "--port", "0"), cwd=small, env=deixis.environment, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        assert asking.stderr is not None
        said = []
        for line in asking.stderr:
            said.append(line)
            if line.startswith("Serving "):
                break
        assert said and said[-1].startswith("Serving "), "".join(said)
        url = said[-1].split()[-1]
        body = json.dumps({"text": "To save Troy, Paris had to go.", "start": 8, "end": 12}).encode()
        request = urllib.request.Request(f"{url}/explain", body, {"content-type": "application/json"})
        assert json.load(urllib.request.urlopen(request, timeout=60))["entity"]["id"] == "troy"
    finally:
        asking.terminate()
        asking.wait(timeout=60)
        asking.stderr.close()
