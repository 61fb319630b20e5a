"""What several processes and Spark cost: `python -m benchmarks.scale.workers [--documents 100000]`.

1. `deixis link` with one process, `--workers 1` and `--workers 2` on the same documents, in turn: wall time and its
   ratio, and processor time per document beyond the fixed start (that of a run with few documents).
2. `deixis.integrations.spark.link` on a cluster of two executors on this machine (`local-cluster[2,1,1024]`), one
   process, two, and `Linker.link_many` alone, which writes nothing, in turn on the same documents: processor time per
   document, what of it is more than linking, and in how many documents the column differs from what one process wrote.

Java compiles while it runs, up to some ten thousand documents, which is a start as well. So the time per document of
the second part is the slope between a tenth of the documents and all of them, and `start_cpu` what is left at none.
Documents are sentences of the demo, drawn at random. Other work on the machine lengthens wall times more than processor
times. It ends with 1 if outputs differ.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.dataset

from benchmarks.rows import differing, run_from_console
from benchmarks.scale.runs import Measured, build, deixis, write_texts
from deixis.evaluation.rows import ResultRow

SUITE, SPARK_SUITE = "scale/workers", "scale/spark"
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
LINKING = """
import json, sys
from deixis import Linker
linker = Linker.load(sys.argv[1], n_threads=1)
for document in linker.link_many((json.loads(line)["text"] for line in open(sys.argv[2])), batch_size=256):
    pass
"""


def command(system: str, model: Path, texts: Path, output: Path) -> list[str]:
    """What links the texts into the output, a file or a folder, in one of the ways."""
    if system == "spark":
        return [sys.executable, "-c", SPARK, CLUSTER, str(texts), str(model), str(output)]
    if system == "link_many":
        return [sys.executable, "-c", LINKING, str(model), str(texts)]
    if system == "one-process":
        return deixis("link", model, texts, "-o", output, "--threads", 1, "-q")
    return deixis("link", model, texts, "-o", output, "--workers", system.partition("-")[2], "-q")


def measured(system: str, model: Path, texts: Path, output: Path) -> Measured:
    """A run from its start to its end."""
    return Measured.start(command(system, model, texts, output)).finish()


def rows(chosen: argparse.Namespace, place: Path) -> Iterator[ResultRow]:
    """All rows, one after the other."""
    model = build(place / "model")
    if chosen.documents:
        yield from worker_rows(chosen, place, model)
    if chosen.spark:
        yield from spark_rows(chosen, place, model)


def worker_rows(chosen: argparse.Namespace, place: Path, model: Path) -> Iterator[ResultRow]:
    """Two worker processes beside one, and beside one process without shards."""
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


def spark_rows(chosen: argparse.Namespace, place: Path, model: Path) -> Iterator[ResultRow]:
    """A cluster of two executors beside one process, and beside linking alone."""
    sizes = (chosen.spark // 10, chosen.spark)
    texts = {n: write_texts(place / f"spark-{n}.jsonl", n) for n in sizes}
    outputs = {system: place / f"spark-{system}" for system in ("link_many", "one-process", "workers-2", "spark")}
    runs: dict[str, list[Measured]] = {system: [] for system in outputs}
    for n in sizes:
        for system, output in outputs.items():
            runs[system].append(measured(system, model, texts[n], output.with_name(f"{output.name}-{n}")))
    n_differ = n_differences(
        *(outputs[each].with_name(f"spark-{each}-{sizes[1]}") for each in ("one-process", "spark"))
    )
    yield ResultRow(SPARK_SUITE, "differ", "spark", n_differ, f"of {sizes[1]}", n=sizes[1])
    slopes = {system: (large.cpu - small.cpu) / (sizes[1] - sizes[0]) for system, (small, large) in runs.items()}
    for system, slope in slopes.items():
        large = runs[system][1]
        more = slope - slopes["link_many"]
        yield ResultRow(SPARK_SUITE, "cpu_per_document", system, round(1e6 * slope, 1), "us", n=sizes[1])
        if system != "link_many":
            yield ResultRow(SPARK_SUITE, "more_than_linking", system, round(1e6 * more, 1), "us", n=sizes[1])
        yield ResultRow(SPARK_SUITE, "start_cpu", system, round(large.cpu - slope * sizes[1], 1), "s", n=sizes[1])
        yield ResultRow(SPARK_SUITE, "wall", system, round(large.wall, 1), "s", n=sizes[1])


def n_differences(lines: Path, parquet: Path) -> int:
    """How many documents have other mentions in a table than in JSON lines, or are in only one of them."""
    with lines.open(encoding="utf-8") as stream:
        expected = {record["id"]: record["mentions"] for record in map(json.loads, stream)}
    n_differ = 0
    for batch in pyarrow.dataset.dataset(parquet).to_batches(batch_size=N_FEW):
        for row in batch.to_pylist():
            n_differ += _plain(row["mentions"]) != expected.pop(row["id"], None)
    return n_differ + len(expected)


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000, help="documents for processes; 0 leaves them out")
    parser.add_argument("--repeats", type=int, default=3, help="turns of the processes")
    parser.add_argument("--spark", type=int, default=200_000, help="documents for Spark; 0 leaves it out")
    return run_from_console(parser, arguments, rows, differing)


if __name__ == "__main__":
    sys.exit(main())
