"""Files of other formats, each of them one shard: texts, pages, BioC, NIF and so on."""

from __future__ import annotations

from collections.abc import Iterator

from deixis.batch.settings import WITH_SIDE_FILES
from deixis.batch.shards import Part, ReadDocument, Shard, sha256_of
from deixis.documents.reading import read_documents
from deixis.errors import ConfigError, DataError


class FileShards:
    """One part: the file. What comes behind a mistake in it is not read."""

    def cut(self, path: str) -> Iterator[Part]:
        """The whole file."""
        yield Part(1, 0, 0, sha256_of(path))

    def read(self, shard: Shard) -> Iterator[ReadDocument]:
        """Its documents, up to what is wrong."""
        if shard.format in WITH_SIDE_FILES:
            raise ConfigError(f"{shard.path} has its texts in files of their own; link it with one process.")
        try:
            yield from ((None, document) for document in read_documents(shard.path, shard.format))
        except DataError as error:
            yield error.line, error
