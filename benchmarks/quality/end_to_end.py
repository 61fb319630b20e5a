"""From raw text to links: `python -m benchmarks.quality.end_to_end [--suite NAME] [--split test]`.

Each system is given texts without mentions. Gold is restricted to mentions of entities in the knowledge base, links are
strong matches: the same span and the right entity. Recorded are InKB micro precision, recall and F1, the same for
spans whatever their entity, the share of found spans that have the right entity, and speed in characters and documents
per CPU second on one thread. Systems:

- `dictionary`: the longest name from left to right, linked to the first entity of that name: by title, then alias;
- `prior`: the same with the names that annotated documents use, linked to what a name meant there most often;
- `deixis`: zero-shot, nothing but the knowledge base;
- `deixis+mentions`: built with the annotated documents;
- `deixis+rerank`, only if asked for: zero-shot, and a re-ranker taught by `--reranked` annotated mentions looks again
  at what was found (extra `neural`; 300 mentions take about four CPU minutes).

With `--min-chance 0.02`, which may be repeated, `deixis` is also asked with spans ranked from that chance on, and
recorded as `deixis@0.02`.

On dev, AIDA's training documents are split: four fifths teach, one fifth is asked; Reddit (its dev halves) is asked of
the same models. BC5CDR and NCBI teach with train and are asked on dev. With `--split test` all training documents
teach, and testa, testb, Reddit's test halves and the test files are asked.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.quality.ranker import SUITES
from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import Suite, read_suite
from benchmarks.systems.exact import ExactNames
from benchmarks.systems.prior import PriorNames
from deixis.detection.dictionary import DictionaryDetector
from deixis.evaluation.linking.figures import measured, micro, share
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.gold import acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import PairConfig
from deixis.training.config import TrainingConfig
from deixis.training.documents import split_documents
from deixis.training.reranker import train_reranker
from deixis.types import Document, Mention

SUITE_SETS = (("wiki468k-aida", "reddit-posts", "reddit-comments"), ("mesh-bc5cdr",), ("medic-ncbi",))
LEARNING = ("prior", "deixis+mentions", "deixis+rerank")
SYSTEMS = ("dictionary", "prior", "deixis", "deixis+mentions")
ON_REQUEST = ("deixis+rerank",)
ASKED_SHARE = 0.2  # of AIDA's training documents, on dev
FIGURES = [
    *micro("inkb_micro", "n_right", "n_links", "n_in_kb"),
    *micro("span", "n_same_span", "n_predicted_spans", "n_spans"),
    share("accuracy_on_found_spans", "n_right", "n_same_span"),
]
Link = Callable[[list[Document]], list[Document]]


@dataclass(frozen=True)
class Task:
    """Documents to be asked, under the name they are recorded by."""

    name: str
    documents: list[Document]


def main() -> int:
    """Builds every system on every knowledge base, asks, records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", default=[], help="only these suites; may be repeated")
    parser.add_argument("--system", action="append", default=[], choices=SYSTEMS + ON_REQUEST, help="only these")
    parser.add_argument("--split", action="append", default=[], choices=("dev", "test"), help="dev unless told")
    parser.add_argument("--documents", type=int, help="at most so many of each part are asked, drawn evenly")
    parser.add_argument("--min-chance", type=float, action="append", default=[], help="of spans that are ranked")
    parser.add_argument("--reranked", type=int, default=300, help="mentions that teach a re-ranker")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    chosen = parser.parse_args()
    start_run(is_recorded=not chosen.dry_run)
    data = DataFolder(data_folder())
    for names in SUITE_SETS:
        suites = [read_suite(SUITES / f"{name}.yaml") for name in names]
        if chosen.suite:
            suites = [suite for suite in suites if suite.name in chosen.suite]
        if not suites or any(data.missing(suite) for suite in suites):
            continue
        kb = data.read_kb(suites[0].kb)
        for system in chosen.system or SYSTEMS:
            ask(data, kb, suites, system, chosen)
    return 0


def ask(data: DataFolder, kb: KnowledgeBase, suites: list[Suite], system: str, chosen: argparse.Namespace) -> None:
    """Asks one system, built anew only where other documents teach it, and records."""
    built: tuple[list[str], Link, float] | None = None
    for split in chosen.split or ["dev"]:
        taught, tasks = read_tasks(data, suites, split, chosen.documents)
        teachers = [document.id for document in taught] if system in LEARNING else []
        if built is None or built[0] != teachers:
            begin = time.process_time()
            link = reranked(kb, taught, chosen.reranked) if system in ON_REQUEST else build(kb, system, taught)
            built = teachers, link, time.process_time() - begin
        settings = {"split": split, "gold": "in KB", "taught": len(teachers), "build_seconds": round(built[2], 1)}
        if system in ON_REQUEST:
            settings["mentions"] = chosen.reranked
        for task in tasks:
            rows = list(measure(kb, system, built[1], task, settings))
            for chance in chosen.min_chance if system == "deixis" and isinstance(built[1], LinkAll) else []:
                link = built[1].from_chance(chance)
                rows += measure(kb, f"{system}@{chance:g}", link, task, settings | {"min_chance": chance})
            if not chosen.dry_run:
                record(rows)


