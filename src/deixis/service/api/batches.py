"""How many things may be asked for at once."""

from __future__ import annotations

from deixis.service.api.failures import Refusal
from deixis.service.state import ServiceState


def check_batch(state: ServiceState, what: str, n: int) -> None:
    """Raises the refusal for more things in one request than the service allows."""
    _check(what, n, state.config.limits.max_batch, "--max-batch")


def check_mentions(state: ServiceState, n: int) -> None:
    """Raises the refusal for more given mentions in one request than the service allows."""
    _check("mentions", n, state.config.limits.max_mentions, "--max-mentions")


def _check(what: str, n: int, most: int, flag: str) -> None:
    if n > most:
        raise Refusal(
            422,
            "batch",
            f"The request has {n:,} {what}; at most {most:,} go into one. Send several requests, or start the service "
            f"with a larger {flag}.",
        )
