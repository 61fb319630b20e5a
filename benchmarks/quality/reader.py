"""Retriever and reader, apart and together: `python -m benchmarks.quality.reader [none both ...]`.

Table 3 of BEER² (Li et al., 2023), sized for one core: AIDA's train documents, four fifths to learn from, the others
asked about (half of them choose the threshold, half are judged); no test split is read. The knowledge base is a part of
`wiki468k`, as in `benchmarks.quality.bi_encoder`: the entities that are meant, look-alikes, and others. `none` is the
pipeline: retriever first, then reader, each with its own encoder. `stations` gives the reader the candidates of our own
stations (names, string similarity, tree) in place of a dense retriever's.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from benchmarks.quality.bi_encoder import HERE, SEED, log, read_task
from benchmarks.rows import record
from deixis.bench.data import DataFolder
from deixis.evaluation.bootstrap import interval_of, quotient
from deixis.evaluation.rows import ResultRow, source_commit
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.linker import Linker
from deixis.neural.passages import Passage
from deixis.neural.reader import Reader, spans_of
from deixis.neural.reader_config import ReaderConfig
from deixis.neural.reader_lessons import TaughtPassage
from deixis.neural.reader_spans import Reading, without_overlaps
from deixis.neural.reader_training import train_reader
from deixis.types import Document, Mention

SUITE = "reader/aida-train"
ARMS = ("none", "to-reader", "to-retriever", "both", "stations")
THRESHOLDS = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.45)
PER_SPAN = 4  # candidates of our stations for each span


@dataclass(frozen=True)
class Stations:
    """Candidates of passages from a linker's own stations: the best of each name that is found in a passage."""

    linker: Linker
    texts: Sequence[str]
    k: int

    def of(self, passages: Sequence[Passage]) -> list[list[int]]:
        """The rows of the best entities of each passage."""
        found: list[list[int]] = []
        documents: dict[int, Document] = {}
        for number in sorted({passage.document for passage in passages}):
            text = self.texts[number]
            spans = self.linker.detector.detect([text])[0]
            documents[number] = Document(str(number), text, mentions=tuple(Mention(s, e, text[s:e]) for s, e in spans))
        ranked = {
            number: self.linker.ranked(document.mentions_in_context(), k=PER_SPAN)
            for number, document in documents.items()
        }
        for passage in passages:
            best: dict[int, float] = {}
            for mention, listed in zip(documents[passage.document].mentions, ranked[passage.document], strict=True):
                if not passage.holds(mention.start, mention.end):
                    continue
                for candidate in listed:
                    row = self.linker.kb.row_of(candidate.id)
                    if row is not None:
                        best[row] = max(best.get(row, 0.0), candidate.score)
            found.append(sorted(best, key=lambda row: (-best[row], row))[: self.k])
        return found

    def taught(self, passages: Sequence[TaughtPassage]) -> list[list[int]]:
        """The same for passages to learn from."""
        return self.of([each.passage for each in passages])


def golds(kb: KnowledgeBase, documents: Sequence[Document]) -> set[tuple[int, int, int, int]]:
    """Document, start, end and row of each mention whose entity the knowledge base holds."""
    return {
        (number, mention.start, mention.end, row)
        for number, document in enumerate(documents)
        for mention in document.mentions
        if mention.entity is not None and (row := kb.row_of(mention.entity)) is not None
    }


def sums(found: Sequence[Reading], gold: set[tuple[int, int, int, int]], n_documents: int) -> np.ndarray:
    """Per document: right answers, answers, gold mentions, right spans."""
    table = np.zeros((n_documents, 4))
    spans = {each[:3] for each in gold}
    for reading in found:
        own = (reading.document, reading.start, reading.end)
        table[reading.document] += [(*own, reading.row) in gold, 1, 0, own in spans]
    for document, *_ in gold:
        table[document, 2] += 1
    return table


def f1(table: np.ndarray, column: int = 0) -> np.ndarray:
    """Twice the right ones over answers and gold together."""
    return quotient(2 * table[..., column], table[..., 1] + table[..., 2])


