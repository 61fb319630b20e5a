import numpy as np
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from deixis.learners.log_odds import expit, logit

FINITE = st.floats(-800, 800)
SHARES = st.floats(0, 1)


@given(st.lists(FINITE, max_size=20))
def test_probabilities_are_those_of_scipy_to_the_last_bit_but_one(log_odds):
    np.testing.assert_array_almost_equal_nulp(expit(log_odds), scipy.special.expit(np.array(log_odds)), nulp=2)


@given(st.lists(SHARES, max_size=20))
def test_log_odds_are_those_of_scipy_to_the_last_bits(shares):
    np.testing.assert_allclose(logit(shares), scipy.special.logit(np.array(shares)), rtol=1e-14)


def test_shapes_stay_as_they_are_and_numbers_are_arrays_without_dimensions():
    assert expit(np.zeros((2, 3))).shape == (2, 3)
    assert logit(0.5).shape == ()


def test_columns_of_a_matrix_are_taken_in_their_order():
    values = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(expit(values.T), expit(values).T)
