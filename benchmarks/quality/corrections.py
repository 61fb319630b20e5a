"""What corrections do to other texts: `python -m benchmarks.quality.corrections [--suite NAME] [--split test]`.

A zero-shot linker links a pool of documents from raw text. Somebody who knows all answers looks at its links in random
order and corrects those that are wrong (`mistakes`), or says of every link what is right (`links`): the entity of the
knowledge base that the span means, else not an entity. After 1, 2, 3, 5, ... corrections other documents are evaluated.
Systems:

- `deixis`: the corrections as they are applied, in proportion to how alike the texts are;
- `by-name`: the rule before, kept here as an ablation: a correction counts as an annotated mention of its name in any
  text, and turns on the features of names that were seen annotated.

Recorded for each number of corrections, with 0 for the uncorrected linker: accuracy on given mentions of entities in
the knowledge base, its gain over the uncorrected linker, the mentions that are mended and broken (of all seeds), the
InKB micro-F1 from raw text at some of the numbers, and CPU seconds of applying the corrections. `corrected_accuracy` is
that on the pool itself, where corrected mentions are always right. Intervals are those of a bootstrap over documents
and seeds.

On dev, the pool and the evaluated documents are parts of AIDA's training documents, NCBI's training and dev abstracts,
and two random halves of the demo's sentences (which have no test part). With `--split test`, AIDA's testa and NCBI's
test abstracts are evaluated.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.end_to_end import ASKED_SHARE, FIGURES, in_kb
from benchmarks.quality.ranker import SUITES
from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import Suite, read_suite
from deixis.candidates.sources.alias import AliasSource
from deixis.candidates.sources.alias import _spellings as spellings
from deixis.documents.corrections import Correction
from deixis.evaluation.linking.figures import measured
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.rows import ResultRow
from deixis.features.name_set import NameSet
from deixis.gold import acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.corrected import with_corrections
from deixis.linking.corrections import Corrections, rows_named
from deixis.linking.model import LinkerModel
from deixis.nearest.alias_table import KeyEntries, KeyTable
from deixis.training.calibrate import judge
from deixis.training.correct import correct
from deixis.training.documents import split_documents
from deixis.types import Document, Mention

CACHE = Path("build/corrections")
STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 500)
RAW_STEPS = (10, 100, 500)  # at which raw text is linked, and the pool, too
SYSTEMS = ("deixis", "by-name")
ORDERS = ("mistakes", "links")
N_DRAWS = 1000
Place = tuple[int, int, int]
"""Number of a document, start and end."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a linker does on the evaluated documents: which mentions are right; F1 from raw text, and the pool."""

    is_right: NDArray[np.bool_]
    documents: NDArray[np.integer]
    f1: float | None = None
    corrected_accuracy: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Task:
    """Documents whose links are corrected, and documents that are evaluated, with what the linker does before.

    `links` are the answers to its links of the pool, and what it linked each to.
    """

    linker: Linker
    pool: list[Document]
    evaluated: list[Document]
    links: list[tuple[Correction, str]]
    start: Outcome

    @classmethod
    def of(cls, linker: Linker, pool: list[Document], evaluated: list[Document]) -> "Task":
        """The task of these documents."""
        links = [(oracle(linker.kb, pool, place), entity) for place, entity in sorted(links_of(linker, pool).items())]
        pool, evaluated = (with_known(linker.kb, part) for part in (pool, evaluated))
        return cls(linker, pool, evaluated, links, outcome(linker.model, pool, evaluated, is_raw=True))


