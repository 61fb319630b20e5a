"""What vectors of names add to a linker, on dev data: `python -m benchmarks.quality.name_vectors [--encoder static]`.

Printed for each suite: how many gold entities are proposed without and with the source `name_vectors`, and recall by
the weight of its ranking feature, the other weights being the default ones. The weight in `default_weights.json` was
chosen by these figures (chars and static): it helps with one of the two encoders, and recall@1 of melo-en falls by one
to two mentions of 319 (with chars from .505 to .498).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions
from benchmarks.suites.suite import read_suite
from deixis.candidates.sources.name_vectors import NameVectorConfig
from deixis.encoders.config import EncoderConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.model import LinkerModel
from deixis.training.build import build_model

HERE = Path(__file__).resolve().parent
SUITES = ("melo-de", "melo-en", "melo-de-en", "medic-ncbi")
NAME = "name_vectors"
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5)
N_MENTIONS, N_AT_ONCE, SEED = 800, 100, 0
NONE = 10**9  # the rank of an entity that is not proposed


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE")
    parser.add_argument("--encoder", default="static")
    options = parser.parse_args(arguments)
    data = DataFolder.choose(None, HERE.parents[1])
    for name in options.suites:
        suite = read_suite(HERE / f"{name}.yaml")
        data.check(suite)
        kb = data.read_kb(suite.kb)
        documents = [document for part in suite.dev for document in data.read_part(suite, part)]
        questions = Questions.collect(kb, documents).sample(N_MENTIONS, SEED)
        before, *by_weight = ranks(built(kb, options.encoder), questions)
        print(f"{name}, {options.encoder}, {len(questions)} mentions: proposed, recall@1, recall@10")
        for words, own in (("without", before), *zip(map(str, WEIGHTS), by_weight, strict=True)):
            print(f"  {words:8}", *(f"{np.mean(own <= depth):.3f}" for depth in (NONE - 1, 1, 10)), flush=True)
    return 0


def built(kb: KnowledgeBase, encoder: str) -> LinkerModel:
    """A linker whose sources include vectors of names."""
    config = LinkerConfig(held_out_share=0.0)
    source = NameVectorConfig(encoder=EncoderConfig(name=encoder))
    config = replace(config, candidates=config.candidates.with_source(NAME, source))
    return build_model(kb, None, config, seed=SEED, n_threads=1)


def ranks(model: LinkerModel, questions: Questions) -> NDArray[np.int64]:
    """The rank of the best gold entity of each mention: without the source, then with it by each weight."""
    gold = [set(model.kb.rows_of(sorted(ids)).tolist()) for ids in questions.accepted]
    found = []
    for begin in range(0, len(questions), N_AT_ONCE):
        mentions = questions.mentions[begin : begin + N_AT_ONCE]
        table = model.sources.propose(mentions)
        features = model.ranker.features(mentions, table)
        by_name = model.ranker.weights.by_name()
        own = features.columns((NAME,))[:, 0].astype(np.float64)
        totals = model.ranker.weights.sums(features) - by_name.get(NAME, 0.0) * own
        others = [table.column(source) > 0 for source in model.sources.columns if source != NAME]
        is_proposed = np.any(others, axis=0)
        ways = [np.where(is_proposed, totals, -np.inf), *(totals + weight * own for weight in WEIGHTS)]
        for number in range(len(mentions)):
            part = slice(table.starts[number], table.starts[number + 1])
            is_right = np.array([row in gold[begin + number] for row in table.rows[part].tolist()], dtype=bool)
            found.append([rank(way[part], is_right) for way in ways])
    return np.array(found).T


def rank(totals: NDArray[np.float64], is_right: Sequence[bool] | NDArray[np.bool_]) -> int:
    """How many candidates score more than the best right one, plus one."""
    best = totals[is_right].max(initial=-np.inf)
    return NONE if best == -np.inf else 1 + int((totals > best).sum())


if __name__ == "__main__":
    sys.exit(main())
