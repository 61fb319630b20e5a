"""Hard negatives: for each query entities that are near and not its own; batches where none stands against itself.

Algorithm 3 of Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", section 5.2.1. Why this is ours: the
`mine_hard_negatives` of sentence-transformers compares texts. Two descriptions of one entity (two languages) are two
texts, so it would give an entity to itself as a negative; and it neither widens the search when too few are left nor
takes an index that is built already. Here everything is rows of a knowledge base; an index gives each row once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError, DataError
from deixis.nearest.protocol import VectorSearch

Rows = NDArray[np.int64]

_LOOKAHEAD = 32  # batches' worth of queries that are tried before a batch is closed unfilled


def mine_negatives(
    index: VectorSearch,
    queries: NDArray[np.float32],
    gold: Sequence[Sequence[int]],
    n_negatives: int,
    k: int = 100,
    seed: int = 0,
) -> Rows:
    """queries_by_negatives: rows drawn evenly from the best `k` of each query, its gold rows left out, none twice.

    `k` is doubled for the queries of which too few are left. An index that finds nothing more, since the rest is not
    alike at all, is helped out by rows drawn from that rest. What a query gets does not depend on the other queries'
    vectors.

    Examples
    --------
    >>> from deixis.nearest.vector_index import VectorIndex
    >>> vectors = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], dtype=np.float32)
    >>> index = VectorIndex.build([vectors], groups=np.arange(4))
    >>> mine_negatives(index, vectors[:2], [[0], [1]], n_negatives=1, k=2).tolist()
    [[1], [2]]
    """
    _check(queries, gold, n_negatives, k)
    stored = np.unique(index.groups).astype(np.int64)
    negatives = np.empty((len(queries), n_negatives), dtype=np.int64)
    waiting = np.arange(len(queries))
    while len(waiting):
        ranked = index.search(queries[waiting], min(k, len(stored)))
        short = []
        for number, query in enumerate(waiting.tolist()):
            near = ranked.indices[ranked.indptr[number] : ranked.indptr[number + 1]].astype(np.int64)
            near = near[~np.isin(near, gold[query])]
            if len(near) < n_negatives and k < len(stored):
                short.append(query)
                continue
            negatives[query] = _drawn(near, stored, gold[query], n_negatives, np.random.default_rng([seed, query]))
        waiting = np.array(short, dtype=np.int64)
        k *= 2
    return negatives


def _drawn(near: Rows, stored: Rows, gold: Sequence[int], n: int, random: np.random.Generator) -> Rows:
    """`n` of the near rows; where they are fewer, all of them and some of the rest."""
    if len(near) >= n:
        return random.choice(near, n, replace=False)
    rest = np.setdiff1d(stored, np.concatenate([near, np.asarray(gold, dtype=np.int64)]))
    if len(near) + len(rest) < n:
        raise DataError(
            f"{n} negatives are needed, and the knowledge base has only {len(near) + len(rest)} entities besides "
            "the right one. Use fewer negatives, or add entities."
        )
    return np.concatenate([near, random.choice(rest, n - len(near), replace=False)])


def _check(queries: NDArray[np.float32], gold: Sequence[Sequence[int]], n_negatives: int, k: int) -> None:
    if n_negatives < 0:
        raise ConfigError(f"n_negatives must be at least 0, got {n_negatives}.")
    if k < 1:
        raise ConfigError(f"k must be at least 1, got {k}.")
    if len(queries) != len(gold):
        raise DataError(f"{len(queries)} queries need their gold rows each, got {len(gold)}.")


def batches_apart(
    gold: Sequence[Sequence[int]], shown: Sequence[Sequence[int]], batch_size: int, order: Sequence[int]
) -> Iterator[list[int]]:
    """The queries in `order`, in batches where no query's gold row is shown for another; each query once.

    Every entity shown for one query of a batch (its positive and its negatives) is a negative of the others, so it
    must not be what another is looking for. A query that does not fit waits for a later batch; a batch that finds
    nobody who fits is smaller.

    Examples
    --------
    >>> list(batches_apart([[0], [0], [1]], [[0, 5], [0, 6], [1, 7]], batch_size=2, order=[0, 1, 2]))
    [[0, 2], [1]]
    """
    if batch_size < 1:
        raise ConfigError(f"batch_size must be at least 1, got {batch_size}.")
    gold_sets = [frozenset(rows) for rows in gold]
    seen = [frozenset(rows) for rows in shown]
    waiting = list(order)
    while waiting:
        batch: list[int] = []
        in_demand: set[int] = set()
        on_show: set[int] = set()
        tried = waiting[: _LOOKAHEAD * batch_size]
        for query in tried:
            if len(batch) == batch_size:
                break
            if in_demand.isdisjoint(seen[query]) and on_show.isdisjoint(gold_sets[query]):
                batch.append(query)
                in_demand |= gold_sets[query]
                on_show |= seen[query]
        chosen = frozenset(batch)
        waiting = [query for query in tried if query not in chosen] + waiting[len(tried) :]
        yield batch
