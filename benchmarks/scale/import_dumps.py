"""Import of dumps: `python -m benchmarks.scale.import_dumps [--megabytes 1000] [--workers 1 2] [--record]`.

Dumps of a given size, not compressed, are generated with the fields and the nesting of those that are published
(`dump_pages.py`, `dump_files.py`). Words are drawn at random, with frequencies as in texts. `--packed` compresses them;
bzip2 is also written in streams of a hundred pages, as `multistream` is published. With `--folder` they are kept.

Each import is a process of its own (`deixis kb import`), and those with one and two processes take turns. Reported are
megabytes, before compression, and entities a second of processor time (of all its processes) and by the clock, and the
most memory that one of its processes held. A bare loop over the lines with `json.loads` is beside those of JSON.
"""

import argparse
import bz2
import gzip
import json
import lzma
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import BinaryIO

import zstandard

from benchmarks.rows import record, start_run
from benchmarks.scale.dump_files import cirrussearch, damuel, kilt_pages, wikidata
from benchmarks.scale.dump_pages import wikipedia
from deixis.evaluation.rows import ResultRow

SUITE = "dumps"
OURS = "deixis"
MB = 1_000_000
STREAM_BYTES = 1_000_000  # before compression: a hundred pages
DUMPS: dict[str, tuple[Callable[[int], Iterator[str]], str, str]] = {
    "wikipedia": (wikipedia, "enwiki-pages-articles.xml", "</mediawiki>\n"),
    "cirrussearch": (cirrussearch, "enwiki_content-00000.json", ""),
    "wikidata": (wikidata, "latest-all.json", "\n]\n"),
    "damuel": (damuel, "damuel_1.0_en-part-00000", ""),
    "kilt-pages": (kilt_pages, "kilt_knowledgesource.json", ""),
}
"""What makes a dump, its file, and what stands at its end."""
LOOP = """
import json, sys
from deixis.store.files import open_byte_lines
for _, raw in open_byte_lines(sys.argv[1]):
    line = raw.strip().removesuffix(b",")
    if line not in (b"", b"[", b"]"):
        json.loads(line)
"""


class _Streams:
    """A file in bzip2 streams of some bytes each."""

    def __init__(self, path: Path) -> None:
        self._file, self._waiting = open(path, "wb"), bytearray()  # noqa: SIM115 - closed by close

    def write(self, content: bytes) -> None:
        """Adds bytes; a stream ends with them or not at all."""
        self._waiting += content
        if len(self._waiting) > STREAM_BYTES:
            self._file.write(bz2.compress(self._waiting))
            self._waiting.clear()

    def close(self) -> None:
        """Writes what waits."""
        self._file.write(bz2.compress(self._waiting))
        self._file.close()


PACKED: dict[str, tuple[str, Callable[[Path], BinaryIO | _Streams]]] = {
    "plain": ("", lambda path: open(path, "wb")),
    "gz": (".gz", lambda path: gzip.open(path, "wb", 6)),
    "bz2": (".bz2", lambda path: bz2.open(path, "wb")),
    "multistream": ("-multistream.bz2", _Streams),
    "xz": (".xz", lambda path: lzma.open(path, "wb", preset=3)),
    "zst": (".zst", lambda path: zstandard.open(path, "wb")),
}


def generated(name: str, packed: str, megabytes: int, folder: Path) -> tuple[Path, float]:
    """A dump in a folder, made if it is not there, and its megabytes before compression."""
    make, file, end = DUMPS[name]
    suffix, opened = PACKED[packed]
    path = folder / str(megabytes) / f"{file}{suffix}"
    size_file = path.with_name(f"{path.name}.size")
    if not size_file.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        n_bytes = 0
        with closing(opened(path)) as stream:
            for part in make(megabytes * MB):
                content = part.encode()
                stream.write(content)
                n_bytes += len(content)
                if n_bytes >= megabytes * MB:
                    break
            stream.write(end.encode())
        size_file.write_text(str(n_bytes + len(end)))
    return path, int(size_file.read_text()) / MB