def read_tasks(
    data: DataFolder, suites: list[Suite], split: str, n_documents: int | None
) -> tuple[list[Document], list[Task]]:
    """What teaches, and what is asked."""
    taught = data.read_mentions(suites[0].mentions)
    tasks = []
    if split == "dev" and suites[0].mentions == "aida/train.jsonl.gz":
        taught, asked = split_documents(taught, ASKED_SHARE, seed=1)
        if suites[0].name == "wiki468k-aida":
            tasks.append(Task("wiki468k-aida/train", asked))
    for suite in suites:
        if split == "test" or suite.name != "wiki468k-aida":
            parts = suite.parts(split)
            tasks += [Task(f"{suite.name}/{part.name}", list(data.read_part(suite, part))) for part in parts]
    if n_documents is not None:
        tasks = [Task(t.name, t.documents[:: max(1, len(t.documents) // n_documents)]) for t in tasks]
    return taught, tasks


def measure(kb: KnowledgeBase, system: str, link: Link, task: Task, told: dict[str, Any]) -> Iterator[ResultRow]:
    """One system's figures on a task."""
    bare = [document.with_mentions(()) for document in task.documents]
    begin = time.process_time()
    linked = link(bare)
    seconds = max(time.process_time() - begin, 1e-9)
    tally = Tally(kb.own_id)
    for gold, predicted in zip(task.documents, linked, strict=True):
        tally.add(in_kb(kb, gold), predicted.with_mentions([m for m in predicted.mentions if m.entity is not None]))
    metrics = measured(tally.columns(), FIGURES, seed=0)
    settings = told | {"n_documents": len(bare)}
    suite = f"end_to_end/{task.name}"
    shown = " ".join(f"{metric.name}={metric.value:.3f}" for metric in metrics)
    n_characters = sum(len(document.text) for document in bare)
    print(f"{task.name:24} {system:16} {shown} {n_characters / seconds:.0f} chars/s", flush=True)
    yield from metric_rows(metrics, suite, system, settings)
    speeds = {"characters_per_second": n_characters / seconds, "documents_per_second": len(bare) / seconds}
    for name, value in speeds.items():
        yield ResultRow(suite, name, system, round(value, 3), "1/s", settings=settings)


def build(kb: KnowledgeBase, system: str, taught: list[Document]) -> Link:
    """A function from documents without mentions to documents with links."""
    if system.startswith("deixis"):
        return LinkAll(Linker.build(kb, taught if system == "deixis+mentions" else None, n_threads=1))
    names = list(kb.names()[0])
    if system == "dictionary":
        proposer: ExactNames | PriorNames = ExactNames.build(kb)
    else:
        proposer = PriorNames.build(kb, taught)
        names += [mention.text for document in taught for mention in in_kb(kb, document).mentions]
    detector = DictionaryDetector.build(names, kb.description_texts())

    def link(documents: list[Document]) -> list[Document]:
        found = detector.detect([document.text for document in documents], n_threads=1)
        linked = []
        for document, spans in zip(documents, found, strict=True):
            seen = document.with_mentions([Mention(s, e, document.text[s:e]) for s, e in spans])
            best = proposer.generate(seen.mentions_in_context(), k=1)
            mentions = zip(seen.mentions, best, strict=True)
            linked.append(seen.with_mentions([first(mention, listed[0].id) for mention, listed in mentions if listed]))
        return linked

    return link


@dataclass(frozen=True)
class LinkAll:
    """Links all documents by one linker."""

    linker: Linker
    rerank: bool = False

    def __call__(self, documents: list[Document]) -> list[Document]:
        """The documents with links."""
        return list(self.linker.link_many(documents, rerank=self.rerank))

    def from_chance(self, chance: float) -> Link:
        """The same, which ranks spans from that probability on."""
        model = self.linker.model
        detector = replace(model.detector, config=replace(model.detector.config, min_chance=chance))
        return LinkAll(Linker(replace(model, detector=detector)))


def reranked(kb: KnowledgeBase, taught: list[Document], n_mentions: int) -> Link:
    """The same by a linker without mentions whose re-ranker has learned from some."""
    how = CrossEncoderConfig(
        n_taught=8, n_candidates=10, max_mentions=n_mentions, max_checked=100, epochs=1, learning_rate=1e-4,
        pairs=PairConfig(96),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        model = Linker.build(kb, n_threads=1).model
        model = train_reranker(model, taught, None, TrainingConfig(reranker=how), Path(folder)).model
    return LinkAll(Linker(model), rerank=True)


def first(mention: Mention, entity: str) -> Mention:
    """The mention, linked."""
    return Mention(mention.start, mention.end, mention.text, entity, 1.0)


def in_kb(kb: KnowledgeBase, document: Document) -> Document:
    """The document with those of its mentions whose entity the knowledge base has."""
    return document.with_mentions([m for m in document.mentions if m.entity and acceptable_ids(m.entity, kb.own_id)])


if __name__ == "__main__":
    sys.exit(main())
