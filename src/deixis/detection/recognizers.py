"""Mentions by a recognizer of named entities: any function from texts to spans, or a spaCy pipeline (extra `spacy`).

The spans of dictionary and recognizer are merged; both a recognizer and a name are evidence for a span.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from deixis.errors import DataError, MissingExtraError

Recognize = Callable[[Sequence[str]], Sequence[Sequence[tuple[int, int]]]]
"""Texts -> the code points [start, end) of the mentions in each, from another tool."""
BATCH_SIZE = 64


class SpacyRecognizer:
    """The named entities of a spaCy pipeline, those with one of `labels` if labels are given.

    A pipeline is anything with spaCy's `pipe`; `load` opens an installed one by its name.
    """

    def __init__(self, nlp: Any, labels: Iterable[str] | None = None) -> None:  # noqa: ANN401 - spaCy is optional
        self.nlp = nlp
        self.labels = None if labels is None else frozenset(labels)

    @classmethod
    def load(cls, name: str, labels: Iterable[str] | None = None) -> SpacyRecognizer:
        """The pipeline of that name or folder, as `spacy.load` finds it."""
        try:
            spacy = importlib.import_module("spacy")
        except ModuleNotFoundError as error:
            raise MissingExtraError("A spaCy pipeline", "spacy", "spacy") from error
        try:
            return cls(spacy.load(name), labels)
        except OSError as error:
            raise DataError(
                f"There is no spaCy pipeline {name!r}: neither an installed package nor a folder. Install one, or give "
                "the folder that `nlp.to_disk` wrote."
            ) from error

    def __call__(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """The spans of each text, in code points."""
        return [
            [
                (entity.start_char, entity.end_char)
                for entity in document.ents
                if self.labels is None or entity.label_ in self.labels
            ]
            for document in self.nlp.pipe(texts, batch_size=BATCH_SIZE)
        ]


def recognized(recognize: Recognize, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """The spans of a recognizer, checked: a list for each text, with spans inside it.

    Examples
    --------
    >>> recognized(lambda texts: [[(0, 5)] for _ in texts], ["Paris fell."])
    [[(0, 5)]]
    """
    span_lists = [[(int(start), int(end)) for start, end in spans] for spans in recognize(list(texts))]
    if len(span_lists) != len(texts):
        raise DataError(
            f"The recognizer was given {len(texts)} texts and answered for {len(span_lists)}. "
            "It must return a list for each text."
        )
    for text, spans in zip(texts, span_lists, strict=True):
        for start, end in spans:
            if not 0 <= start < end <= len(text):
                raise DataError(
                    f"The recognizer found a mention at {start}..{end} in a text of {len(text)} code points, "
                    f"{text[:40]!r}. Offsets count code points, the end is not part of the mention."
                )
    return span_lists
