"""What an edit costs: `python -m benchmarks.speed.bench_edits [--edits 300]`.

On a model of Wikipedia's 468k entities (`quality/edited_lists.py`), one thread:

- a change (`LiveModel.add`, `edit`, `remove`), durable when the call returns: milliseconds of the clock and of the
  processor, with a linker that is up to date (`add`) and one right after the other (`add-burst`: a change brings the
  linker up to date first), and a plain write and `fsync` of 8 kB on the same disk beside it;
- the first use of the linker after a change (CPU), with no edits, 1 % and 5 % of the list there already, and whether
  another process sees a change in its next query;
- linking raw text with 5 % of the list added, edited or removed, over a model without edits, taking turns: CPU ratios;
- compacting 5 % over building the model anew, and loading a model with 5 % in its journal or compacted: CPU.

CPU ratios within one run are what to go by; milliseconds of the clock also tell how busy machine and disk were.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.quality.edited_lists import (
    CACHE,
    SUITE,
    WHOLE,
    added,
    chosen_rows,
    model_folder,
    model_of,
    removed,
    suite_and_data,
)
from benchmarks.reliability.writers import in_child
from benchmarks.rows import record, start_run
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking import name_candidates
from deixis.live import LiveModel
from deixis.store.journal import journal_of

DEEDS = ("add", "edit", "remove")
N_WARM = 3  # changes before those that count
N_REFRESHES = 20
OURS = "deixis"
LAKE = "The Zwettlarn is a lake."


def copied(folder: Path, place: Path, name: str) -> Path:
    """A copy of a model whose files are the same ones where the disk allows it: nothing ever writes into them."""
    target = place / name
    try:
        shutil.copytree(folder, target, copy_function=os.link)
    except OSError:  # another disk
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder, target)
    return target


def change(live: LiveModel, deed: str, number: int) -> None:
    """One change of a kind; what is edited and removed was added by the first of them."""
    if deed == "add":
        title = f"Ostrava Brook {number}"
        live.add({"id": f"new{number}", "title": title, "aliases": [f"Brook {number}"], "description": "a brook"})
    elif deed == "edit":
        live.edit(f"new{number}", {"description": f"a brook, the longest of {number}"})
    else:
        live.remove(f"new{number}")


def change_rows(suite: str, folder: Path, n: int) -> Iterator[ResultRow]:
    """Milliseconds of changes one by one, and of a plain durable write."""
    live = LiveModel.open(folder, n_threads=1)
    for is_burst in (False, True):
        for deed in DEEDS:
            wall, cpu = [], []
            for number in range(n + N_WARM):
                if not is_burst:
                    live.current()
                begin, begin_cpu = time.perf_counter(), time.process_time()
                change(live, deed, number)
                cpu.append(1000 * (time.process_time() - begin_cpu))
                wall.append(1000 * (time.perf_counter() - begin))
            name = f"{deed}-burst" if is_burst else deed
            yield from percentile_rows(suite, f"{name}/wall", wall[N_WARM:])
            yield from percentile_rows(suite, f"{name}/cpu", cpu[N_WARM:])
    live.close()
    times = []
    with folder.with_suffix(".fsync").open("wb") as opened:
        for _ in range(n):
            begin = time.perf_counter()
            opened.write(bytes(8192))
            opened.flush()
            os.fsync(opened.fileno())
            times.append(1000 * (time.perf_counter() - begin))
    yield from percentile_rows(suite, "fsync/wall", times)


def percentile_rows(suite: str, name: str, times: list[float]) -> Iterator[ResultRow]:
    """The median and the 99th percentile."""
    for percent in (50, 99):
        value = round(float(np.percentile(times, percent)), 2)
        yield ResultRow(suite, f"{name}-p{percent}", OURS, value, "ms", n=len(times))


def visibility_row(suite: str, folder: Path) -> ResultRow:
    """How many of two changes by another process (one added, one removed) this one sees in its next query."""
    live = LiveModel.open(folder, n_threads=1)
    n_seen = 0
    live.linker.link(LAKE)
    for deed, is_there in (("add_lake", True), ("remove_lake", False)):
        code = f"import sys; from benchmarks.speed.bench_edits import {deed} as deed; deed(sys.argv[1])"
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True)
        n_seen += ("lake1" in {mention.entity for mention in live.linker.link(LAKE).mentions}) == is_there
    live.close()
    return ResultRow(suite, "seen_by_next_query", OURS, n_seen, "of 2")


def add_lake(folder: str) -> None:
    """Adds an entity; called in another process."""
    LiveModel.open(folder, n_threads=1).add({"id": "lake1", "title": "Zwettlarn"})


def remove_lake(folder: str) -> None:
    """Removes it again."""
    LiveModel.open(folder, n_threads=1).remove("lake1")


def refresh_row(suite: str, folder: Path, percent: int) -> ResultRow:
    """CPU of the first use of the linker after one change."""
    live, times = LiveModel.open(folder, n_threads=1), []
    live.current()
    for number in range(N_REFRESHES + N_WARM):
        change(live, "add", 10_000 + number)
        begin = time.process_time()
        live.current()
        times.append(1000 * (time.process_time() - begin))
    live.close()
    low, high = round(min(times[N_WARM:]), 2), round(max(times[N_WARM:]), 2)
    value = round(median(times[N_WARM:]), 2)
    return ResultRow(suite, f"refresh-{percent}/cpu", OURS, value, "ms", low=low, high=high, n=N_REFRESHES)


def query_rows(suite: str, name_to_linker: dict[str, Linker], texts: list[str], n_repeats: int) -> Iterator[ResultRow]:
    """CPU of linking raw text, and how many times that of the first linker, all taking turns."""
    costs: dict[str, list[float]] = {name: [] for name in name_to_linker}
    for repeat in range(n_repeats + 1):  # the first is for warming up
        for name, linker in name_to_linker.items():
            name_candidates.CACHE.clear()  # all search for themselves
            begin = time.process_time()
            list(linker.link_many(texts))
            if repeat:
                costs[name].append(1000 * (time.process_time() - begin) / len(texts))
    first = next(iter(costs))
    for name, own in costs.items():
        yield spread(suite, f"query-{name}/cpu", own, "ms")
        if name != first:
            yield spread(suite, f"query-{name}/ratio", [a / b for a, b in zip(own, costs[first], strict=True)], "x")


def spread(suite: str, metric: str, values: list[float], unit: str) -> ResultRow:
    """The median, the least and the most."""
    low, high = round(min(values), 3), round(max(values), 3)
    return ResultRow(suite, metric, OURS, round(median(values), 3), unit, low=low, high=high, n=len(values))


def cpu_of(deed: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    begin = time.process_time()
    deed()
    return time.process_time() - begin


def loading(folder: str) -> float:
    """CPU seconds until a model can be asked, all its changes in it."""
    return cpu_of(lambda: LiveModel.open(folder, n_threads=1).current())


def compaction_rows(suite: str, kb: KnowledgeBase, before: Path, edited: Path, place: Path) -> Iterator[ResultRow]:
    """What compacting costs beside building anew, and what loading costs before and after it."""
    yield seconds_row(suite, "load-none/cpu", in_child(loading, str(before)))
    yield seconds_row(suite, "load-journal/cpu", in_child(loading, str(edited)))
    live = LiveModel.open(edited, n_threads=1)
    live.current()
    compaction = cpu_of(live.compact)
    live.close()
    yield seconds_row(suite, "compact/cpu", compaction)
    yield seconds_row(suite, "load-compacted/cpu", in_child(loading, str(edited)))
    rebuild = cpu_of(lambda: Linker.build(kb, n_threads=1).save(place / "rebuilt"))
    yield seconds_row(suite, "rebuild/cpu", rebuild)
    yield ResultRow(suite, "compact/ratio", OURS, round(compaction / rebuild, 3), "x")


def seconds_row(suite: str, metric: str, seconds: float) -> ResultRow:
    """CPU seconds."""
    return ResultRow(suite, metric, OURS, round(seconds, 2), "CPU s")


def measured(name: str, n_edits: int, n_texts: int, n_repeats: int, cache: Path, place: Path) -> Iterator[ResultRow]:
    """All rows, one after the other."""
    suite, data = suite_and_data(name)
    kb = data.read_kb(suite.kb)
    row_name = f"edits/{name}-speed"
    whole = model_folder(kb, WHOLE, name, cache)
    folders = {0: copied(whole, place, "whole")}
    for percent in (1, 5):
        folders[percent] = copied(model_folder(kb, f"without-{percent}", name, cache), place, f"without-{percent}")
        live = LiveModel.open(folders[percent], n_threads=1)
        live.add(kb.take(chosen_rows(len(kb), percent)).entities())
        live.close()
    yield from compaction_rows(row_name, kb, whole, copied_with_journal(folders[5], place), place)
    yield from change_rows(row_name, folders[0], n_edits)
    yield visibility_row(row_name, folders[0])
    for percent in (1, 5):
        yield refresh_row(row_name, folders[percent], percent)
    yield refresh_row(row_name, copied(whole, place, "fresh"), 0)
    rows = chosen_rows(len(kb), 5)
    built = model_of(kb, WHOLE, name, cache)
    linkers = {
        "none": built,
        "added": model_of(kb, "without-5", name, cache).with_edits(added(kb, rows)),
        "removed": built.with_edits(removed(kb, rows)),
    }
    texts = [document.text for document in data.read_part(suite, suite.dev[0])]
    step = max(1, len(texts) // n_texts)
    yield from query_rows(row_name, linkers, texts[::step][:n_texts], n_repeats)


def copied_with_journal(folder: Path, place: Path) -> Path:
    """A copy of a model and its journal, which nobody has open."""
    target = copied(folder, place, f"{folder.name}-compacted")
    shutil.copyfile(journal_of(folder), journal_of(target))
    return target


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default=SUITE)
    parser.add_argument("--edits", type=int, default=300, help="changes of each kind")
    parser.add_argument("--texts", type=int, default=60, help="texts that are linked")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where models are kept")
    parser.add_argument("--dry", action="store_true", help="record nothing")
    chosen = parser.parse_args(arguments)
    start_run(is_recorded=not chosen.dry)
    chosen.cache.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="speed-", dir=chosen.cache) as place:
        for row in measured(chosen.suite, chosen.edits, chosen.texts, chosen.repeats, chosen.cache, Path(place)):
            print(f"{row.metric:28} {row.value:10g} {row.unit}", flush=True)
            rows.append(row)
    if not chosen.dry:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
