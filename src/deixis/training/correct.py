"""Applying corrections to a model.

In the very texts that were corrected, corrected spans are linked as was said; elsewhere corrections are evidence: how
often a name meant which entity, which pairs are wrong, how often what reads so is a mention. Few corrections change no
weights: one of them says next to nothing of what features weigh, and mistakes alone say nothing of what is right as it
is. If at least `MIN_REFIT` corrections confirm what the model says anyway, the weights are refitted, if corrections
that were held out say that this helps (docs/explanation/corrections.md).

A change after which fewer held-out corrections or annotated mentions are right, beyond noise, is refused.

Everything is made from the model before any correction and from all corrections, so their order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deixis.documents.corrections import Correction
from deixis.errors import DataError
from deixis.evaluation.statistics.metric import Metric
from deixis.learners.listwise import TrainingExamples
from deixis.linking.corrected import with_corrections, without_corrections
from deixis.linking.corrections import Corrections, resolved, rows_named
from deixis.linking.model import LinkerModel
from deixis.progress import stage
from deixis.ranking.weights import FeatureMatrix, FeatureWeights, fit_feature_weights
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable
from deixis.training.calibrate import judge
from deixis.training.correction_checks import ChangedLinks, Comparison, changed_links
from deixis.training.documents import unseen
from deixis.training.examples import training_examples
from deixis.training.result import accuracy
from deixis.training.synthetic import synthetic_mentions
from deixis.types import Document

MIN_HELD_OUT = 20  # corrections that name an entity: fewer are not held out
MIN_REFIT = 50  # corrections that confirm what the model says without them: fewer leave the weights alone
RIGHT_FRACTION = 0.75  # of all links, at least, are right: people correct mistakes, and leave the others
N_FOLDS = 5
FEW = 10_000  # corrections up to which leaving the weights before costs as much in all, and so the less each
N_SYNTHETIC = 300  # mentions made from the knowledge base, for the scales of features
MIN_PROBABILITY = 1e-6  # of the right candidates, where there are none among all
OTHERS = "others"  # the feature that needs all mentions of a document


@dataclass(frozen=True)
class CorrectionResult:
    """The new model, and how many corrections were new, changed an earlier one, or were there already.

    `accuracies` are the fractions of held-out corrections that the old and the refitted weights get right; None
    where there were too few corrections to refit. `is_refitted` says whether the refitted ones were taken. `held_out`
    compares the models before and after on corrections that neither has, None where there are too few; `on_dev` and
    `dev_accuracies` on annotated documents, if there are any.
    """

    model: LinkerModel
    n_new: int
    n_changed: int
    n_known: int
    accuracies: tuple[float, float] | None = None
    before: LinkerModel | None = field(default=None, repr=False)
    held_out: Comparison | None = None
    on_dev: Comparison | None = None
    dev_accuracies: tuple[Metric, ...] = ()

    @cached_property
    def changed_links(self) -> ChangedLinks:
        """How many links of a fixed sample changed."""
        before = self.model if self.before is None else self.before
        known = set(before.corrections.each)
        return changed_links(before, self.model, [each for each in self.model.corrections.each if each not in known])

    @property
    def is_refitted(self) -> bool:
        """Whether the model has weights that corrections refitted."""
        return self.model.uncorrected_weights is not None


def correct(
    model: LinkerModel, corrections: Iterable[Correction], *, dev: Sequence[Document] = (), force: bool = False
) -> CorrectionResult:
    """The model with these corrections and those before; where two contradict, the later one holds.

    A change that lowers accuracy beyond noise, on corrections held out or on the annotated documents `dev`, is an error
    unless it is forced.

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> from deixis.linker import Linker
    >>> from deixis.training.build import build_model
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "count": 90, "description": "capital of France"},
    ...     {"id": "Q167646", "title": "Paris", "description": "prince of Troy"},
    ... ])
    >>> model = build_model(kb)
    >>> corrected = correct(model, [Correction("Paris fled.", 0, 5, "gold", "Q167646")]).model
    >>> [Linker(each).link("Paris fled.").mentions[0].entity for each in (model, corrected)]
    ['Q90', 'Q167646']
    """
    with stage("applying corrections"):
        merged = model.corrections.merged(resolved(model.kb, corrections))
        folds = _folds(without_corrections(model), merged.corrections)
        corrected, accuracies = corrected_by(model, merged.corrections, folds)
        held_out = _held_out(model, folds)
        on_dev, dev_accuracies = _compared_on(dev, model, corrected) if dev else (None, ())
    if not force:
        _refuse_worse(held_out, "corrections when each is held out")
        _refuse_worse(on_dev, "mentions of the annotated documents")
    counts = merged.n_new, merged.n_changed, merged.n_known
    return CorrectionResult(corrected, *counts, accuracies, model, held_out, on_dev, dev_accuracies)


def corrected_by(
    model: LinkerModel, corrections: Corrections, folds: Sequence[Fold] | None = None
) -> tuple[LinkerModel, tuple[float, float] | None]:
    """The model with exactly these corrections, whatever it had, and how refitted weights do on those held out."""
    base = without_corrections(model)
    corrected = with_corrections(base, corrections)
    if base.config.ranking.weights != "auto":
        return corrected, None
    parts = [fold.examples for fold in (_folds(base, corrections) if folds is None else folds)]
    start = base.ranker.weights
    is_confirmed = [_evaluated(replace(part, offsets=None), start)[:, 0] > 0 for part in parts]
    if sum(map(np.sum, is_confirmed)) < MIN_REFIT or len(parts) < 2:  # few, or all of one text: none to hold out
        return corrected, None
    scales = _scales(base)
    halves = [list(zip(parts, is_confirmed, strict=True))[number::2] for number in range(2)]
    fitted = [_fitted(base, half, scales) for half in halves]
    held_out = [(*each, fitted[1 - number]) for number, half in enumerate(halves) for each in half]
    before = np.concatenate([_evaluated(part, start) for part, _, _ in held_out])
    after = np.concatenate([_evaluated(part, weights) for part, _, weights in held_out])
    accuracies = float((before[:, 0]).mean()), float((after[:, 0]).mean())
    gains = _expected(after - before, np.concatenate([each for _, each, _ in held_out]))
    if gains.min() <= 0 or not Comparison.of(before[:, 0] > 0, after[:, 0] > 0).is_better:
        return corrected, accuracies
    weights = _fitted(base, [each for half in halves for each in half], scales)
    return replace(corrected, ranker=corrected.ranker.with_weights(weights), uncorrected_weights=start), accuracies


def _expected(values: NDArray[np.float64], is_confirmed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean of each column among all links: those that were right are more than among corrections."""
    right, wrong = (values[kind].mean(axis=0) if kind.any() else 0.0 for kind in (is_confirmed, ~is_confirmed))
    return np.asarray(RIGHT_FRACTION * right + (1 - RIGHT_FRACTION) * wrong)


