"""Searching vectors exactly is comparing everything with everything."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.nearest.vector_index import VectorIndex


@st.composite
def searches(draw):
    n, n_groups, d = draw(st.integers(1, 60)), draw(st.integers(1, 12)), draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    # Few different numbers, so that there are ties and zeros.
    vectors = random.integers(-2, 3, size=(n + 4, d)).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
    groups = np.sort(random.integers(0, n_groups, n))
    is_open = draw(st.sampled_from([None, random.random(n) < 0.5]))
    return vectors[:n], groups, n_groups, vectors[n:], draw(st.integers(1, 15)), is_open


@settings(max_examples=60, deadline=None)
@given(searches())
def test_the_best_groups_are_those_of_brute_force(search):
    vectors, groups, n_groups, queries, k, is_open = search
    index = VectorIndex.build([vectors], groups, n_groups)
    found = index.search(queries, k, is_open)
    scores = (queries.astype(np.float64) @ index.vectors(slice(None)).astype(np.float64).T).astype(np.float32)
    for row, of_row in enumerate(scores):
        best = {}
        for place in np.flatnonzero(np.ones(len(groups), bool) if is_open is None else is_open):
            best[groups[place]] = max(best.get(groups[place], 0), min(of_row[place], 1))
        expected = sorted((-score, group) for group, score in best.items() if score > 1e-6)[:k]
        part = slice(found.indptr[row], found.indptr[row + 1])
        np.testing.assert_allclose(found.data[part], [-score for score, _ in expected], atol=1e-6)
        assert len(set(found.indices[part])) == len(expected)
