"""Stage 1: documents to spans. Given mentions are taken as they are; raw text is searched.

Short forms that a text defines are ranked as what they stand for, whether given or detected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from deixis.detection.abbreviations import short_forms
from deixis.detection.recognizers import Recognize
from deixis.linking.plan import LinkPlan
from deixis.tables import Spans
from deixis.types import Document


def detect(
    plan: LinkPlan, documents: Sequence[Document], numbers: Sequence[int], recognizer: Recognize | None
) -> Spans:
    """The spans of the documents of these numbers: those they bring, or those that may be mentions."""
    if not plan.detects:
        return Spans.given(documents).with_long_forms(_long_forms(documents))
    spans = plan.model.detector.detect(
        [documents[number].text for number in numbers],
        recognizer=recognizer,
        min_probability=plan.min_probability,
        n_threads=plan.model.n_threads,
    )
    return replace(spans, documents=np.asarray(numbers, dtype=np.int64)[spans.documents])


def _long_forms(documents: Sequence[Document]) -> dict[tuple[int, int, int], tuple[int, int]]:
    """The given mentions that are short forms which their text defines, and the positions of what they stand for."""
    positions = {}
    for number, document in enumerate(documents):
        texts = {document.text[mention.start : mention.end] for mention in document.mentions}
        forms = {form.text: form for form in short_forms(document.text, texts)}
        for mention in document.mentions if forms else ():
            form = forms.get(document.text[mention.start : mention.end])
            if form is not None and not (form.start <= mention.start and mention.end <= form.end):
                positions[number, mention.start, mention.end] = (form.start, form.end)
    return positions
