"""Packages that only benchmarks need (extra `bench`), imported when they are used."""

from __future__ import annotations

import importlib
from typing import Any

from deixis.errors import MissingExtraError


def bench_module(name: str, what: str) -> Any:  # noqa: ANN401 - a module
    """The module of this name, which `what` needs.

    Examples
    --------
    >>> bench_module("json", "Reading a suite").dumps([1])
    '[1]'
    >>> bench_module("no_package", "Reading a suite")
    Traceback (most recent call last):
    deixis.errors.MissingExtraError: Reading a suite needs 'no_package'. Install it with: pip install 'deixis[bench]'
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name != name.split(".")[0]:
            raise
        raise MissingExtraError(what, name.split(".")[0], "bench") from error
