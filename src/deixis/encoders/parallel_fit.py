"""Fits the map of a `ParallelEncoder`: ridge regression from the n-grams of every name to its entity's vector.

An entity's vector is the sum of the TF-IDF rows of its names in the target language (of all names, if it has none
there), folded into a few hundred numbers as in `chars`. Ridge regression is solved by conjugate gradients with the
diagonal as preconditioner (Saad, 2003, "Iterative methods for sparse linear systems", algorithm 9.1), some dimensions
at a time: only products of a sparse and a dense matrix are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.chars import sketched
from deixis.encoders.config import PARALLEL_FEATURES, ParallelConfig
from deixis.encoders.parallel import ParallelEncoder
from deixis.encoders.unit_rows import unit_rows
from deixis.features.tfidf import TfidfVectorizer
from deixis.progress import stage, track
from deixis.scipy_sparse import sparse
from deixis.store.strings import StringTable

Floats = NDArray[np.float32]
MAX_STEPS = 40
TOLERANCE = 0.05  # of the residual's length; recall on dev is the same with 0.01
_DIMS_AT_ONCE = 32
_ENTITIES_AT_ONCE = 4096


def fit_parallel(
    names: StringTable,
    entities: NDArray[np.integer],
    is_target: NDArray[np.bool_],
    config: ParallelConfig | None = None,
    n_threads: int = 0,
) -> ParallelEncoder:
    """An encoder under which names of the same entity are near each other.

    `entities` has the number of each name's entity, `is_target` whether the name is in the target language.

    Examples
    --------
    >>> names = ["Zahnarzt", "dentist", "Zahnpflege", "dental care", "Tierarzt", "vet", "Tierpflege", "animal care"]
    >>> is_english = np.arange(16) % 2 == 1
    >>> encoder = fit_parallel(StringTable.from_strings(names * 2), np.arange(16) // 2 % 4, is_english)
    >>> zahnarzt, dentist, vet = encoder.encode(["Zahnarzt", "dentist", "vet"])
    >>> bool(zahnarzt @ dentist > 0.9 > zahnarzt @ vet)
    True
    """
    config = config or ParallelConfig()
    with stage("counting n-grams of names"):
        vectorizer = TfidfVectorizer(PARALLEL_FEATURES).fit(names, n_threads)
        names_by_features = vectorizer.transform(names, n_threads)
        has_target = np.isin(entities, entities[is_target])
        vectors = _entity_vectors(names_by_features, entities, is_target | ~has_target, config.n_dims)
    starts = track(range(0, config.n_dims, _DIMS_AT_ONCE), "fitting the map")
    features_by_names = names_by_features.T.tocsr()
    parts = [
        ridge(names_by_features, features_by_names, vectors[entities, start : start + _DIMS_AT_ONCE], config.alpha)
        for start in starts
    ]
    return ParallelEncoder(vectorizer, np.ascontiguousarray(np.hstack(parts)))


def ridge(
    rows_by_features: sparse.csr_matrix[np.float32],
    features_by_rows: sparse.csr_matrix[np.float32],
    targets: Floats,
    alpha: float,
) -> Floats:
    """features_by_dims W that minimizes |XW - Y|^2 + alpha |W|^2 for the rows X and their targets Y."""
    squares = features_by_rows.multiply(features_by_rows).sum(axis=1)
    diagonal = (np.asarray(squares).reshape(-1, 1) + alpha).astype(np.float32)
    residual = features_by_rows @ targets
    solution, limits = np.zeros_like(residual), TOLERANCE**2 * _dots(residual, residual)
    scaled = residual / diagonal
    direction, lengths = scaled.copy(), _dots(residual, scaled)
    for _ in range(MAX_STEPS):
        product = features_by_rows @ (rows_by_features @ direction) + np.float32(alpha) * direction
        step = _ratios(lengths, _dots(direction, product))
        solution += step * direction
        residual -= step * product
        # A dimension that is done stays as it is, so the others beside it do not change it.
        is_open = _dots(residual, residual) > limits
        if not is_open.any():
            break
        scaled = residual / diagonal
        before, lengths = lengths, _dots(residual, scaled)
        direction = np.where(is_open, scaled + _ratios(lengths, before) * direction, np.float32(0))
    return solution


def _dots(left: Floats, right: Floats) -> NDArray[np.float64]:
    """The dot product of each column with its partner."""
    dots: NDArray[np.float64] = np.einsum("fd,fd->d", left, right, dtype=np.float64)
    return dots


def _ratios(above: NDArray[np.float64], below: NDArray[np.float64]) -> Floats:
    """Quotients, 0 where there is nothing to divide by: such a dimension is solved."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0).astype(np.float32)


def _entity_vectors(
    names_by_features: sparse.csr_matrix[np.float32],
    entities: NDArray[np.integer],
    is_counted: NDArray[np.bool_],
    n_dims: int,
) -> Floats:
    """entities_by_dims: the sum of the rows of each entity's counted names, folded, of length one."""
    n_entities = int(entities.max(initial=-1)) + 1
    shape = len(entities), n_entities
    names_by_entities = sparse.csr_matrix(
        (is_counted.astype(np.float32), entities, np.arange(len(entities) + 1)), shape=shape
    )
    entities_by_features = (names_by_entities.T @ names_by_features).tocsr()
    entities_by_features.sort_indices()
    blocks = [
        unit_rows(sketched(entities_by_features[start : start + _ENTITIES_AT_ONCE], n_dims))
        for start in range(0, n_entities, _ENTITIES_AT_ONCE)
    ]
    return np.concatenate(blocks) if blocks else np.zeros((0, n_dims), dtype=np.float32)
