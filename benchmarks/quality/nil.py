"""Names that are not on the list and are called NIL: `python -m benchmarks.quality.nil`.

Of five lists of 2 to 468,498 entities two kinds of such names are asked: 300 invented ones, and annotated mentions of
entities that are held out (30 % are hidden from a whole list; of a short list most of what the documents mention is not
on it). `nil_recall` is the share of both that is not linked, by default settings; `in_kb_recall_lost` what it costs of
the mentions that are on the list. Train and dev splits only; other names and other hidden entities than those that
`score_weights` learned from. Rows go to `benchmarks/results/`.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.quality.score_weights import IS_ONE, curve_of, figures
from benchmarks.quality.score_worlds import (
    CONFIG,
    FAMILIES,
    N_INVENTED,
    World,
    ask,
    hidden,
    invented_mentions,
    questions,
    small_world,
)
from benchmarks.rows import record, start_run
from benchmarks.speed.tasks import data_folder
from benchmarks.suites.data import DataFolder
from deixis.decision.decision import DEFAULT_THRESHOLD
from deixis.decision.on_list import on_list_probabilities
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.linker import Linker

LISTS = {"MEDIC": (), "WordNet": (), "Wikipedia": (2, 100)}  # family -> sizes of the short lists drawn from it
SEED = 1
HIDDEN_SHARE = 0.3


def worlds(data: DataFolder, family: str) -> Iterator[tuple[str, World, World]]:
    """A name for each list, with its annotated mentions and its invented ones."""
    source, whole, _, _ = FAMILIES[family]
    kb = data.read_kb(source)
    documents = [document for read in whole.values() for document in read(data)]
    invented = invented_mentions(N_INVENTED, SEED)
    for size in LISTS[family]:
        yield f"list-of-{size}", *small_world(family, kb, documents, size, SEED, invented)
    model = Linker.build(kb, config=CONFIG, n_threads=1).model
    mentions, accepted = questions(kb, documents[::-1])
    held_out = ask(family, family, model, mentions, accepted, hidden(len(kb), HIDDEN_SHARE, SEED))
    nothing = ask(f"invented on {family}", family, model, invented, [frozenset()] * len(invented))
    yield family.lower(), held_out, nothing


def rows_of(name: str, held_out: World, invented: World) -> Iterator[ResultRow]:
    """The figures of one list."""
    worlds = {"": World.joined(name, name, 1.0, [held_out, invented]), "_held_out": held_out, "_invented": invented}
    metrics = []
    for mark, world in worlds.items():
        scores = on_list_probabilities(world.evidence) * world.best_shares[:, IS_ONE]
        for each in figures(curve_of(world, scores), DEFAULT_THRESHOLD):
            if each.name == "nil_recall":
                metrics.append(replace(each, name=each.name + mark))
            elif mark == "_held_out":
                metrics.append(each)
    print(f"{name:16} " + "  ".join(f"{each.name} {each.value:.3f}" for each in metrics), flush=True)
    yield from metric_rows(metrics, f"nil/{name}", "deixis", {"threshold": DEFAULT_THRESHOLD, "split": "dev"})


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"some of {', '.join(LISTS)}; all unless given")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    data = DataFolder(data_folder())
    rows = [
        row
        for family in options.families or LISTS
        for name, held_out, invented in worlds(data, family)
        for row in rows_of(name, held_out, invented)
    ]
    if not options.dry_run:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
