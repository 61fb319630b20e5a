"""Dumps of many files to one list of entities, in several processes; what was done before an interruption stays done.

Beside the output is a folder, `OUTPUT.parts`, with the outputs of shards and what they were made from. It is removed
when the output is whole.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from deixis.errors import ConfigError, DataError, StoreError
from deixis.kb.dumps.join import N_REDIRECT_STEPS, follow_redirects, merged, n_buckets_for
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.dumps.shards import Shard, Tick, n_line_ends, shards_of
from deixis.kb.dumps.tasks import N_TOGETHER, Job, ShardReport, checked_entities, entity_line
from deixis.kb.dumps.work import DumpWork, report_of
from deixis.kb.formats import DUMP_PAGES, open_records
from deixis.kb.formats.dump_json import check_query
from deixis.kb.read_options import ReadOptions
from deixis.processes.pool import Failed, Pool
from deixis.progress import stage, steps

SHARD_BYTES = 64 << 20
FUNCTION = f"{DumpWork.__module__}:{DumpWork.__name__}.from_json"
_MB = 1_000_000


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
        reports = {number: report_of(self.job, number, shard) for number, shard in enumerate(self.shards)}
        todo = [number for number, report in reports.items() if report is None]
        if todo:
            for path in (*self.folder.glob("moved-*"), *self.folder.glob("bucket-*")):
                path.unlink()
        tasks = [(number, {"number": number, "shard": asdict(self.shards[number])}) for number in todo]
        n_bytes = sum(self.shards[number].end - self.shards[number].begin for number in todo)
        for number, result in self._results(tasks, n_workers, "reading dumps", n_bytes):
            if "problem" in result:
                raise self._with_line_of_file(number, result["problem"], reports)
            reports[number] = ShardReport(**result)
        done = [report for report in reports.values() if report is not None]
        n_entities = sum(report.n_entities for report in done)
        if self.job.is_joined:
            n_entities = self._join(n_workers)
        return ImportReport(
            sum(report.n_records for report in done),
            n_entities,
            sum(report.n_documents for report in done),
            len(self.shards),
            len(self.shards) - len(todo),
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
        buckets = [(bucket, {"bucket": bucket, "n_shards": len(parts)}) for bucket in range(self.job.n_buckets)]
        results = self._results(buckets, n_workers, "joining pages", self.job.n_buckets * _MB)
        return sum(result["n_entities"] for _, result in results)

    def _results(
        self, tasks: Sequence[tuple[int, dict[str, Any]]], n_workers: int, label: str, n_bytes: int
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each task's number with its result, as they are done; one process is this one."""
        with _megabytes(label, n_bytes) as advance:
            if n_workers == 1 or len(tasks) < 2:
                work = DumpWork(self.job)
                yield from ((number, work(task, advance)) for number, task in tasks)
                return
            with closing(Pool(n_workers).run(FUNCTION, asdict(self.job), tasks, advance)) as outcomes:
                for number, outcome in outcomes:
                    if isinstance(outcome, Failed):
                        raise StoreError(f"A part could not be read: {outcome.reason}. What is done stays done.")
                    yield number, outcome.result

    def _bad(self, reports: Iterable[ShardReport]) -> Iterator[tuple[str, int, str]]:
        """Bad records with the numbers of their lines in the whole file."""
        n_before, last = 0, ""
        for shard, report in zip(self.shards, reports, strict=True):
            n_before = n_before if shard.path == last else 0
            yield from ((shard.path, n_before + line, reason) for line, reason in report.bad)
            n_before, last = n_before + report.n_lines, shard.path

    def _with_line_of_file(
        self, number: int, problem: tuple[str, str, int | None], reports: Mapping[int, ShardReport | None]
    ) -> DataError:
        """What is wrong with a shard, with its line in the whole file."""
        reason, path, line = problem
        if line is not None:
            for before in range(number):
                if self.shards[before].path == path:
                    report = reports[before]
                    line += n_line_ends(self.shards[before]) if report is None else report.n_lines
        return DataError(reason, path=path, line=line)


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
