"""Which page of wiki468k a sentence is about: 100,000 labels, each with two documents to learn from.

Of the pages whose description has three sentences or more, `N_PAGES` are drawn. The first two sentences of a page are
training documents, the third belongs to dev (the first `N_JUDGED` pages of those drawn) or test (the next as many).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.store.strings import StringTable

N_PAGES, N_JUDGED = 100_000, 5_000
N_TRAIN = 2  # sentences of a page
MIN_WORDS = 5
DRAWN_BY = 0
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True, eq=False)
class SentenceSet:
    """The pages drawn, as labels, and the first sentences of each."""

    vocabulary: KnowledgeBase
    page_sentences: list[list[str]]

    def part(self, name: str) -> LabelledTexts:
        """The documents of `train`, `dev` or `test`. Nothing may be chosen by `test`."""
        n_judged = min(N_JUDGED, len(self.page_sentences) // 2)
        pages = {
            "train": range(len(self.page_sentences)),
            "dev": range(n_judged),
            "test": range(n_judged, 2 * n_judged),
        }
        if name not in pages:
            raise DataError(f"No part {name!r}. Known: {', '.join(pages)}.")
        numbers = range(N_TRAIN) if name == "train" else range(N_TRAIN, N_TRAIN + 1)
        chosen = [(page, number) for page in pages[name] for number in numbers]
        ids = StringTable.from_strings(f"{self.vocabulary.ids[page]}/{number}" for page, number in chosen)
        texts = StringTable.from_strings(self.page_sentences[page][number] for page, number in chosen)
        ones, labels = np.ones(len(chosen), dtype=np.float32), [page for page, _ in chosen]
        shape = (len(chosen), len(self.page_sentences))
        return LabelledTexts(ids, texts, sparse.csr_matrix((ones, (range(len(chosen)), labels)), shape=shape))


def sentences(text: str) -> list[str]:
    """The sentences of a text that have some words.

    Examples
    --------
    >>> sentences("A heron is a bird that wades. It fishes. It lives by lakes and rivers in Europe.")
    ['A heron is a bird that wades.', 'It lives by lakes and rivers in Europe.']
    """
    return [each for each in SENTENCE_END.split(text) if len(each.split()) >= MIN_WORDS]


def sentence_set(records: Iterator[dict], n_pages: int = N_PAGES) -> SentenceSet:
    """The set of so many pages, drawn from those that have enough sentences."""
    pages = []
    for record in records:
        found = sentences(record.get("description", ""))
        if len(found) > N_TRAIN:
            pages.append((record["id"], record["title"], found[: N_TRAIN + 1]))
    drawn = [pages[row] for row in np.random.default_rng(DRAWN_BY).permutation(len(pages))[:n_pages].tolist()]
    vocabulary = KnowledgeBase.from_records({"id": id, "title": title} for id, title, _ in drawn)
    return SentenceSet(vocabulary, [found for _, _, found in drawn])
