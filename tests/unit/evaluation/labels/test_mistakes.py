import numpy as np
import pytest
from scipy.sparse import csr_matrix

from deixis.errors import DataError
from deixis.evaluation.labels.mistakes import LabelMistake, label_mistakes

TRUTH = csr_matrix(np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 1]]))
RANKED = np.array([[3, 0], [2, -1], [1, 0], [1, -1]])


def test_documents_with_a_missed_label_are_told_with_all_that_happened():
    assert label_mistakes(TRUTH, RANKED, n=9) == [
        LabelMistake(0, found=[0], missed=[1], wrong=[3]),
        LabelMistake(3, found=[], missed=[0, 3], wrong=[1]),
    ]


def test_no_more_than_asked_for_and_the_same_for_the_same_seed():
    truth, ranked = csr_matrix(np.ones((100, 1))), np.full((100, 1), -1)
    first, again, other = (label_mistakes(truth, ranked, n=7, seed=seed) for seed in (1, 1, 2))
    assert first == again != other and len(first) == 7
    assert [each.document for each in first] == sorted(each.document for each in first)


def test_a_ranking_of_other_documents_is_refused():
    with pytest.raises(DataError, match="4 documents"):
        label_mistakes(TRUTH, RANKED[:2], n=1)
