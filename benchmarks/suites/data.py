"""The data of suites: finding files, checking that they are the ones meant, reading entities and documents."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks.suites.geonames import geonames_documents, geonames_records
from benchmarks.suites.melo import melo_documents, melo_records
from benchmarks.suites.suite import KbSource, Part, Suite
from benchmarks.suites.wordnet_examples import wordnet_documents, wordnet_records
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.kb.demo import demo_path
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document

DEMO = "demo:"
_KB_READERS: dict[str, Callable[[Path], KnowledgeBase]] = {
    "kb": KnowledgeBase.read,
    "melo": lambda folder: KnowledgeBase.from_records(melo_records(folder)),
    "wordnet": lambda folder: KnowledgeBase.from_records(wordnet_records(folder)),
    "geonames": lambda path: KnowledgeBase.from_records(geonames_records(path)),
}
_DOCUMENT_READERS: dict[str, Callable[[Path], Iterator[Document]]] = {
    "kb": read_documents,
    "melo": melo_documents,
    "wordnet": wordnet_documents,
    "geonames": geonames_documents,
}


@dataclass(frozen=True)
class DataFolder:
    """Where the files of suites lie; absolute paths and `demo:` files are found without it."""

    root: Path

    @classmethod
    def choose(cls, given: str | None, beside: Path) -> DataFolder:
        """The folder given, or that of DEIXIS_DATA, or `shared/data` next to the source tree `beside`."""
        return cls(Path(given or os.environ.get("DEIXIS_DATA") or beside.parent / "shared" / "data"))

    def find(self, path: str) -> Path:
        """Where a suite's path lies on this machine."""
        return demo_path().parent / path.removeprefix(DEMO) if path.startswith(DEMO) else self.root / path

    def missing(self, suite: Suite) -> list[str]:
        """The suite's paths that are not here."""
        paths = {suite.kb.path, *(part.path for part in (*suite.dev, *suite.test)), *suite.files}
        paths |= {suite.mentions} - {""}
        return sorted(path for path in paths if not self.find(path).exists())

    def check(self, suite: Suite) -> None:
        """An error unless every file of the suite is here and is the one its figures were measured on."""
        missing = self.missing(suite)
        if missing:
            raise DataError(
                f"the suite {suite.name!r} needs files that are not there: {', '.join(missing)}. Say where data lies "
                "with --data or DEIXIS_DATA",
                path=self.root,
            )
        for path, expected in suite.files.items():
            found = sha256_of(self.find(path))
            if found != expected:
                raise DataError(
                    f"is not the file the suite {suite.name!r} means: its sha256 is {found}, expected {expected}. "
                    "Fetch the file again, or correct the suite",
                    path=self.find(path),
                )

    def check_parts(self, suite: Suite, split: str) -> None:
        """An error unless each part of a split is here and its first document can be read."""
        if not suite.parts(split):
            raise DataError(f"The suite {suite.name!r} has no {split} documents.")
        self.check(suite)
        for part in suite.parts(split):
            if next(self.read_part(suite, part), None) is None:
                raise DataError("has no documents", path=self.find(part.path))

    def read_kb(self, source: KbSource) -> KnowledgeBase:
        """The entities."""
        kb = _KB_READERS[source.format](self.find(source.path))
        return with_language(kb, source.lang) if source.lang else kb

    def read_part(self, suite: Suite, part: Part) -> Iterator[Document]:
        """The annotated documents of a part."""
        for document in _DOCUMENT_READERS[suite.kb.format](self.find(part.path)):
            is_on_side = not part.half or half_of(document.id) == part.half
            if is_on_side and (not part.kind or document.id.partition("#")[2] == part.kind):
                yield document

    def read_mentions(self, path: str) -> list[Document]:
        """Annotated documents to learn from."""
        return list(read_documents(self.find(path))) if path else []


def with_language(kb: KnowledgeBase, lang: str) -> KnowledgeBase:
    """The knowledge base with this language for all aliases and descriptions that have none.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "aliases": ["City of Light"]}])
    >>> with_language(kb, "en").entity("Q90").aliases
    (Alias(text='City of Light', lang='en', count=0),)
    """
    langs = kb.langs if lang in kb.langs else (*kb.langs, lang)
    code = np.int16(langs.index(lang))
    return replace(
        kb,
        langs=langs,
        alias_langs=np.where(kb.alias_langs < 0, code, kb.alias_langs),
        description_langs=np.where(kb.description_langs < 0, code, kb.description_langs),
    )


def half_of(document_id: str) -> Literal["dev", "test"]:
    """The side on which a document of a set without splits falls, by a hash of its id.

    What follows a `#` numbers the documents of one source; they stay together.

    Examples
    --------
    >>> half_of("n00001740"), half_of("n00001740") == half_of("n00001740#2")
    ('dev', True)
    """
    source = document_id.partition("#")[0]
    return "dev" if hashlib.sha256(source.encode()).digest()[0] % 2 == 0 else "test"


def sha256_of(path: Path) -> str:
    """The checksum of a file, as `sha256sum` gives it."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
