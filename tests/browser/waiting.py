"""Waiting for what a page comes to; the page's policy forbids playwright's own way, which evaluates strings there."""

from __future__ import annotations

import time
from typing import Any


def until(page: Any, expression: str, seconds: float = 10) -> None:  # noqa: ANN401 - of a library that may be missing
    """Returns once the expression is true."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"not true within {seconds} seconds: {expression}"
        page.wait_for_timeout(30)
