import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.nearest.blending import blended


def ranking(*rows: dict[int, float], n_labels: int = 5) -> sparse.csr_matrix:
    """Labels with their scores, stored in the order given."""
    indptr = np.cumsum([0, *map(len, rows)])
    labels = np.array([label for row in rows for label in row], dtype=np.int32)
    scores = np.array([score for row in rows for score in row.values()], dtype=np.float32)
    return sparse.csr_matrix((scores, labels, indptr), shape=(len(rows), n_labels))


def shares(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def listed(found) -> list[dict[int, float]]:
    pairs = [(label, round(score, 3)) for label, score in zip(found.indices.tolist(), found.data.tolist(), strict=True)]
    return [dict(pairs[start:stop]) for start, stop in zip(found.indptr, found.indptr[1:], strict=False)]


def test_scores_are_added_by_their_shares_and_what_one_lacks_has_0_there():
    found = blended(ranking({3: 0.8, 0: 0.4}), ranking({1: 1.0, 3: 0.2}), shares(0.25), k=5)
    assert listed(found) == [{1: 0.75, 3: 0.35, 0: 0.1}]
    assert list(listed(found)[0]) == [1, 3, 0]
    assert found.shape == (1, 5)


def test_each_row_has_its_own_share():
    first, second = ranking({0: 1.0}, {0: 1.0}), ranking({1: 1.0}, {1: 1.0})
    assert listed(blended(first, second, shares(0.9, 0.2), k=1)) == [{0: 0.9}, {1: 0.8}]


def test_ties_go_to_the_smaller_label():
    found = blended(ranking({4: 0.5, 2: 0.5, 3: 0.5}), ranking({1: 0.5, 0: 0.5}), shares(0.5), k=4)
    assert found.indices.tolist() == [0, 1, 2, 3]


def test_rows_without_anything_stay_empty_on_either_side():
    found = blended(ranking({}, {0: 1.0}, {}), ranking({}, {}, {2: 1.0}), shares(0.5, 0.5, 0.5), k=3)
    assert listed(found) == [{}, {0: 0.5}, {2: 0.5}]
    nothing = ranking(n_labels=5)
    assert blended(nothing, nothing, shares(), k=3).shape == (0, 5)


@pytest.mark.parametrize("k", [1, 7, 40, 2**63 - 1, 2**70])
def test_it_is_the_weighted_sum_of_the_dense_rows_on_one_thread_or_many(k):
    random = np.random.default_rng(0)
    first, second = (sparse.random(50, 40, 0.3, "csr", np.float32, random) for _ in range(2))
    weights = random.random(50, dtype=np.float32)
    found = blended(first, second, weights, k, n_threads=1)
    many = blended(first, second, weights, k, n_threads=4)
    assert np.array_equal(found.indices, many.indices) and np.array_equal(found.data, many.data)
    dense = weights[:, None] * first.toarray() + (1 - weights[:, None]) * second.toarray()
    for row in range(50):
        best = np.sort(dense[row][dense[row] > 0])[::-1][:k]
        np.testing.assert_allclose(found[row].data, best, rtol=1e-6)
        np.testing.assert_allclose(found[row].data, dense[row][found[row].indices], rtol=1e-6)


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan, np.inf])
def test_shares_outside_0_to_1_are_refused(share):
    with pytest.raises(DataError, match="Shares must lie in 0..1"):
        blended(ranking({0: 1.0}), ranking({0: 1.0}), shares(share), k=1)


def test_rankings_that_do_not_fit_are_refused():
    one, two, narrow = ranking({0: 1.0}), ranking({}, {}), ranking({0: 1.0}, n_labels=3)
    for first, second, weights in ((one, two, shares(0.5)), (one, narrow, shares(0.5)), (one, one, shares(0.5, 0.5))):
        with pytest.raises(DataError, match="do not fit"):
            blended(first, second, weights, k=1)


def test_scores_that_are_no_numbers_and_labels_outside_are_refused():
    with pytest.raises(DataError, match="first rankings have values that are not finite"):
        blended(ranking({0: np.nan}), ranking({0: 1.0}), shares(0.5), k=1)
    damaged = ranking({0: 1.0})
    damaged.indices = np.array([5], dtype=np.int32)
    with pytest.raises(DataError, match="second rankings are a damaged CSR matrix"):
        blended(ranking({0: 1.0}), damaged, shares(0.5), k=1)


def test_fewer_than_one_label_cannot_be_asked_for():
    with pytest.raises(ConfigError, match="k must be at least 1"):
        blended(ranking({0: 1.0}), ranking({0: 1.0}), shares(0.5), k=0)
