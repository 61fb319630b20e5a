"""What corrections say of names, pairs and spans, put into a model beside what it knows; no weights are touched here.

A model with corrections is made from the model without them, so taking one back is making it with fewer.
"""

from __future__ import annotations

from dataclasses import replace

from deixis.detection.correction_odds import CorrectedSpans
from deixis.linking.corrections import Corrections, rows_named
from deixis.linking.model import LinkerModel
from deixis.ranking.correction_odds import CorrectedPairs


def with_corrections(model: LinkerModel, corrections: Corrections) -> LinkerModel:
    """The model with these corrections in place of those it had, and with the weights that it has."""
    gold, wrong = corrections.saying("gold"), corrections.saying("wrong")
    gold_rows, wrong_rows = rows_named(model.kb, gold), rows_named(model.kb, wrong)
    pairs = CorrectedPairs.of(
        zip((each.surface for each in gold), gold_rows, strict=True),
        zip((each.surface for each in wrong), wrong_rows, strict=True),
    )
    not_mentions = [each.surface for each in corrections.saying("not_an_entity")]
    spans = CorrectedSpans.of([each.surface for each in gold], not_mentions, model.config.detection)
    return replace(
        model,
        sources=model.sources.with_mentions([each.in_context() for each in gold], gold_rows),
        ranker=model.ranker.with_corrected(pairs),
        detector=replace(model.detector, corrections=spans),
        corrections=corrections,
    )


def without_corrections(model: LinkerModel) -> LinkerModel:
    """The model as it was before any correction."""
    weights = model.ranker.weights if model.uncorrected_weights is None else model.uncorrected_weights
    model = replace(model, ranker=model.ranker.with_weights(weights), uncorrected_weights=None)
    return with_corrections(model, Corrections()) if model.corrections.each else model
