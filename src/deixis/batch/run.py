"""A run: files cut into shards, those that the ledger lacks linked by processes, each noted when it is on disk."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from deixis.batch.ledger import PARTIAL, Entry, Ledger, open_ledger
from deixis.batch.linking import ShardLinker, job_of, partial_name
from deixis.batch.settings import Job
from deixis.batch.shards import Shard, plan_shards
from deixis.documents.formats import READERS
from deixis.errors import DataError, UnknownNameError
from deixis.linking.options import LinkOptions
from deixis.processes.pool import Advance, Failed, Outcome, Pool
from deixis.progress import steps
from deixis.store.files import STDIN

T = TypeVar("T")
DEFAULT = LinkOptions()
FUNCTION = f"{ShardLinker.__module__}:{ShardLinker.__name__}.from_json"
MAX_SHOWN = 5  # shards that an error names
Paths = Sequence[str | os.PathLike[str]]


class Runner(Protocol):
    """Whoever does tasks: processes of this machine (`Pool`), or another engine."""

    def run(
        self, function: str, argument: dict[str, Any], tasks: Sequence[tuple[T, dict[str, Any]]], advance: Advance
    ) -> Generator[tuple[T, Outcome]]:
        """Each task's key with what came of it."""


@dataclass(frozen=True)
class BatchSummary:
    """What a run did: shards linked now and those that were linked before, and the documents of all of them.

    `bad` is the file that says which documents could not be read or linked, and why; None if there are none.
    """

    n_linked: int
    n_unchanged: int
    n_documents: int
    n_bad: int
    n_others: int
    seconds: float
    cpu_seconds: float
    bad: Path | None


def link_files(
    model: str | os.PathLike[str],
    files: Paths,
    output: str | os.PathLike[str],
    options: LinkOptions = DEFAULT,
    *,
    n_workers: int = 0,
    format: str | None = None,
    to: str = "native",
    ner: str | None = None,
    n_threads: int = 1,
    runner: Runner | None = None,
) -> BatchSummary:
    r"""Links the documents of files, or of all files in folders, into a folder, with the model at a path.

    `n_workers` processes share the work; 0 means one for each processor, with `n_threads` threads each. Outputs are the
    same however many there are. What a run before has linked, with the same model and options, is not linked again. A
    document that cannot be read or linked is left out, and noted. `runner` does the work in place of processes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from deixis import KnowledgeBase, Linker
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> Linker.build(KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}])).save(folder / "model")
    >>> _ = (folder / "texts.jsonl").write_text('{"text": "Paris fled."}\n' * 3)
    >>> summary = link_files(folder / "model", [folder / "texts.jsonl"], folder / "links", n_workers=1)
    >>> summary.n_documents, [path.name for path in folder.glob("links/*.jsonl")]
    (3, ['texts-00000.jsonl'])
    """
    begin = time.monotonic()
    if format is not None and format not in READERS:
        raise UnknownNameError("document format", format, known=READERS)
    job = job_of(model, options, format=format, to=to, ner=ner, n_threads=n_threads)
    shards = plan_shards([each if each == STDIN else os.path.abspath(each) for each in files], format, to)
    with open_ledger(Path(output)) as ledger:
        waiting = [shard for shard in shards if not ledger.has(shard, job)]
        n_others = ledger.remove_others(shards)
        total = sum(shard.part.n_rows or 1 for shard in waiting)
        with steps("linking", total) as advance:
            pool = runner or Pool(n_workers or os.cpu_count() or 1)
            try:
                failed, cpu = _link(ledger, job, waiting, pool, _Clock(advance).advance)
            finally:
                bad = ledger.write_bad()
        n_documents, n_bad = ledger.totals(shards)
    if failed:
        raise DataError(_failures(failed, len(shards)))
    seconds = time.monotonic() - begin
    return BatchSummary(len(waiting), len(shards) - len(waiting), n_documents, n_bad, n_others, seconds, cpu, bad)


def _link(
    ledger: Ledger, job: Job, shards: Sequence[Shard], runner: Runner, advance: Advance
) -> tuple[dict[str, str], float]:
    """Links shards and notes each; the outputs that could not be made with the reason, and processor seconds."""
    failed: dict[str, str] = {}
    cpu = 0.0
    partials = {shard: ledger.own.absolute() / PARTIAL / partial_name(shard) for shard in shards}
    tasks = [(shard, {"shard": asdict(shard), "partial": str(partials[shard])}) for shard in shards]
    with closing(runner.run(FUNCTION, asdict(job), tasks, advance)) as outcomes:
        for shard, outcome in outcomes:
            if isinstance(outcome, Failed):
                failed[f"{shard.path}, from line {shard.part.first}"] = outcome.reason
                continue
            result = outcome.result
            bad = tuple((line, reason) for line, reason in result["bad"])
            ledger.commit(shard, job, Path(result["partial"]), Entry(result["n_documents"], bad, result["output_hash"]))
            cpu += result["cpu"]
    return failed, cpu


def _failures(failed: dict[str, str], n_shards: int) -> str:
    lines = [f"{name}: {reason}" for name, reason in list(failed.items())[:MAX_SHOWN]]
    more = f"\nand {len(failed) - MAX_SHOWN} more" if len(failed) > MAX_SHOWN else ""
    words = "\n".join(lines)
    return (
        f"{len(failed)} of {n_shards} shards could not be linked; the others are. Run the same again to try only these."
        f"\n{words}{more}"
    )


class _Clock:
    """Progress with the rate so far."""

    def __init__(self, advance: Any) -> None:  # noqa: ANN401 - what `steps` gives
        self._advance = advance
        self._begin = time.monotonic()
        self._n = 0

    def advance(self, n: int) -> None:
        """Counts `n` more; fewer, if a process died in the middle."""
        self._n += n
        rate = self._n / max(time.monotonic() - self._begin, 1e-9)
        self._advance(n, f"{rate:,.0f} documents/s")
