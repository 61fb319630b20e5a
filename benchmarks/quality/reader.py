"""Retriever and reader, apart and together: `python -m benchmarks.quality.reader [none both ...]`.

Table 3 of BEER² (Li et al., 2023), sized for one core: MiniLM, NCBI's train documents to learn from. The knowledge base
is a part of MEDIC: the diseases that the three splits mean, and others drawn evenly (the paper restricts MeSH to the
corpus' own concepts). On dev, half of the documents choose the threshold and the other half are judged; with
`--split test` the test documents are judged, by the threshold of all dev documents. Arms:

- `none`: the pipeline: retriever first, then reader, each with an encoder of its own, as in EntQA;
- `to-reader`, `to-retriever`, `both`: one encoder, and one or both flows of data while both learn;
  these four go on from one warm-up, in which each learned alone, for as many steps;
- `stations`: no dense retriever; the reader is given the candidates of a linker's own stations. With it are measured
  `finding`, that linker without a reader, and `stations+finding`, both weighed together as `deixis link` does;
- `stations-long`: the same, twice as long.
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import torch
from scipy.special import expit

from benchmarks.quality.bi_encoder import log
from benchmarks.quality.end_to_end import FIGURES, in_kb
from benchmarks.quality.ranker import SUITES
from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import read_suite
from deixis.evaluation.linking.figures import measured
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.metric import Metric
from deixis.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.logistic import weighed
from deixis.linker import Linker
from deixis.linking.stages.decide import mentions_among
from deixis.linking.stages.read import MIN_READ, PossibleLinks, passage_candidates
from deixis.neural.quiet import quiet
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.examples import AnnotatedPassage
from deixis.neural.reader.joint import JointTraining
from deixis.neural.reader.run import Reader, spans_of
from deixis.neural.reader.spans import Reading
from deixis.neural.reader.train import new_training
from deixis.tables import Ranking, Spans
from deixis.training.reader import fit_reading, reader_input_of
from deixis.types import Document, Mention

SEED = 0
ARMS = ("none", "to-reader", "to-retriever", "both", "stations", "stations-long")
LONG = 2  # times as many steps
THRESHOLDS = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.5, 0.6)
Proposed = tuple[Spans, Ranking]
"""Spans of documents, and the candidates of each."""
CONFIG = ReaderConfig(n_tokens=32, overlap=12, entity_tokens=16, n_candidates=8, n_taught=3, n_negatives=3, seed=SEED)


@dataclass(frozen=True)
class Task:
    """A part of a knowledge base, documents to learn from, and documents to be asked."""

    kb: KnowledgeBase
    train: list[Document]
    dev: list[Document]
    test: list[Document]


def read_task(n_entities: int, n_documents: int) -> Task:
    """The documents, and the entities they mean with others up to `n_entities`."""
    suite, data = read_suite(SUITES / "medic-ncbi.yaml"), DataFolder(data_folder())
    kb = data.read_kb(suite.kb)
    parts = [data.read_mentions(suite.mentions)]
    parts += [list(data.read_part(suite, suite.parts(name)[0])) for name in ("dev", "test")]
    meant = {row for part in parts for document in part for rows in gold_rows(kb, document) for row in rows}
    others = np.setdiff1d(np.arange(len(kb)), sorted(meant))
    n_others = min(len(others), max(0, n_entities - len(meant)))
    drawn = np.random.default_rng(SEED).choice(others, n_others, replace=False)
    log(f"{len(meant)} entities are meant, {n_others} others")
    train, dev, test = ([in_kb(kb, document) for document in part] for part in parts)
    return Task(kb.take(np.sort([*meant, *drawn]).astype(np.int64)), train, dev[:n_documents], test[:n_documents])


def gold_rows(kb: KnowledgeBase, document: Document) -> list[list[int]]:
    """The rows of the right entities of each mention."""
    return [list(known_parts(mention.entity or "", kb.row_of)) for mention in document.mentions]


@dataclass(frozen=True)
class Answers:
    """What was read in documents, at the lowest threshold, and which mentions had the right entity as candidate."""

    documents: list[Document]
    readings: list[Reading]
    is_found: np.ndarray
    seconds: float


def answers(reader: Reader, documents: list[Document], proposed: Proposed | None) -> Answers:
    """What a reader says about documents, with its own candidates or those that a linker proposes."""
    passages = reader.texts.passages(document.text for document in documents)
    started = time.process_time()
    if proposed is not None:
        candidates = passage_candidates(*proposed, passages, reader.config.n_candidates)
    else:
        candidates = reader.retrieve(passages)
        if reader.config.feeds_retriever:
            first = reader.read(passages, candidates, reader.config.span_threshold)
            candidates = reader.retrieve(passages, spans_of(passages, first))
    readings = reader.read(passages, candidates, MIN_READ)
    seconds = time.process_time() - started
    is_found = []
    holding: dict[int, list[int]] = {}
    for number, passage in enumerate(passages):
        holding.setdefault(passage.document, []).append(number)
    for number, document in enumerate(documents):
        for mention, rows in zip(document.mentions, gold_rows(reader.kb, document), strict=True):
            here = [each for each in holding[number] if passages[each].holds(mention.start, mention.end)]
            is_found.append(any(set(rows) & set(candidates[each]) for each in here))
    return Answers(documents, readings, np.array(is_found), seconds)


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

    def f1(threshold: float) -> float:
        return next(m.value for m in figures(kb, found, threshold) if m.name == "inkb_micro_f1")

    return max(THRESHOLDS, key=f1)


class Trainings:
    """Readers, arm by arm; all with a retriever go on from one warm-up."""

    def __init__(self, task: Task, config: ReaderConfig) -> None:
        self.task = task
        self.config = config
        self._warm: JointTraining | None = None
        self._spent = 0.0

    def reader(self, arm: str, stations: Stations | None) -> tuple[Reader, float, ReaderConfig]:
        """The reader of an arm, the processor seconds that it learned, and its settings."""
        started = time.process_time()
        if stations is not None:
            n_steps = (self.config.warm_up + self.config.n_steps) * (LONG if arm == "stations-long" else 1)
            config = replace(self.config, flows="none", n_steps=n_steps)
            source = stations.source(2 * config.n_candidates)
            training, _ = new_training(self.task.kb, self.task.train, config, source, Losses(started))
            training.run()
            return training.reader, time.process_time() - started, config
        if self._warm is None:
            self._warm, _ = new_training(self.task.kb, self.task.train, self.config, None, Losses(started))
            self._warm.warm_up()
            self._spent, started = time.process_time() - started, time.process_time()
        training = copy.deepcopy(self._warm)
        training.config = training.reader.config = config = replace(self.config, flows=arm)
        torch.manual_seed(SEED)
        training.learn()
        return training.reader, self._spent + time.process_time() - started, config


def measure(arm: str, trainings: Trainings, task: Task, splits: Sequence[str]) -> Iterator[ResultRow]:
    """The rows of one arm."""
    stations = Stations.build(task) if arm.startswith("stations") else None
    reader, trained, config = trainings.reader(arm, stations)
    half = len(task.dev) // 2
    parts = {"choose": task.dev[:half], "dev": task.dev[half:]}
    if "test" in splits:
        parts["test"] = task.test
    proposed = {} if stations is None else {name: stations.propose(part) for name, part in parts.items()}
    found = {name: answers(reader, part, proposed.get(name)) for name, part in parts.items()}
    about = asdict(config) | {"entities": len(task.kb), "train_documents": len(task.train)}
    for split in splits:
        chosen = found["choose"] if split == "dev" else joined(found["choose"], found["dev"])
        threshold, asked = best_threshold(task.kb, chosen), found[split]
        settings = about | {"threshold": threshold, "documents": len(asked.documents)}
        suite = f"reader/ncbi-{split}"
        yield from metric_rows(figures(task.kb, asked, threshold), suite, arm, settings)
        recall = ResultRow(suite, f"recall@{config.n_candidates}", arm, round(float(asked.is_found.mean()), 4), "share")
        yield replace(recall, n=len(asked.is_found), settings=settings)
        yield ResultRow(suite, "train_cpu", arm, float(f"{trained:.4g}"), "s", settings=settings)
        n_characters = sum(len(document.text) for document in asked.documents)
        speed = float(f"{n_characters / asked.seconds:.4g}")
        yield ResultRow(suite, "characters_per_cpu_second", arm, speed, "1/s", settings=settings)
        if stations is not None:
            known = proposed["choose"]
            if split == "test":
                known = joined_proposals(known, proposed["dev"], len(parts["choose"]))
            yield from stations.together(arm, (chosen, known), (asked, proposed[split]), suite, settings)


def joined(one: Answers, other: Answers) -> Answers:
    """Answers about all documents of both."""
    shifted = [replace(each, document=each.document + len(one.documents)) for each in other.readings]
    is_found = np.concatenate([one.is_found, other.is_found])
    return Answers([*one.documents, *other.documents], [*one.readings, *shifted], is_found, one.seconds + other.seconds)


def joined_proposals(one: Proposed, other: Proposed, n_documents: int) -> Proposed:
    """What is proposed in the documents of both; the first has so many documents."""
    shifted = replace(other[0], documents=other[0].documents + n_documents)
    return Spans.joined([one[0], shifted]), Ranking.joined([one[1], other[1]])


@dataclass
class Losses:
    """Says how the loss falls."""

    started: float
    heard: list[tuple[str, float]] = field(default_factory=list)

    def __call__(self, label: str, loss: float) -> None:
        """Hear one loss."""
        self.heard.append((label, loss))
        own = [each for name, each in self.heard if name == label]
        if len(own) % 25 == 0:
            log(f"{label} {len(own)}: loss {np.mean(own[-25:]):.3f}, {time.process_time() - self.started:.0f} s")


@dataclass(frozen=True)
class Stations:
    """A linker built with the train documents: what it proposes for a reader, alone and together with one."""

    linker: Linker
    proposed: Proposed

    @classmethod
    def build(cls, task: Task) -> Stations:
        """The linker, and what it proposes in the train documents."""
        linker = Linker.build(task.kb, task.train, seed=SEED, n_threads=1)
        return cls(linker, reader_input_of(linker.model, task.train))

    def propose(self, documents: Sequence[Document]) -> Proposed:
        """What a reader is given of the texts of these documents."""
        return reader_input_of(self.linker.model, documents)

    def source(self, k: int) -> Callable[[Sequence[AnnotatedPassage]], list[list[int]]]:
        """What a reader learns from."""
        return lambda taught: passage_candidates(*self.proposed, [each.passage for each in taught], k)

    def together(
        self,
        arm: str,
        taught: tuple[Answers, Proposed],
        asked: tuple[Answers, Proposed],
        suite: str,
        settings: dict[str, Any],
    ) -> Iterator[ResultRow]:
        """The rows of finding alone, and of finding and the arm's reader weighed by the documents of `taught`."""
        kb, documents = self.linker.kb, asked[0].documents
        links = [PossibleLinks.of(*proposed, found.readings) for found, proposed in (taught, asked)]
        weights, decision = fit_reading(kb, taught[0].documents, links[0], None)
        bare = [document.with_mentions(()) for document in documents]
        both = linked_by(kb, bare, links[1], weights, decision.min_probability)
        linked = {"finding": list(self.linker.link_many(bare)), f"{arm}+finding": both}
        for system, found in linked.items():
            yield from metric_rows(figures_of(kb, documents, found), suite, system, settings)


