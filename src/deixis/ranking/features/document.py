"""What the other mentions of a document say of a candidate."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from deixis.features.entity_words import Pairs
from deixis.ranking.feature import Column, FeatureContext, feature
from deixis.ranking.features.words import levelled


@feature("others", "cosine similarity of its description to the document's other mentions", sign="+")
def others(context: FeatureContext) -> Column:
    """To the words of the document's other mentions that are not the mention's own, levelled.

    The words of all mentions of a document are compared with each candidate once, and what the mention itself adds is
    taken out again: a book's mentions need not each have a row with the words of all others.
    """
    words, pairs, mention_words, numbers = context.words, context.pairs, context.mention_words, context.document_numbers
    n_mentions, n_documents = len(context.mentions), int(numbers.max(initial=-1)) + 1
    belongs = sparse.csr_matrix(
        (np.ones(n_mentions, np.float32), (numbers, np.arange(n_mentions))), shape=(n_documents, n_mentions)
    )
    together = (belongs @ mention_words).tocsr()
    together.data = words.vectorizer.idf[together.indices]
    firsts = np.searchsorted(numbers, np.arange(n_documents + 1))
    all_dots = words.overlap(together, Pairs(pairs.starts[firsts], pairs.rows), context.n_threads)
    own_dots = words.overlap(mention_words, pairs, context.n_threads)
    sums = np.asarray(together.sum(axis=1, dtype=np.float64)).ravel()[numbers]
    sums -= np.asarray(mention_words.sum(axis=1, dtype=np.float64)).ravel()
    is_alone = np.diff(together.indptr)[numbers] == np.diff(mention_words.indptr)
    lengths = np.where(is_alone, np.inf, np.sqrt(np.maximum(sums, 1e-9)))
    scales = words.description_scales[pairs.rows] / context.per_candidate(lengths)
    return levelled((np.maximum(all_dots - own_dots, 0) * scales).astype(np.float32))
