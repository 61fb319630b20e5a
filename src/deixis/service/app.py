"""The FastAPI app of one worker: the routes for its kind of model, behind the request guard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from fastapi import APIRouter, FastAPI
from starlette.middleware.cors import CORSMiddleware

from deixis import __version__
from deixis.labelling import labeller as labelling
from deixis.linking import stored as linking
from deixis.service.api import schema
from deixis.service.api.failures import handle_failures
from deixis.service.api.routes import changes as change_routes
from deixis.service.api.routes import entities as entity_routes
from deixis.service.api.routes import labelling as label_routes
from deixis.service.api.routes import learning as learning_routes
from deixis.service.api.routes import linking as link_routes
from deixis.service.api.routes import operations, tree, workbench
from deixis.service.dialects import annif, nif, rel
from deixis.service.dialects.reconciliation import routes as reconciliation
from deixis.service.dialects.spotlight import routes as spotlight
from deixis.service.process.metrics import Metrics
from deixis.service.process.request_guard import RequestGuard
from deixis.service.process.request_log import Observing
from deixis.service.state import ServiceState

MakeRouter = Callable[[ServiceState], APIRouter]

ROUTERS: dict[str, tuple[MakeRouter, ...]] = {
    linking.KIND: (
        link_routes.router,
        learning_routes.learn_router,
        entity_routes.write_router,
        change_routes.router,
        tree.router,
        rel.router,
        spotlight.router,
        nif.router,
        reconciliation.router,
    ),
    labelling.KIND: (label_routes.router, annif.router),
}
"""Kind of model -> functions that make the routes of such models only."""
COMMON: tuple[MakeRouter, ...] = (operations.router, learning_routes.router, entity_routes.router, workbench.router)
FAILURES = (400, 401, 403, 404, 408, 409, 413, 415, 421, 422, 429, 503, 504)


def create_app(state: ServiceState) -> FastAPI:
    """The app that answers for `state`."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        watching = asyncio.create_task(state.watch())
        yield
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await asyncio.to_thread(state.end)

    app = FastAPI(
        title="Deixis",
        version=__version__,
        description="Links text to a knowledge base. Offsets count Unicode code points.",
        docs_url=None,  # its page would load scripts from other sites
        redoc_url=None,
        lifespan=lifespan,
        responses={status: {"model": schema.FailureAnswer} for status in FAILURES},
    )
    routers = [make(state) for make in (*ROUTERS[state.served.kind], *COMMON)]
    for router in routers:
        app.include_router(router)
    handle_failures(app)
    paths = [str(getattr(route, "path", "")) for router in routers for route in router.routes]
    state.metrics = Metrics(state.shared, state.worker, paths)
    app.add_middleware(RequestGuard, state=state)
    if state.config.access.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(state.config.access.cors_origins),
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=["authorization", "content-type"],
            expose_headers=["retry-after", "x-request-id", "deixis-generation"],
        )
    app.add_middleware(Observing, state=state)
    return app
