"""The words of the text around mentions, and what the descriptions and titles of candidates have of them.

A text is tokenized once for all of its mentions, and the words of each candidate are read once for all features.
"""

from __future__ import annotations

from functools import cached_property
from weakref import proxy

import numpy as np

from deixis.features.word_rows import WordQuery
from deixis.ranking.feature import Column, FeatureContext
from deixis.tables import FlatRows

NEAR, AROUND, TEXT = 200, 1000, 4000  # characters of text around a mention
SENTENCE = "sentence"


class ContextWords:
    """What features know of the words around the mentions of a batch; `FeatureContext.shared` makes it once."""

    def __init__(self, context: FeatureContext) -> None:
        # The context keeps this: a reference back would keep both, and the model, until garbage is collected.
        self.context: FeatureContext = proxy(context)
        self.words = context.words

    def described(self, window: int | str) -> Column:
        """The cosine similarity of each candidate's description to the words of a window, or of the sentence."""
        return self._of_descriptions[window] * self._description_scales

    def titled(self, part: str) -> Column:
        """How much of each candidate's title is there, by weight of the words, 0 to 1.

        Parts are the `mention`, the `text` without it, and the `rest` of the text's words, which the mention lacks.
        """
        return self._of_titles[part] * self._title_scales

    @cached_property
    def other_mentions(self) -> Column:
        """The cosine similarity of each candidate's description to the document's other mentions.

        The words of all mentions of a document are compared with each candidate once, and what the mention itself adds
        is taken out again: a book's mentions need not each have a row with the words of all others.
        """
        together, numbers = self._together, self.context.document_numbers
        mention_words = self.context.mention_words
        sums = together.row_sums[numbers] - mention_words.row_sums
        is_alone = together.row_lengths[numbers] == mention_words.row_lengths
        lengths = np.where(is_alone, np.inf, np.sqrt(np.maximum(sums, 1e-9)))
        scales = self._description_scales / self.context.per_candidate(lengths)
        dots = np.maximum(self._of_descriptions["document"] - self._of_descriptions["mention"], 0)
        return np.asarray(dots * scales, dtype=np.float32)

    @cached_property
    def _description_scales(self) -> Column:
        return self.words.description_scales[self.context.rows]

    @cached_property
    def _title_scales(self) -> Column:
        return self.words.title_scales[self.context.rows]

    @cached_property
    def _windows(self) -> tuple[int | str, ...]:
        """The windows in the order of their rows; where nothing is described, only the text."""
        return (TEXT, NEAR, AROUND, SENTENCE) if self.words.descriptions.has_words else (TEXT,)

    @cached_property
    def _around(self) -> tuple[FlatRows, FlatRows]:
        context = self.context
        numbers, texts = context.document_numbers, list[str]()
        for number, mention in zip(numbers.tolist(), context.mentions, strict=True):
            if number == len(texts):
                texts.append(mention.document_text)
        lengths = np.array([len(text) for text in texts], dtype=np.int64)[numbers]
        starts, ends = (
            np.minimum(np.array(column, dtype=np.int64), lengths)
            for column in ([each.start for each in context.mentions], [each.end for each in context.mentions])
        )
        windows = [window for window in self._windows if isinstance(window, int)]
        margin = NEAR // 2 if SENTENCE in self._windows else 0
        return self.words.around(texts, numbers, starts, ends, windows, margin, context.n_threads)

    def _query(self, window: int | str, *, has_length_one: bool) -> WordQuery:
        """The words of a window, as vectors of length one or with weights as they are."""
        n_mentions, number = len(self.context.mentions), self._windows.index(window)
        numbers = np.arange(number * n_mentions, (number + 1) * n_mentions, dtype=np.int64)
        return WordQuery(self._around[has_length_one], numbers)

    @cached_property
    def _together(self) -> FlatRows:
        """documents_by_words: those of all mentions of a document."""
        numbers, mention_words = self.context.document_numbers, self.context.mention_words
        n_columns = int(mention_words.indices.max(initial=0)) + 1
        pairs = np.sort(np.repeat(numbers * n_columns, mention_words.row_lengths) + mention_words.indices)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        indptr = np.searchsorted(pairs, np.arange(numbers.max(initial=-1) + 2) * n_columns).astype(np.int64)
        columns = (pairs % n_columns).astype(np.int32)
        return FlatRows(indptr, columns, self.words.vectorizer.idf[columns], (len(indptr) - 1, n_columns))

    @cached_property
    def _of_descriptions(self) -> dict[int | str, Column]:
        context, words = self.context, self.words
        kinds: list[int | str] = [NEAR, AROUND, TEXT, SENTENCE, "document", "mention"]
        if not words.descriptions.has_words:
            return dict.fromkeys(kinds, np.zeros(len(context.rows), dtype=np.float32))
        queries = [self._query(window, has_length_one=True) for window in kinds[:4]]
        queries += [WordQuery(self._together, context.document_numbers), WordQuery(context.mention_words)]
        return dict(zip(kinds, words.descriptions.sums(queries, context.pairs, context.n_threads), strict=True))

    @cached_property
    def _of_titles(self) -> dict[str, Column]:
        context = self.context
        text = self._query(TEXT, has_length_one=False)
        queries = [WordQuery(context.mention_words), text, WordQuery(text.rows, text.numbers, without=0)]
        sums = self.words.titles.sums(queries, context.pairs, context.n_threads)
        return dict(zip(("mention", "text", "rest"), sums, strict=True))
