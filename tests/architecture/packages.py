"""Which packages Deixis must do without, by what it and they say they need: nothing here is typed by hand."""

import importlib.metadata
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DEPENDENCIES: list[str] = PROJECT["project"]["dependencies"]
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
DEV: list[str] = PROJECT["dependency-groups"]["dev"]

HIDE = """
import sys
class Hiding:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition('.')[0] in HIDDEN else self.finder.find_spec(name, path, target)
    def __getattr__(self, name):
        return getattr(self.finder, name)
sys.meta_path[:] = map(Hiding, sys.meta_path)
"""


def needed_by(requirements: Iterable[str]) -> set[str]:
    """The installed packages that these requirements bring, with all that those need in turn."""
    waiting = [Requirement(each) for each in requirements]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                wanted = (Requirement(each) for each in _requires(name))
                waiting += [each for each in wanted if each.marker is None or each.marker.evaluate({"extra": extra})]
    return {name for name, _ in seen}


def hidden_but_for(*extras: str) -> set[str]:
    """The modules, of all that its tests and extras need, that nobody has who installed Deixis with these extras."""
    every = needed_by([*DEV, *(each for listed in EXTRAS.values() for each in listed)])
    visible = needed_by([*DEPENDENCIES, *(each for extra in extras for each in EXTRAS[extra])])
    return modules_of(every - visible)


def modules_of(packages: set[str]) -> set[str]:
    """What can be imported only because one of these is installed."""
    return {module for module, owners in _owners().items() if owners <= packages} - sys.stdlib_module_names


@cache
def _owners() -> dict[str, set[str]]:
    found = importlib.metadata.packages_distributions()
    return {module: set(map(canonicalize_name, packages)) for module, packages in found.items()}


@cache
def _requires(name: str) -> list[str]:
    try:
        return importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:  # for another system
        return []
