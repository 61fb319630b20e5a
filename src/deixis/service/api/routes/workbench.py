"""/workbench: a web page whose files come with the package; it loads nothing from other sites."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from deixis.service.api.failures import Refusal
from deixis.service.state import ServiceState

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def router(_state: ServiceState) -> APIRouter:
    """The routes of the page. The files are read once and do not depend on the model."""
    routes = APIRouter(include_in_schema=False)
    name_to_file = {
        each.name: each.read_bytes()
        for each in files("deixis.service").joinpath("workbench").iterdir()
        if _type_of(each.name) is not None
    }

    @routes.get("/")
    @routes.get("/workbench")
    async def lead() -> Response:
        return RedirectResponse("workbench/", headers=HEADERS)

    @routes.get("/workbench/")
    @routes.get("/workbench/{name}")
    async def page(name: str = "index.html") -> Response:
        if name not in name_to_file:
            raise Refusal(404, "not_found", f"The workbench has no file {name[:100]!r}.")
        return Response(name_to_file[name], media_type=_type_of(name), headers=HEADERS)

    return routes


def _type_of(name: str) -> str | None:
    return TYPES.get(name[name.rfind(".") :])