def measured(command: list[str]) -> tuple[float, float, float, str]:
    """Processor seconds and seconds of a process and its own, most megabytes of one of them, and what it printed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    script = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)\n"
        "sys.stdout.buffer.write(done.stdout)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    *printed, peak = done.stdout.splitlines()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - begin, float(peak), "\n".join(printed)


def imported(path: Path, folder: Path, n_workers: int, has_mentions: bool) -> tuple[float, float, float, int]:
    """Processor seconds, seconds, megabytes of memory and entities of an import."""
    command = [sys.executable, "-m", "deixis.cli", "kb", "import", str(path), "-o", str(folder / "entities.jsonl")]
    command += ["--json", "-q", "--workers", str(n_workers), "--limits", "unpacked=2TB"]
    command += ["--mentions", str(folder / "mentions.jsonl")] if has_mentions else []
    cpu, wall, peak, printed = measured(command)
    return cpu, wall, peak, json.loads(printed)["n_entities"]


def rows_of(
    suite: str, path: Path, megabytes: float, workers: list[int], n_repeats: int, has_mentions: bool
) -> Iterator[ResultRow]:
    """The figures of one dump, for each number of processes: medians."""
    runs: dict[int, list[tuple[float, float, float, int]]] = {n_workers: [] for n_workers in workers}
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        for _ in range(n_repeats):
            for n_workers, done in runs.items():
                done.append(imported(path, Path(folder), n_workers, has_mentions))
    settings = {"megabytes": round(megabytes), "megabytes_packed": round(path.stat().st_size / MB)}
    for n_workers, done in runs.items():
        cpu, wall, peak = (median(run[column] for run in done) for column in range(3))
        n, system = done[0][3], f"{OURS}-{n_workers}-workers" if n_workers > 1 else OURS
        yield ResultRow(suite, "mb_per_cpu_second", system, round(megabytes / cpu, 2), "MB/s", n=n, settings=settings)
        yield ResultRow(suite, "mb_per_second", system, round(megabytes / wall, 2), "MB/s", n=n, settings=settings)
        yield ResultRow(suite, "entities_per_cpu_second", system, round(n / cpu), "1/s", n=n, settings=settings)
        yield ResultRow(suite, "peak_memory", system, round(peak), "MB", n=n, settings=settings)
        if n_workers > 1 and 1 in runs:
            ratios = sorted(one[1] / several[1] for one, several in zip(runs[1], done, strict=True))
            low, high = round(ratios[0], 2), round(ratios[-1], 2)
            yield ResultRow(suite, "wall_ratio", system, round(median(ratios), 2), "x", low, high, n, settings)
    if path.suffix == ".json":
        cpu, *_ = measured([sys.executable, "-c", LOOP, str(path)])
        yield ResultRow(suite, "mb_per_cpu_second", "json.loads", round(megabytes / cpu, 2), "MB/s")


def main(arguments: list[str] | None = None) -> int:
    """Write dumps, import them, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[1000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--dumps", nargs="+", choices=DUMPS, default=list(DUMPS))
    parser.add_argument("--packed", nargs="+", choices=PACKED, default=["plain"])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--mentions", action="store_true", help="write texts with their links too")
    parser.add_argument("--folder", type=Path, help="where dumps are kept and looked for")
    parser.add_argument("--only-generate", action="store_true", help="measure nothing")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args(arguments)
    start_run(is_recorded=options.record)
    rows = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("DEIXIS_SCRATCH")) as temporary:
        for name in options.dumps:
            for packed in options.packed:
                for size in options.megabytes:
                    path, megabytes = generated(name, packed, size, options.folder or Path(temporary))
                    if options.only_generate:
                        continue
                    suite = f"{SUITE}/{name}-{size}" + ("" if packed == "plain" else f"-{packed}")
                    suite += "-mentions" if options.mentions else ""
                    for row in rows_of(suite, path, megabytes, options.workers, options.repeats, options.mentions):
                        print(f"{row.suite} {row.metric} {row.system}: {row.value} {row.unit}", flush=True)
                        rows.append(row)
    if options.record:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
