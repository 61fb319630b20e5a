"""Import of a list against a bare loop over its rows: `python -m benchmarks.speed.bench_import [--rows 1000000]`.

The list has an id, a name, two aliases, a description and a count. The loops are `csv.DictReader` and `json.loads` (or
`orjson.loads`, if it is there) line by line, which keep nothing. Seconds are processor time of one thread, the best of
three in turns; memory is the most that the import held, in a process of its own, less what the empty process holds. The
knowledge base is what is left of it in the end: its arrays, without those in which everything is zero, which take no
memory.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from deixis.kb.reading import read_columns

try:
    from orjson import loads
except ImportError:
    from json import loads

N_ROUNDS = 3
PEAK = """
import sys
from deixis.cli.timing import peak_memory
from deixis.kb.reading import read_columns
before = peak_memory()
columns, _ = read_columns(sys.argv[1])
peak = peak_memory() - before
arrays = columns.to_arrays("columns").values()
print(peak, sum(array.nbytes for array in arrays if array.any()))
"""


def main(arguments: list[str] | None = None) -> int:
    """Write the lists, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        for name, write, loop in (("list.csv", write_csv, loop_csv), ("list.jsonl", write_json, loop_json)):
            path = Path(folder) / name
            write(path, options.rows)
            bare, read = in_turns(lambda path=path, loop=loop: loop(path), lambda path=path: read_columns(path))
            done = subprocess.run([sys.executable, "-c", PEAK, path], capture_output=True, text=True, check=True)
            (memory, kept), size = map(int, done.stdout.split()), path.stat().st_size
            print(f"{name}: loop {bare:.2f} s, import {read:.2f} s, ratio {read / bare:.2f}")
            print(f"  {size / 1e6:.0f} MB on disk, {memory / 1e6:.0f} MB of memory, ratio {memory / size:.2f}")
            print(f"  of it the knowledge base {kept / 1e6:.0f} MB, ratio {kept / size:.2f}", flush=True)
    return 0


def in_turns(*works: Callable[[], object]) -> list[float]:
    """The best processor time of each."""
    seconds = [float("inf")] * len(works)
    for _ in range(N_ROUNDS):
        for number, work in enumerate(works):
            started = time.process_time()
            work()
            seconds[number] = min(seconds[number], time.process_time() - started)
    return seconds


def write_csv(path: Path, n_rows: int) -> None:
    """A table with semicolons."""
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=";")
        writer.writerow(["SKU", "Product Name", "Synonyms", "Notes", "Popularity"])
        for n in range(n_rows):
            writer.writerow(
                [f"A-{n}", f"Pump {n}", f"water pump {n}|WP {n}", f"moves {n % 977} litres a minute", n % 1000]
            )


def write_json(path: Path, n_rows: int) -> None:
    """The same as JSON lines."""
    with open(path, "w", encoding="utf-8") as stream:
        for n in range(n_rows):
            aliases = [f"water pump {n}", f"WP {n}"]
            text = f"moves {n % 977} litres a minute"
            record = {"id": f"A-{n}", "title": f"Pump {n}", "aliases": aliases, "description": text, "count": n % 1000}
            stream.write(json.dumps(record) + "\n")


def loop_csv(path: Path) -> None:
    """Every row as a dictionary, and nothing else."""
    with open(path, encoding="utf-8", newline="") as stream:
        for _ in csv.DictReader(stream, delimiter=";"):
            pass


def loop_json(path: Path) -> None:
    """Every line as a dictionary, and nothing else."""
    with open(path, "rb") as stream:
        for line in stream:
            loads(line)


if __name__ == "__main__":
    sys.exit(main())
