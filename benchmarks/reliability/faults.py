"""What happens to a journal where the disk is full, the folder read-only, the file cut off or of another model."""

import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.reliability.writers import build, in_child
from deixis.errors import StoreError
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.live import LiveModel
from deixis.store.journal import journal_of

N_CHANGES = 20
NOBODY = 65534
CUTS = {"nothing": 0, "one byte": 1, "header": 100, "one page": 4096, "half": -2, "last byte": -1}
"""How many bytes of a journal are left; -2 is half of them, -1 all but one."""


def ids_of(folder: Path) -> list[str]:
    """The added entities of a model."""
    live = LiveModel.open(folder, n_threads=1)
    ids = sorted(entity.id for entity in live.linker.kb.entities() if entity.id.startswith("n"))
    live.close()
    return ids


def add(folder: Path, first: int, n: int, limit: int | None = None) -> tuple[list[str], str]:
    """Adds entities until an error, if one comes: those acknowledged, and the error's text.

    No file may grow beyond `limit` bytes, as on a disk without room.
    """
    if limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    added: list[str] = []
    try:
        live = LiveModel.open(folder, n_threads=1)
        for number in range(first, first + n):
            live.add({"id": f"n{number}", "title": f"Number {number}", "description": "x" * 2000})
            added.append(f"n{number}")
        live.close()
    except StoreError as error:
        return added, str(error)
    return added, ""


def add_as_nobody(folder: Path, first: int) -> list[Any]:
    """The same by a user who may not write there: what was added, the error, and what can be read nevertheless.

    That user may not read the packages either: a first change elsewhere imports all that a change needs.
    """
    with tempfile.TemporaryDirectory() as elsewhere:
        build_other(Path(elsewhere, "model"))
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    added, problem = add(folder, first, 1)
    return [added, problem, ids_of(folder)]


def opened(folder: Path) -> list[str] | str:
    """The added entities of a model, or the error that opening and reading it gives."""
    try:
        return ids_of(folder)
    except StoreError as error:
        return str(error)


def build_other(folder: Path) -> None:
    """Another model, whose journal has one change."""
    Linker.build(KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}]), n_threads=1).save(folder)
    add(folder, 0, 1)


def disk_full(folder: Path) -> bool:
    """A full disk: a clear error, all acknowledged changes kept, and the next one works where there is room again."""
    limit = journal_of(folder).stat().st_size + 40_000
    before = in_child(ids_of, folder)
    added, problem = in_child(add, folder, 1000, 1000, limit)
    kept = in_child(ids_of, folder) == sorted({*before, *added})
    again, none = in_child(add, folder, 5000, 1)
    return bool(problem) and 0 < len(added) < 1000 and kept and not none and again[0] in in_child(ids_of, folder)


def read_only(folder: Path) -> bool:
    """A read-only folder: a clear error, and everything can be read."""
    before = in_child(ids_of, folder)
    modes = {path: path.stat().st_mode for path in (folder.parent, folder, *folder.parent.glob(f"{folder.name}.*"))}
    for path in modes:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        added, problem, read = in_child(add_as_nobody, folder, 7000)
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    return not added and "cannot be written" in problem and read == before == in_child(ids_of, folder)


def cut_off(folder: Path) -> bool:
    """A journal that was cut off: a clear error, or nothing is missing yet; all is there with the copy put back."""
    journal, before = journal_of(folder), in_child(ids_of, folder)
    whole, clear = journal.read_bytes(), True
    for left in CUTS.values():
        journal.write_bytes(whole[: len(whole) // 2 if left == -2 else left])
        answer = in_child(opened, folder)
        clear = clear and (answer == before if isinstance(answer, list) else "damaged" in answer)
    journal.write_bytes(whole)
    return clear and in_child(ids_of, folder) == before


def of_another(folder: Path) -> bool:
    """The journal of another model: a clear error, and all is there with the right one put back."""
    other, journal, before = folder.with_name("other"), journal_of(folder), in_child(ids_of, folder)
    in_child(build_other, other)
    whole = journal.read_bytes()
    shutil.copyfile(journal_of(other), journal)
    clear = "another model" in str(in_child(opened, folder))
    journal.write_bytes(whole)
    return clear and in_child(ids_of, folder) == before


FAULTS: dict[str, Callable[[Path], bool]] = {
    "disk-full": disk_full,
    "read-only": read_only,
    "cut-off": cut_off,
    "other-model": of_another,
}


def fault_rows(suite: str, place: Path) -> Iterator[ResultRow]:
    """One row a fault: 1 if there was a clear error and nothing was lost."""
    for name, is_well in FAULTS.items():
        folder = place / name / "model"
        folder.parent.mkdir()
        in_child(build, folder)
        in_child(add, folder, 0, N_CHANGES)
        for path in (place, folder.parent):
            path.chmod(0o755)
        yield ResultRow(suite, f"fault/{name}", "deixis", int(is_well(folder)), "of 1")
