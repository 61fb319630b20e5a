import numpy as np
import pytest
from scipy import sparse

from deixis.candidates.popularity_search import search_popular, with_column
from deixis.nearest.sparse_index import BlockIndex
from deixis.tables import FlatRows

RANKED = FlatRows(np.array([0, 2, 3, 3, 4]), np.array([2, 0, 1, 2]), np.array([0.9, 0.2, 0.5, 0.7]), (4, 3))


def test_a_column_is_put_at_the_end_and_other_entries_stay():
    assert with_column(RANKED[:0], np.zeros(0, np.float32)).shape == (0, 4)
    wider = with_column(RANKED, np.array([0, 1, 2, 3], np.float32))
    assert np.array_equal(wider.toarray()[:, :3], RANKED.toarray().astype(np.float32))
    assert wider.toarray()[:, 3].tolist() == [0, 1, 2, 3]


@pytest.fixture(scope="module")
def crowd():
    """Three hundred popular rows that have one column, and twenty unheard of that have another."""
    popular, unheard = np.tile([1.0, 0, 0], (300, 1)), np.tile([0, 0.2, 0], (20, 1))
    unheard[:, 2] = np.linspace(0.01, 0.1, 20)
    rows = sparse.csr_matrix(np.concatenate([popular, unheard]).astype(np.float32))
    gains = np.array([0.3] * 300 + [0.0] * 20, dtype=np.float32)
    return BlockIndex.build(with_column(FlatRows.of(rows), gains).matrix(), np.arange(320)), gains


QUERY = FlatRows.of(sparse.csr_matrix(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]], dtype=np.float32)))


def test_popularity_alone_finds_nothing(crowd):
    found = search_popular(*crowd[:1], QUERY, crowd[1], 400)
    assert [set(found[row].indices.tolist()) for row in range(3)] == [set(range(300, 320)), set(range(300)), set()]


def test_under_a_filter_popular_rows_that_are_unlike_the_query_take_no_place(crowd):
    index, gains = crowd
    allowed = np.arange(320) > 0
    for k in (1, 5, 20, 50):
        found = search_popular(index, QUERY, gains, k, mask=allowed)
        assert found.shape == (3, 320)
        assert np.diff(found.indptr).tolist() == [min(k, 20), min(k, 299), 0]
        assert found[0].indices.tolist() == list(range(319, 319 - min(k, 20), -1))
        assert (np.diff(found[0].data) <= 0).all()
    allowed[310:] = False
    assert set(search_popular(index, QUERY, gains, 50, mask=allowed)[0].indices.tolist()) == set(range(300, 310))


def test_what_popularity_gains_is_in_the_score_however_it_was_found(crowd):
    index, gains = crowd
    found = search_popular(index, QUERY, gains, 5, mask=np.arange(320) > 0)
    assert found[1].data == pytest.approx(1.3, abs=0.01)
    assert found[0].data.max() == pytest.approx(0.3, abs=0.01)
