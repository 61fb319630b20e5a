"""How a bi-encoder learns: `python -m benchmarks.quality.bi_encoder [rounds batch negatives multiplier ...]`.

The studies of Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", section 6.5, sized for one core: on
AIDA's train documents, four fifths to learn from and a fifth to ask about (test splits are never read), with a part of
`wiki468k`: the entities that are meant, look-alikes whose title has all words of a mention, and others drawn evenly.
`rounds` (Figure 6.1), `rate`, `first-round-whole` and `contents-whole` train the whole MiniLM; the others its first two
layers, on windows of 32 tokens.

`contents` (section 6.6.3): what mentions are compared with, before and after training: descriptions, the contexts of
training mentions (at most four of an entity), or both.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions
from benchmarks.suites.suite import read_suite
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.vector_index import VectorIndex
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.neural.bi_encoder.linked_mentions import LinkedMentions, gold_ranks
from deixis.neural.bi_encoder.model import BiEncoder
from deixis.neural.bi_encoder.train import train_bi_encoder
from deixis.neural.quiet import quiet
from deixis.types import Document

HERE = Path(__file__).resolve().parent
SUITE = "wiki468k-aida"
SEED = 0
N_ENTITIES, MAX_LOOK_ALIKES, N_DEV = 4000, 1000, 600
DEPTHS = (1, 10)
MAX_CONTEXTS = 4  # of an entity
WHOLE = BiEncoderConfig(n_rounds=3, n_steps=20, batch_size=16, n_negatives=3, learning_rate=1e-4, save_every=1000)
SMALL = replace(WHOLE, n_layers=2, n_tokens=32, n_rounds=1, n_steps=40)
STUDIES: dict[str, dict[str, BiEncoderConfig]] = {
    "rounds": {"": WHOLE},
    "batch": {f"batch-{size}": replace(SMALL, batch_size=size) for size in (4, 8, 16, 32, 64)},
    "negatives": {
        f"batch-{size}-negatives-{n}": replace(SMALL, batch_size=size, n_negatives=n)
        for size, n in ((8, 7), (16, 3), (32, 1), (16, 7), (32, 3), (16, 0), (16, 15))
    },
    "multiplier": {f"times-{scale}": replace(SMALL, scale=float(scale)) for scale in (1, 5, 10, 20, 50)},
    "first-round": {way: replace(SMALL, n_rounds=2, first_round=way) for way in ("mention", "context")},
    "first-round-whole": {way: replace(WHOLE, n_rounds=1, first_round=way) for way in ("mention", "context")},
    "contents": {"trained": replace(SMALL, n_rounds=2)},
    "contents-whole": {"trained": replace(WHOLE, n_rounds=1)},
    "rate": {f"rate-{rate:g}": replace(WHOLE, n_rounds=1, learning_rate=rate) for rate in (2e-5, 5e-5, 1e-4, 2e-4)},
}


@dataclass(frozen=True)
class Task:
    """A small knowledge base, documents to learn from, and questions about others."""

    kb: KnowledgeBase
    train: list[Document]
    dev: list[Document]
    done: dict[BiEncoderConfig, tuple[list[dict[str, Any]], float]] = field(default_factory=dict)

    def trained(self, config: BiEncoderConfig) -> tuple[list[dict[str, Any]], float]:
        """The reports of all rounds and the processor seconds they took; studies share what they have in common."""
        if config not in self.done:
            started = time.process_time()
            with tempfile.TemporaryDirectory() as folder:
                rounds = train_bi_encoder(self.kb, self.train, folder, config, self.dev).rounds
            self.done[config] = rounds, time.process_time() - started
        return self.done[config]

    @property
    def about(self) -> dict[str, Any]:
        """What a reader of the rows must know."""
        return {
            "split": "a fifth of AIDA's train documents",
            "entities": len(self.kb),
            "train_documents": len(self.train),
            "seed": SEED,
            "threads": 1,
        }


def read_task(data: DataFolder, n_entities: int = N_ENTITIES) -> Task:
    """The documents in two parts, and the entities they need with many that they do not."""
    suite = read_suite(HERE / f"{SUITE}.yaml")
    data.check(suite)
    kb = data.read_kb(suite.kb)
    documents = [document for part in suite.dev for document in data.read_part(suite, part)]
    random = np.random.default_rng(SEED)
    drawn = [documents[number] for number in random.permutation(len(documents))]  # in files, like stands beside like
    dev, train = drawn[: len(documents) // 5], drawn[len(documents) // 5 :]
    small = kb.take(chosen_rows(kb, documents, n_entities, random))
    return Task(small, train, first_documents(small, dev))


def first_documents(kb: KnowledgeBase, documents: list[Document]) -> list[Document]:
    """As many of the documents as have about `N_DEV` questions."""
    n_asked = np.cumsum([len(Questions.collect(kb, [document])) for document in documents])
    return documents[: int(np.searchsorted(n_asked, N_DEV)) + 1]


def chosen_rows(
    kb: KnowledgeBase, documents: list[Document], n_entities: int, random: np.random.Generator
) -> np.ndarray:
    """The rows that are meant, look-alikes of the mentions, and others up to `n_entities`."""
    linked = [mention for document in documents for mention in document.mentions if mention.entity]
    meant = sorted({row for mention in linked for row in known_parts(mention.entity or "", kb.row_of)})
    alike = sorted(set(look_alikes(kb, {mention.text for mention in linked})) - set(meant))
    alike = sorted(random.permutation(alike)[:MAX_LOOK_ALIKES].tolist())
    others = np.setdiff1d(np.arange(len(kb)), [*meant, *alike])
    rest = random.choice(others, max(0, n_entities - len(meant) - len(alike)), replace=False)
    log(f"{len(meant)} entities are meant, {len(alike)} look like them, {len(rest)} others")
    return np.sort(np.concatenate([meant, alike, rest]).astype(np.int64))


def look_alikes(kb: KnowledgeBase, texts: set[str]) -> Iterator[int]:
    """Rows of entities whose title has all words of one of the texts."""
    rows_with = defaultdict(set)
    for row, title in enumerate(kb.titles):
        for word in title.casefold().split():
            rows_with[word].add(row)
    for text in texts:
        found = [rows_with.get(word, set()) for word in text.casefold().split()]
        if found:
            yield from set.intersection(*found)


def trained(task: Task, name: str, config: BiEncoderConfig, study: str) -> Iterator[ResultRow]:
    """Recall on dev after each round of one training, and what it cost."""
    questions = Questions.collect(task.kb, task.dev)
    about = task.about | {key: getattr(config, key) for key in BiEncoderConfig.__dataclass_fields__}
    rounds, spent = task.trained(config)
    for report in rounds:
        if report["round"] == 0 and study != "rounds":
            continue
        number = f"round-{report['round']}"
        system = number if not name else name if config.n_rounds == 1 else f"{name}-{number}"
        ranks = np.array(report["ranks"], dtype=np.int64)
        metrics = [questions.recall(ranks, k, SEED) for k in DEPTHS]
        yield from metric_rows(metrics, f"bi-encoder/{study}", system, about)
        if report["round"]:
            losses = [loss for _, loss in report["losses"]]
            loss = round(float(np.mean(losses[-10:])), 4)
            yield ResultRow(f"bi-encoder/{study}", "loss", system, loss, "", settings=about)
    yield ResultRow(f"bi-encoder/{study}", "train_cpu", name or "all", float(f"{spent:.4g}"), "s", settings=about)


def untrained(task: Task, config: BiEncoderConfig, study: str) -> Iterator[ResultRow]:
    """The encoder as it comes, asked with the mention in its context and alone."""
    questions = Questions.collect(task.kb, task.dev)
    asked = LinkedMentions.collect(task.kb, task.dev)
    about = task.about | {"n_layers": config.n_layers, "n_tokens": config.n_tokens}
    with quiet():
        encoder = BiEncoder.open(config.encoder, config.n_tokens, config.n_layers)
        vectors, rows = encoder.encode_entities(task.kb)
        index = VectorIndex.build([vectors], rows, len(task.kb))
        texts = {
            "untrained": encoder.texts.of_mentions(asked.mentions),
            "untrained-mention-alone": encoder.texts.of_mentions_alone(asked.mentions),
        }
        for system, queries in texts.items():
            ranks = gold_ranks(index, encoder.encode(queries), asked.gold, max(DEPTHS))
            metrics = [questions.recall(ranks, k, SEED) for k in DEPTHS]
            yield from metric_rows(metrics, f"bi-encoder/{study}", system, about)


def contents(task: Task, config: BiEncoderConfig, study: str) -> Iterator[ResultRow]:
    """Recall by what mentions are compared with, before and after training."""
    with tempfile.TemporaryDirectory() as folder, quiet():
        untrained = BiEncoder.open(config.encoder, config.n_tokens, config.n_layers)
        yield from compared(task, untrained, "untrained", config, study)
        log("contents, training")
        trained = train_bi_encoder(task.kb, task.train, folder, config)
        yield from compared(task, BiEncoder.open(trained.folder, config.n_tokens), "trained", config, study)


def compared(task: Task, encoder: BiEncoder, name: str, config: BiEncoderConfig, study: str) -> Iterator[ResultRow]:
    """Recall of an encoder by descriptions, by contexts and by both."""
    questions, asked = Questions.collect(task.kb, task.dev), LinkedMentions.collect(task.kb, task.dev)
    known = LinkedMentions.collect(task.kb, task.train)
    n_each: dict[int, int] = defaultdict(int)
    numbers, context_rows = [], []
    for number, rows in enumerate(known.gold):
        n_each[rows[0]] += 1
        if n_each[rows[0]] <= MAX_CONTEXTS:
            numbers.append(number)
            context_rows.append(rows[0])
    log(f"contents, {name}: encoding {len(task.kb)} entities and {len(numbers)} contexts")
    vectors, entity_rows = encoder.encode_entities(task.kb)
    descriptions = VectorIndex.build([vectors], entity_rows, len(task.kb))
    vectors = encoder.encode(encoder.texts.of_mentions([known.mentions[number] for number in numbers]))
    order = np.argsort(context_rows, kind="stable")
    groups = np.array(context_rows, dtype=np.int32)[order]
    contexts = VectorIndex.build([vectors[order]], groups, len(task.kb))
    queries = encoder.encode(encoder.texts.of_mentions(asked.mentions))
    about = task.about | {"n_steps": config.n_steps, "n_rounds": config.n_rounds, "contexts": len(numbers)}
    arms = {"descriptions": descriptions, "contexts": contexts, "both": descriptions.joined(contexts)}
    for arm, index in arms.items():
        ranks = gold_ranks(index, queries, asked.gold, max(DEPTHS))
        metrics = [questions.recall(ranks, k, SEED) for k in DEPTHS]
        yield from metric_rows(metrics, f"bi-encoder/{study}", f"{name}-{arm}", about)


def measure(task: Task, study: str, n_steps: int | None, only: list[str] | None = None) -> Iterator[ResultRow]:
    """The rows of one study, or of some of its settings."""
    configs = {name: config for name, config in STUDIES[study].items() if not only or name in only}
    if study.startswith("contents"):
        config = configs["trained"]
        yield from contents(task, replace(config, n_steps=n_steps or config.n_steps), study)
        return
    if not only:
        yield from untrained(task, next(iter(configs.values())), study)
    for name, config in configs.items():
        log(f"{study} {name}")
        yield from trained(task, name, replace(config, n_steps=n_steps or config.n_steps), study)


def log(words: str) -> None:
    """What goes on, and how much processor time it took until now."""
    print(f"[{time.process_time():.0f} s] {words}", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", choices=[[], *STUDIES], default=[])
    parser.add_argument("--steps", type=int, help="steps in a round, in place of a study's own")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="settings of a study, such as times-10; else all")
    parser.add_argument("--entities", type=int, default=N_ENTITIES, help="size of the knowledge base")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    task = read_task(DataFolder.choose(None, HERE.parents[1]), options.entities)
    log(f"{len(task.train)} documents to learn from, {len(Questions.collect(task.kb, task.dev))} questions")
    for study in options.studies or STUDIES:
        rows = []
        for row in measure(task, study, options.steps, options.only):
            rows.append(row)
            print(f"{row.suite:26} {row.system:28} {row.metric:12} {row.value:.4f} {row.unit}", flush=True)
        if not options.dry_run:
            record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
