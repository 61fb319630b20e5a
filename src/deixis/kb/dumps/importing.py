"""Dumps of many files to one list of entities, in several processes; what was done before an interruption stays done.

Beside the output is a folder, `OUTPUT.parts`, with the outputs of shards and what they were made from. It is removed
when the output is whole.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from deixis.errors import ConfigError, DataError, StoreError
from deixis.kb.dumps.join import N_REDIRECT_STEPS, follow_redirects, merged, n_buckets_for
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.dumps.shards import Shard, Tick, shards_of
from deixis.kb.dumps.tasks import (
    N_TOGETHER,
    Job,
    ShardReport,
    checked_entities,
    entity_line,
    join_bucket,
    read_shard,
    text_output,
)
from deixis.kb.formats import DUMP_PAGES, open_records
from deixis.kb.formats.dump_json import check_query
from deixis.kb.read_options import ReadOptions
from deixis.progress import stage, steps

SHARD_BYTES = 64 << 20
_VERSION = 1
_MB = 1_000_000
_PATIENCE = 0.5  # seconds between two counts of what the processes have done


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What came of an import; `bad` has file, line and reason of each record that was left out."""

    n_records: int
    n_entities: int
    n_documents: int
    n_shards: int
    n_done_before: int
    bad: list[tuple[str, int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class DumpImport:
    r"""Dumps of one format, cut into shards that are read in any order; the output is in the order of the dumps.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> item = '{"type": "item", "id": "Q90", "labels": {"en": {"language": "en", "value": "Paris"}}}'
    >>> _ = (folder / "latest-all.json").write_text(f"[\n{item}\n]\n")
    >>> dumps = DumpImport.of([folder / "latest-all.json"], folder / "entities.jsonl.parts")
    >>> report = dumps.run(n_workers=1)
    >>> report.n_entities, next(dumps.entities())
    (1, '{"id": "Q90", "title": "Paris", "aliases": [{"text": "Paris", "lang": "en"}], ...
    """

    job: Job
    shards: tuple[Shard, ...]

    @classmethod
    def of(
        cls,
        paths: Sequence[str | os.PathLike[str]],
        folder: Path,
        options: ReadOptions | None = None,
        *,
        has_texts: bool = False,
        skip_bad: bool = False,
        shard_bytes: int = SHARD_BYTES,
    ) -> DumpImport:
        """The import of some files, whose format is known by their content; `folder` is for the work."""
        options = options or ReadOptions()
        formats = dict.fromkeys(open_records(path, options).format for path in paths)
        if len(formats) != 1 or next(iter(formats)) not in DUMP_PAGES:
            names = ", ".join(formats)
            raise ConfigError(f"Dumps of one format are imported at a time ({', '.join(DUMP_PAGES)}); got {names}.")
        check_query(next(iter(formats)), DumpQuery.of(options.query))
        shards = tuple(shard for path in paths for shard in shards_of(Path(path), shard_bytes))
        job = Job(
            next(iter(formats)),
            str(folder),
            options.query,
            has_texts,
            skip_bad,
            options.max_line,
            n_buckets_for(sum(shard.end - shard.begin for shard in shards)),
        )
        return cls(job, shards)

    @property
    def folder(self) -> Path:
        """Where the outputs of shards are."""
        return Path(self.job.folder)

    def run(self, n_workers: int) -> ImportReport:
        """Does what is not done yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        reports = {number: _report_of(self.job, number, shard) for number, shard in enumerate(self.shards)}
        n_before = sum(report is not None for report in reports.values())
        todo = [number for number, report in reports.items() if report is None]
        if todo:
            for path in (*self.folder.glob("moved-*"), *self.folder.glob("bucket-*")):
                path.unlink()
        n_bytes = sum(self.shards[number].end - self.shards[number].begin for number in todo)
        tasks = [(_read_and_note, (self.job, number, self.shards[number])) for number in todo]
        try:
            for number, report in zip(todo, _results(tasks, n_workers, "reading dumps", n_bytes), strict=True):
                reports[number] = report
        except DataError as error:
            raise self._with_line_of_file(error) from None
        except BrokenProcessPool:
            reason = "A process died; is there memory for all? Try fewer with --workers; what is done stays done."
            raise StoreError(reason) from None
        done = [report for report in reports.values() if report is not None]
        n_entities = sum(report.n_entities for report in done)
        if self.job.is_joined:
            n_entities = self._join(n_workers)
        return ImportReport(
            sum(report.n_records for report in done),
            n_entities,
            sum(report.n_documents for report in done),
            len(self.shards),
            n_before,
            list(self._bad(done)),
        )

    def entities(self) -> Iterator[str]:
        """Each entity as a line of JSON, in the order of the dumps."""
        if self.job.is_joined:
            buckets = [self.job.path("bucket", bucket) for bucket in range(self.job.n_buckets)]
            joined = merged(buckets)
            while batch := list(islice(joined, N_TOGETHER)):
                records = [(row, record) for row, (_, record) in enumerate(batch)]
                entities, problems = checked_entities(records)
                if problems and not self.job.skip_bad:
                    row, reason = problems[0]
                    raise DataError(reason, path=self.shards[batch[row][0][0]].path)
                yield from map(entity_line, entities)
            return
        yield from self._lines_of("entities")

    def texts(self) -> Iterator[str]:
        """Each annotated text as a line of JSON."""
        return self._lines_of("texts")

    def remove_parts(self) -> None:
        """Removes the outputs of the shards."""
        shutil.rmtree(self.folder)

    def _lines_of(self, kind: str) -> Iterator[str]:
        for number in range(len(self.shards)):
            with open(self.job.path(kind, number), encoding="utf-8", newline="\n") as file:
                yield from file

    def _join(self, n_workers: int) -> int:
        parts = [self.job.path("parts", number) for number in range(len(self.shards))]
        moved = [self.job.path("moved", step) for step in range(N_REDIRECT_STEPS)]
        with stage("following redirects"):
            for step, path in enumerate(moved):
                if not path.exists():
                    follow_redirects(parts, moved[:step], self.job.n_buckets, path)
        tasks = [(_join_and_tick, (self.job, bucket, len(parts), len(moved))) for bucket in range(self.job.n_buckets)]
        return sum(_results(tasks, n_workers, "joining pages", self.job.n_buckets * _MB))

    def _bad(self, reports: Iterable[ShardReport]) -> Iterator[tuple[str, int, str]]:
        """Bad records with the numbers of their lines in the whole file."""
        n_before, last = 0, ""
        for shard, report in zip(self.shards, reports, strict=True):
            n_before = n_before if shard.path == last else 0
            yield from ((shard.path, n_before + line, reason) for line, reason in report.bad)
            n_before, last = n_before + report.n_lines, shard.path

    def _with_line_of_file(self, error: DataError) -> DataError:
        """The error of a shard that does not begin its file, without the line, which is counted from its beginning."""
        begins = sorted({shard.begin for shard in self.shards if shard.path == error.path})
        if error.line is None or len(begins) < 2:
            return error
        reason = f"{error.reason} (a line of a part of the file; --skip-bad writes the number in the whole file)"
        return DataError(reason, path=error.path)


def _key(job: Job, shard: Shard) -> str:
    """What the output of a shard depends on."""
    source = asdict(replace(job, folder="")) | asdict(shard) | {"version": _VERSION}
    return hashlib.sha256(json.dumps(source, sort_keys=True).encode()).hexdigest()


def _report_of(job: Job, number: int, shard: Shard) -> ShardReport | None:
    """What came of a shard, if it was read before from the same file in the same way."""
    with suppress(OSError, ValueError):
        note = json.loads(job.path("shard", number).read_text(encoding="utf-8"))
        if note["key"] == _key(job, shard):
            report = ShardReport(**note["report"])
            report.bad = [(line, reason) for line, reason in report.bad]
            return report
    return None


def _read_and_note(task: tuple[Job, int, Shard], tick: Tick) -> ShardReport:
    """Reads a shard, and when its outputs are whole notes what they were made from."""
    job, number, shard = task
    job.path("shard", number).unlink(missing_ok=True)
    report = read_shard(job, number, shard, tick)
    with text_output(job.path("shard", number)) as file:
        json.dump({"key": _key(job, shard), "report": asdict(report)}, file)
    return report


def _join_and_tick(task: tuple[Job, int, int, int], tick: Tick) -> int:
    n_entities = join_bucket(*task)
    tick(_MB)
    return n_entities


_Task = tuple[Callable[[Any, Tick], Any], Any]


def _results(tasks: Sequence[_Task], n_workers: int, label: str, n_bytes: int) -> list[Any]:
    """The result of each task, in order; progress counts megabytes."""
    with _megabytes(label, n_bytes) as show:
        if n_workers == 1 or len(tasks) < 2:
            return [function(argument, show) for function, argument in tasks]
        context = multiprocessing.get_context("spawn")
        counter, stop = context.Value("q", 0), context.Event()
        n_shown = 0
        with ProcessPoolExecutor(min(n_workers, len(tasks)), context, _begin, (counter, stop)) as pool:
            futures: list[Future[Any]] = [pool.submit(_do, function, argument) for function, argument in tasks]
            try:
                left = set(futures)
                while left:
                    done, left = wait(left, timeout=_PATIENCE, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
                    show(counter.value - n_shown)
                    n_shown = counter.value
            except BaseException:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
            return [future.result() for future in futures]


_counter: Any = None
_stop: Any = None


def _begin(counter: Any, stop: Any) -> None:  # noqa: ANN401 - shared values of multiprocessing
    """Sets a process up: what it has read is counted for all, and the first process alone hears of an interruption."""
    global _counter, _stop
    _counter, _stop = counter, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this process when the one that started it has died."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class _Stopped(Exception):
    """The import was stopped."""


def _do(function: Callable[[Any, Tick], Any], argument: object) -> Any:  # noqa: ANN401 - any result
    def tick(n: int) -> None:
        if _stop.is_set():
            raise _Stopped
        with _counter.get_lock():
            _counter.value += n

    return function(argument, tick)


@contextmanager
def _megabytes(label: str, n_bytes: int) -> Iterator[Tick]:
    """Counts bytes; progress is in megabytes, with how many there are in a second."""
    began, n_done, n_sent = time.monotonic(), 0, 0
    with steps(label, n_bytes // _MB) as advance:

        def show(n: int) -> None:
            nonlocal n_done, n_sent
            n_done += n
            if n_done // _MB > n_sent:
                rate = n_done / _MB / max(time.monotonic() - began, 1e-3)
                advance(n_done // _MB - n_sent, f"MB, {rate:.1f} a second")
                n_sent = n_done // _MB

        yield show
