"""Processes that change a small model, and readers that check it meanwhile: the parts of `reliability.journal`.

Whoever forks never opens a model itself: what a process opened must not be used behind a fork.
"""

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from deixis.documents.corrections import Correction
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.live import LiveModel
from deixis.store.change import Change
from deixis.store.journal import Writer

FORK = multiprocessing.get_context("fork")
N_PAIRS = 6  # added entities that there are at once, twice as many
N_SPANS = 4  # spans that are corrected again and again
PAUSE = 0.01  # seconds between two reads
NAMES = tuple(first + last for first in ("Bar", "Kel", "Mon", "Tor") for last in ("dale", "feld", "grad", "haven"))
RECORDS = [{"id": f"b{n}", "title": name, "description": f"town number {n}"} for n, name in enumerate(NAMES)]


@dataclass(frozen=True)
class Shared:
    """Numbers that processes see of each other at once: the last change acknowledged, and whether to stop."""

    acknowledged: Any
    is_stopped: Any

    @classmethod
    def make(cls) -> "Shared":
        """Both 0."""
        return cls(FORK.RawValue("q", 0), FORK.RawValue("b", 0))


def build(folder: Path) -> None:
    """The small model that is changed."""
    Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1).save(folder)


def in_child(function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - any JSON
    """What a function gives, called in a process of its own."""
    here, there = FORK.Pipe(duplex=False)

    def run() -> None:
        there.send(json.dumps(function(*arguments)))

    process = FORK.Process(target=run)
    process.start()
    there.close()
    try:
        return json.loads(here.recv())
    except EOFError:
        raise RuntimeError(f"{function.__name__} ended with an error; see above") from None
    finally:
        process.join()


def changes(live: LiveModel, seed: int) -> Iterator[Change]:
    """Changes without end: pairs of entities added and removed, one edited, links corrected."""
    draw, number = random.Random(seed), 0
    while True:
        added = sorted({each.id[1:] for each in live.linker.kb.entities() if each.id[0] in "xy"})
        deed = draw.choice(("add", "add", "edit", "remove", "correct"))
        if deed == "add" and len(added) < N_PAIRS:
            name, number = f"{seed}-{number}", number + 1
            yield live.add([{"id": f"x{name}", "title": f"Xan{name}"}, {"id": f"y{name}", "title": f"Yor{name}"}])
        elif deed == "remove" and added:
            name = draw.choice(added)
            yield live.remove([f"x{name}", f"y{name}"])
        elif deed == "edit":
            number += 1
            yield live.edit(f"b{draw.randrange(len(NAMES))}", {"description": f"written {seed}-{number}"})
        elif deed == "correct":
            place, number = draw.randrange(N_SPANS), number + 1
            text, entity = f"In {NAMES[place]} it rained.", f"b{draw.randrange(len(NAMES))}"
            yield live.correct([Correction(text, 3, 3 + len(NAMES[place]), "gold", entity)], reason=f"{seed}-{number}")


def write(folder: Path, seed: int, pipe: Connection, shared: Shared, is_early: bool, n_changes: int = 0) -> None:
    """Changes the model until it is killed, and tells of each change after it is durable; before it if `is_early`."""
    live = LiveModel.open(folder, n_threads=1)
    live.current()

    def acknowledge(change: Change) -> None:
        pipe.send_bytes(json.dumps([change.generation, change.verb, change.items[0].key]).encode())
        shared.acknowledged.value = max(shared.acknowledged.value, change.generation or 0)

    if is_early:
        append = Writer.append

        def append_and_tell(writer: Writer, change: Change) -> Change:
            written = append(writer, change)
            acknowledge(written)
            return written

        Writer.append = append_and_tell  # type: ignore[method-assign]  # in this process only
    pipe.send_bytes(b"ready")
    n_written = 0
    for change in changes(live, seed):
        if change.generation is None:
            continue
        if not is_early:
            acknowledge(change)
        n_written += 1
        if n_written == n_changes:
            break
    live.close()


def killed_write(folder: Path, seed: int, delay: float, shared: Shared, is_early: bool) -> list[list[Any]]:
    """Starts a writer, kills it so many seconds after it began to write: the changes that it told of."""
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=write, args=(folder, seed, there, shared, is_early))
    process.start()
    there.close()
    here.recv_bytes()  # it is ready
    end, told = time.monotonic() + delay, []
    while (left := end - time.monotonic()) > 0:
        if here.poll(left):
            told.append(json.loads(here.recv_bytes()))
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    try:
        while True:
            told.append(json.loads(here.recv_bytes()))
    except (EOFError, OSError, ValueError):  # nothing more, or half a message: it was not told
        return told
    finally:
        here.close()


