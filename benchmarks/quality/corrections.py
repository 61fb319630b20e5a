"""Learning from corrections, simulated on AIDA: `python -m benchmarks.quality.corrections [--split test]`.

A zero-shot linker of Wikipedia's 468k entities links a pool of documents from raw text, and somebody who knows all
answers looks at its links, some at a time, and corrects them: the right entity of the knowledge base where the span is
a mention of one, else not an entity. A right link is confirmed. After each round the linker learns from all
corrections (`Linker.correct`) and links the pool again; links that were looked at are not asked again. Orders:

- `random`: any links, alike (the mean of several seeds, the least and the most as interval);
- `least`: those with the least chance first;
- `half`: those whose chance is nearest to one half first.

Asked are documents outside of the pool: on dev a fifth of AIDA's training documents, with `--split test` testa.
Recorded are InKB micro precision, recall and F1 from raw text, accuracy on given mentions of entities in the knowledge
base, and CPU seconds of the call that learned, each against the number of corrections.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.quality.end_to_end import ASKED_SHARE, FIGURES, in_kb
from benchmarks.quality.ranker import SUITES
from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import read_suite
from deixis.documents.corrections import Correction
from deixis.evaluation.linking.figures import measured
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.rows import ResultRow
from deixis.gold import acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.training.documents import split_documents
from deixis.training.weights import accuracy_of
from deixis.types import Document

CACHE = Path("build/corrections/wiki468k")
STEPS = (50, 100, 200, 400, 800)
ORDERS = ("random", "least", "half")
Place = tuple[int, int, int]
"""Number of a document, start and end."""


@dataclass(frozen=True)
class Point:
    """What a linker does after so many corrections."""

    n_corrections: int
    figures: dict[str, float]


def main() -> int:
    """Simulates every order and records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--order", action="append", default=[], choices=ORDERS, help="only these; may be repeated")
    parser.add_argument("--seeds", type=int, default=3, help="runs of the random order")
    parser.add_argument("--pool", type=int, default=200, help="documents whose links are corrected, drawn evenly")
    parser.add_argument("--documents", type=int, default=100, help="documents that are asked, drawn evenly")
    parser.add_argument("--dry", action="store_true", help="record nothing")
    chosen = parser.parse_args()
    start_run(is_recorded=not chosen.dry)
    linker = zero_shot()
    pool, asked = read_documents(chosen.split, chosen.pool, chosen.documents)
    settings = {"split": chosen.split, "gold": "in KB", "pool": len(pool), "n_documents": len(asked)}
    suite = f"corrections/wiki468k-aida/{'testa' if chosen.split == 'test' else 'train'}"
    begun = Point(0, measure(linker, asked))
    tell("none", 0, begun)
    for order in chosen.order or ORDERS:
        runs = []
        for seed in range(chosen.seeds if order == "random" else 1):
            runs.append([begun])
            for point in simulate(linker, pool, asked, order, seed):
                tell(order, seed, point)
                runs[-1].append(point)
        if not chosen.dry:
            record(rows(suite, f"deixis+{order}", runs, settings))
    return 0


def zero_shot() -> Linker:
    """The linker before any correction, built once."""
    if not CACHE.exists():
        kb = DataFolder(data_folder()).read_kb(read_suite(SUITES / "wiki468k-aida.yaml").kb)
        Linker.build(kb, n_threads=1).save(CACHE)
    return Linker.load(CACHE, n_threads=1)


def read_documents(split: str, n_pool: int, n_asked: int) -> tuple[list[Document], list[Document]]:
    """The documents whose links are corrected, and those that are asked."""
    data, suite = DataFolder(data_folder()), read_suite(SUITES / "wiki468k-aida.yaml")
    pool = data.read_mentions(suite.mentions)
    if split == "dev":
        pool, asked = split_documents(pool, ASKED_SHARE, seed=1)
    else:
        asked = list(data.read_part(suite, next(part for part in suite.test if part.name == "testa")))
    return evenly(pool, n_pool), evenly(asked, n_asked)


