"""Short ways to linkers with other parts than `build` gives them, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from deixis.decision.decision import Decision
from deixis.linker import Linker
from deixis.linking.model import Reranker, TrainedReranker
from deixis.linking.seen_documents import SeenDocuments
from deixis.ranking.weights import FeatureWeights
from deixis.types import Document


def with_parts(linker: Linker, **parts: Any) -> Linker:  # noqa: ANN401 - whatever the model holds
    """The same linker with other parts in its model."""
    return Linker(replace(linker.model, **parts))


def with_decisions(linker: Linker, **decisions: Decision | None) -> Linker:
    """The same linker with other decisions."""
    return with_parts(linker, decisions=replace(linker.model.decisions, **decisions))


def with_weights(linker: Linker, weights: FeatureWeights) -> Linker:
    """The same linker with other weights of its ranker."""
    return with_parts(linker, ranker=linker.model.ranker.with_weights(weights))


def with_reranker(
    linker: Linker, reranker: Reranker, decision: Decision | None = None, seen: Iterable[Document] = ()
) -> Linker:
    """The same linker with a re-ranker, and the decision on what it says."""
    trained = TrainedReranker(reranker, SeenDocuments.of(seen))
    return with_decisions(with_parts(linker, reranker=trained), reranked=decision)


class Contrarian:
    """A re-ranker that puts the last of the best candidates first, with a score of its own."""

    n_candidates = 3

    def __init__(self, score: float = 0.9) -> None:
        self.score = score
        self.n_read: list[int] = []

    def rank(self, mentions, ranked):
        data, indices = ranked.data.copy(), ranked.indices.copy()
        for begin, end in zip(ranked.indptr[:-1], ranked.indptr[1:], strict=True):
            self.n_read.append(int(end - begin))
            indices[begin:end] = indices[begin:end][::-1]
            data[begin:end] = self.score / 2 ** np.arange(end - begin)
        return sparse.csr_matrix((data, indices, ranked.indptr), shape=ranked.shape)

    def to_arrays(self, prefix):
        return {f"{prefix}.score": np.array([self.score])}
