"""What is kept of a corpus after its evaluation: some numbers per document, per gold mention and per link."""

from __future__ import annotations

from array import array
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.evaluation.linking.figures import Array
from deixis.evaluation.linking.outcomes import DocumentCounts, DocumentOutcome

UNKNOWN_LANGUAGE = "und"
_NO_FREQUENCY = -1
_N_SUMS = len(DocumentCounts._fields)


class Ledger:
    """Columns of numbers that grow by a document at a time.

    A gold mention in the knowledge base takes 17 bytes, a link 13, a document about 200.

    Examples
    --------
    >>> ledger = Ledger()
    >>> ledger.add("d1", "de", DocumentOutcome([], [], [], DocumentCounts(n_links=2)))
    >>> ledger.counts()["n_links"], ledger.languages
    (array([2.]), ['de'])
    """

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._ids = array("Q")
        self._language_to_number: dict[str, int] = {}
        self._document_languages = array("i")
        self._sums = array("i")
        self._mention_documents, self._ranks = array("i"), array("i")
        self._is_right, self._frequencies = array("b"), array("q")
        self._link_documents, self._link_scores, self._link_is_right = array("i"), array("d"), array("b")

    def add(self, name: str, language: str | None, outcome: DocumentOutcome) -> None:
        """Write down one document; a second one of the same name is an error."""
        digest = blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest()
        if digest in self._seen:
            raise DataError(f"The document {name!r} comes twice. Give every document an 'id' of its own.")
        self._seen.add(digest)
        number = len(self._ids)
        self._ids.append(int.from_bytes(digest, "big"))
        self._document_languages.append(
            self._language_to_number.setdefault(language or UNKNOWN_LANGUAGE, len(self._language_to_number))
        )
        self._sums.extend(outcome.counts)
        for mention in outcome.mentions:
            if mention.is_in_kb:
                self._mention_documents.append(number)
                self._ranks.append(mention.rank or 0)
                self._is_right.append(mention.is_right)
                self._frequencies.append(_NO_FREQUENCY if mention.frequency is None else mention.frequency)
        for score, is_right in outcome.links:
            self._link_documents.append(number)
            self._link_scores.append(np.nan if score is None else score)
            self._link_is_right.append(is_right)

    @property
    def n_documents(self) -> int:
        """How many documents were written down."""
        return len(self._ids)

    @property
    def languages(self) -> list[str]:
        """The languages of the documents, sorted; `und` stands for documents that do not say."""
        return sorted(self._language_to_number)

    @property
    def document_ids(self) -> NDArray[np.uint64]:
        """A unique number for each document, the same in every evaluation."""
        return np.array(self._ids, dtype=np.uint64)

    def counts(self) -> dict[str, Array]:
        """The counts of all documents, by their names."""
        sums = np.array(self._sums, dtype=np.float64).reshape(self.n_documents, _N_SUMS)
        return {name: sums[:, column] for column, name in enumerate(DocumentCounts._fields)}

    def is_of_language(self, language: str) -> NDArray[np.bool_]:
        """Which documents are in this language."""
        numbers = np.array(self._document_languages, dtype=np.int64)
        return np.equal(numbers, self._language_to_number[language])

    def mentions(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Of each gold mention in the knowledge base: its document, its rank (0: none), and whether it is right."""
        return (
            np.array(self._mention_documents, dtype=np.int64),
            np.array(self._ranks, dtype=np.int64),
            np.array(self._is_right, dtype=np.bool_),
        )

    def is_of_frequency(self, low: int, high: int | None) -> NDArray[np.bool_]:
        """Which of these mentions mean an entity seen `low` times or more, and less than `high` times."""
        frequencies = np.array(self._frequencies, dtype=np.int64)
        return (frequencies >= low) & ((frequencies < high) if high is not None else True)

    def links(self) -> tuple[NDArray[np.int64], Array, NDArray[np.bool_]]:
        """Of each link that has a score: its document, the score, and whether it is right.

        Documents are numbered in the order of their `document_ids`, so that it does not matter how they came.
        """
        scores = np.array(self._link_scores, dtype=np.float64)
        numbers = np.argsort(np.argsort(self.document_ids))
        documents = numbers[np.array(self._link_documents, dtype=np.int64)]
        order = np.argsort(documents, kind="stable")
        order = order[~np.isnan(scores[order])]
        return documents[order], scores[order], np.array(self._link_is_right, dtype=np.bool_)[order]
