"""What corrections say of names, pairs and spans, put into a model beside what it knows; no weights are touched here.

A model with corrections is made from the model without them, so taking one back is making it with fewer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deixis.detection.correction_odds import CorrectedSpans
from deixis.linking.corrections import Corrections, rows_named
from deixis.linking.model import LinkerModel
from deixis.ranking.correction_odds import CorrectedPairs


def with_corrections(model: LinkerModel, corrections: Corrections) -> LinkerModel:
    """The model with these corrections in place of those it had, and with the weights that it has."""
    sources = model.sources.with_mentions((), ())
    gold, named = corrections.saying("gold"), [each for each in corrections.each if each.entity is not None]
    # Under the names that mentions elsewhere are ranked by: those of the knowledge base in another number or spelling.
    mentions = sources.with_kb_names([each.in_context() for each in named])
    rows, is_gold = rows_named(model.kb, named), [each.verdict == "gold" for each in named]
    right = [(mention, row) for mention, row, is_right in zip(mentions, rows, is_gold, strict=True) if is_right]
    pairs = CorrectedPairs(sources.words, mentions, np.array(rows), np.array(is_gold)) if named else CorrectedPairs()
    not_mentions = [each.surface for each in corrections.saying("not_an_entity")]
    spans = CorrectedSpans.of([each.surface for each in gold], not_mentions, model.config.detection)
    return replace(
        model,
        sources=sources.with_mentions([mention for mention, _ in right], [row for _, row in right]),
        ranker=model.ranker.with_corrected(pairs),
        detector=replace(model.detector, corrections=spans),
        corrections=corrections,
    )


def without_corrections(model: LinkerModel) -> LinkerModel:
    """The model as it was before any correction."""
    weights = model.ranker.weights if model.uncorrected_weights is None else model.uncorrected_weights
    model = replace(model, ranker=model.ranker.with_weights(weights), uncorrected_weights=None)
    return with_corrections(model, Corrections()) if model.corrections.each else model
