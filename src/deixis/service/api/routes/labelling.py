"""/label: labels for whole documents, from a model that `deixis xmr train` made."""

from __future__ import annotations

from fastapi import APIRouter

from deixis.documents.json_lines import short_score
from deixis.service.api import schema
from deixis.service.api.batches import check_batch
from deixis.service.api.failures import Json
from deixis.service.state import ServiceState
from deixis.types import Candidate


def router(state: ServiceState) -> APIRouter:
    """The routes that label texts."""
    routes = APIRouter(tags=["labelling"])

    async def labelled(texts: list[str], k: int, threshold: float) -> list[dict[str, object]]:
        state.check_length(texts)
        label_lists = await state.run(lambda served: served.labeller.label(texts, k, threshold))
        state.metrics.add("deixis_documents_total", len(texts))
        return [{"labels": [_record(label) for label in labels]} for labels in label_lists]

    @routes.post("/label", response_model=schema.Labels)
    async def label(request: schema.LabelRequest) -> Json:
        """Get the best labels for a text."""
        return Json((await labelled([request.text], request.top_k, request.threshold))[0])

    @routes.post("/label/batch", response_model=schema.LabelsOfAll)
    async def label_batch(request: schema.LabelBatch) -> Json:
        """Get the best labels for several texts."""
        check_batch(state, "texts", len(request.texts))
        return Json({"documents": await labelled(request.texts, request.top_k, request.threshold)})

    return routes


def _record(label: Candidate) -> dict[str, object]:
    return {"id": label.id, "title": label.title, "score": short_score(label.score)}
