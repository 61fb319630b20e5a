"""/health, /ready and /metrics, for operations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.security import HTTPBearer
from starlette.responses import PlainTextResponse

from deixis import __version__
from deixis.linker import Linker
from deixis.service.api import schema
from deixis.service.api.failures import Json
from deixis.service.state import ServiceState

NEEDS_TOKEN = Depends(HTTPBearer(scheme_name="token", auto_error=False))
"""Documents the token in the OpenAPI file; the request guard enforces it."""


def router(state: ServiceState) -> APIRouter:
    """The routes that report the state of the service."""
    routes = APIRouter(tags=["operations"])

    @routes.get("/health", response_model=dict[str, str])
    async def health() -> Json:
        """Check that the process responds."""
        return Json({"status": "ok"})

    @routes.get("/ready", response_model=schema.Ready)
    async def ready() -> Json:
        """Get the model that is served; 503 while the service is stopping."""
        return Json(await about(state), 200 if state.is_ready else 503)

    @routes.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> PlainTextResponse:
        """Metrics of all workers, for Prometheus."""
        return PlainTextResponse(state.metrics.text(), media_type="text/plain; version=0.0.4")

    return routes


async def about(state: ServiceState) -> dict[str, Any]:
    """The record of the model that is served."""
    served = await state.current()
    return {
        "ready": state.is_ready,
        "kind": served.kind,
        "entities": served.kb.n_entities,
        "corrections": len(served.model.corrections) if isinstance(served.model, Linker) else 0,
        "generation": served.generation,
        "model": served.path.name,
        "loaded": datetime.fromtimestamp(served.loaded, UTC).isoformat(timespec="seconds"),
        "version": __version__,
    }
