"""Indexes of vectors on real ones: `python -m benchmarks.speed.bench_vectors [--encoder chars ...] [--n 100000]`.

Vectors of `wiki468k`: of titles (`titles`) and of entities as the dense list has them (`entities`: title plus
description); queries are AIDA's training mentions, alone and with the text around them. Each index is built, asked for
the best 10 and 100 one query at a time and a hundred at a time, and held against faiss's flat index over the same
vectors in 32 bits: recall@k is the share of Flat's best `k` that it finds. Seconds and milliseconds are processor time
of one thread.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import record, start_run
from benchmarks.speed.faiss_index import FaissIndex, flat_search
from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions
from deixis.candidates.sources.mention_vectors import vectors_by
from deixis.candidates.sources.vectors import VectorConfig
from deixis.documents.reading import read_documents
from deixis.encoders.config import EncoderConfig
from deixis.encoders.registry import encode_rows
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.graph_index import GraphIndex
from deixis.nearest.vector_index import VectorIndex
from deixis.neural.opening import open_encoder
from deixis.types import MentionInContext

Floats = NDArray[np.float32]

SEED, N_QUERIES, BATCH = 0, 300, 100
DEPTHS = (10, 100)
INDEXES = {"exact": VectorIndex, "usearch": GraphIndex, "faiss": FaissIndex}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", nargs="+", default=["chars", "static"])
    parser.add_argument("--texts", nargs="+", default=["titles", "entities"], choices=["titles", "entities"])
    parser.add_argument("--n", type=int, default=100_000, help="entities, drawn with a fixed seed; 0: all")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    data = DataFolder.choose(None, Path(__file__).resolve().parents[2])
    kb = KnowledgeBase.read(data.find("wiki468k/kb.jsonl.gz"))
    if options.n:
        kb = kb.take(np.sort(np.random.default_rng(SEED).choice(len(kb), options.n, replace=False)))
    mentions = Questions.collect(kb, read_documents(data.find("aida/train.jsonl.gz"))).sample(N_QUERIES, SEED).mentions
    rows = []
    for encoder in options.encoder:
        for texts, vectors, queries in embedded(kb, encoder, mentions, options.texts):
            place = f"vectors/{encoder}-{texts}-{len(kb) // 1000}k"
            for row in measure(place, vectors, queries):
                rows.append(row)
                print(f"{row.suite:32} {row.system:10} {row.metric:18} {row.value:>10g} {row.unit}", flush=True)
    if not options.dry_run:
        record(rows)
    return 0


def embedded(
    kb: KnowledgeBase, name: str, mentions: list[MentionInContext], wanted: list[str]
) -> Iterator[tuple[str, Floats, Floats]]:
    """Vectors and queries: titles against mentions, entities against mentions in their context."""
    encoder = open_encoder(EncoderConfig(name=name), kb.titles, kb.description_texts(), SEED, 1)
    if "titles" in wanted:
        titles = encode_rows(encoder, kb.titles.strings(np.arange(len(kb))))
        yield "titles", titles, encode_rows(encoder, [mention.text for mention in mentions])
    if "entities" in wanted:
        made = vectors_by(encoder, VectorConfig().texts)
        yield "entities", np.concatenate(list(made.of_entities(kb, np.arange(len(kb))))), made.of_mentions(mentions)


def measure(place: str, vectors: Floats, queries: Floats) -> Iterator[ResultRow]:
    """Cost of building and of answers, bytes, and what is found of what Flat finds."""
    settings = {"n_vectors": len(vectors), "n_dims": vectors.shape[1], "queries": len(queries), "batch": BATCH,
                "seed": SEED, "threads": 1}  # fmt: skip
    started = time.process_time()
    _, oracle = flat_search(vectors, queries, max(DEPTHS))
    cost = 1000 * (time.process_time() - started) / len(queries)
    yield ResultRow(place, "batch_cpu@100", "flat", float(f"{cost:.4g}"), "ms", n=len(queries), settings=settings)
    yield ResultRow(place, "bytes", "flat", round(vectors.nbytes / 1e6, 1), "MB", settings=settings)
    for system, kind in INDEXES.items():
        started = time.process_time()
        index = kind.build([vectors], np.arange(len(vectors)))
        built = time.process_time() - started
        yield ResultRow(place, "build_cpu", system, float(f"{built:.4g}"), "s", settings=settings)
        n_bytes = sum(array.nbytes for array in index.to_arrays("x").values())
        yield ResultRow(place, "bytes", system, round(n_bytes / 1e6, 1), "MB", settings=settings)
        for k in DEPTHS:
            for n_together, metric in ((1, "single_cpu"), (BATCH, "batch_cpu")):
                n_asked = min(len(queries), 60 if n_together == 1 else len(queries))
                started = time.process_time()
                found = [index.search(queries[at : at + n_together], k) for at in range(0, n_asked, n_together)]
                each = 1000 * (time.process_time() - started) / n_asked
                value = float(f"{each:.4g}")
                yield ResultRow(place, f"{metric}@{k}", system, value, "ms", n=n_asked, settings=settings)
            lists = [part[row].indices for part in found for row in range(part.shape[0])]
            share = np.mean([len(np.intersect1d(a, b[:k])) / k for a, b in zip(lists, oracle, strict=True)])
            yield ResultRow(
                place, f"recall@{k}", system, round(float(share), 6), "share", n=len(lists), settings=settings
            )


if __name__ == "__main__":
    sys.exit(main())
