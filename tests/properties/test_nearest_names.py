"""Laws of the exact search that baselines use."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from benchmarks.systems.nearest_names import NearestNames


@st.composite
def searches(draw):
    n_names, n_features = draw(st.integers(1, 40)), draw(st.integers(1, 5))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    # Few different values, so that ties are common.
    names = random.integers(0, 3, (n_names, n_features)).astype(np.float32)
    queries = random.integers(0, 3, (draw(st.integers(1, 40)), n_features)).astype(np.float32)
    rows = random.integers(0, draw(st.integers(1, n_names)), n_names)
    return names, rows, queries, draw(st.integers(1, 6))


@given(searches())
@settings(max_examples=60, deadline=None)
def test_the_best_entities_are_found_in_order_with_the_score_of_their_nearest_name(search):
    names, rows, queries, k = search
    found = list(NearestNames(sparse.csr_matrix(names), rows).search(sparse.csr_matrix(queries), k))
    assert len(found) == len(queries)
    for query, listed in zip(queries, found, strict=True):
        scores = names @ query
        best = {row: scores[rows == row].max() for row in set(rows.tolist())}
        assert [score for _, score in listed] == sorted((s for s in best.values() if s > 0), reverse=True)[:k]
        assert all(best[row] == score for row, score in listed)
        assert len({row for row, _ in listed}) == len(listed)
