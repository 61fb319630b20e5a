import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from deixis.decision.isotonic import isotonic_blocks


@pytest.mark.parametrize("seed", range(5))
def test_blocks_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    values = np.linspace(0, 1, 60) + rng.normal(0, 0.4, 60)
    weights = rng.integers(1, 5, 60)
    means, lengths = isotonic_blocks(values, weights)
    expected = IsotonicRegression().fit_transform(np.arange(60), values, sample_weight=weights)
    np.testing.assert_allclose(np.repeat(means, lengths), expected, atol=1e-12)


def test_means_rise_from_block_to_block():
    means, lengths = isotonic_blocks([1.0, 1.0, 0.5, 0.0], [1, 1, 1, 1])
    assert means.tolist() == [0.625]
    assert lengths.tolist() == [4]


def test_nothing_has_no_blocks():
    means, lengths = isotonic_blocks([], [])
    assert len(means) == len(lengths) == 0
