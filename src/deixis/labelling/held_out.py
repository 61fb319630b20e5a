"""How good a labeller is on documents that it has not learned from, and whether a simpler one is as good."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.rankings import ranked_labels
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.config import LabellerConfig
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.engines.combined import held_out_rows
from deixis.labelling.label_filter import OwnLabels, without_filtered
from deixis.labelling.labeller import Labeller
from deixis.progress import stage

MIN_DOCUMENTS = 1000  # with fewer, all are needed to learn from
MAX_HELD_OUT = 2000
SIMPLEST = "tree"
AT = (1, 3, 5)


@dataclass(frozen=True)
class HeldOutQuality:
    """Precision at 1, 3 and 5 of an engine on held-out documents, and the processor seconds it learned.

    `leaves_out_own`: the labels that texts are called as were neither predicted nor counted as true.
    """

    engine: str
    n_documents: int
    precisions: dict[str, float]
    seconds: float
    leaves_out_own: bool = False

    def __str__(self) -> str:
        shown = ", ".join(f"{name.replace('precision', 'P')} {value:.3f}" for name, value in self.precisions.items())
        return f"{self.engine}: {shown}"

    @property
    def first(self) -> float:
        """Precision at 1."""
        return self.precisions["precision@1"]


def build_and_measure(
    documents: LabelledTexts | LabelledRows,
    vocabulary: KnowledgeBase | None,
    config: LabellerConfig,
    seed: int = 0,
    n_threads: int = 0,
    labels_by_features: sparse.csr_matrix | None = None,
) -> tuple[Labeller, list[HeldOutQuality]]:
    """A labeller, and how good it is on documents it did not learn from; then the simplest engine, if it is another.

    `config.held_out_share` of the documents are held out, at most 2,000, of those whose labels all have other
    documents. Of fewer than 1,000 documents none are held out, and nothing is measured. Where texts turned out to be
    names of labels, the labels that they are called as are left out of the measurement.
    """
    n_held_out = min(MAX_HELD_OUT, int(config.held_out_share * len(documents)))
    is_held_out = np.zeros(len(documents), dtype=np.bool_)
    if len(documents) >= MIN_DOCUMENTS and n_held_out:
        labels = sparse.csr_matrix(documents.docs_by_labels)
        is_held_out = held_out_rows(labels, len(documents), n_held_out, seed)
    if not is_held_out.any():
        return Labeller.build(documents, vocabulary, config, seed, n_threads, labels_by_features), []
    train, held_out = documents.take(np.flatnonzero(~is_held_out)), documents.take(np.flatnonzero(is_held_out))

    def built(settings: LabellerConfig) -> tuple[Labeller, float]:
        started = time.process_time()
        labeller = Labeller.build(train, vocabulary, settings, seed, n_threads, labels_by_features)
        return labeller, time.process_time() - started

    labeller, seconds = built(config)
    augmentation = labeller.config.augmentation  # what `auto` means here is known by now
    own = None
    if isinstance(held_out, LabelledTexts) and (config.augmentation.kind, augmentation.kind) == ("auto", "soft"):
        own = OwnLabels(labeller.vocabulary.titles).of(held_out.texts)
    qualities = [_quality(labeller, held_out, own, seconds)]
    if (config.engine, config.n_engines) != (SIMPLEST, 1):
        simple = replace(LabellerConfig(features=config.features, augmentation=augmentation), engine=SIMPLEST)
        simplest, seconds = built(simple)
        qualities.append(_quality(simplest, held_out, own, seconds))
    return labeller, qualities


def _quality(
    labeller: Labeller, held_out: LabelledTexts | LabelledRows, own: sparse.csr_matrix | None, seconds: float
) -> HeldOutQuality:
    """How good a labeller is on documents, without the labels `own` of each."""
    with stage("measuring on held-out documents"):
        inputs = held_out.texts if isinstance(held_out, LabelledTexts) else held_out.docs_by_features
        ranked = ranked_labels(labeller.rank(inputs, max(AT), filtered=own), max(AT))
        truth = held_out.docs_by_labels if own is None else without_filtered(held_out.docs_by_labels, own)
        metrics = extreme_metrics(truth, ranked, None, ExtremeConfig(at=AT, n_draws=1)).metrics
    precisions = {each.name: each.value for each in metrics if each.name.startswith("precision@")}
    config = labeller.config
    name = config.engine if config.n_engines == 1 else f"{config.n_engines} x {config.engine}"
    return HeldOutQuality(name, len(held_out), precisions, seconds, leaves_out_own=own is not None)
