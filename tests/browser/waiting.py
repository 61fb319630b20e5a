"""Waiting for what a page comes to; the page's policy forbids playwright's own way, which evaluates strings there."""

from __future__ import annotations

import time
from typing import Any

from tests.processes import PATIENCE


def until(page: Any, expression: str) -> None:  # noqa: ANN401 - of a library that may be missing
    """Returns once the expression is true."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"not true within {PATIENCE:g} seconds: {expression}"
        page.wait_for_timeout(30)
