"""What a process of an import does with a task: it reads a shard, or joins a bucket, and notes what is whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from deixis.errors import DataError, WriteError
from deixis.kb.dumps.join import N_REDIRECT_STEPS
from deixis.kb.dumps.shards import Shard
from deixis.kb.dumps.tasks import Job, ShardReport, join_bucket, read_shard, text_output

_VERSION = 2
_MB = 1_000_000


@dataclass(frozen=True)
class DumpWork:
    r"""Does tasks of a job; tasks and results are JSON, so that any process can have them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deixis.kb.dumps.shards import shards_of
    >>> folder = Path(tempfile.mkdtemp())
    >>> page = '{"index": {"_id": "7"}}\n{"title": "Troy", "namespace": 0, "language": "en"}\n'
    >>> _ = (folder / "dump.json").write_text(page)
    >>> shard = shards_of(folder / "dump.json", 1 << 20)[0]
    >>> work = DumpWork(Job("cirrussearch", str(folder)))
    >>> work({"number": 0, "shard": asdict(shard)}, lambda n: None)["n_entities"]
    1
    """

    job: Job

    @classmethod
    def from_json(cls, argument: dict[str, Any]) -> DumpWork:
        """The work of a job that was sent as JSON."""
        return cls(Job(**argument))

    def __call__(self, task: dict[str, Any], advance: Callable[[int], None]) -> dict[str, Any]:
        """Does a task; of a shard with bad records that are not left out, what is wrong with it."""
        try:
            if "bucket" not in task:
                return self._read(task["number"], Shard(**task["shard"]), advance)
            n_entities = join_bucket(self.job, task["bucket"], task["n_shards"], N_REDIRECT_STEPS)
        except OSError as error:
            reason = f"{error.strerror}; see to that, and run the same again: what is done stays done"
            raise WriteError(reason, path=error.filename or self.job.folder) from error
        advance(_MB)
        return {"n_entities": n_entities}

    def _read(self, number: int, shard: Shard, advance: Callable[[int], None]) -> dict[str, Any]:
        note = self.job.path("shard", number)
        note.unlink(missing_ok=True)
        try:
            report = asdict(read_shard(self.job, number, shard, advance))
        except DataError as error:
            return {"problem": (error.reason, shard.path, error.line)}
        with text_output(note) as file:
            json.dump({"key": _key(self.job, shard), "report": report}, file)
        return report


def report_of(job: Job, number: int, shard: Shard) -> ShardReport | None:
    """What came of a shard, if it was read before from the same file in the same way."""
    with suppress(OSError, ValueError):
        note = json.loads(job.path("shard", number).read_text(encoding="utf-8"))
        if note["key"] == _key(job, shard):
            return ShardReport(**note["report"])
    return None


def _key(job: Job, shard: Shard) -> str:
    """What the output of a shard depends on."""
    source = asdict(replace(job, folder="")) | asdict(shard) | {"version": _VERSION}
    return hashlib.sha256(json.dumps(source, sort_keys=True).encode()).hexdigest()