@dataclass(frozen=True, eq=False)
class Fold:
    """Corrections that name an entity, and their candidates as a model sees them that has those of other texts only."""

    corrections: list[Correction]
    examples: TrainingExamples


def _folds(base: LinkerModel, corrections: Corrections) -> list[Fold]:
    """The corrections that name an entity, dealt out by their text; none if there are too few to hold any out.

    A model that had them would always be right, and a name once seen would seem to say everything.
    """
    if sum(each.entity is not None for each in corrections.each) < MIN_HELD_OUT:
        return []
    texts = list(corrections.by_text)
    numbers = (hash_strings(StringTable.from_strings(texts)) % np.uint64(N_FOLDS)).tolist()
    fold_of = dict(zip(texts, numbers, strict=True))
    folds = []
    for number in sorted(set(numbers)):
        others = Corrections(tuple(each for each in corrections.each if fold_of[each.text] != number))
        own = [each for each in corrections.each if fold_of[each.text] == number and each.entity is not None]
        if own:
            folds.append(Fold(own, _examples(with_corrections(base, others), own)))
    return folds


def _held_out(before: LinkerModel, folds: Sequence[Fold]) -> Comparison | None:
    """Held-out corrections as the corrections before get them right, and as those after do, with the same weights."""
    if len(folds) < 2:
        return None
    base = without_corrections(before)
    verdicts = []
    for fold in folds:
        texts = {each.text for each in fold.corrections}
        earlier = Corrections(tuple(each for each in before.corrections.each if each.text not in texts))
        examples = _examples(with_corrections(base, earlier), fold.corrections)
        verdicts.append([_evaluated(each, base.ranker.weights)[:, 0] > 0 for each in (examples, fold.examples)])
    is_right_before, is_right_after = (np.concatenate(column) for column in zip(*verdicts, strict=True))
    return Comparison.of(is_right_before, is_right_after)


def _compared_on(
    dev: Sequence[Document], before: LinkerModel, after: LinkerModel
) -> tuple[Comparison, tuple[Metric, Metric]]:
    """Mentions of annotated documents that were not corrected, as the models before and after get them right."""
    documents = unseen(after, dev, "to measure on")
    curves = [judge(model, documents).curve for model in (before, after)]
    numbers = curves[0].documents[curves[0].is_known]
    is_right_before, is_right_after = (curve.is_right[curve.is_known] for curve in curves)
    accuracies = accuracy("before", is_right_before, numbers), accuracy("after", is_right_after, numbers)
    return Comparison.of(is_right_before, is_right_after), accuracies


def _refuse_worse(comparison: Comparison | None, what: str) -> None:
    if comparison is not None and comparison.is_worse:
        raise DataError(
            f"These corrections lower accuracy on {what}: {comparison}. {comparison.n_broken:,} that were right are "
            f"wrong now, and {comparison.n_mended:,} that were wrong are right. Nothing was changed. Check the "
            "corrections, or apply them anyway with --force (in Python force=True)."
        )


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


def _fitted(
    base: LinkerModel, parts: Sequence[tuple[TrainingExamples, NDArray[np.bool_]]], scales: NDArray[np.float64]
) -> FeatureWeights:
    """The weights of features by these corrections, as if they were drawn from all links; few change them less."""
    kinds = [
        TrainingExamples.joined([part.take(is_confirmed == kind) for part, is_confirmed in parts])
        for kind in (True, False)
    ]
    n_mentions = sum(len(kind.starts) - 1 for kind in kinds)
    penalty = base.config.ranking.penalty * max(1.0, FEW / n_mentions)
    return fit_feature_weights(kinds, penalty, base.ranker.weights, (RIGHT_FRACTION, 1 - RIGHT_FRACTION), scales)


def _evaluated(examples: TrainingExamples, weights: FeatureWeights) -> NDArray[np.float64]:
    """For each mention whether its best candidate is right, and the logarithm of what its right ones get, [n, 2]."""
    sums, starts = weights.sums(FeatureMatrix(examples.names, examples.features)), examples.starts
    totals = sums + examples.all_offsets
    verdicts = np.zeros((len(starts) - 1, 2))
    verdicts[:, 1] = np.log(MIN_PROBABILITY)
    for number in np.flatnonzero(np.diff(starts) > 0).tolist():
        own = slice(int(starts[number]), int(starts[number + 1]))
        exponentials = np.exp(totals[own] - totals[own].max())
        right = float(exponentials[examples.is_right[own]].sum() / exponentials.sum())
        verdicts[number] = examples.is_right[own][int(totals[own].argmax())], np.log(max(right, MIN_PROBABILITY))
    return verdicts
