"""The documents that a reader is measured on, what it says about them, and the figures of that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.quality.bi_encoder import log
from benchmarks.quality.end_to_end import FIGURES, in_kb
from benchmarks.quality.ranker import SUITES
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import read_suite
from deixis.evaluation.linking.figures import measured
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.statistics.metric import Metric
from deixis.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.reader.passages import Passage
from deixis.neural.reader.run import Reader
from deixis.neural.reader.spans import Reading
from deixis.types import Document, Mention

SEED = 0
THRESHOLDS = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.5, 0.6)


@dataclass(frozen=True)
class Task:
    """A part of a knowledge base, documents to learn from, and documents to be asked."""

    kb: KnowledgeBase
    train: list[Document]
    dev: list[Document]
    test: list[Document]


def read_task(name: str, n_entities: int, n_documents: int, seed: int) -> Task:
    """The documents of a suite, and the entities that they mean with others up to `n_entities`."""
    suite, data = read_suite(SUITES / f"{name}.yaml"), DataFolder(data_folder())
    kb = data.read_kb(suite.kb)
    parts = [data.read_mentions(suite.mentions)]
    parts += [list(data.read_part(suite, suite.parts(part)[0])) for part in ("dev", "test")]
    meant = {row for part in parts for document in part for rows in gold_rows(kb, document) for row in rows}
    others = np.setdiff1d(np.arange(len(kb)), sorted(meant))
    n_others = min(len(others), max(0, n_entities - len(meant)))
    drawn = np.random.default_rng(seed).choice(others, n_others, replace=False)
    log(f"{len(meant)} entities are meant, {n_others} others")
    train, dev, test = ([in_kb(kb, document) for document in part] for part in parts)
    return Task(kb.take(np.sort([*meant, *drawn]).astype(np.int64)), train, dev[: n_documents // 2], test[:n_documents])


def gold_rows(kb: KnowledgeBase, document: Document) -> list[list[int]]:
    """The rows of the right entities of each mention."""
    return [list(known_parts(mention.entity or "", kb.row_of)) for mention in document.mentions]


@dataclass(frozen=True)
class Answers:
    """What was read in documents, at the lowest threshold, and how often the right entity was among the candidates."""

    documents: list[Document]
    readings: list[Reading]
    recalls: dict[str, np.ndarray]
    seconds: float


def joined(one: Answers, other: Answers) -> Answers:
    """Answers about all documents of both."""
    shifted = [replace(each, document=each.document + len(one.documents)) for each in other.readings]
    return Answers([*one.documents, *other.documents], [*one.readings, *shifted], {}, one.seconds + other.seconds)


def is_found(
    reader: Reader, documents: list[Document], passages: Sequence[Passage], candidates: Sequence[Collection[int]]
) -> np.ndarray:
    """For each mention, whether a passage that holds it has the right entity among its candidates."""
    holding: dict[int, list[int]] = {}
    for number, passage in enumerate(passages):
        holding.setdefault(passage.document, []).append(number)
    found = []
    for number, document in enumerate(documents):
        for mention, rows in zip(document.mentions, gold_rows(reader.kb, document), strict=True):
            here = [each for each in holding[number] if passages[each].holds(mention.start, mention.end)]
            found.append(any(set(rows) & set(candidates[each]) for each in here))
    return np.array(found)


def figures(kb: KnowledgeBase, found: Answers, threshold: float) -> list[Metric]:
    """InKB micro precision, recall and F1 of the reader, for links and for spans."""
    by_document: dict[int, list[Mention]] = {}
    for each in without_overlaps([each for each in found.readings if each.score > threshold]):
        text = found.documents[each.document].text[each.start : each.end]
        linked = Mention(each.start, each.end, text, kb.ids[each.row], each.score)
        by_document.setdefault(each.document, []).append(linked)
    linked = [document.with_mentions(by_document.get(n, [])) for n, document in enumerate(found.documents)]
    return figures_of(kb, found.documents, linked)


def figures_of(kb: KnowledgeBase, documents: Sequence[Document], linked: Sequence[Document]) -> list[Metric]:
    """The same of linked documents."""
    tally = Tally(kb.own_id)
    for gold, found in zip(documents, linked, strict=True):
        tally.add(gold, found.with_mentions([m for m in found.mentions if m.entity is not None]))
    return measured(tally.columns(), FIGURES, seed=SEED)


def best_threshold(kb: KnowledgeBase, found: Answers) -> float:
    """The threshold with the best F1."""
    return max(THRESHOLDS, key=lambda threshold: f1_at(kb, found, threshold))


def f1_at(kb: KnowledgeBase, found: Answers, threshold: float) -> float:
    """InKB micro F1 of the links above a threshold."""
    return next(metric.value for metric in figures(kb, found, threshold) if metric.name == "inkb_micro_f1")


def without_overlaps(readings: Sequence[Reading]) -> list[Reading]:
    """The best readings of which no two share a place, document by document, in order; the surer one stays.

    Examples
    --------
    >>> weak, strong = Reading(0, 0, 5, 1, 0.5, 0.5), Reading(0, 3, 8, 2, 0.9, 0.9)
    >>> without_overlaps([weak, strong]) == [strong]
    True
    """
    document_to_readings: dict[int, list[Reading]] = {}
    for reading in sorted(readings, key=lambda each: (-each.score, each.document, each.start, each.end, each.row)):
        others = document_to_readings.setdefault(reading.document, [])
        if all(reading.end <= other.start or other.end <= reading.start for other in others):
            others.append(reading)
    return sorted(
        (reading for others in document_to_readings.values() for reading in others),
        key=lambda each: (each.document, each.start),
    )
