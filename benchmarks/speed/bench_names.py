"""String similarity over a million names: `python -m benchmarks.speed.bench_names [--suite fast1m] [--dry-run]`.

The ten entities of most similar names (normalised Indel, at least `MIN_SIMILARITY`), found by the index and by
RapidFuzz, which compares every name. Queries are names with one or two typing errors, drawn with a fixed seed; for
`wiki468k` they are mentions of AIDA's training documents that are no names of it. Milliseconds are processor time of
one thread, query by query, the two in turns; RapidFuzz answers the first `N_PEER` queries, and what both find must be
the same.
"""

import argparse
import random
import string
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Indel

from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from deixis.documents.reading import read_documents
from deixis.evaluation.rows import ResultRow
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.spelling_index import IndelIndex

SUITES = ("fast1m", "geonames", "wiki468k")
SEED, K, N_QUERIES, N_PEER = 0, 10, 500, 40
MIN_SIMILARITY = 0.6
FORMS = NameForms(NameFormsConfig(ignores_punctuation=True, ignores_diacritics=True))


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", choices=SUITES, help="may be repeated [all]")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    rows = []
    for suite in options.suite or SUITES:
        for row in measure(suite, DataFolder.choose(None, Path(__file__).resolve().parents[2])):
            rows.append(row)
            print(f"{row.suite:24} {row.system:18} {row.metric:20} {row.value:>10g} {row.unit}", flush=True)
    if not options.dry_run:
        record(rows)
    return 0


def measure(suite: str, data: DataFolder) -> Iterator[ResultRow]:
    """Times of index and peer, and their ratio."""
    kb = KnowledgeBase.read(data.find(f"{suite}/kb.jsonl.gz"), skip_bad=True)  # fast1m has an id twice
    table, rows = kb.names()
    names = list(FORMS.keys(table, n_threads=1))
    started = time.process_time()
    index = IndelIndex.build(names, rows, len(kb))
    build_cpu = time.process_time() - started
    queries = unmatched(set(names), data) if suite == "wiki468k" else with_errors(names)
    ours, theirs = Timed(lambda query: by_index(index, query)), Timed(lambda query: by_scan(names, rows, query))
    for number, query in enumerate(queries):
        found = ours.answer(query)
        if number < N_PEER and not agree(found, theirs.answer(query)):
            raise SystemExit(f"{suite}: the index and RapidFuzz do not agree on {query!r}")
    settings = {
        "n_names": len(names), "n_entities": len(kb), "k": K, "min_similarity": MIN_SIMILARITY, "seed": SEED,
        "queries": "unmatched AIDA train mentions" if suite == "wiki468k" else "one or two typing errors", "threads": 1,
    }  # fmt: skip
    n_bytes = sum(array.nbytes for array in index.to_arrays("x").values())
    place = f"string/{suite}"
    yield ResultRow(place, "build_cpu", "deixis-string", round(build_cpu, 3), "s", settings=settings)
    yield ResultRow(place, "disk", "deixis-string", round(n_bytes / 1e6, 1), "MB", settings=settings)
    for system, timed in (("deixis-string", ours), ("rapidfuzz", theirs)):
        for metric, value in timed.figures().items():
            yield ResultRow(place, metric, system, float(f"{value:.4g}"), "ms", n=len(timed.ms), settings=settings)
    ratios = np.array(theirs.ms) / np.array(ours.ms[:N_PEER])
    value, low, high = (float(f"{np.percentile(ratios, share):.4g}") for share in (50, 5, 95))
    yield ResultRow(place, "answer_cpu_ratio", "rapidfuzz/deixis-string", value, "x", low, high, N_PEER, settings)


class Timed:
    """Answers, and what each cost."""

    def __init__(self, answer: Callable[[str], list[tuple[int, float]]]) -> None:
        self._answer = answer
        self.ms: list[float] = []

    def answer(self, query: str) -> list[tuple[int, float]]:
        """Entities and similarities, best first."""
        started = time.process_time()
        found = self._answer(query)
        self.ms.append(1000 * (time.process_time() - started))
        return found

    def figures(self) -> dict[str, float]:
        """The usual cost and the worst."""
        return {
            "answer_cpu_mean": float(np.mean(self.ms)),
            "answer_cpu_p50": float(np.median(self.ms)),
            "answer_cpu_p99": float(np.percentile(self.ms, 99)),
        }


def by_index(index: IndelIndex, query: str) -> list[tuple[int, float]]:
    """What the index finds."""
    found = index.search([query], K, MIN_SIMILARITY, n_threads=1)
    return list(zip(found.indices.tolist(), found.data.tolist(), strict=True))


def by_scan(names: Sequence[str], rows: NDArray[np.int32], query: str) -> list[tuple[int, float]]:
    """What RapidFuzz finds: all names compared in one call, with its own cutoff, then the best name of each entity."""
    # Its cutoff lets go of some names that are just as similar as it says.
    scores = process.cdist(
        [query],
        names,
        scorer=Indel.normalized_similarity,
        score_cutoff=MIN_SIMILARITY - 1e-3,
        dtype=np.float64,
        workers=1,
    )[0]
    best: dict[int, float] = {}
    for place in np.flatnonzero(scores >= MIN_SIMILARITY - 1e-9):
        best[int(rows[place])] = max(best.get(int(rows[place]), 0.0), round(float(scores[place]), 9))
    return sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))[:K]


def agree(found: list[tuple[int, float]], expected: list[tuple[int, float]]) -> bool:
    """Whether two answers are the same entities in the same order, with the same similarities."""
    same_entities = [row for row, _ in found] == [row for row, _ in expected]
    return same_entities and np.allclose([score for _, score in found], [score for _, score in expected], atol=1e-6)


def with_errors(names: Sequence[str]) -> list[str]:
    """Names with one or two letters typed wrong, too many, forgotten, or swapped."""
    chance = random.Random(SEED)
    return [_misspelled(names[chance.randrange(len(names))], chance) for _ in range(N_QUERIES)]


def _misspelled(name: str, chance: random.Random) -> str:
    for _ in range(chance.choice([1, 1, 2])):
        at, letter = chance.randrange(len(name) + 1), chance.choice(string.ascii_lowercase)
        before, after = name[:at], name[at:]
        changes = (before + letter + after, before + after[1:], before + letter + after[1:])
        name = chance.choice([*changes, before + after[1:2] + after[:1] + after[2:]])
    return name


def unmatched(names: set[str], data: DataFolder) -> list[str]:
    """Different mentions of AIDA's training documents that are no names."""
    documents = read_documents(data.find("aida/train.jsonl.gz"))
    texts = sorted({mention.text for document in documents for mention in document.mentions})
    asked = sorted(set(FORMS.keys(texts, n_threads=1)) - names - {""})
    return random.Random(SEED).sample(asked, N_QUERIES)


if __name__ == "__main__":
    sys.exit(main())
