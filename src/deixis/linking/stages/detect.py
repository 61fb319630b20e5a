"""Stage 1: documents to spans. Given mentions are taken as they are; raw text is searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from deixis.detection.recognizers import Recognize
from deixis.linking.plan import LinkPlan
from deixis.tables import Spans
from deixis.types import Document


def detect(
    plan: LinkPlan, documents: Sequence[Document], numbers: Sequence[int], recognizer: Recognize | None
) -> Spans:
    """The spans of the documents of these numbers: those they bring, or those that may be mentions."""
    if not plan.detects:
        return Spans.given(documents)
    spans = plan.model.detector.detect(
        [documents[number].text for number in numbers],
        recognizer=recognizer,
        min_probability=plan.min_probability,
        n_threads=plan.model.n_threads,
    )
    return replace(spans, documents=np.asarray(numbers, dtype=np.int64)[spans.documents])
