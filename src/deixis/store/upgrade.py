"""Reads models of format 1: their arrays under the names and in the shapes of today. Nothing is computed anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray


def upgraded(kind: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of a model of format 1 as format 2 names them."""
    del kind
    return dict(arrays)
