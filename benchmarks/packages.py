"""Packages that only benchmarks need (the group `bench` of pyproject.toml), imported when they are used."""

from __future__ import annotations

import importlib
from typing import Any

from deixis.errors import ToolkitError


class MissingPackageError(ToolkitError):
    """A benchmark needs a package that is not installed; names the line that installs it."""

    def __init__(self, what: str, package: str) -> None:
        super().__init__(f"{what} needs {package!r}. Install it, in the source tree, with: pip install --group bench")


def bench_module(name: str, what: str) -> Any:  # noqa: ANN401 - a module
    """The module of this name, which `what` needs.

    Examples
    --------
    >>> bench_module("json", "Reading a suite").dumps([1])
    '[1]'
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name != name.split(".")[0]:
            raise
        raise MissingPackageError(what, name.split(".")[0]) from error
