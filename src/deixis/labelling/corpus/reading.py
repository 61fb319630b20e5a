"""Files to labelled texts, streaming; labels become rows of a vocabulary, bad documents are errors or skipped."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.kb.id_index import repeated_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.list_reader import FilePath
from deixis.kb.list_report import SkippedLine
from deixis.labelling.corpus.annif import read_annif_folder
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.labelling.corpus.formats import READERS, guess_format
from deixis.labelling.corpus.lookup import FoundLabels, GivenLabels, LabelLookup, UnknownLabel
from deixis.labelling.corpus.records import LabelledRecord
from deixis.progress import track
from deixis.store.files import open_byte_lines, with_first_line
from deixis.store.strings import StringTableBuilder

_MAX_EXAMPLES = 20


@dataclass(slots=True)
class LabelledReport:
    """What reading found; `skipped` and `unknown` hold the first examples of what `n_skipped` and `n_unknown` count."""

    files: list[str] = field(default_factory=list)
    n_documents: int = 0
    n_unlabelled: int = 0
    n_skipped: int = 0
    n_unknown: int = 0
    skipped: list[SkippedLine] = field(default_factory=list)
    unknown: list[SkippedLine] = field(default_factory=list)

    def skip(self, error: DataError) -> None:
        """Count a document that is left out."""
        self.n_skipped += 1
        _keep_example(self.skipped, error)

    def miss(self, error: DataError) -> None:
        """Count a label that is left out."""
        self.n_unknown += 1
        _keep_example(self.unknown, error)


class LabelledCorpus(NamedTuple):
    """Labelled texts, the vocabulary that their labels are rows of, and what reading them found."""

    documents: LabelledTexts
    vocabulary: KnowledgeBase
    report: LabelledReport


def read_labelled_texts(
    paths: FilePath | Iterable[FilePath],
    vocabulary: KnowledgeBase | None = None,
    *,
    format: str | None = None,
    unknown: Literal["error", "skip"] = "error",
    skip_bad: bool = False,
) -> LabelledCorpus:
    """The documents of one or several files or folders, their vocabulary, and a report; `-` reads standard input.

    Parameters
    ----------
    paths
        Files, compressed or not, and folders, each in any of the formats.
    vocabulary
        The labels; label `j` is its row `j`. Without one, the labels of the documents are it, in order of first sight.
    format
        One of `deixis.labelling.corpus.formats.READERS`; by default the file's name and first line tell.
    unknown
        A label that is not in the vocabulary is an error, or with `skip` left out and counted; its document stays.
    skip_bad
        Documents that cannot be read (bad JSON, no text, an id that another one has) are left out and counted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "train.jsonl"
    >>> _ = path.write_text('{"text": "Paper engineering", "labels": ["paper", "design"]}')
    >>> documents, vocabulary, report = read_labelled_texts(path)
    >>> list(documents.texts), list(vocabulary.titles), documents.docs_by_labels.toarray().tolist()
    (['Paper engineering'], ['paper', 'design'], [[1.0, 1.0]])
    """
    if unknown not in ("error", "skip"):
        raise ConfigError(f"unknown must be 'error' or 'skip', got {unknown!r}")
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    labels: LabelLookup = FoundLabels() if vocabulary is None else GivenLabels(vocabulary)
    report = LabelledReport()
    collected = _Collected(labels, report, unknown == "skip", skip_bad)
    for path in files:
        for record in track(read_records(os.fspath(path), format, report), "reading documents"):
            collected.take(record)
    vocabulary = labels.vocabulary()
    documents = collected.build(len(vocabulary))
    if len(documents) == 0:
        first = f" ({report.skipped[0]})" if report.skipped else ""
        raise DataError(
            f"no documents; {report.n_skipped} were skipped{first}", path=", ".join(map(str, files)) or None
        )
    return LabelledCorpus(documents, vocabulary, report)


def read_records(
    path: str, format: str | None = None, report: LabelledReport | None = None, otherwise: str | None = None
) -> Iterator[LabelledRecord | DataError]:
    """The documents of a file as they come, labels not looked up, and in place of each bad one what is wrong with it.

    `otherwise` is the format where neither the file's name nor its first line tells; without one that is an error.
    """
    report = report or LabelledReport()
    if format == "annif-folder" or (format is None and Path(path).is_dir()):
        report.files.append(f"{path}: annif-folder")
        yield from read_annif_folder(path)
        return
    lines = open_byte_lines(path)
    if format is None:
        first, lines = with_first_line(lines)
        if first is None and otherwise is None:
            raise DataError("the file is empty: no documents", path=path)
        format = guess_format(path, first or b"", otherwise)
    report.files.append(f"{path}: {format}")
    yield from READERS[format](lines, path)


class _Collected:
    """Documents taken one by one into flat buffers."""

    def __init__(self, labels: LabelLookup, report: LabelledReport, skip_unknown: bool, skip_bad: bool) -> None:
        self._labels, self._report = labels, report
        self._skip_unknown, self._skip_bad = skip_unknown, skip_bad
        self._ids, self._texts = StringTableBuilder(), StringTableBuilder()
        self._columns, self._indptr = array("i"), array("q", [0])
        self._paths: list[str] = []
        self._path_of, self._lines = array("i"), array("q")

    def take(self, record: LabelledRecord | DataError) -> None:
        """Add a document, or count it as skipped."""
        if isinstance(record, DataError):
            if not self._skip_bad:
                raise record
            self._report.skip(record)
            return
        self._columns.extend(sorted(self._rows(record)))
        self._indptr.append(len(self._columns))
        self._texts.append(record.text)
        self._ids.append(record.id or str(len(self._texts)))
        if not self._paths or self._paths[-1] != record.place.path:
            self._paths.append(record.place.path)
        self._path_of.append(len(self._paths) - 1)
        self._lines.append(record.place.line)

    def _rows(self, record: LabelledRecord) -> set[int]:
        rows = set()
        for number, label in enumerate(record.labels):
            try:
                rows.add(self._labels.row_of(label))
            except UnknownLabel as problem:
                place = record.label_places[number] if record.label_places else record.place
                error = place.error(str(problem))
                if not self._skip_unknown:
                    raise error from None
                self._report.miss(error)
        return rows

    def build(self, n_labels: int) -> LabelledTexts:
        """Everything taken, but documents whose id an earlier one has."""
        columns = np.array(self._columns, dtype=np.int32)
        indptr = np.array(self._indptr, dtype=np.int64)
        shape = (len(self._texts), n_labels)
        docs_by_labels = sparse.csr_matrix((np.ones(len(columns), dtype=np.float32), columns, indptr), shape=shape)
        documents = LabelledTexts(self._ids.build(), self._texts.build(), docs_by_labels)
        repeated, first = repeated_ids(documents.ids)
        for row, first_row in zip(repeated.tolist(), first.tolist(), strict=True):
            where = f"{self._paths[self._path_of[first_row]]}, line {self._lines[first_row]}"
            reason = f"the id {documents.ids[row]!r} was used before, in {where}; an id must be unique"
            error = DataError(reason, path=self._paths[self._path_of[row]], line=self._lines[row])
            if not self._skip_bad:
                raise error
            self._report.skip(error)
        if len(repeated):
            documents = documents.take(np.setdiff1d(np.arange(len(documents)), repeated))
        self._report.n_documents = len(documents)
        self._report.n_unlabelled = int((np.diff(documents.docs_by_labels.indptr) == 0).sum())
        return documents


def _keep_example(examples: list[SkippedLine], error: DataError) -> None:
    if len(examples) < _MAX_EXAMPLES:
        examples.append(SkippedLine(str(error.path), error.line or 0, error.reason))
