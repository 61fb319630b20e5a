"""Names of the list in raw text: `python -m benchmarks.quality.list_names [--split test]`.

Of the annotated mentions of NCBI (MEDIC) and BC5CDR (MeSH) whose words are a name of the list, up to case, number,
possessive, hyphens and accents: how many are linked, with exactly that span, to an entity that has this name, or to the
annotated one (a short form defined in the text may stand for an entity that does not bear it). Asked with each position
of the switch `names`, zero-shot, and with every name whether or not it overlaps another (`every+nested`). Recorded as
`list_names/SUITE` with the position as the system, with the precision and F1 of all links beside it.
"""

import argparse
import sys

import numpy as np

from benchmarks.quality.end_to_end import FIGURES, in_kb, read_tasks
from benchmarks.quality.ranker import SUITES
from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import read_suite
from deixis.evaluation.linking.figures import measured
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.gold import acceptable_ids
from deixis.linker import Linker
from deixis.store.strings import StringTable
from deixis.types import Document

SWITCH = {"every+nested": "every", "every": "every", "likely": "likely", "sure": "sure"}


def main() -> int:
    """Builds a linker of each list, links the texts at each position, records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", default="dev", choices=("dev", "test"))
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args()
    start_run(is_recorded=not options.dry_run)
    data = DataFolder(data_folder())
    for name in ("medic-ncbi", "mesh-bc5cdr"):
        suite = read_suite(SUITES / f"{name}.yaml")
        if data.missing(suite):
            continue
        linker = Linker.build(data.read_kb(suite.kb), n_threads=1)
        _, tasks = read_tasks(data, [suite], options.split, None)
        for task in tasks:
            for position in SWITCH:
                rows = ask(linker, task.name, task.documents, position, options.split)
                if not options.dry_run:
                    record(rows)
    return 0


def ask(linker: Linker, suite: str, documents: list[Document], position: str, split: str) -> list[ResultRow]:
    """The figures of one position of the switch."""
    kb, matcher = linker.kb, linker.model.detector.names
    bare = [document.with_mentions(()) for document in documents]
    overlaps = "keep" if position == "every+nested" else "drop"
    linked = list(linker.link_many(bare, names=SWITCH[position], overlaps=overlaps))
    names, rows = kb.names()
    numbers = matcher.numbers(names)
    order = np.argsort(numbers, kind="stable")
    sorted_numbers = numbers[order]
    n_listed = n_found = n_linked = 0
    tally = Tally(kb.own_id)
    for gold, predicted in zip(documents, linked, strict=True):
        known = in_kb(kb, gold)
        links = [mention for mention in predicted.mentions if mention.entity is not None]
        tally.add(known, predicted.with_mentions(links))
        entity_by_span = {(link.start, link.end): link.entity for link in links}
        number_of = matcher.numbers(StringTable.from_strings([mention.text for mention in known.mentions]))
        for mention, number in zip(known.mentions, number_of.tolist(), strict=True):
            if number < 0:
                continue
            first, last = np.searchsorted(sorted_numbers, [number, number + 1])
            bearers = {kb.ids[row] for row in rows[order[first:last]].tolist()}
            if not bearers:  # a name turned round
                continue
            entity = entity_by_span.get((mention.start, mention.end))
            n_listed += 1
            n_found += entity is not None
            n_linked += entity in bearers | acceptable_ids(mention.entity or "", kb.own_id)
    metrics = measured(tally.columns(), FIGURES, seed=0)
    shown = " ".join(f"{metric.name}={metric.value:.3f}" for metric in metrics[:3])
    print(
        f"{suite:20} {position:14} names linked {n_linked / n_listed:.3f}, found {n_found / n_listed:.3f} {shown}",
        flush=True,
    )
    settings = {"split": split, "n_names": n_listed, "n_documents": len(documents)}
    name, system = f"list_names/{suite}", position
    values = {"names_linked": n_linked / n_listed, "names_found": n_found / n_listed}
    own = [ResultRow(name, key, system, round(value, 4), "share", settings=settings) for key, value in values.items()]
    return [*own, *metric_rows(metrics, name, system, settings)]


if __name__ == "__main__":
    sys.exit(main())
