import numpy as np
import pytest
from scipy import sparse

from deixis.errors import DataError
from deixis.nearest.merging import best_of_both


def ranking(*rows, n_labels=5):
    scores = [score for row in rows for _, score in row]
    labels = [label for row in rows for label, _ in row]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return sparse.csr_matrix((np.array(scores, np.float32), labels, indptr), shape=(len(rows), n_labels))


def listed(found):
    pairs = list(zip(found.indices.tolist(), found.data.round(3).tolist(), strict=True))
    return [pairs[start:stop] for start, stop in zip(found.indptr, found.indptr[1:], strict=False)]


def test_the_greater_score_counts_and_the_best_come_first():
    both = best_of_both(ranking([(3, 0.5), (1, 0.25)], []), ranking([(1, 0.75)], [(4, 0.5)]), k=5)
    assert listed(both) == [[(1, 0.75), (3, 0.5)], [(4, 0.5)]]


def test_ties_go_to_the_smaller_label_and_only_k_are_left():
    both = best_of_both(ranking([(4, 0.5), (2, 0.5)]), ranking([(3, 0.5), (0, 0.25)]), k=2)
    assert listed(both) == [[(2, 0.5), (3, 0.5)]]


def test_nothing_with_nothing_is_nothing():
    assert best_of_both(ranking([], []), ranking([], []), k=3).shape == (2, 5)
    assert best_of_both(ranking(), ranking(), k=3).shape == (0, 5)


def test_rankings_of_other_labels_do_not_fit():
    with pytest.raises(DataError, match="do not fit"):
        best_of_both(ranking([]), ranking([], n_labels=4), k=1)