def evenly(documents: list[Document], n: int) -> list[Document]:
    """At most so many of the documents, from the first to the last."""
    return [documents[number] for number in np.linspace(0, len(documents) - 1, min(n, len(documents))).astype(int)]


def simulate(linker: Linker, pool: list[Document], asked: list[Document], order: str, seed: int) -> Iterator[Point]:
    """Corrects, learns and measures, round after round."""
    seen: set[Place] = set()
    for n_corrections in STEPS:
        links = [link for link in links_of(linker, pool) if link[0] not in seen]
        chosen = in_order(links, order, seed)[: n_corrections - len(seen)]
        if not chosen:
            return
        begin = time.process_time()
        linker = linker.correct([oracle(linker.kb, pool, place) for place in chosen])
        seconds = time.process_time() - begin
        seen.update(chosen)
        yield Point(len(seen), measure(linker, asked) | {"learn_seconds": seconds})


def links_of(linker: Linker, pool: list[Document]) -> list[tuple[Place, float]]:
    """Where the linker makes links, and how likely it says they are right."""
    linked = linker.link_many([document.with_mentions(()) for document in pool])
    return [
        ((number, mention.start, mention.end), mention.score or 0.0)
        for number, document in enumerate(linked)
        for mention in document.mentions
        if mention.entity is not None
    ]


def in_order(links: list[tuple[Place, float]], order: str, seed: int) -> list[Place]:
    """The links in the order in which they are asked."""
    shuffled = [links[number] for number in np.random.default_rng(seed).permutation(len(links))]
    if order == "least":
        shuffled.sort(key=lambda link: link[1])
    elif order == "half":
        shuffled.sort(key=lambda link: abs(link[1] - 0.5))
    return [place for place, _ in shuffled]


def oracle(kb: KnowledgeBase, pool: list[Document], place: Place) -> Correction:
    """What somebody who knows all answers says of a span."""
    number, start, end = place
    document = pool[number]
    ids = [
        sorted(acceptable_ids(mention.entity, kb.own_id))
        for mention in document.mentions
        if (mention.start, mention.end) == (start, end) and mention.entity is not None
    ]
    if ids and ids[0]:
        return Correction(document.text, start, end, "gold", ids[0][0], document.lang)
    return Correction(document.text, start, end, "not_an_entity", None, document.lang)


def measure(linker: Linker, asked: list[Document]) -> dict[str, float]:
    """Figures from raw text, and accuracy on given mentions."""
    tally = Tally(linker.kb.own_id)
    for gold, found in zip(asked, linker.link_many([each.with_mentions(()) for each in asked]), strict=True):
        linked = found.with_mentions([mention for mention in found.mentions if mention.entity is not None])
        tally.add(in_kb(linker.kb, gold), linked)
    figures = {metric.name: metric.value for metric in measured(tally.columns(), FIGURES, seed=0)}
    return figures | {"accuracy": accuracy_of("given", linker.model, [in_kb(linker.kb, each) for each in asked]).value}


def rows(suite: str, system: str, runs: list[list[Point]], settings: dict[str, object]) -> Iterator[ResultRow]:
    """One row a figure and number of corrections: the mean of the runs, and where there are several their range."""
    for points in zip(*runs, strict=False):
        n = points[0].n_corrections
        for name in points[0].figures:
            values = [point.figures[name] for point in points]
            unit = "CPU seconds" if name == "learn_seconds" else "share"
            told = settings | {"seeds": len(values), "n_corrections": n}
            low, high = (min(values), max(values)) if len(values) > 1 else (None, None)
            yield ResultRow(
                suite, f"{name}@{n}", system, round(float(np.mean(values)), 4), unit, low=low, high=high, settings=told
            )


def tell(order: str, seed: int, point: Point) -> None:
    """A line of figures."""
    shown = " ".join(f"{name}={value:.3f}" for name, value in point.figures.items())
    print(f"{order:8} {seed} {point.n_corrections:5} {shown}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