def main() -> int:
    """Simulates every suite, order, system and seed, and records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", default=[], choices=("demo", "medic-ncbi", "wiki468k-aida"))
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--order", action="append", default=[], choices=ORDERS, help="only these; may be repeated")
    parser.add_argument("--system", action="append", default=[], choices=SYSTEMS, help="only these; may be repeated")
    parser.add_argument("--seeds", type=int, default=5, help="random orders; the demo has four times as many")
    parser.add_argument("--pool", type=int, default=200, help="documents whose links are corrected, drawn evenly")
    parser.add_argument("--documents", type=int, default=100, help="documents that are evaluated, drawn evenly")
    parser.add_argument("--dry", action="store_true", help="record nothing")
    chosen = parser.parse_args()
    start_run(is_recorded=not chosen.dry)
    for name in chosen.suite or ["demo", "medic-ncbi", "wiki468k-aida"]:
        if name == "demo" and chosen.split == "test":
            continue
        linker = zero_shot(name)
        n_seeds = 4 * chosen.seeds if name == "demo" else chosen.seeds
        n_tasks = n_seeds if name == "demo" else 1
        tasks = [read_task(linker, name, chosen.split, seed, chosen.pool, chosen.documents) for seed in range(n_tasks)]
        for order in chosen.order or ORDERS:
            for system in chosen.system or SYSTEMS:
                runs = [list(simulate(tasks[seed % len(tasks)], order, system, seed)) for seed in range(n_seeds)]
                task = tasks[0]
                settings = {"split": chosen.split, "order": order, "seeds": n_seeds, "pool": len(task.pool)}
                settings["n_documents"] = len(task.evaluated)
                part = {"dev": "dev", "test": "testa" if name == "wiki468k-aida" else "test"}[chosen.split]
                made = list(rows(f"corrections/{name}/{part}", f"{system}+{order}", runs, settings))
                for row in made:
                    print(
                        f"{row.suite} {row.system:18} {row.metric:14} {row.value:8.4f} {row.low} {row.high}", flush=True
                    )
                if not chosen.dry:
                    record(made)
    return 0


def zero_shot(name: str) -> Linker:
    """The linker before any correction, built once."""
    folder = CACHE / name.removesuffix("-aida")
    if not folder.exists():
        Linker.build(DataFolder(data_folder()).read_kb(suite_of(name).kb), n_threads=1).save(folder)
    return Linker.load(folder, n_threads=1)


def suite_of(name: str) -> Suite:
    """The suite of this name."""
    return read_suite(SUITES / f"{name}.yaml")


def read_task(linker: Linker, name: str, split: str, seed: int, n_pool: int, n_evaluated: int) -> Task:
    """The documents whose links are corrected, and those that are evaluated."""
    data, suite = DataFolder(data_folder()), suite_of(name)
    if name == "demo":
        return Task.of(linker, *split_documents(list(data.read_part(suite, suite.dev[0])), 0.5, seed))
    pool = data.read_mentions(suite.mentions)
    if split == "test":
        evaluated = list(data.read_part(suite, suite.test[0]))
    elif name == "wiki468k-aida":
        pool, evaluated = split_documents(pool, ASKED_SHARE, seed=1)
    else:
        evaluated = list(data.read_part(suite, suite.dev[0]))
    return Task.of(linker, evenly(pool, n_pool), evenly(evaluated, n_evaluated))


def evenly(documents: list[Document], n: int) -> list[Document]:
    """At most so many of the documents, from the first to the last."""
    return [documents[number] for number in np.linspace(0, len(documents) - 1, min(n, len(documents))).astype(int)]


def simulate(task: Task, order: str, system: str, seed: int) -> Iterator[tuple[int, Outcome]]:
    """Numbers of corrections, and what a linker with as many does: 0 first, and the last with all that there are."""
    yield 0, task.start
    corrections = shuffled(task.links, order, seed)
    for n in STEPS:
        begin = time.process_time()
        with rule_of(system):
            model = correct(task.linker.model, corrections[:n], force=True).model
        seconds = time.process_time() - begin
        yield n, replace(outcome(model, task.pool, task.evaluated, is_raw=n in RAW_STEPS), seconds=seconds)
        if n >= len(corrections):
            return


def shuffled(links: list[tuple[Correction, str]], order: str, seed: int) -> list[Correction]:
    """The answers to links in random order; for `mistakes` only those of links that are wrong."""
    permuted = [links[number] for number in np.random.default_rng(seed).permutation(len(links))]
    return [answer for answer, entity in permuted if order == "links" or answer.entity != entity]


def links_of(linker: Linker, pool: list[Document]) -> dict[Place, str]:
    """Where the linker makes links, and to what."""
    linked = linker.link_many([document.with_mentions(()) for document in pool])
    return {
        (number, mention.start, mention.end): mention.entity
        for number, document in enumerate(linked)
        for mention in document.mentions
        if mention.entity is not None
    }


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


def rule_of(system: str) -> AbstractContextManager[object]:
    """While it lasts, corrections are applied as in the system."""
    return nullcontext() if system == "deixis" else patch("deixis.training.correct.with_corrections", by_name)


def by_name(model: LinkerModel, corrections: Corrections) -> LinkerModel:
    """The model with corrections as the rule before applied them: every one is an annotated mention of its name.

    The simulation says nothing that is only `wrong`, which had a rule of its own.
    """
    corrected = with_corrections(model, corrections)
    gold = corrections.saying("gold")
    texts, langs = [each.surface for each in gold], [each.lang for each in gold]
    plain = model.sources.get("alias")
    entries = KeyEntries(
        np.arange(len(gold)), np.array(rows_named(model.kb, gold), dtype=np.int32), np.zeros(len(gold), dtype=np.int16),
        spellings(texts, 1), np.zeros(len(gold), dtype=np.float32), np.ones(len(gold), np.float32),
    )  # fmt: skip
    table = KeyTable.build(plain.forms.keys(texts, langs, n_threads=1), entries, len(model.kb))
    alias = AliasSource(model.kb, plain.table, plain.langs, plain.config, table)
    facts = replace(model.ranker.facts, seen_names=model.ranker.facts.seen_names | NameSet.of(texts))
    sources = replace(model.sources, by_name={**model.sources.by_name, "alias": alias})
    return replace(corrected, sources=sources, ranker=replace(model.ranker, facts=facts))


def outcome(model: LinkerModel, pool: list[Document], evaluated: list[Document], is_raw: bool) -> Outcome:
    """What a model does on documents whose mentions are all of known entities."""
    curve = judge(model, evaluated).curve
    if not is_raw:
        return Outcome(curve.is_right, curve.documents)
    return Outcome(curve.is_right, curve.documents, raw_f1(Linker(model), evaluated), given_accuracy(model, pool))


def with_known(kb: KnowledgeBase, documents: list[Document]) -> list[Document]:
    """The documents that have mentions of entities in the knowledge base, with these alone."""
    return [document for document in (in_kb(kb, each) for each in documents) if document.mentions]


def given_accuracy(model: LinkerModel, documents: list[Document]) -> float:
    """The fraction of given mentions with the right entity, where corrections of these very texts hold."""
    bare = [each.with_mentions([Mention(m.start, m.end, m.text) for m in each.mentions]) for each in documents]
    pairs = zip(documents, Linker(model).link_many(bare, threshold=0), strict=True)
    is_right = [
        answer.entity in acceptable_ids(gold.entity or "", model.kb.own_id)
        for document, linked in pairs
        for gold, answer in zip(document.mentions, linked.mentions, strict=True)
    ]
    return float(np.mean(is_right))


def raw_f1(linker: Linker, evaluated: list[Document]) -> float:
    """InKB micro-F1 from raw text."""
    tally = Tally(linker.kb.own_id)
    for gold, found in zip(evaluated, linker.link_many([each.with_mentions(()) for each in evaluated]), strict=True):
        tally.add(gold, found.with_mentions([mention for mention in found.mentions if mention.entity is not None]))
    return next(each.value for each in measured(tally.columns(), FIGURES, seed=0) if each.name == "inkb_micro_f1")


def rows(
    suite: str, system: str, runs: list[list[tuple[int, Outcome]]], settings: dict[str, object]
) -> Iterator[ResultRow]:
    """Rows of each number of corrections that all seeds reached."""
    starts = [run[0][1] for run in runs]
    for points in zip(*runs, strict=False):
        n, outcomes = points[0][0], [point for _, point in points]
        own = settings | {"n_corrections": n}
        gains = [after.is_right.astype(float) - before.is_right for after, before in zip(outcomes, starts, strict=True)]
        accuracy = interval([each.is_right.astype(float) for each in outcomes], [each.documents for each in outcomes])
        yield row(suite, f"accuracy@{n}", system, accuracy, own)
        if n:
            yield row(suite, f"gain@{n}", system, interval(gains, [each.documents for each in outcomes]), own)
            for name, sign in (("mended", 1), ("broken", -1)):
                count = float(sum((gain == sign).sum() for gain in gains))
                yield ResultRow(suite, f"{name}@{n}", system, count, "mentions", settings=own)
            seconds = float(np.mean([each.seconds for each in outcomes]))
            yield ResultRow(suite, f"correct_seconds@{n}", system, round(seconds, 4), "CPU seconds", settings=own)
        for name, values in (
            ("inkb_micro_f1", [each.f1 for each in outcomes if each.f1 is not None]),
            (
                "corrected_accuracy",
                [each.corrected_accuracy for each in outcomes if each.corrected_accuracy is not None],
            ),
        ):
            if values:
                mean = round(float(np.mean(values)), 4)
                low, high = min(values), max(values)
                yield ResultRow(suite, f"{name}@{n}", system, mean, "share", low=low, high=high, settings=own)


def row(
    suite: str, metric: str, system: str, values: tuple[float, float, float], settings: dict[str, object]
) -> ResultRow:
    """A row of a share with its interval."""
    mean, low, high = (round(value, 4) for value in values)
    return ResultRow(suite, metric, system, mean, "share", low=low, high=high, settings=settings)


def interval(values: list[NDArray[np.float64]], documents: list[NDArray[np.integer]]) -> tuple[float, float, float]:
    """The mean over mentions and seeds, and the middle 95 % of what other documents and seeds might have given."""
    pairs = [np.unique(numbers, return_inverse=True)[1] for numbers in documents]
    sums = [np.bincount(numbers, weights=each) for numbers, each in zip(pairs, values, strict=True)]
    totals = [np.bincount(numbers) for numbers in pairs]
    rng, means = np.random.default_rng(0), []
    for _ in range(N_DRAWS):
        seed = int(rng.integers(len(sums)))
        drawn = rng.integers(0, len(totals[seed]), len(totals[seed]))
        seeds = rng.integers(0, len(sums), len(sums))
        shares = [
            sums[each][drawn % len(sums[each])].sum() / totals[each][drawn % len(sums[each])].sum() for each in seeds
        ]
        means.append(float(np.mean(shares)))
    low, high = np.percentile(means, [2.5, 97.5])
    return float(np.mean([each.mean() for each in values])), float(low), float(high)


if __name__ == "__main__":
    sys.exit(main())
