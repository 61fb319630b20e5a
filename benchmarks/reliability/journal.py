"""That no change of a model is lost: `python -m benchmarks.reliability.journal [--kills 1000]`.

1. Writers are killed (SIGKILL) at random moments while readers run all the time: acknowledged changes that are missing
   afterwards, and reads that were torn (a linker that is not the one of its generation), fell back to an earlier
   generation, or lacked a change that was acknowledged before the read began. Controls without a guard must fail:
   changes acknowledged before they are committed, and linker and generation read one after the other.
2. Several writers at once: changes kept. The control is a plain JSON file, read, changed and written without a lock.
3. A disk without room, a read-only folder, a journal that was cut off or is of another model: a clear error
   (`StoreError`), and every change is there again once the cause is gone.
4. Compaction killed at random moments: every change is there.

Everything is bounded by counts and by `--seconds`. It ends with 1 if something was lost or a control did not fail.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.reliability.faults import fault_rows
from benchmarks.reliability.writers import (
    FORK,
    Shared,
    build,
    in_child,
    killed_write,
    lost,
    readers,
    write,
)
from benchmarks.rows import run_from_console
from deixis.evaluation.rows import ResultRow
from deixis.live import LiveModel

SUITE = "reliability/journal"
LONGEST = 0.15  # seconds until a writer is killed, at most
GUARDED, CONTROL = "deixis", "without the guard"


def kill_rows(folder: Path, n_kills: int, n_readers: int, end: float, is_guarded: bool) -> Iterator[ResultRow]:
    """Kills writers while readers read: what was lost, and what readers saw."""
    in_child(build, folder)
    shared, totals, told, draw, n_killed = Shared.make(), {}, [], random.Random(0), 0
    begin = time.monotonic()
    with readers(folder, shared, n_readers, totals, is_paired=is_guarded):
        while n_killed < n_kills and time.monotonic() < end:
            told += killed_write(folder, n_killed, draw.uniform(0.001, LONGEST), shared, is_early=not is_guarded)
            n_killed += 1
    system, settings = GUARDED if is_guarded else CONTROL, {"readers": n_readers, "longest_delay": LONGEST}
    n_lost = in_child(lost, folder, told)
    yield ResultRow(SUITE, "kills", system, n_killed, "times", settings=settings)
    yield ResultRow(SUITE, "acknowledged", system, len(told), "changes")
    yield ResultRow(SUITE, "lost", system, n_lost, f"of {len(told)}")
    n_reads = totals.get("reads", 0)
    yield ResultRow(SUITE, "torn", system, totals.get("torn", 0), f"of {totals.get('checked', 0)}", settings=settings)
    for name in ("fell", "stale"):
        yield ResultRow(SUITE, name, system, totals.get(name, 0), f"of {n_reads}", settings=settings)
    yield ResultRow(SUITE, "failed_readers", system, totals.get("failed", 0), f"of {n_readers}")
    yield ResultRow(SUITE, "wall", system, round(time.monotonic() - begin, 1), "s", settings=settings)


def add_many(folder: Path, writer: int, n_changes: int) -> None:
    """Adds entities one by one, while others do so."""
    live = LiveModel.open(folder, n_threads=1)
    for number in range(n_changes):
        live.add({"id": f"w{writer}-{number}", "title": f"Writer {writer} wrote {number}"})
    live.close()


def kept_entities(folder: Path, prefix: str) -> int:
    """How many entities with such ids there are."""
    live = LiveModel.open(folder, n_threads=1)
    n_kept = sum(entity.id.startswith(prefix) for entity in live.linker.kb.entities())
    live.close()
    return n_kept


def put_many(file: Path, writer: int, n_changes: int) -> None:
    """The same with a plain file, without lock and rename."""
    for number in range(n_changes):
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:  # half written by another one
            kept = []
        file.write_text(json.dumps([*kept, f"w{writer}-{number}"]), encoding="utf-8")


def writer_rows(folder: Path, n_writers: int, n_changes: int) -> Iterator[ResultRow]:
    """Writers at once: how many of their changes are kept."""
    in_child(build, folder)
    file = folder.with_suffix(".json")
    file.write_text("[]", encoding="utf-8")
    for system, place, deed in ((GUARDED, folder, add_many), (CONTROL, file, put_many)):
        processes = [FORK.Process(target=deed, args=(place, writer, n_changes)) for writer in range(n_writers)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        if system == GUARDED:
            n_kept = in_child(kept_entities, folder, "w")
        else:
            text = file.read_text(encoding="utf-8")
            n_kept = len(json.loads(text)) if text.endswith("]") and text.count("]") == 1 else 0
        yield ResultRow(SUITE, "kept", system, n_kept, f"of {n_writers * n_changes}", settings={"writers": n_writers})


def compact_on(folder: Path, pipe: Any) -> None:  # noqa: ANN401 - a connection
    """Compacts, saying when it begins and ends."""
    live = LiveModel.open(folder, n_threads=1)
    live.current()
    pipe.send_bytes(b"begin")
    live.compact()
    pipe.send_bytes(b"end")


def state_of(folder: Path) -> list[Any]:
    """The generation and all entities."""
    live = LiveModel.open(folder, n_threads=1)
    linker, generation = live.current()
    live.close()
    return [generation, [entity.to_record() for entity in sorted(linker.kb.entities(), key=lambda each: each.id)]]


def change_some(folder: Path, seed: int, n: int) -> list[Any]:
    """Makes changes, and gives the state after them."""
    here, there = FORK.Pipe(duplex=False)
    write(folder, seed, there, Shared.make(), is_early=False, n_changes=n)
    here.close()
    return state_of(folder)


def compaction_rows(folder: Path, n_kills: int, end: float) -> Iterator[ResultRow]:
    """Kills compactions: how many were cut off, and after how many the model was not the one that it was before."""
    in_child(build, folder)
    draw, n_done, n_cut_off, n_other, longest = random.Random(1), 0, 0, 0, 0.0
    while n_done < n_kills and time.monotonic() < end:
        before = in_child(change_some, folder, 1000 + n_done, 5)
        here, there = FORK.Pipe(duplex=False)
        process = FORK.Process(target=compact_on, args=(folder, there))
        process.start()
        there.close()
        here.recv_bytes()
        begin = time.monotonic()
        if n_done == 0:  # the first is let to its end, to know how long it takes
            here.recv_bytes()
            longest = time.monotonic() - begin
        elif not here.poll(draw.uniform(0, longest)):
            n_cut_off += 1
        process.kill()
        process.join()
        here.close()
        n_other += in_child(state_of, folder) != before
        n_done += 1
    yield ResultRow(SUITE, "compactions", GUARDED, n_done, "times")
    yield ResultRow(SUITE, "compactions_cut_off", GUARDED, n_cut_off, f"of {n_done}")
    yield ResultRow(SUITE, "compactions_lost", GUARDED, n_other, f"of {n_done}")


def measured(chosen: argparse.Namespace, place: Path) -> Iterator[ResultRow]:
    """All rows, one after the other."""
    for row in all_rows(chosen, place):
        yield replace(row, settings={"seed": 0, **row.settings})


def all_rows(chosen: argparse.Namespace, place: Path) -> Iterator[ResultRow]:
    """The rows of each series."""
    end = time.monotonic() + chosen.seconds
    yield from kill_rows(place / "killed", chosen.kills, chosen.readers, end, is_guarded=True)
    yield from kill_rows(place / "early", chosen.control_kills, chosen.readers, end, is_guarded=False)
    yield from writer_rows(place / "writers", chosen.writers, chosen.changes)
    yield from compaction_rows(place / "compacted", chosen.compactions, end)
    yield from fault_rows(SUITE, place)


def failures(rows: list[ResultRow]) -> list[str]:
    """What should not be: something lost, or a control that lost nothing."""
    by_key = {(row.metric, row.system): row for row in rows}
    zero = ("lost", "torn", "fell", "stale", "failed_readers", "compactions_lost")
    failed = [f"{name}: {by_key[name, GUARDED].value:g}" for name in zero if by_key[name, GUARDED].value]
    failed += [f"the control lost nothing: {name}" for name in ("lost", "torn") if not by_key[name, CONTROL].value]
    for system in (GUARDED, CONTROL):
        row = by_key["kept", system]
        if (f"of {row.value:g}" == row.unit) != (system == GUARDED):
            failed.append(f"kept by {system}: {row.value:g} {row.unit}")
    return failed + [row.metric for row in rows if row.metric.startswith("fault/") and row.value != 1]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="writers that are killed")
    parser.add_argument("--control-kills", type=int, default=100, help="the same without the guard")
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--writers", type=int, default=3, help="writers at once")
    parser.add_argument("--changes", type=int, default=200, help="changes of each of them")
    parser.add_argument("--compactions", type=int, default=20, help="compactions that are killed")
    parser.add_argument("--seconds", type=float, default=1800, help="nothing more is killed after so many")
    return run_from_console(parser, arguments, measured, failures)


if __name__ == "__main__":
    sys.exit(main())
