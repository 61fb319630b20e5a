"""What several processes and Spark cost: `python -m benchmarks.scale.workers [--documents 100000]`.

1. `deixis link` with one process, `--workers 1` and `--workers 2` on the same documents, in turn: wall time and its
   ratio, and processor time per document beyond the fixed start (that of a run with few documents).
2. `deixis.integrations.spark.link` on a cluster of two executors on this machine (`local-cluster[2,1,1024]`): the same,
   and in how many documents its column differs from what one process wrote.

Documents are sentences of the demo, drawn at random. Other work on the machine lengthens wall times, not the others.
It ends with 1 if outputs differ.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet

from benchmarks.rows import record, start_run
from benchmarks.scale.runs import Measured, build, deixis, write_texts
from deixis.evaluation.rows import ResultRow

SUITE = "scale/workers"
N_FEW = 1000
CLUSTER = "local-cluster[2,1,1024]"
SPARK = """
import sys
from deixis.integrations import spark
session = spark.PARTS["session"](sys.argv[1], {"spark.driver.host": "127.0.0.1", "spark.driver.memory": "1g"})
frame = session.read.schema("id string, text string").json(sys.argv[2]).repartition(8)
spark.link(frame, sys.argv[3]).select("id", "mentions").write.parquet(sys.argv[4])
session.stop()
"""


def command(system: str, model: Path, texts: Path, output: Path) -> list[str]:
    """What links the texts into the output, a file or a folder, in one of the ways."""
    if system == "spark":
        return [sys.executable, "-c", SPARK, CLUSTER, str(texts), str(model), str(output)]
    if system == "one-process":
        return deixis("link", model, texts, "-o", output, "--threads", 1, "-q")
    return deixis("link", model, texts, "-o", output, "--workers", system.partition("-")[2], "-q")


def measured(system: str, model: Path, texts: Path, output: Path) -> Measured:
    """A run from its start to its end."""
    return Measured.start(command(system, model, texts, output)).finish()


def rows(chosen: argparse.Namespace, place: Path) -> Iterator[ResultRow]:
    """All rows, one after the other."""
    model = build(place / "model")
    few = write_texts(place / "few.jsonl", N_FEW)
    texts = write_texts(place / "texts.jsonl", chosen.documents)
    systems = ("one-process", "workers-1", "workers-2")
    starts = {system: measured(system, model, few, place / f"few-{system}").cpu for system in systems}
    runs: dict[str, list[Measured]] = {system: [] for system in systems}
    for number in range(chosen.repeats):
        for system in systems:
            runs[system].append(measured(system, model, texts, place / f"{system}-{number}"))
    expected = (place / "one-process-0").read_bytes()
    for system in systems[1:]:
        shards = sorted((place / f"{system}-0").glob("*.jsonl"))
        same = b"".join(path.read_bytes() for path in shards) == expected
        yield ResultRow(SUITE, "differ", system, int(not same), "of 1", n=chosen.documents)
    costs = {}
    for system in systems:
        yield ResultRow(SUITE, "wall", system, _median([run.wall for run in runs[system]]), "s", n=chosen.documents)
        costs[system] = _cost(_median([run.cpu for run in runs[system]]), starts[system], chosen.documents)
        yield ResultRow(SUITE, "cpu_per_document", system, costs[system], "us", n=chosen.documents)
    ratios = [one.wall / two.wall for one, two in zip(runs["workers-1"], runs["workers-2"], strict=True)]
    interval = {"low": round(min(ratios), 3), "high": round(max(ratios), 3), "n": chosen.documents}
    yield ResultRow(SUITE, "wall_ratio", "workers-1/workers-2", round(_median(ratios), 3), "x", **interval)
    for system in systems[1:]:
        yield ResultRow(SUITE, "overhead", system, round(costs[system] - costs["one-process"], 1), "us")
    if chosen.spark:
        yield from spark_rows(chosen, place, model, few, costs["one-process"])


def spark_rows(
    chosen: argparse.Namespace, place: Path, model: Path, few: Path, cost_of_one: float
) -> Iterator[ResultRow]:
    """The same on a cluster of two executors."""
    texts = write_texts(place / "spark.jsonl", chosen.spark)
    start = measured("spark", model, few, place / "few-spark").cpu
    run = measured("spark", model, texts, place / "spark")
    measured("one-process", model, texts, place / "expected")
    with (place / "expected").open(encoding="utf-8") as stream:
        expected = {record["id"]: record["mentions"] for record in map(json.loads, stream)}
    table = pyarrow.parquet.read_table(place / "spark")
    n_differ = abs(len(expected) - table.num_rows)
    for row in table.to_pylist():
        n_differ += _plain(row["mentions"]) != expected.pop(row["id"], None)
    cost = _cost(run.cpu, start, chosen.spark)
    yield ResultRow(SUITE, "differ", "spark", n_differ + len(expected), f"of {chosen.spark}", n=chosen.spark)
    yield ResultRow(SUITE, "wall", "spark", round(run.wall, 1), "s", n=chosen.spark)
    yield ResultRow(SUITE, "start_cpu", "spark", round(start, 1), "s")
    yield ResultRow(SUITE, "cpu_per_document", "spark", cost, "us", n=chosen.spark)
    yield ResultRow(SUITE, "overhead", "spark", round(cost - cost_of_one, 1), "us")


def _plain(mentions: list[dict]) -> list[dict]:
    """Mentions of a table as JSON has them, without titles that are missing."""
    for mention in mentions:
        for candidate in mention["candidates"]:
            if candidate["title"] is None:
                del candidate["title"]
    return mentions


def _cost(cpu: float, start: float, n_documents: int) -> float:
    """Microseconds a document, beyond a run with few."""
    return round(1e6 * (cpu - start) / (n_documents - N_FEW), 1)


def _median(values: list[float]) -> float:
    return round(statistics.median(values), 2)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--spark", type=int, default=200_000, help="documents for Spark; 0 leaves it out")
    parser.add_argument("--dry", action="store_true", help="record nothing")
    chosen = parser.parse_args(arguments)
    start_run(is_recorded=not chosen.dry)
    all_rows = []
    with tempfile.TemporaryDirectory(prefix="deixis-scale-") as place:
        for row in rows(chosen, Path(place)):
            print(f"{row.metric:20} {row.system:22} {row.value:12g} {row.unit}", flush=True)
            all_rows.append(row)
    if not chosen.dry:
        record(all_rows)
    return int(any(row.value for row in all_rows if row.metric == "differ"))


if __name__ == "__main__":
    sys.exit(main())
