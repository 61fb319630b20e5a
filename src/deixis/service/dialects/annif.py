"""Annif's REST API, for labellers: the model is the only project, named after its folder."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from deixis import __version__
from deixis.documents.json_lines import short_score
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.service.api.batches import check_batch
from deixis.service.api.failures import Json
from deixis.service.api.link_options import MAX_TOP_K
from deixis.service.dialects.forms import bad, fields_of, form_schema, number, whole_number
from deixis.service.dialects.uris import uri_of
from deixis.service.served import Served
from deixis.service.state import ServiceState
from deixis.types import Candidate

ROOT = "/v1"
LIMIT = 10
UNKNOWN_LANGUAGE = "und"
FIELDS = {
    "text": "Text to suggest subjects for.",
    "limit": f"Maximum number of subjects; {LIMIT} by default.",
    "threshold": "Lowest score, 0 to 1.",
}
Limit = Annotated[int, Query(ge=0, le=MAX_TOP_K)]
Threshold = Annotated[float, Query(ge=0, le=1)]


class AnnifDocument(BaseModel):
    """A text of a batch."""

    text: str
    document_id: str | None = None


class AnnifBatch(BaseModel):
    """Texts to suggest subjects for."""

    documents: list[AnnifDocument] = Field(min_length=1)


def router(state: ServiceState) -> APIRouter:
    """The routes of Annif's API."""
    routes = APIRouter(prefix=ROOT, tags=["dialect of Annif"])

    async def suggested(texts: list[str], limit: int, threshold: float) -> list[dict[str, Any]]:
        served = state.served
        label_lists: list[list[Candidate]] = [[] for _ in texts]
        if limit:
            state.check_length(texts)
            label_lists = await state.run(lambda _: served.labeller.label(texts, limit, threshold))
        state.metrics.add("deixis_documents_total", len(texts))
        return [
            {"results": [_result(served.kb, each, state.config.uri_prefix) for each in labels]}
            for labels in label_lists
        ]

    @routes.get("/", response_model=dict[str, str])
    async def info() -> Json:
        """Name and version of the service."""
        return Json({"title": "Deixis, in the dialect of Annif's REST API", "version": __version__})

    @routes.get("/projects", response_model=dict[str, Any])
    async def projects() -> Json:
        """The one project: the model."""
        return Json({"projects": [_project(state.served)]})

    @routes.get("/projects/{project_id}", response_model=dict[str, Any])
    async def project(project_id: str) -> Json:
        """The record of the project."""
        return _unknown(state.served, project_id) or Json(_project(state.served))

    @routes.post("/projects/{project_id}/suggest", response_model=dict[str, Any], openapi_extra=form_schema(**FIELDS))
    async def suggest(project_id: str, request: Request) -> Json:
        """Subjects for a text."""
        fields = await fields_of(request)
        if "text" not in fields:
            raise bad("The form has no text. Send it in the field 'text'.")
        limit = whole_number(fields, "limit", 0, MAX_TOP_K)
        threshold = number(fields, "threshold", 0, 1)
        answer = _unknown(state.served, project_id)
        return answer or Json(
            (await suggested([fields["text"]], LIMIT if limit is None else limit, threshold or 0.0))[0]
        )

    @routes.post("/projects/{project_id}/suggest-batch", response_model=list[dict[str, Any]])
    async def suggest_batch(
        project_id: str, batch: AnnifBatch, limit: Limit = LIMIT, threshold: Threshold = 0.0
    ) -> Json:
        """Subjects for each of several texts."""
        check_batch(state, "documents", len(batch.documents))
        answer = _unknown(state.served, project_id)
        if answer is not None:
            return answer
        suggestions = await suggested([each.text for each in batch.documents], limit, threshold)
        return Json(
            [
                results | {"document_id": each.document_id}
                for each, results in zip(batch.documents, suggestions, strict=True)
            ]
        )

    return routes


def _unknown(served: Served, project_id: str) -> Json | None:
    """The response for an unknown project, in Annif's format; None for the known one."""
    if project_id == project_name(served):
        return None
    detail = f"There is no project {project_id[:100]!r}; the only one is {project_name(served)!r}."
    answer = Json({"type": "about:blank", "title": "Not Found", "status": 404, "detail": detail}, 404)
    answer.headers["content-type"] = "application/problem+json"
    return answer


def project_name(served: Served) -> str:
    """The id of the project: the name of the model's folder."""
    return served.path.resolve().name


def _project(served: Served) -> dict[str, Any]:
    kb = served.kb
    languages = list(dict.fromkeys(kb.langs)) or [UNKNOWN_LANGUAGE]
    return {
        "project_id": project_name(served),
        "name": project_name(served),
        "language": languages[0],
        "backend": {"backend_id": served.labeller.config.engine},
        "vocab": {"vocab_id": project_name(served), "languages": languages, "size": len(kb), "loaded": True},
        "vocab_language": languages[0],
        "is_trained": True,
        "modification_time": None,
    }


def _result(kb: KnowledgeBase, label: Candidate, uri_prefix: str) -> dict[str, Any]:
    uri = uri_of(kb, label.id, uri_prefix)
    return {"uri": uri, "label": label.title, "notation": None, "score": short_score(label.score)}
