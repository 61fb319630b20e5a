import numpy as np
from scipy import sparse

from deixis.xmr.rankings import kept_where

RANKED = sparse.csr_matrix(([0.9, 0.2, 0.5, 0.7], [2, 0, 1, 2], [0, 2, 3, 3, 4]), shape=(4, 3))


def test_what_is_left_out_leaves_the_others_in_their_order():
    kept = kept_where(RANKED, np.array([True, True, False, True]))
    assert kept.indptr.tolist() == [0, 2, 2, 2, 3] and kept.indices.tolist() == [2, 0, 2] and kept.shape == RANKED.shape
    assert kept_where(RANKED, np.ones(4, dtype=bool)) is RANKED
    nothing = kept_where(RANKED, np.zeros(4, dtype=bool))
    assert nothing.nnz == 0 and nothing.indptr.tolist() == [0] * 5
