"""Links given mentions with one model and says what a mention costs: a process of its own for `scale.build_curve`."""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deixis.documents.reading import read_documents
from deixis.linker import Linker
from deixis.linking.name_candidates import CACHE
from deixis.types import Document

N_WARM = 50
N_REPEATS = 3
K = 10


def questions(path: Path, known: frozenset[str], n_mentions: int) -> list[Document]:
    """Documents with only those mentions whose entity is known, up to so many of these."""
    chosen: list[Document] = []
    n_left = n_mentions
    for document in read_documents(path):
        mentions = tuple(each for each in document.mentions if each.entity in known)[:n_left]
        n_left -= len(mentions)
        if mentions:
            chosen.append(document.with_mentions(mentions))
    return chosen


def asked(documents: Sequence[Document]) -> list[Document]:
    """The same documents, of whose mentions nobody says what they mean."""
    return [each.with_mentions(replace(mention, entity=None) for mention in each.mentions) for each in documents]


def main(arguments: list[str] | None = None) -> int:
    """Link, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("documents", type=Path)
    parser.add_argument("ids", type=Path, help="ids of the entities that count, one a line")
    parser.add_argument("--mentions", type=int, default=1000)
    options = parser.parse_args(arguments)
    known = frozenset(options.ids.read_text(encoding="utf-8").splitlines())
    gold = questions(options.documents, known, options.mentions)
    linker, without = Linker.load(options.model, n_threads=1), asked(gold)
    linker.candidates(without[:N_WARM], K)
    times = []
    for _ in range(N_REPEATS):
        CACHE.clear()  # all candidates are searched for each time
        begin = time.process_time()
        candidates = linker.candidates(without, K)
        times.append(time.process_time() - begin)
    right = [mention.entity for document in gold for mention in document.mentions]
    ranks = [
        next((rank for rank, candidate in enumerate(found) if candidate.id == entity), K)
        for entity, found in zip(right, candidates, strict=True)
    ]
    n = len(ranks)
    figures = {"n_mentions": n, "cpu_us": [1e6 * each / n for each in times]}
    figures |= {f"recall@{k}": sum(rank < k for rank in ranks) / n for k in (1, K)}
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
