"""Limits on the number of items in one request."""

from __future__ import annotations

from deixis.service.api.failures import Refusal
from deixis.service.state import ServiceState


def check_batch(state: ServiceState, what: str, n: int) -> None:
    """Raises Refusal (422) if a request has more items than allowed."""
    _check(what, n, state.config.limits.max_batch, "--max-batch")


def check_mentions(state: ServiceState, n: int) -> None:
    """Raises Refusal (422) if a request has more given mentions than allowed."""
    _check("mentions", n, state.config.limits.max_mentions, "--set max_mentions")


def _check(what: str, n: int, most: int, flag: str) -> None:
    if n > most:
        raise Refusal(
            422,
            "batch",
            f"The request has {n:,} {what}; at most {most:,} are allowed. Send several requests, or start the service "
            f"with a larger {flag}.",
        )
