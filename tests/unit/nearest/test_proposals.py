import numpy as np
import pytest
from scipy import sparse

from deixis.nearest.best_rows import best_rows
from deixis.nearest.merging import merged


def matrix(*rows):
    """Scores by row number for each mention, stored in the order given."""
    indptr = np.cumsum([0, *(len(row) for row in rows)])
    indices = [column for row in rows for column in row]
    data = np.array([score for row in rows for score in row.values()], dtype=np.float32)
    return sparse.csr_matrix((data, np.array(indices, np.int32), indptr), shape=(len(rows), 5))


MERGED = merged(
    {"alias": matrix({3: 0.9, 1: 0.5}, {}, {4: 1.0}), "names": matrix({1: 0.25, 0: 0.125}, {}, {2: 0.5, 4: 0.25})}
)


def test_each_entity_is_proposed_once_with_what_each_list_says():
    assert MERGED.starts.tolist() == [0, 3, 3, 5]
    assert MERGED.rows.tolist() == [0, 1, 3, 2, 4]
    assert MERGED.signals["alias"].tolist() == pytest.approx([0, 0.5, 0.9, 0, 1])
    assert MERGED.signals["names"].tolist() == [0.125, 0.25, 0, 0.5, 0.25]
    assert MERGED.mention_numbers.tolist() == [0, 0, 0, 2, 2]


def test_the_best_are_stored_best_first_and_ties_go_to_the_earlier_row():
    best = best_rows(MERGED, np.array([0.1, 0.7, 0.7, 0.2, 0.9]), 2, 5)
    assert best.indptr.tolist() == [0, 2, 2, 4]
    assert best.indices.tolist() == [1, 3, 4, 2]
    assert best.data.tolist() == [0.7, 0.7, 0.9, 0.2]
    assert best_rows(MERGED, np.zeros(5), 9, 5).indices.tolist() == MERGED.rows.tolist()


def test_a_proposal_with_a_score_of_0_is_still_a_proposal():
    listed = matrix({2: 0.0})
    both = merged({"tree": listed})
    assert both.rows.tolist() == [2]
    assert best_rows(both, np.zeros(1), 1, 5).nnz == 1


def test_groups_are_the_proposals_of_a_mention():
    values = np.array([1.0, 5.0, 2.0, 4.0, 3.0])
    assert MERGED.group_max(values).tolist() == [5, 5, 5, 4, 4]
    assert MERGED.group_sum(values).tolist() == [8, 8, 8, 7, 7]


def test_mentions_without_proposals_and_no_mentions_at_all_are_fine():
    for n_mentions in (0, 3):
        empty = merged({"alias": sparse.csr_matrix((n_mentions, 5), dtype=np.float32)})
        assert len(empty.rows) == 0 and len(empty.starts) == n_mentions + 1
        assert len(empty.group_max(np.zeros(0))) == len(empty.group_sum(np.zeros(0))) == 0
        assert best_rows(empty, np.zeros(0), 3, 5).shape == empty.as_matrix(5).shape == (n_mentions, 5)


def test_many_mentions_of_a_large_knowledge_base_do_not_overflow():
    n_rows, n_mentions = 2**31 - 1, 5
    last = sparse.csr_matrix((np.ones(n_mentions, np.float32), [n_rows - 1] * n_mentions, range(n_mentions + 1)),
                             shape=(n_mentions, n_rows))  # fmt: skip
    both = merged({"alias": last, "names": last})
    assert both.rows.tolist() == [n_rows - 1] * n_mentions
    assert both.starts.tolist() == list(range(n_mentions + 1))
