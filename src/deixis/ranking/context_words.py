"""The words of the text around mentions, and what the descriptions and titles of candidates have of them.

A text is tokenized once for all of its mentions, and the words of each candidate are read once for all features.
"""

from __future__ import annotations

from weakref import proxy

import numpy as np

from deixis.features.entity_words import MentionSpans
from deixis.ranking.feature import Column, FeatureContext

NEAR, AROUND, TEXT = 200, 1000, 4000  # characters of text around a mention
SENTENCE = "sentence"
WINDOW_OF_FEATURE: dict[str, int | str] = {
    "near": NEAR,
    "around": AROUND,
    "learned_around": AROUND,
    "sentence": SENTENCE,
}
"""The windows that only features of these names read: without a weight they are not compared."""
MIN_REST = 0.01  # a smaller fraction of a title is no word of it, but rounding


class ContextWords:
    """What features know of the words around the mentions of a batch; `FeatureContext.shared` makes it once."""

    def __init__(self, context: FeatureContext) -> None:
        # The context keeps this: a reference back would keep both, and the model, until garbage is collected.
        self.context: FeatureContext = proxy(context)
        windows = {window for name, window in WINDOW_OF_FEATURE.items() if context.computes(name)}
        if AROUND in windows and not context.computes("around") and not context.is_seen.any():
            windows.discard(AROUND)  # what learned_around reads is 0
        self._compare(tuple(window for window in (TEXT, NEAR, AROUND, SENTENCE) if window == TEXT or window in windows))

    def described(self, window: int | str) -> Column:
        """The cosine similarity of each candidate's description to the words of a window, or of the sentence."""
        if window not in self._columns:  # a feature that `WINDOW_OF_FEATURE` does not know
            self._compare((TEXT, NEAR, AROUND, SENTENCE))
        return self._columns[window]

    @property
    def other_mentions(self) -> Column:
        """The cosine similarity of each candidate's description to the document's other mentions.

        The words of all mentions of a document are compared with each candidate once, and what the mention itself adds
        is taken out again: a book's mentions need not each have a row with the words of all others.
        """
        return self._columns["mentions"]

    @property
    def title(self) -> Column:
        """How much of each candidate's title the text has without the mention, by weight of the words, 0 to 1."""
        return self._columns["title"]

    @property
    def rest_of_title(self) -> Column:
        """How much the text has of the words of each candidate's title that the mention lacks; 0 if it has them all."""
        return self._columns["rest"]

    def _compare(self, windows: tuple[int | str, ...]) -> None:
        """Compares the words of candidates with those around mentions. Without descriptions only the text matters."""
        context = self.context
        sizes = [window for window in windows if isinstance(window, int)]
        margin = NEAR // 2 if SENTENCE in windows else 0
        has_descriptions = context.words.descriptions.has_words
        if not has_descriptions:
            sizes, margin = [TEXT], 0
        described, (title, rest) = context.words.in_context(
            *self._spans(), context.pairs, sizes, margin, MIN_REST, context.n_threads
        )
        kinds = (*windows, "mentions")
        rows = described if has_descriptions else (np.zeros_like(title),) * len(kinds)
        self._columns: dict[int | str, Column] = {**dict(zip(kinds, rows, strict=True)), "title": title, "rest": rest}

    def _spans(self) -> tuple[list[str], MentionSpans]:
        """The texts, and where mentions stand in them."""
        context = self.context
        numbers, mentions = context.document_numbers, context.mentions
        texts: list[str] = []
        for number, mention in zip(numbers.tolist(), mentions, strict=True):
            if number == len(texts):
                texts.append(mention.document_text)
        ends_of = [len(text) for text in texts]
        lengths = [ends_of[number] for number in numbers.tolist()]
        starts = [min(each.start, length) for each, length in zip(mentions, lengths, strict=True)]
        ends = [min(each.end, length) for each, length in zip(mentions, lengths, strict=True)]
        spans = np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)
        return texts, MentionSpans(numbers, *spans, context.mention_words)
