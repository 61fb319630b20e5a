"""Finding names in text: `python -m benchmarks.speed.bench_detection [--suite fast1m] [--dry-run]`.

The names of a knowledge base are looked for in descriptions of Wikipedia (a tenth of `wiki468k`): the longest from left
to right by rules (`longest`), every name at every place in any case (`all`), and all that a linker looks at (`spans`),
runs of capitals among them; then with the probability of each (`scored`). Megabytes of UTF-8 per CPU second on one
thread.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator

from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from deixis.detection.detector import SpanDetector
from deixis.detection.dictionary import DictionaryDetector
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase

SUITES = ("fast1m", "wiki468k")
N_TEXTS, AT_ONCE = 30_000, 256


def main() -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", choices=SUITES, help="may be repeated [all]")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args()
    start_run(is_recorded=not options.dry_run)
    data = DataFolder(data_folder())
    described = KnowledgeBase.read(data.find("wiki468k/kb.jsonl.gz"))
    texts = list(described.description_texts(range(0, len(described), len(described) // N_TEXTS)))
    rows = []
    for suite in options.suite or SUITES:
        kb = KnowledgeBase.read(data.find(f"{suite}/kb.jsonl.gz"), skip_bad=True) if suite != "wiki468k" else described
        for row in measure(kb, f"detection/{suite}", texts):
            rows.append(row)
            print(f"{row.suite:24} {row.system:12} {row.metric:24} {row.value:>10g} {row.unit}", flush=True)
    if not options.dry_run:
        record(rows)
    return 0


def measure(kb: KnowledgeBase, suite: str, texts: list[str]) -> Iterator[ResultRow]:
    """The speed of each way, and of building."""
    names, texts_of_kb = kb.names()[0], kb.description_texts()
    settings = {"names": len(names), "texts": len(texts)}
    begin = time.process_time()
    detector = SpanDetector.from_names(names, kb.titles, texts_of_kb, n_threads=1)
    yield ResultRow(
        suite, "build_seconds", "all", round(time.process_time() - begin, 2), "CPU seconds", settings=settings
    )
    dictionary = DictionaryDetector.build(names, texts_of_kb)
    ways: dict[str, Callable[[list[str]], object]] = {
        "longest": lambda batch: dictionary.detect(batch, 1),
        "all": lambda batch: detector.names.spans(batch, 1),
        "spans": lambda batch: detector.table(batch, n_threads=1),
        "scored": lambda batch: detector.log_odds(detector.table(batch, n_threads=1)),
    }
    size = sum(len(text.encode()) for text in texts) / 1e6
    for name, way in ways.items():
        begin = time.process_time()
        for first in range(0, len(texts), AT_ONCE):
            way(texts[first : first + AT_ONCE])
        speed = size / (time.process_time() - begin)
        yield ResultRow(suite, "megabytes_per_second", name, round(speed, 2), "MB/s", settings=settings)


if __name__ == "__main__":
    sys.exit(main())