def linked_by(
    kb: KnowledgeBase, documents: Sequence[Document], links: PossibleLinks, weights: np.ndarray, threshold: float
) -> list[Document]:
    """The documents with the links of the best sum of probabilities, by what the evidence for each weighs."""
    spans, ranking = links.ranked(expit(weighed(links.evidence, weights)))
    is_link = mentions_among(spans, ranking.best_scores(), threshold, may_overlap=False)
    mentions: list[list[Mention]] = [[] for _ in documents]
    keys = zip(spans.keys(), ranking.best_rows().tolist(), is_link.tolist(), strict=True)
    for number, start, end, row in ((*key, row) for key, row, is_chosen in keys if is_chosen):
        mentions[number].append(Mention(start, end, documents[number].text[start:end], kb.ids[row]))
    return [document.with_mentions(own) for document, own in zip(documents, mentions, strict=True)]


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


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arms", nargs="*", choices=[[], *ARMS], default=list(ARMS))
    parser.add_argument("--split", action="append", default=[], choices=("dev", "test"), help="dev unless told")
    parser.add_argument("--steps", type=int, default=100, help="steps that both learn together")
    parser.add_argument("--warm-up", type=int, default=200, help="steps that each learns alone before")
    parser.add_argument("--layers", type=int, default=2, help="layers of MiniLM; 0 for all")
    parser.add_argument("--candidates", type=int, default=8, help="K")
    parser.add_argument("--entities", type=int, default=1000, help="size of the knowledge base")
    parser.add_argument("--documents", type=int, default=40, help="documents asked about, of each split")
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate of the encoder")
    parser.add_argument("--head-rate", type=float, default=3e-3, help="learning rate of the reader's new layer")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    task = read_task(options.entities, options.documents)
    config = replace(
        CONFIG,
        n_layers=options.layers,
        n_steps=options.steps,
        warm_up=options.warm_up,
        n_candidates=options.candidates,
        learning_rate=options.rate,
        head_rate=options.head_rate,
    )
    trainings = Trainings(task, config)
    with quiet(1):
        for arm in options.arms or ARMS:
            log(arm)
            tell(list(measure(arm, trainings, task, options.split or ["dev"])), options.dry_run)
    return 0


def tell(rows: list[ResultRow], is_dry: bool) -> None:
    """Print and record."""
    for row in rows:
        print(f"{row.suite} {row.system:14} {row.metric:26} {row.value:.4f} {row.low} {row.high}", flush=True)
    if not is_dry:
        record(rows)


if __name__ == "__main__":
    sys.exit(main())
