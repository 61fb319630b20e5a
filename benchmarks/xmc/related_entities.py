"""Gandalf in entity linking, on AIDA: `python -m benchmarks.xmc.related_entities`.

Titles of entities teach the linker's label tree the entities that they are mentioned with, too. Four fifths of AIDA's
training documents are taught, candidates are found for mentions of the others; testa and testb are never read. Rows
`gandalf/wiki468k-aida`: recall of tree and names together, as the linker asks them; `-tree`: of the tree alone;
`-linker` (by `--linker`, slower): of all the linker's candidates in the order of its ranking.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions, ranks_of
from benchmarks.suites.suite import read_suite
from benchmarks.systems.tree_and_names import TreeAndNames
from deixis.candidates.candidate_lists import candidate_lists, candidates_of
from deixis.candidates.config import SourcesConfig
from deixis.candidates.sources.label_tree import LabelTreeSourceConfig
from deixis.candidates.training_rows import related_titles
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.streams import rank_mentions
from deixis.types import Document
from deixis.xmr.label_augmentation import AugmentationConfig

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "benchmarks" / "quality" / "wiki468k-aida.yaml"
SEED = 0
MAX_MENTIONS = 1000
DEPTHS = (1, 10, 100)
SYSTEMS = {
    "none": AugmentationConfig("none"),
    "self": AugmentationConfig("self"),
    "soft-0.1": AugmentationConfig("soft", 0.1, threshold_of="share"),
    "soft-0.05": AugmentationConfig("soft", 0.05, threshold_of="share"),
}
ABOUT = {"split": "train, last fifth", "seed": SEED, "max_mentions": MAX_MENTIONS, "threads": 1}


def measure(
    kb: KnowledgeBase, documents: Sequence[Document], systems: Sequence[str], has_linker: bool
) -> Iterator[ResultRow]:
    """Recall of each system on the documents that were not taught."""
    n_taught = len(documents) * 4 // 5
    taught = documents[:n_taught]
    questions = Questions.collect(kb, documents[n_taught:]).sample(MAX_MENTIONS, SEED)
    for system in systems:
        config = LabelTreeSourceConfig(augmentation=SYSTEMS[system])
        if has_linker:
            of_linker = LinkerConfig(candidates=SourcesConfig().with_source("label_tree", config), held_out_share=0.0)
            linker = Linker.build(kb, taught, of_linker, seed=SEED, n_threads=1)
            ranks = ranks_of(
                candidate_lists(kb, rank_mentions(linker.model, questions.mentions, max(DEPTHS))), questions.accepted
            )
            metrics = [questions.recall(ranks, k, SEED) for k in DEPTHS]
            yield from metric_rows(metrics, "gandalf/wiki468k-aida-linker", system, ABOUT)
            continue
        related = related_titles(kb, taught, SYSTEMS[system], SEED, n_threads=1)
        before = time.process_time()
        generator = TreeAndNames.build(kb, taught, config, seed=SEED, n_threads=1)
        cpu = time.process_time() - before
        for suffix, rank in (("-tree", generator.tree.search), ("", generator.search)):
            suite = f"gandalf/wiki468k-aida{suffix}"
            ranks = ranks_of(candidates_of(kb, rank(questions.mentions, max(DEPTHS))), questions.accepted)
            yield from metric_rows([questions.recall(ranks, k, SEED) for k in DEPTHS], suite, system, ABOUT)
            yield ResultRow(suite, "train_cpu", system, round(cpu, 1), "s", settings=ABOUT)
            if related is not None:
                n_targets = float(np.diff(related.docs_by_labels.indptr).mean())
                yield ResultRow(suite, "targets", system, round(n_targets, 3), "entities/title", settings=ABOUT)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS), metavar="SYSTEM")
    parser.add_argument("--linker", action="store_true", help="measure the whole linker instead")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    data, suite = DataFolder.choose(None, ROOT), read_suite(SUITE)
    data.check(suite)
    kb = data.read_kb(suite.kb)
    documents = [document for part in suite.dev for document in data.read_part(suite, part)]
    rows = []
    for row in measure(kb, documents, options.systems, options.linker):
        rows.append(row)
        print(f"{row.suite:28} {row.system:12} {row.metric:12} {row.value:.4f} {row.unit}", flush=True)
    if not options.dry_run:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