def judged(reader: Reader, kb: KnowledgeBase, documents: list[Document], candidates: list[list[int]] | None) -> dict:
    """Readings at the lowest threshold, recall of candidates, and seconds."""
    passages = reader.texts.passages(document.text for document in documents)
    started = time.process_time()
    if candidates is None:
        candidates = reader.retrieve(passages)
        if reader.config.feeds_retriever:
            candidates = reader.retrieve(passages, spans_of(passages, reader.read(passages, candidates)))
    readings = reader.read(passages, candidates, min(THRESHOLDS))
    spent = time.process_time() - started
    holding: dict[int, list[int]] = {}
    for number, passage in enumerate(passages):
        holding.setdefault(passage.document, []).append(number)
    is_found = np.array(
        [
            any(row in candidates[number] for number in holding[document] if passages[number].holds(start, end))
            for document, start, end, row in sorted(golds(kb, documents))
        ]
    )
    return {"readings": readings, "recall": float(is_found.mean()), "n": len(is_found), "spent": spent}


def measure(
    arm: str, config: ReaderConfig, kb: KnowledgeBase, train: list[Document], dev: list[Document]
) -> Iterator[ResultRow]:
    """The rows of one arm."""
    half = len(dev) // 2
    parts = {"choose": dev[:half], "judge": dev[half:]}
    started = time.process_time()
    stations = Linker.build(kb, train, seed=SEED, n_threads=1) if arm == "stations" else None
    source = None
    if stations is not None:
        source = Stations(stations, [document.text for document in train], 4 * config.n_candidates).taught
    reader = train_reader(kb, train, config, source)
    trained = time.process_time() - started
    found = {}
    for name, documents in parts.items():
        given = None
        if stations is not None:
            passages = reader.texts.passages(document.text for document in documents)
            given = Stations(stations, [document.text for document in documents], config.n_candidates).of(passages)
        found[name] = judged(reader, kb, documents, given)
    gold = {name: golds(kb, documents) for name, documents in parts.items()}

    def at(name: str, threshold: float) -> np.ndarray:
        kept = without_overlaps([each for each in found[name]["readings"] if each.score > threshold])
        return sums(kept, gold[name], len(parts[name]))

    threshold = max(THRESHOLDS, key=lambda each: float(f1(at("choose", each).sum(axis=0))))
    table = at("judge", threshold)
    about = asdict(config) | {"threshold": threshold, "entities": len(kb), "train_documents": len(train), "seed": SEED}
    for name, column in (("f1", 0), ("span_f1", 3)):
        span = interval_of(lambda drawn, column=column: f1(drawn, column), table, SEED)
        value = float(f1(table.sum(axis=0), column))
        yield ResultRow(
            SUITE,
            name,
            arm,
            round(value, 4),
            "share",
            round(span.low, 4),
            round(span.high, 4),
            len(gold["judge"]),
            about,
        )
    yield ResultRow(
        SUITE,
        f"recall@{config.n_candidates}",
        arm,
        round(found["judge"]["recall"], 4),
        "share",
        n=found["judge"]["n"],
        settings=about,
    )
    yield ResultRow(SUITE, "train_cpu", arm, float(f"{trained:.4g}"), "s", settings=about)
    n_characters = sum(len(document.text) for document in parts["judge"])
    yield ResultRow(
        SUITE,
        "characters_per_cpu_second",
        arm,
        float(f"{n_characters / found['judge']['spent']:.4g}"),
        "1/s",
        settings=about,
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arms", nargs="*", choices=[[], *ARMS], default=list(ARMS))
    parser.add_argument("--steps", type=int, default=150, help="steps that both learn together")
    parser.add_argument("--warm-up", type=int, default=75, help="steps that each learns alone before")
    parser.add_argument("--layers", type=int, default=0, help="layers of MiniLM; 0 for all")
    parser.add_argument("--candidates", type=int, default=12, help="K")
    parser.add_argument("--entities", type=int, default=3000, help="size of the knowledge base")
    parser.add_argument("--documents", type=int, default=40, help="documents asked about")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    source_commit()
    task = read_task(DataFolder.choose(None, HERE.parents[1]), options.entities)
    config = ReaderConfig(
        n_layers=options.layers,
        n_steps=options.steps,
        warm_up=options.warm_up,
        n_candidates=options.candidates,
        seed=SEED,
    )
    for arm in options.arms or ARMS:
        log(f"{arm}")
        own = replace(config, flows="to-reader" if arm == "stations" else arm)
        rows = list(measure(arm, own, task.kb, task.train, task.dev[: options.documents]))
        for row in rows:
            print(f"{row.system:14} {row.metric:26} {row.value:.4f} {row.low} {row.high}", flush=True)
        if not options.dry_run:
            print("recorded in", record(rows).name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
