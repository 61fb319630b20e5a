"""Gold documents and predicted documents side by side, whatever order they come in.

Documents once each: one that comes again would count twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deixis.errors import DataError
from deixis.types import Document


def distinct(documents: Iterable[Document], name: str, skipped: dict[str, int] | None = None) -> Iterator[Document]:
    """The same documents; one whose id came before is an error, or is left out and counted in `skipped[name]`.

    Examples
    --------
    >>> documents = [Document("a", "Troy"), Document("a", "Rome"), Document("b", "Rome")]
    >>> skipped = {}
    >>> [document.text for document in distinct(documents, "gold.jsonl", skipped)], skipped
    (['Troy', 'Rome'], {'gold.jsonl': 1})
    >>> list(distinct(documents, "gold.jsonl"))
    Traceback (most recent call last):
    deixis.errors.DataError: gold.jsonl: has the document 'a' twice. Give every document an 'id' of its own...
    """
    seen: set[str] = set()
    n_skipped = 0
    if skipped is not None:
        skipped[name] = 0
    for document in documents:
        if document.id not in seen:
            seen.add(document.id)
            yield document
        elif skipped is not None:
            n_skipped += 1
            skipped[name] = n_skipped
        else:
            raise DataError(
                f"has the document {document.id!r} twice. Give every document an 'id' of its own, or leave ids out to "
                "number documents by their lines; or count the first of each only, with: deixis eval --skip-duplicates",
                path=name,
            )


N_NAMED = 5  # documents that an error names


def paired(
    gold: Iterable[Document],
    predicted: Iterable[Document],
    gold_name: str = "the gold file",
    predicted_name: str = "the predictions",
) -> Iterator[tuple[Document, Document]]:
    """Each gold document with the prediction of the same id.

    Files in one order are read along each other; in another order, documents wait in memory until their partner comes.
    A document twice in one file, a document in one file only, and a text that differs are errors.

    Examples
    --------
    >>> gold = [Document("a", "Troy"), Document("b", "Rome")]
    >>> [(truth.id, guess.id) for truth, guess in paired(gold, reversed(gold))]
    [('b', 'b'), ('a', 'a')]
    >>> list(paired(gold, gold[:1], "gold.jsonl", "guess.jsonl"))
    Traceback (most recent call last):
    ...
    deixis.errors.DataError: guess.jsonl: lacks 1 of the 2 documents of gold.jsonl: 'b'. ...
    """
    truths, guesses = _Waiting(gold, gold_name), _Waiting(predicted, predicted_name)
    while truths.is_open or guesses.is_open:
        for own, other in ((truths, guesses), (guesses, truths)):
            document = own.next()
            if document is None:
                continue
            partner = other.waiting.pop(document.id, None)
            if partner is None:
                own.waiting[document.id] = document
                continue
            truth, guess = (document, partner) if own is truths else (partner, document)
            _check_texts(truth, guess, gold_name, predicted_name)
            yield truth, guess
    _check_none_left(truths, guesses)
    _check_none_left(guesses, truths)


class _Waiting:
    """A stream of documents, how many it has shown, and those of its documents that wait for a partner."""

    def __init__(self, documents: Iterable[Document], name: str) -> None:
        self.documents = distinct(documents, name)
        self.name = name
        self.is_open = True
        self.n_seen = 0
        self.waiting: dict[str, Document] = {}

    def next(self) -> Document | None:
        document = next(self.documents, None) if self.is_open else None
        if document is None:
            self.is_open = False
        else:
            self.n_seen += 1
        return document


def _check_texts(truth: Document, guess: Document, gold_name: str, predicted_name: str) -> None:
    if truth.text == guess.text:
        return
    at = next((n for n, (a, b) in enumerate(zip(truth.text, guess.text, strict=False)) if a != b), None)
    at = min(len(truth.text), len(guess.text)) if at is None else at
    raise DataError(
        f"document {truth.id!r} has another text than in {gold_name}: from character {at} on "
        f"{guess.text[at : at + 30]!r} instead of {truth.text[at : at + 30]!r} ({len(guess.text)} characters against "
        f"{len(truth.text)}). Predict on the very text that was annotated: offsets count its code points.",
        path=predicted_name,
    )


def _check_none_left(own: _Waiting, other: _Waiting) -> None:
    if not own.waiting:
        return
    names = ", ".join(map(repr, list(own.waiting)[:N_NAMED]))
    more = f" and {len(own.waiting) - N_NAMED} more" if len(own.waiting) > N_NAMED else ""
    raise DataError(
        f"lacks {len(own.waiting)} of the {own.n_seen} documents of {own.name}: {names}{more}. Documents are paired "
        "by their 'id'; score the two files of one run.",
        path=other.name,
    )
