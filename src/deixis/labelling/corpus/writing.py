"""Labelled documents and predictions out. Predictions are a matrix of scores by documents and labels, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

import numpy as np
from scipy import sparse

from deixis.documents.json_lines import short_score, write_record
from deixis.errors import DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.types import Candidate

DocumentLabels = tuple[str, str | None, list[Candidate]]  # a document's id, its text if it is wanted, its labels


def write_predictions(
    docs_by_labels: sparse.csr_matrix,
    vocabulary: KnowledgeBase,
    stream: TextIO,
    format: str = "jsonl",
    *,
    ids: Iterable[str] | None = None,
    texts: Iterable[str] | None = None,
) -> int:
    """Writes the labels of every document, best first, and returns how many documents there were.

    `format` is `jsonl` or `annif`. Without `ids`, documents are numbered from 1; without `texts`, no text is written.

    Examples
    --------
    >>> import sys
    >>> vocabulary = KnowledgeBase.from_records([{"id": "p1", "title": "paper"}, {"id": "p2", "title": "cats"}])
    >>> scores = sparse.csr_matrix([[0.25, 0.5]], dtype=np.float32)
    >>> write_predictions(scores, vocabulary, sys.stdout, ids=["d1"])
    {"id": "d1", "labels": [{"id": "p2", "title": "cats", "score": 0.5}, {"id": "p1", "title": "paper", "score": 0.25}]}
    1
    """
    write = PREDICTION_WRITERS.get(format)
    if write is None:
        raise UnknownNameError("format of predictions", format, known=PREDICTION_WRITERS)
    n_written = 0
    for document in predictions(docs_by_labels, vocabulary, ids, texts):
        write(document, stream)
        n_written += 1
    return n_written


def predictions(
    docs_by_labels: sparse.csr_matrix,
    vocabulary: KnowledgeBase,
    ids: Iterable[str] | None = None,
    texts: Iterable[str] | None = None,
) -> Iterator[DocumentLabels]:
    """Each document's id, its text if there are texts, and its labels, best first; ties in order of their rows."""
    n_docs, n_labels = docs_by_labels.shape
    if n_labels != len(vocabulary):
        raise DataError(f"The matrix has {n_labels} labels and the vocabulary {len(vocabulary)}; they must be as many.")
    names = iter(ids) if ids is not None else map(str, range(1, n_docs + 1))
    bodies = iter(texts) if texts is not None else None
    for row in range(n_docs):
        name, body = next(names, None), next(bodies, None) if bodies is not None else None
        if name is None or (bodies is not None and body is None):
            raise DataError(f"There are {n_docs} rows of predictions, but ids or texts for {row} only.")
        own = slice(docs_by_labels.indptr[row], docs_by_labels.indptr[row + 1])
        labels, scores = docs_by_labels.indices[own], docs_by_labels.data[own]
        order = np.lexsort((labels, -scores))
        best, values = labels[order].tolist(), scores[order].tolist()
        pairs = zip(best, values, strict=True)
        yield name, body, [Candidate(vocabulary.ids[each], score, vocabulary.titles[each]) for each, score in pairs]


def write_labelled_texts(
    documents: LabelledTexts, vocabulary: KnowledgeBase, stream: TextIO, format: str = "jsonl"
) -> int:
    r"""Writes labelled documents so that `read_labelled_texts` reads them again, and returns how many there were.

    `format` is `jsonl` or `annif-tsv`; in the latter, ids are lost and tabs and line ends in texts become spaces.

    Examples
    --------
    >>> import sys
    >>> from deixis.store.strings import StringTable
    >>> vocabulary = KnowledgeBase.from_records([{"id": "u:1", "title": "paper"}])
    >>> ids, texts = StringTable.from_strings(["d1"]), StringTable.from_strings(["On\npaper"])
    >>> documents = LabelledTexts(ids, texts, sparse.csr_matrix([[1.0]]))
    >>> write_labelled_texts(documents, vocabulary, sys.stdout)
    {"id": "d1", "text": "On\npaper", "labels": ["u:1"]}
    1
    """
    writers = {"jsonl": _write_json_line, "annif-tsv": _write_annif_line}
    if format not in writers:
        raise UnknownNameError("format of labelled texts to write", format, known=writers)
    for name, text, labels in predictions(documents.docs_by_labels, vocabulary, documents.ids, documents.texts):
        writers[format](name, text or "", [label.id for label in labels], stream)
    return len(documents)


def _write_json_line(name: str, text: str, labels: list[str], stream: TextIO) -> None:
    write_record({"id": name, "text": text, "labels": labels}, stream)


def _write_annif_line(_name: str, text: str, labels: list[str], stream: TextIO) -> None:
    for label in labels:
        if label.split() != [label]:
            raise DataError(f"the label id {label!r} holds white space, which Annif's table cannot; write 'jsonl'")
    stream.write(f"{_in_one_field(text)}\t{' '.join(f'<{label}>' for label in labels)}\n")


def _write_json_predictions(document: DocumentLabels, stream: TextIO) -> None:
    name, text, labels = document
    records = [{"id": label.id, "title": label.title, "score": short_score(label.score)} for label in labels]
    write_record({"id": name} | ({} if text is None else {"text": text}) | {"labels": records}, stream)


def _write_annif_suggestions(document: DocumentLabels, stream: TextIO) -> None:
    """As `annif suggest` prints them for several documents: a line with the document's name, then one per subject."""
    name, _, labels = document
    stream.write(f"Suggestions for {_in_one_field(name)}\n")
    for label in labels:
        stream.write(f"<{label.id}>\t{_in_one_field(label.title)}\t{short_score(label.score)}\n")


def _in_one_field(text: str) -> str:
    return text.replace("\t", " ").replace("\r", " ").replace("\n", " ")


PREDICTION_WRITERS: dict[str, Callable[[DocumentLabels, TextIO], None]] = {
    "jsonl": _write_json_predictions,
    "annif": _write_annif_suggestions,
}
