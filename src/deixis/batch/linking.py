"""Linking one shard: read, link, write under a temporary name. What any process does, whoever started it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from deixis.batch.ledger import NO_ROOM
from deixis.batch.settings import PARQUET, Job
from deixis.batch.shards import SHARD_READERS, Part, ReadDocument, Shard, ShardReader, sha256_of
from deixis.detection.recognizers import Recognize, SpacyRecognizer
from deixis.documents.html_text import in_source
from deixis.documents.writing import write_documents
from deixis.errors import ConfigError, DataError, StoreError, WriteError
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlans
from deixis.store.durable import fsync_file
from deixis.store.files import compression_suffix, open_new
from deixis.store.manifest import MANIFEST_NAME
from deixis.types import Document

BATCH_SIZE = 256  # documents linked together
MAX_CHARACTERS = 1_000_000  # of these, unless one of them has more
Advance = Callable[[int], None]
"""Called with how many more documents are done."""


class ShardLinker:
    """Links shards with a model that is opened once, by its path."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._linker = open_for(job)
        self._options = LinkOptions(**job.options)
        self._recognizer: Recognize | None = None if job.ner is None else SpacyRecognizer.load(job.ner)
        self._readers: dict[str, ShardReader] = {}

    @classmethod
    def from_json(cls, job: dict[str, Any]) -> ShardLinker:
        """The same for a job as JSON holds it."""
        return cls(Job(**job))

    def __call__(self, task: dict[str, Any], advance: Advance) -> dict[str, Any]:
        """Links the shard of a task into its partial file; what came of it, as JSON holds it."""
        begin = time.process_time()
        shard, partial = shard_from(task["shard"]), Path(task["partial"])
        bad: list[tuple[int | None, str]] = []
        try:
            n_documents = self._write(shard, partial, self._linked(shard, bad, advance))
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            reason = f"cannot be written: {error.strerror}; make room, and run the same again"
            raise WriteError(reason, path=shard.output) from error
        return {
            "n_documents": n_documents,
            "bad": bad,
            "output_hash": sha256_of(partial),
            "partial": str(partial),
            "cpu": time.process_time() - begin,
        }

    def _write(self, shard: Shard, partial: Path, documents: Iterable[Document]) -> int:
        with open_new(partial, "" if self.job.to == PARQUET else compression_suffix(shard.output)) as stream:
            n_documents = write_documents(map(in_source, documents), stream, self.job.to, str(partial))
        fsync_file(partial)
        return n_documents

    def _linked(self, shard: Shard, bad: list[tuple[int | None, str]], advance: Advance) -> Iterator[Document]:
        if shard.kind not in self._readers:
            self._readers[shard.kind] = SHARD_READERS[shard.kind]()
        for batch in _batches(self._readers[shard.kind].read(shard)):
            bad += [(line, each.reason) for line, each in batch if isinstance(each, DataError)]
            numbered = [(line, each) for line, each in batch if isinstance(each, Document)]
            yield from self._linked_batch(numbered, bad)
            if shard.kind != "file":
                advance(len(batch))
        if shard.kind == "file":
            advance(1)

    def _linked_batch(
        self, numbered: list[tuple[int | None, Document]], bad: list[tuple[int | None, str]]
    ) -> list[Document]:
        """The documents linked together; if that fails, one by one, so that a single one is bad."""
        documents = [document for _, document in numbered]
        try:
            return list(
                self._linker.link_many(documents, self._options, recognizer=self._recognizer, batch_size=BATCH_SIZE)
            )
        except (OSError, MemoryError, StoreError, ConfigError):
            raise
        except Exception as error:
            if len(numbered) == 1:
                bad.append((numbered[0][0], f"cannot be linked: {type(error).__name__}: {error}"))
                return []
        return [document for each in numbered for document in self._linked_batch([each], bad)]


def open_model(path: str, n_threads: int = 1) -> Linker:
    """The linker at a path, memory-mapped: processes that open one model share its memory."""
    return Linker.load(path, n_threads=n_threads)


def open_for(job: Job) -> Linker:
    """The linker of a job; if the model at its path is another one by now, or on this machine, that is an error."""
    linker = open_model(job.model, job.n_threads)
    if (model_id(linker), linker.generation) != (job.model_id, job.generation):
        raise StoreError(
            f"The model {job.model} was changed while it was linked with, or is another one here; run again."
        )
    return linker


def job_of(model: str | os.PathLike[str], options: LinkOptions, **how: Any) -> Job:  # noqa: ANN401 - fields of a job
    """The job of linking with the model at a path; what it cannot do of the options is an error."""
    if not isinstance(model, str | os.PathLike):
        raise ConfigError(f"Processes open a model by its path; got {type(model).__name__}. Save it, give the path.")
    path = os.path.abspath(model)
    linker = open_model(path)
    LinkPlans.of(linker.model, options)
    return Job(path, model_id(linker), linker.generation, options.to_dict(), **how)


def model_id(linker: Linker) -> str:
    """What is in a model's folder, as a hash of its manifest, which has hashes of all arrays."""
    origin = linker.model.origin
    if origin is None:
        raise StoreError("The linker was not loaded from a folder. Save it, and give the folder.")
    manifest = hashlib.sha256((origin.folder / MANIFEST_NAME).read_bytes()).hexdigest()
    return hashlib.sha256(json.dumps([origin.model_id, manifest]).encode()).hexdigest()[:32]


def shard_from(record: dict[str, Any]) -> Shard:
    """The shard that JSON holds."""
    return Shard(**{**record, "part": Part(**record["part"])})


def partial_name(shard: Shard) -> str:
    """A name for an unfinished output that no other attempt has."""
    return f"{os.path.basename(shard.output)}.{os.urandom(6).hex()}"


def _batches(rows: Iterator[ReadDocument]) -> Iterator[list[ReadDocument]]:
    batch: list[ReadDocument] = []
    n_characters = 0
    for row in rows:
        batch.append(row)
        n_characters += len(row[1].text) if isinstance(row[1], Document) else 0
        if len(batch) >= BATCH_SIZE or n_characters >= MAX_CHARACTERS:
            yield batch
            batch, n_characters = [], 0
    if batch:
        yield batch
