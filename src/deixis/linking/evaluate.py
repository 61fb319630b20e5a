"""Measures a model, or predictions that somebody made, on annotated documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from deixis.errors import ConfigError
from deixis.evaluation import run
from deixis.evaluation.known_entities import EVERY_ENTITY, KnownEntities
from deixis.evaluation.linking.figures import RECALL_AT
from deixis.evaluation.run import Evaluation
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlans, settings_in_force
from deixis.linking.streams import link_stream
from deixis.types import Document

DEFAULT = LinkOptions()


def evaluate_links(
    system: LinkerModel | Iterable[Document],
    documents: Iterable[Document],
    kb: KnowledgeBase | KnownEntities | None = None,
    options: LinkOptions = DEFAULT,
    at: Sequence[int] | None = None,
    **how: Any,  # noqa: ANN401 - the further keywords of `evaluation.run.evaluate`
) -> Evaluation:
    """How often a model, or somebody's predictions, are right; the arguments are those of `deixis.linker.evaluate`."""
    answer: run.Link | Iterable[Document]
    n_candidates, settings = None, {}
    if isinstance(system, LinkerModel):
        n_candidates, settings = system.config.n_candidates, settings_in_force(system, options)
        depth = max(*(at or RECALL_AT), n_candidates)
        answer = partial(_linked, system, options.with_changes(top_k=depth))
        kb = KnownEntities.of(system.kb, mask=options.only.cached_mask(system.kb)) if kb is None else kb
    elif options == DEFAULT:
        answer = system
    else:
        given = ", ".join(options.to_dict())
        raise ConfigError(f"Predictions are scored as they are, so leave out: {given}. Or give a linker.")
    known = EVERY_ENTITY if kb is None else KnownEntities.of(kb) if isinstance(kb, KnowledgeBase) else kb
    return run.evaluate(answer, documents, known, at=at, n_candidates=n_candidates, settings=settings, **how)


def _linked(model: LinkerModel, options: LinkOptions, documents: Iterable[Document]) -> Iterable[Document]:
    return link_stream(LinkPlans.of(model, options), documents, batch_size=run.BATCH_SIZE)
