"""Applying corrections to a model.

In the very texts that were corrected, corrected spans are linked as was said; elsewhere corrections are evidence: how
often a name meant which entity, which pairs are wrong, how often what reads so is a mention. Few corrections change no
weights: one of them says next to nothing of what features weigh. From `MIN_REFIT` corrections on the weights are
refitted, if corrections that were held out say that this helps: their right candidates get a larger share, and no
fewer of them are first than chance would have it (docs/explanation/corrections.md).

Everything is made from the model before any correction and from all corrections, so their order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deixis.documents.corrections import Correction
from deixis.learners.listwise import TrainingExamples
from deixis.linking.corrected import with_corrections, without_corrections
from deixis.linking.corrections import Corrections, resolved, rows_named
from deixis.linking.model import LinkerModel
from deixis.progress import stage
from deixis.ranking.weights import FeatureMatrix, FeatureWeights, fit_feature_weights
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable
from deixis.training.examples import training_examples
from deixis.training.synthetic import synthetic_mentions

MIN_REFIT = 50  # corrections that name an entity: fewer leave the weights alone
N_FOLDS = 5
FEW = 10_000  # corrections up to which leaving the weights before costs as much in all, and so the less each
N_SYNTHETIC = 300  # mentions made from the knowledge base, for the scales of features
MIN_PROBABILITY = 1e-6  # of the right candidates, where there are none among all
OTHERS = "others"  # the feature that needs all mentions of a document


@dataclass(frozen=True)
class CorrectionResult:
    """The new model, and how many corrections were new, changed an earlier one, or were there already.

    `accuracies` are the fractions of held-out corrections that the old and the refitted weights get right; None
    where there were too few corrections to refit. `is_refitted` says whether the refitted ones were taken.
    """

    model: LinkerModel
    n_new: int
    n_changed: int
    n_known: int
    accuracies: tuple[float, float] | None = None

    @property
    def is_refitted(self) -> bool:
        """Whether the model has weights that corrections refitted."""
        return self.model.uncorrected_weights is not None


def correct(model: LinkerModel, corrections: Iterable[Correction]) -> CorrectionResult:
    """The model with these corrections and those before; where two contradict, the later one holds.

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> from deixis.linking.options import LinkOptions
    >>> from deixis.linking.streams import link_stream
    >>> from deixis.training.build import build_model
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "count": 90, "description": "capital of France"},
    ...     {"id": "Q167646", "title": "Paris", "description": "prince of Troy"},
    ... ])
    >>> model = build_model(kb)
    >>> corrected = correct(model, [Correction("Paris fled.", 0, 5, "gold", "Q167646")]).model
    >>> [next(link_stream(each, ["Paris fled."], LinkOptions())).mentions[0].entity for each in (model, corrected)]
    ['Q90', 'Q167646']
    """
    with stage("applying corrections"):
        merged = model.corrections.merged(resolved(model.kb, corrections))
        corrected, accuracies = corrected_by(model, merged.corrections)
    return CorrectionResult(corrected, merged.n_new, merged.n_changed, merged.n_known, accuracies)


def corrected_by(model: LinkerModel, corrections: Corrections) -> tuple[LinkerModel, tuple[float, float] | None]:
    """The model with exactly these corrections, whatever it had, and how refitted weights do on those held out."""
    base = without_corrections(model)
    corrected = with_corrections(base, corrections)
    named = [each for each in corrections.each if each.entity is not None]
    if len(named) < MIN_REFIT or base.config.ranking.weights != "auto":
        return corrected, None
    folds = _folds(base, corrections)
    if len(folds) < 2:  # all of one text, or nearly: nothing could be held out
        return corrected, None
    scales, start = _scales(base), base.ranker.weights
    halves = folds[::2], folds[1::2]
    fitted = [_fitted(base, half, scales) for half in halves]
    fold_weights = [(fold, fitted[1 - number]) for number, half in enumerate(halves) for fold in half]
    before = np.concatenate([_evaluated(fold, start) for fold, _ in fold_weights])
    after = np.concatenate([_evaluated(fold, weights) for fold, weights in fold_weights])
    accuracies = float((before[:, 0]).mean()), float((after[:, 0]).mean())
    n_changed = int((before[:, 0] != after[:, 0]).sum())
    is_as_accurate = (after[:, 0] - before[:, 0]).sum() >= -np.sqrt(n_changed)
    if not is_as_accurate or after[:, 1].mean() <= before[:, 1].mean():
        return corrected, accuracies
    weights = _fitted(base, folds, scales)
    return replace(corrected, ranker=corrected.ranker.with_weights(weights), uncorrected_weights=start), accuracies


def _folds(base: LinkerModel, corrections: Corrections) -> list[TrainingExamples]:
    """The corrections that name an entity, dealt out by their text; each fold as a model with the others sees it.

    A model that had them would always be right, and a name once seen would seem to say everything.
    """
    texts = list(corrections.by_text)
    numbers = (hash_strings(StringTable.from_strings(texts)) % np.uint64(N_FOLDS)).tolist()
    fold_of = dict(zip(texts, numbers, strict=True))
    folds = []
    for number in sorted(set(numbers)):
        others = Corrections(tuple(each for each in corrections.each if fold_of[each.text] != number))
        own = [each for each in corrections.each if fold_of[each.text] == number and each.entity is not None]
        if own:
            folds.append(_examples(with_corrections(base, others), own))
    return folds


def _examples(model: LinkerModel, corrections: Sequence[Correction]) -> TrainingExamples:
    """The candidates of each corrected mention: the right one, or all but the wrong one, are right."""
    rows = rows_named(model.kb, corrections)
    examples = training_examples(model, [each.in_context() for each in corrections], [[row] for row in rows])
    is_wrong = np.array([each.verdict == "wrong" for each in corrections])
    features = examples.features.copy()
    # Of a text's mentions only those corrected are known here: the weight of the others stays.
    features[:, examples.names.index(OTHERS)] = 0
    is_right = examples.is_right ^ np.repeat(is_wrong, np.diff(examples.starts))
    return replace(examples, features=features, is_right=is_right)


def _scales(base: LinkerModel) -> NDArray[np.float64]:
    """How far each feature varies among the candidates of names of the knowledge base."""
    mentions, rows = synthetic_mentions(base.kb, N_SYNTHETIC)
    examples = training_examples(base, mentions, [[row] for row in rows.tolist()])
    scales: NDArray[np.float64] = examples.features.std(axis=0).astype(np.float64)
    return scales


def _fitted(base: LinkerModel, folds: Sequence[TrainingExamples], scales: NDArray[np.float64]) -> FeatureWeights:
    """The weights of features by these corrections; few leave those before less than many do."""
    examples = TrainingExamples.joined(folds)
    penalty = base.config.ranking.penalty * max(1.0, FEW / (len(examples.starts) - 1))
    return fit_feature_weights([examples], penalty, base.ranker.weights, min_scales=scales)


def _evaluated(examples: TrainingExamples, weights: FeatureWeights) -> NDArray[np.float64]:
    """For each mention whether its best candidate is right, and the logarithm of what its right ones get, [n, 2]."""
    totals, starts = weights.sums(FeatureMatrix(examples.names, examples.features)), examples.starts
    verdicts = np.zeros((len(starts) - 1, 2))
    verdicts[:, 1] = np.log(MIN_PROBABILITY)
    for number in np.flatnonzero(np.diff(starts) > 0).tolist():
        own = slice(int(starts[number]), int(starts[number + 1]))
        exponentials = np.exp(totals[own] - totals[own].max())
        right = float(exponentials[examples.is_right[own]].sum() / exponentials.sum())
        verdicts[number] = examples.is_right[own][int(totals[own].argmax())], np.log(max(right, MIN_PROBABILITY))
    return verdicts
