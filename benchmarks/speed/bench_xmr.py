"""The extreme ranker against its peers: `python -m benchmarks.speed.bench_xmr [--suite wordnet] [--quick]`.

CPU seconds, never the clock on the wall; systems take turns within each repeat, each in its own process and
environment, on the same matrices. Rows go to `benchmarks/results/`.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.rows import record, start_run
from benchmarks.speed.matrices import Matrices, prepare, prepare_linker
from benchmarks.speed.summary import summarize
from benchmarks.speed.systems import BEAM, DEFAULT, SYSTEMS, TOP_K, Bench, Measured
from benchmarks.speed.tasks import TASKS
from deixis.evaluation.rows import ResultRow

QUICK_LABELS = 10_000
LINKER_SUITE = "wiki468k-names"


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--suite", action="append", choices=[*TASKS, LINKER_SUITE], help="which task; may be repeated [wordnet]"
    )
    parser.add_argument("--system", action="append", choices=list(SYSTEMS), help="may be repeated [those of today]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--threads", type=int, default=1, help="threads of every system; CPU seconds are of all threads"
    )
    parser.add_argument("--quick", action="store_true", help=f"first {QUICK_LABELS:,} labels, one repeat, not recorded")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    is_recorded = not (options.quick or options.dry_run)
    start_run(is_recorded=is_recorded)
    for suite in options.suite or ["wordnet"]:
        matrices = prepare_suite(suite, quick=options.quick)
        settings = {
            "n_threads": options.threads, "beam": BEAM, "top_k": TOP_K, "n_labels": matrices.n_labels,
            "n_features": matrices.n_features, "n_instances": matrices.n_rows["train"],
        }  # fmt: skip
        bench = Bench(matrices, options.threads)
        measured = interleave(bench, options.system or DEFAULT, 1 if options.quick else options.repeats)
        rows = summarize(matrices.name, measured, settings)
        show(rows)
        if is_recorded:
            record(rows)
    return 0


def prepare_suite(suite: str, *, quick: bool) -> Matrices:
    """The suite's matrices, or those of its first labels."""
    print(f"{suite}: making matrices ...", file=sys.stderr)
    if suite == LINKER_SUITE:
        return prepare_linker(suite)
    task = TASKS[suite]()
    if quick:
        task = replace(task.head(QUICK_LABELS), name=f"{suite}-quick")
    return prepare(task)


def interleave(bench: Bench, systems: Sequence[str], n_repeats: int) -> dict[str, list[Measured]]:
    """All repeats of all systems, one of each in turn, so that a slow hour of the machine slows all of them."""
    measured: dict[str, list[Measured]] = {system: [] for system in systems}
    for repeat in range(n_repeats):
        for system in systems:
            print(f"{bench.matrices.name}: {system}, {repeat + 1} of {n_repeats} ...", file=sys.stderr)
            measured[system].append(SYSTEMS[system](bench))
    return measured


def show(rows: Sequence[ResultRow]) -> None:
    """The rows, one a line."""
    for row in rows:
        bounds = f"[{row.low:g}, {row.high:g}]"
        print(f"{row.suite:16} {row.system:16} {row.metric:26} {row.value:>10g} {row.unit:9} {bounds}")


if __name__ == "__main__":
    sys.exit(main())
