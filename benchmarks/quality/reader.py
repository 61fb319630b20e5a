"""Retriever and reader, apart and together: `python -m benchmarks.quality.reader [none both ...]`.

Table 3 of BEER² (Li et al., 2023), sized for one core: MiniLM, and the train documents of NCBI (the knowledge base is
the whole of MEDIC) or BC5CDR (its own concepts, as in the paper). On dev, half of the documents choose the threshold
and the other half are judged; with `--split test` the test documents are judged, by the threshold of all dev documents.
Every arm has an encoder for each module, one schedule for each, and the same number of steps:

- `none`: the pipeline: the retriever for all its steps, then the reader for all of its, as in EntQA;
- `to-reader`, `to-retriever`, `both`: one or both flows of data while both learn, after a warm-up of each alone;
- `sources`: no dense retriever; the reader is given the candidates of a linker's own sources. With it are measured
  `finding`, that linker without a reader, and `sources+finding`, both weighed together as `deixis link` does;
- `sources-long`: the same, twice as long.

Recall is measured at K and at 32, with the passage alone (`one pass`), with the spans that were read first (`two
passes`), and with the annotated spans (`gold spans`, a bound); F1 with one and two passes.
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from deixis.neural.reader.passages import Passage
from deixis.neural.reader.run import Reader
from deixis.neural.reader.spans import Reading
from deixis.neural.reader.train import new_training
from deixis.tables import Ranking, Spans
from deixis.training.reader import fit_reading, reader_input_of
from deixis.types import Document, Mention

SEED = 0
ARMS = ("none", "to-reader", "to-retriever", "both", "sources", "sources-long")
LONG = 2  # times as many steps
WIDE = 32  # candidates that would do without spans
SETS = {"ncbi": ("medic-ncbi", 10**9), "bc5cdr": ("mesh-bc5cdr", 0)}
"""The suite of each set, and how many entities its knowledge base has at least, besides those that are meant."""
THRESHOLDS = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.5, 0.6)
Proposed = tuple[Spans, Ranking]
"""Spans of documents, and the candidates of each."""
CONFIG = ReaderConfig(n_tokens=32, overlap=12, entity_tokens=16, n_candidates=8, n_taught=3, n_negatives=3)


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
    return Task(kb.take(np.sort([*meant, *drawn]).astype(np.int64)), train, dev[:n_documents], test[:n_documents])


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


def answers(reader: Reader, documents: list[Document], n_passes: int) -> Answers:
    """What a reader says about documents with candidates that it retrieves in so many passes."""
    reader = copy.copy(reader)
    reader.config = replace(reader.config, n_passes=n_passes)
    passages = reader.texts.passages(document.text for document in documents)
    started = time.process_time()
    numbers = reader.numbers_of(passages, [[] for _ in passages])
    readings = reader.readings(passages, numbers, MIN_READ)
    seconds = time.process_time() - started
    recalls = {}
    if n_passes > 1:
        recalls["two passes"] = is_found(reader, documents, passages, numbers)
    return Answers(documents, readings, recalls, seconds)


def recalls_of(reader: Reader, documents: list[Document]) -> dict[str, np.ndarray]:
    """Whether each mention has its entity among the candidates of the passage alone, and with the annotated spans."""
    passages = reader.texts.passages(document.text for document in documents)
    gold = [
        [
            (mention.start - passage.start, mention.end - passage.start)
            for mention in documents[passage.document].mentions
            if passage.holds(mention.start, mention.end)
        ]
        for passage in passages
    ]
    k = reader.config.n_candidates
    asked = {"one pass": (None, k), f"one pass, {WIDE}": (None, WIDE), "gold spans": (gold, k)}
    return {
        name: is_found(reader, documents, passages, reader.retrieve(passages, spans, n))
        for name, (spans, n) in asked.items()
    }


def proposed_answers(reader: Reader, documents: list[Document], proposed: Proposed) -> Answers:
    """What a reader says about documents with the candidates that a linker proposes."""
    passages = reader.texts.passages(document.text for document in documents)
    started = time.process_time()
    candidates = passage_candidates(*proposed, passages, reader.config.n_candidates)
    readings = reader.read(passages, candidates, MIN_READ)
    seconds = time.process_time() - started
    recalls = {"one pass": is_found(reader, documents, passages, candidates)}
    return Answers(documents, readings, recalls, seconds)


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

    def f1(threshold: float) -> float:
        return next(m.value for m in figures(kb, found, threshold) if m.name == "inkb_micro_f1")

    return max(THRESHOLDS, key=f1)


class Trainings:
    """Readers, arm by arm; those with a retriever go on from one warm-up of it."""

    def __init__(self, task: Task, config: ReaderConfig) -> None:
        self.task = task
        self.config = config
        self._warm: JointTraining | None = None
        self._spent = 0.0

    def with_retriever(self, arm: str) -> tuple[Reader, float, ReaderConfig]:
        """The reader of an arm, the processor seconds that it learned, and its settings."""
        started = time.process_time()
        if self._warm is None:
            self._warm, _ = new_training(self.task.kb, self.task.train, self.config, None, Losses(started))
            self._warm.warm_up()
            self._spent, started = time.process_time() - started, time.process_time()
        training = copy.deepcopy(self._warm)
        training.config = training.reader.config = config = replace(self.config, flows=arm)
        torch.manual_seed(config.seed)
        training.learn()
        return training.reader, self._spent + time.process_time() - started, config

    def of_sources(self, arm: str, sources: LinkerSources) -> tuple[Reader, float, ReaderConfig]:
        """The same of an arm whose candidates come from a linker."""
        started = time.process_time()
        n_steps = (self.config.warm_up + self.config.n_steps) * (LONG if arm == "sources-long" else 1)
        config = replace(self.config, flows="none", n_steps=n_steps)
        source = sources.source(2 * config.n_candidates)
        training, _ = new_training(self.task.kb, self.task.train, config, source, Losses(started))
        training.run()
        return training.reader, time.process_time() - started, config


def parts_of(task: Task, splits: Sequence[str]) -> dict[str, list[Document]]:
    """The documents that choose the threshold, and those that are judged."""
    half = len(task.dev) // 2
    parts = {"choose": task.dev[:half], "dev": task.dev[half:]}
    return parts | ({"test": task.test} if "test" in splits else {})


def measure(arm: str, trainings: Trainings, suite: str, splits: Sequence[str]) -> Iterator[ResultRow]:
    """The rows of an arm with a retriever: with one pass (the arm's name) and with two."""
    task, parts = trainings.task, parts_of(trainings.task, splits)
    reader, trained, config = trainings.with_retriever(arm)
    about = asdict(config) | {"entities": len(task.kb), "train_documents": len(task.train)}
    recalls = {split: recalls_of(reader, parts[split]) for split in splits}
    for n_passes, system in ((1, arm), (2, f"{arm}, two passes")):
        found = {name: answers(reader, part, n_passes) for name, part in parts.items()}
        for split in splits:
            chosen = found["choose"] if split == "dev" else joined(found["choose"], found["dev"])
            threshold, asked = best_threshold(task.kb, chosen), found[split]
            settings = about | {"threshold": threshold, "documents": len(asked.documents), "n_passes": n_passes}
            name = f"{suite}-{split}"
            yield from metric_rows(figures(task.kb, asked, threshold), name, system, settings)
            own = asked.recalls if n_passes > 1 else recalls[split]
            yield from recall_rows(name, system, own, config.n_candidates, settings)
            yield ResultRow(name, "train_cpu", system, float(f"{trained:.4g}"), "s", settings=settings)
            yield speed_row(name, system, asked, settings)


def measure_sources(arm: str, trainings: Trainings, suite: str, splits: Sequence[str]) -> Iterator[ResultRow]:
    """The rows of an arm whose candidates come from a linker, and of that linker alone and together with it."""
    task, parts = trainings.task, parts_of(trainings.task, splits)
    sources = LinkerSources.build(task, trainings.config.seed)
    reader, trained, config = trainings.of_sources(arm, sources)
    proposed = {name: sources.propose(part) for name, part in parts.items()}
    found = {name: proposed_answers(reader, part, proposed[name]) for name, part in parts.items()}
    about = asdict(config) | {"entities": len(task.kb), "train_documents": len(task.train)}
    for split in splits:
        chosen, known = found["choose"], proposed["choose"]
        if split == "test":
            chosen = joined(chosen, found["dev"])
            known = joined_proposals(known, proposed["dev"], len(parts["choose"]))
        threshold, asked = best_threshold(task.kb, chosen), found[split]
        settings, name = about | {"threshold": threshold, "documents": len(asked.documents)}, f"{suite}-{split}"
        yield from metric_rows(figures(task.kb, asked, threshold), name, arm, settings)
        yield from recall_rows(name, arm, asked.recalls, config.n_candidates, settings)
        yield ResultRow(name, "train_cpu", arm, float(f"{trained:.4g}"), "s", settings=settings)
        yield speed_row(name, arm, asked, settings)
        yield from sources.together(arm, (chosen, known), (asked, proposed[split]), name, settings)


def recall_rows(
    suite: str, system: str, recalls: Mapping[str, np.ndarray], k: int, settings: dict[str, Any]
) -> Iterator[ResultRow]:
    """The recall of each way to retrieve."""
    metrics = {"one pass": f"recall@{k}", "two passes": f"recall@{k}", "gold spans": f"recall@{k}, gold spans",
               f"one pass, {WIDE}": f"recall@{WIDE}"}  # fmt: skip
    for name, found in recalls.items():
        row = ResultRow(suite, metrics[name], system, round(float(found.mean()), 4), "share")
        yield replace(row, n=len(found), settings=settings)


def speed_row(suite: str, system: str, asked: Answers, settings: dict[str, Any]) -> ResultRow:
    """Characters read in a second of processor time."""
    n_characters = sum(len(document.text) for document in asked.documents)
    speed = float(f"{n_characters / asked.seconds:.4g}")
    return ResultRow(suite, "characters_per_cpu_second", system, speed, "1/s", settings=settings)


def joined(one: Answers, other: Answers) -> Answers:
    """Answers about all documents of both."""
    shifted = [replace(each, document=each.document + len(one.documents)) for each in other.readings]
    return Answers([*one.documents, *other.documents], [*one.readings, *shifted], {}, one.seconds + other.seconds)


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
class LinkerSources:
    """A linker built with the train documents: what it proposes for a reader, alone and together with one."""

    linker: Linker
    proposed: Proposed

    @classmethod
    def build(cls, task: Task, seed: int) -> LinkerSources:
        """The linker, and what it proposes in the train documents."""
        linker = Linker.build(task.kb, task.train, seed=seed, n_threads=1)
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
    parser.add_argument("--set", choices=sorted(SETS), default="ncbi")
    parser.add_argument("--split", action="append", default=[], choices=("dev", "test"), help="dev unless told")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=400, help="steps that both learn together")
    parser.add_argument("--warm-up", type=int, default=200, help="steps that each learns alone before")
    parser.add_argument("--layers", type=int, default=2, help="layers of MiniLM; 0 for all")
    parser.add_argument("--candidates", type=int, default=8, help="K")
    parser.add_argument("--entities", type=int, help="size of the knowledge base")
    parser.add_argument("--documents", type=int, default=100, help="documents asked about, of each split")
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate of the encoder")
    parser.add_argument("--head-rate", type=float, default=3e-3, help="learning rate of the reader's new layer")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    suite, n_entities = SETS[options.set]
    for seed in options.seeds:
        task = read_task(suite, n_entities if options.entities is None else options.entities, options.documents, seed)
        config = replace(
            CONFIG, n_layers=options.layers, n_steps=options.steps, warm_up=options.warm_up, seed=seed,
            n_candidates=options.candidates, learning_rate=options.rate, head_rate=options.head_rate,
        )  # fmt: skip
        trainings = Trainings(task, config)
        with quiet(1):
            for arm in options.arms or ARMS:
                log(f"{arm}, seed {seed}")
                rows = (measure_sources if arm.startswith("sources") else measure)(
                    arm, trainings, f"reader/{options.set}-seed-{seed}", options.split or ["dev"]
                )
                tell(list(rows), options.dry_run)
    return 0


def tell(rows: list[ResultRow], is_dry: bool) -> None:
    """Print and record."""
    for row in rows:
        print(f"{row.suite} {row.system:14} {row.metric:26} {row.value:.4f} {row.low} {row.high}", flush=True)
    if not is_dry:
        record(rows)


if __name__ == "__main__":
    sys.exit(main())
