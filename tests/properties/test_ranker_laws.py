"""Laws of proposals, their ranking and the learning of weights, against the plainest way to do the same."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deixis.learners.listwise import TrainingExamples, _columns, _likelihood, fit_weights
from deixis.nearest.best_rows import best_rows
from deixis.nearest.merging import merged
from deixis.ranking.weights import weighted_sums

N_ROWS = 7
scores = st.floats(0, 1, width=32)


@st.composite
def named_lists(draw):
    """A few lists over the same mentions, each a mapping of rows to scores."""
    n_mentions = draw(st.integers(0, 4))
    each = st.dictionaries(st.integers(0, N_ROWS - 1), scores, max_size=N_ROWS)
    names = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True))
    return {name: draw(st.lists(each, min_size=n_mentions, max_size=n_mentions)) for name in names}


def as_matrix(rows):
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([row for found in rows for row in found], np.int32)
    data = np.array([score for found in rows for score in found.values()], np.float32)
    return sparse.csr_matrix((data, indices, indptr), shape=(len(rows), N_ROWS))


@settings(max_examples=60, deadline=None)
@given(named_lists())
def test_merging_lists_is_merging_dictionaries(named):
    both = merged({name: as_matrix(rows) for name, rows in named.items()})
    n_mentions = len(next(iter(named.values())))
    assert len(both.starts) == n_mentions + 1
    for number in range(n_mentions):
        places = slice(both.starts[number], both.starts[number + 1])
        expected = sorted({row for rows in named.values() for row in rows[number]})
        assert both.rows[places].tolist() == expected
        for name, rows in named.items():
            assert both.signals[name][places].tolist() == [rows[number].get(row, 0.0) for row in expected]


@settings(max_examples=60, deadline=None)
@given(named_lists(), st.integers(1, 9), st.data())
def test_the_best_are_those_of_a_stable_sort(named, k, data):
    both = merged({name: as_matrix(rows) for name, rows in named.items()})
    n = len(both.rows)
    values = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5]), min_size=n, max_size=n)))
    best = best_rows(both, values, k, N_ROWS)
    for number in range(best.shape[0]):
        first, last = both.starts[number], both.starts[number + 1]
        order = sorted(range(first, last), key=lambda place: (-values[place], both.rows[place]))[:k]
        stored = slice(best.indptr[number], best.indptr[number + 1])
        assert best.indices[stored].tolist() == [both.rows[place] for place in order]
        assert best.data[stored].tolist() == [values[place] for place in order]


@st.composite
def lessons(draw, n_features=3):
    """Candidates of mentions, each of which has at least one, and some a right one."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    n = sum(lengths)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    is_right = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    return TrainingExamples(np.cumsum([0, *lengths]), rng.normal(size=(n, n_features)).astype(np.float32), is_right)


def plain_loss(lesson, weights):
    """The mean of -log of the right candidates' share, with a loop."""
    losses = []
    for first, last in zip(lesson.starts, lesson.starts[1:], strict=False):
        parts = [math.exp(float(lesson.features[place] @ weights)) for place in range(first, last)]
        right = [part for part, is_right in zip(parts, lesson.is_right[first:last], strict=True) if is_right]
        losses.append(-math.log(sum(right) / sum(parts)))
    return sum(losses) / len(losses)


@settings(max_examples=60, deadline=None)
@given(lessons(), st.integers(0, 10**6))
def test_the_loss_and_its_slope_are_those_of_a_loop(lesson, seed):
    usable = lesson.usable()
    if not len(usable.is_right):
        return
    weights = np.random.default_rng(seed).normal(size=3)
    columns = _columns(usable.features, np.ones(3))
    loss, slope = _likelihood(usable, columns, weights)
    assert math.isclose(loss, plain_loss(usable, weights), rel_tol=1e-4, abs_tol=1e-5)
    step = 1e-4
    for number in range(3):
        away = np.eye(3)[number] * step
        expected = (plain_loss(usable, weights + away) - plain_loss(usable, weights - away)) / (2 * step)
        assert math.isclose(slope[number], expected, rel_tol=1e-2, abs_tol=1e-4)


@settings(max_examples=40, deadline=None)
@given(lessons(), lessons())
def test_only_mentions_with_a_right_candidate_teach(first, second):
    joined = TrainingExamples.joined([first, second])
    usable = joined.usable()
    expected = []
    for number in range(len(joined.starts) - 1):
        places = range(joined.starts[number], joined.starts[number + 1])
        if any(joined.is_right[place] for place in places):
            expected += places
    assert np.array_equal(usable.features, joined.features[expected])
    assert np.array_equal(usable.is_right, joined.is_right[expected])
    weights = fit_weights([joined])
    assert np.array_equal(weights, fit_weights([usable]))
    assert np.isfinite(weights).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.integers(1, 40), st.integers(0, 10**6))
def test_a_weighted_sum_is_the_same_whatever_stands_around_it(n_rows, n_features, seed):
    rng = np.random.default_rng(seed)
    features, weights = rng.normal(size=(n_rows, n_features)).astype(np.float32), rng.normal(size=n_features)
    together = weighted_sums(list(features.T), weights, n_rows)
    np.testing.assert_allclose(together, features.astype(np.float64) @ weights, rtol=1e-9, atol=1e-9)
    singles = np.concatenate(
        [weighted_sums(list(features[row : row + 1].T), weights, 1) for row in range(0, n_rows, 7)]
    )
    assert together[::7].tobytes() == singles.tobytes()
