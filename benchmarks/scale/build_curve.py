"""How building and linking grow with the list: `python -m benchmarks.scale.build_curve [--sizes 50000 ...] [--record]`.

For each size one process builds a model on one thread and another one links mentions of AIDA's training part with it:
CPU seconds of building, the most memory held (anonymous, and with mapped files), the size of the model, how many and
how long names an entity has, CPU of a given mention in a batch, recall@10. The mentions are the same for all sizes:
those of entities that the smallest list has. Then exponents are fitted (least squares of the logarithms), and memory
per million entities. `scale.lists` says what the lists are made of: up to 468,498 entities they are real, beyond it
recombined.

`--fit` measures nothing: it fits the recorded rows of all sizes, which several runs may have measured.

Lists and models are kept in `build/scale`; a model that is there is built again, a list is not written again.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.rows import RESULTS, record, start_run
from benchmarks.scale.lists import entities, write_list
from benchmarks.suites.data import DataFolder
from benchmarks.suites.results import read_results, row_key
from deixis.evaluation.rows import ResultRow

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path("build/scale")
SIZES = (50_000, 100_000, 200_000, 468_498, 1_000_000, 2_000_000)
TEXTS = "aida/train.jsonl.gz"
SUITE = "scale/wiki"
OURS = "deixis"
MB = 1e6
FITTED = ("build_cpu", "anonymous", "query_cpu")
N_MENTIONS = 1000
N_STAGES = 8  # those with the most memory are shown
Figures = dict[str, Any]


def measured(module: str, *arguments: object) -> Figures:
    """The figures that a process of its own prints."""
    command = [sys.executable, "-m", f"benchmarks.scale.{module}", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, cwd=ROOT)
    figures: Figures = json.loads(done.stdout)
    return figures


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The power of the size by which the values grow: the slope of the logarithms.

    Examples
    --------
    >>> round(exponent([1, 10, 100], [2, 20, 200]), 3)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def size_rows(n: int, built: Figures, asked: Figures) -> list[ResultRow]:
    """What was measured of one size."""
    suite = f"{SUITE}-{n}"
    settings = {"n_entities": built["n_entities"], "threads": 1, "mentions": asked["n_mentions"]}
    cpu = asked["cpu_us"]
    values = [
        ("build_cpu", built["cpu"], "s"),
        ("build_cpu_per_million", built["cpu"] / 3600 / n * 1e6, "CPU h"),
        ("anonymous", built["anonymous"] / MB, "MB"),
        ("anonymous_per_entity", (built["anonymous"] - built["before"]) / n / 1000, "kB"),
        ("peak", built["peak"] / MB, "MB"),
        ("disk", built["disk"] / MB, "MB"),
        ("names_per_entity", built["n_names"] / n, "names"),
        ("name_bytes_per_entity", built["name_bytes"] / n, "bytes"),
        ("recall@1", asked["recall@1"], "share"),
        ("recall@10", asked["recall@10"], "share"),
    ]
    rows = [
        ResultRow(suite, name, OURS, float(f"{value:.4g}"), unit, settings=settings) for name, value, unit in values
    ]
    low, middle, high = (float(f"{each:.4g}") for each in (min(cpu), median(cpu), max(cpu)))
    return [*rows, ResultRow(suite, "query_cpu", OURS, middle, "us", low, high, len(cpu), settings)]


def stage_rows(n: int, built: Figures) -> list[ResultRow]:
    """CPU and memory of the stages that hold most."""
    stages = sorted(built["stages"].items(), key=lambda item: -item[1]["anonymous"])
    rows = []
    for name, use in stages:
        for metric, value, unit in (("anonymous", use["anonymous"] / MB, "MB"), ("cpu", use["cpu"], "s")):
            rows.append(ResultRow(f"{SUITE}-{n}/stages", metric, name, float(f"{value:.4g}"), unit))
    return rows


def fitted_rows(sizes: Sequence[int], built: Sequence[Figures], asked: Sequence[Figures]) -> list[ResultRow]:
    """Exponents over all sizes, and the slope of memory."""
    if len(sizes) < 2:
        return []
    anonymous = np.polyfit(sizes, [each["anonymous"] for each in built], 1)[0] / 1e9 * 1e6
    values = [
        ("build_exponent", exponent(sizes, [each["cpu"] for each in built]), ""),
        ("query_exponent", exponent(sizes, [median(each["cpu_us"]) for each in asked]), ""),
        ("anonymous_per_million", anonymous, "GB"),
    ]
    about = {"sizes": list(sizes)}
    return [ResultRow(SUITE, name, OURS, float(f"{value:.3g}"), unit, settings=about) for name, value, unit in values]


def recorded(sizes: Sequence[int]) -> tuple[list[Figures], list[Figures]]:
    """What is fitted of the recorded rows of these sizes."""
    values = {row_key(row): row["value"] for row in read_results(RESULTS)}
    of_size = [{metric: values[f"{SUITE}-{n}", metric, OURS] for metric in FITTED} for n in sizes]
    built = [{"cpu": each["build_cpu"], "anonymous": each["anonymous"] * MB} for each in of_size]
    return built, [{"cpu_us": [each["query_cpu"]]} for each in of_size]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help=f"[{' '.join(map(str, SIZES))}]")
    parser.add_argument("--mentions", type=int, default=N_MENTIONS)
    parser.add_argument("--fit", action="store_true", help="fit the recorded rows of these sizes")
    parser.add_argument("--record", action="store_true", help="keep the rows")
    options = parser.parse_args(arguments)
    start_run(is_recorded=options.record)
    data, cache = DataFolder.choose(None, ROOT), ROOT / CACHE
    cache.mkdir(parents=True, exist_ok=True)
    ids = cache / "ids.txt"
    ids.write_text("".join(f"{each['id']}\n" for each in entities(SIZES[0], data)), encoding="utf-8")
    built, asked, rows = [], [], []
    if options.fit:
        built, asked = recorded(options.sizes)
    for n in () if options.fit else options.sizes:
        path = write_list(cache / f"{n}.jsonl", n, data)
        built.append(measured("build_once", path, cache / f"model-{n}"))
        model = cache / f"model-{n}"
        asked.append(measured("query_once", model, data.find(TEXTS), ids, "--mentions", options.mentions))
        rows += [*size_rows(n, built[-1], asked[-1]), *stage_rows(n, built[-1])]
        show(rows[-len(size_rows(n, built[-1], asked[-1])) - len(stage_rows(n, built[-1])) :])
    fitted = fitted_rows(options.sizes, built, asked)
    show(fitted)
    if options.record:
        record([*rows, *fitted])
    return 0


def show(rows: Sequence[ResultRow]) -> None:
    """The rows, one a line."""
    for row in rows:
        print(f"{row.suite:28} {row.metric:24} {row.system:40} {row.value:>10g} {row.unit}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