def lost(folder: Path, told: list[list[Any]]) -> int:
    """How many acknowledged changes the journal lacks, or has otherwise; one more if generations are missing."""
    live = LiveModel.open(folder, n_threads=1)
    kept = {change.generation: [change.generation, change.verb, change.items[0].key] for change in live.log()}
    live.close()
    return sum(kept.get(one[0]) != one for one in told) + (sorted(kept) != list(range(1, len(kept) + 1)))


class Replay:
    """What the changes up to a generation come to, read from the log and not from what the model is made of."""

    def __init__(self, live: LiveModel) -> None:
        self.live, self.generation = live, 0
        self.id_to_record: dict[str, dict[str, Any] | None] = {}

    def at(self, generation: int) -> dict[str, dict[str, Any] | None]:
        """The records of changed entities, None for those removed."""
        for change in reversed(self.live.log(since=self.generation)):
            if change.generation is not None and self.generation < change.generation <= generation:
                self.id_to_record.update({item.key: item.after for item in change.items if item.kind == "entity"})
        self.generation = max(self.generation, generation)
        return self.id_to_record


def is_consistent(linker: Linker, generation: int, records: dict[str, dict[str, Any] | None]) -> bool:
    """Whether a linker is the one of its generation: entities, what can be linked, and what cannot any more."""
    entities = {entity.id: entity for entity in linker.kb.entities()}
    expected = {each["id"] for each in RECORDS} | {key for key, record in records.items() if record is not None}
    if linker.generation != generation or set(entities) != expected - {k for k, r in records.items() if r is None}:
        return False
    if any(record is not None and entities[key].to_record() != record for key, record in records.items()):
        return False
    recent = [key for key in records if key[0] in "xy"][-6:]
    title_to_id = {f"{'Xan' if key[0] == 'x' else 'Yor'}{key[1:]}": key for key in recent}
    linked = linker.link(" and ".join(title_to_id))
    seen = {mention.entity for mention in linked.mentions if mention.entity is not None}
    return seen <= set(entities) and {key for key in recent if key in entities} <= seen


def read(folder: Path, shared: Shared, pipe: Connection, is_paired: bool) -> None:
    """Reads until it is stopped and tells how often, and how often what it read was torn, fell back or was stale.

    Where not `is_paired`, linker and generation are read one after the other, as nobody should.
    """
    os.nice(5)  # writers come first
    live = LiveModel.open(folder, n_threads=1)
    replay, last, last_pair = Replay(live), 0, None
    counts = {"reads": 0, "checked": 0, "torn": 0, "fell": 0, "stale": 0}
    while not shared.is_stopped.value:
        acknowledged = shared.acknowledged.value
        if is_paired:
            linker, generation = live.current()
        else:
            linker = live.linker
            time.sleep(PAUSE)
            generation = live.generation
        counts["reads"] += 1
        counts["fell"] += generation < last
        counts["stale"] += generation < acknowledged
        if (linker, generation) != last_pair:  # linkers are equal only if they are the same
            counts["checked"] += 1
            counts["torn"] += not is_consistent(linker, generation, replay.at(generation))
        last, last_pair = generation, (linker, generation)
        time.sleep(PAUSE)
    pipe.send(counts)
    live.close()


@contextmanager
def readers(folder: Path, shared: Shared, n: int, totals: dict[str, int], is_paired: bool = True) -> Iterator[None]:
    """So many readers while the block runs; what they counted is in `totals` behind it."""
    pipes, processes = [], []
    for _ in range(n):
        here, there = FORK.Pipe(duplex=False)
        process = FORK.Process(target=read, args=(folder, shared, there, is_paired))
        process.start()
        there.close()
        pipes.append(here)
        processes.append(process)
    try:
        yield
    finally:
        shared.is_stopped.value = 1
        for here, process in zip(pipes, processes, strict=True):
            try:
                counts = here.recv()
            except EOFError:  # it ended with an error, which is shown
                counts = {"failed": 1}
            process.join()
            for name, count in counts.items():
                totals[name] = totals.get(name, 0) + count
