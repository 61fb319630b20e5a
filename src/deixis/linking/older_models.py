"""Parts of stored models that earlier versions stored in another way."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from deixis.decision.decision import Decision, Decisions
from deixis.decision.link_model import LinkModel
from deixis.detection.detector import SpanDetector
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig

logger = logging.getLogger(__name__)


def _is_older(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Whether the model is from before names were compared by stems: how it detects mentions cannot be read."""
    return "detector.names.writing" not in arrays


def stored_detector(
    arrays: Mapping[str, NDArray[Any]], kb: KnowledgeBase, config: LinkerConfig, n_threads: int
) -> SpanDetector:
    """The detector of a model; of one from before names were compared by stems it is made again from its names."""
    if not _is_older(arrays):
        return SpanDetector.from_arrays(arrays, "detector", config=config.finding)
    logger.warning(
        "The model was saved by an earlier Deixis, which detected mentions in another way. Its names are read anew; "
        "what it learned about detection from annotated documents is not used. Build it again to have that, and to "
        "open it faster."
    )
    return SpanDetector.from_names(
        kb.names()[0], kb.titles, kb.description_texts(), config.finding, config.detection, n_threads
    )


def stored_decisions(arrays: Mapping[str, NDArray[Any]]) -> Decisions:
    """The decisions of a model; of such an older one, that on raw text is the default."""
    decisions = Decisions.from_arrays(arrays, "decisions")
    return replace(decisions, detected=Decision(LinkModel.default())) if _is_older(arrays) else decisions
