"""How many things may be asked for at once."""

from __future__ import annotations

from deixis.service.failures import Refusal
from deixis.service.state import ServiceState


def check_batch(state: ServiceState, what: str, n: int) -> None:
    """Raises the refusal for more things in one request than the service allows."""
    most = state.config.limits.max_batch
    if n > most:
        raise Refusal(
            422,
            "batch",
            f"The request has {n:,} {what}; at most {most:,} go into one. Send several requests, or start the service "
            "with a larger --max-batch.",
        )
