import os
import subprocess
import sys

import numpy as np
import pytest

from deixis.errors import DataError
from deixis.learners.listwise import TrainingExamples, fit_weights

KNOWN = np.array([4.0, -2.0, 0.0, 1.0])


def drawn(n_mentions=4000, known=KNOWN, seed=0, n_right=1):
    """Mentions whose right candidates are drawn from the softmax of known weights."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 12, n_mentions)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    features = rng.normal(size=(starts[-1], len(known))).astype(np.float32)
    totals = features @ known + rng.gumbel(size=starts[-1])  # the largest of these is a draw from the softmax
    is_right = np.zeros(len(totals), dtype=bool)
    for first, last in zip(starts, starts[1:], strict=False):
        is_right[first + np.argsort(-totals[first:last])[:n_right]] = True
    return TrainingExamples(starts, features, is_right)


def test_the_weights_that_drew_the_data_are_found_again():
    np.testing.assert_allclose(fit_weights([drawn()], penalty=1e-6), KNOWN, atol=0.2)


def test_a_feature_that_says_nothing_weighs_nothing():
    lesson = drawn()
    constant = np.column_stack([lesson.features, np.full(len(lesson.is_right), 7.0, np.float32)])
    weights = fit_weights([TrainingExamples(lesson.starts, constant, lesson.is_right)])
    assert weights[-1] == 0
    np.testing.assert_allclose(weights[:-1], fit_weights([lesson]), atol=1e-4)


def test_the_scale_of_a_feature_changes_nothing_but_its_weight():
    lesson = drawn(800)
    scales = np.array([1.0, 1000.0, 0.001, 8.0], dtype=np.float32)
    scaled = fit_weights([TrainingExamples(lesson.starts, lesson.features * scales, lesson.is_right)])
    np.testing.assert_allclose(scaled * scales, fit_weights([lesson]), rtol=0.02, atol=0.02)


def test_a_large_penalty_keeps_to_where_it_started():
    start = np.array([1.0, 2.0, 3.0, 4.0])
    near = fit_weights([drawn(300)], penalty=1e6, start=start)
    far = fit_weights([drawn(300)], penalty=1e-6, start=start)
    np.testing.assert_allclose(near, start, atol=1e-3)
    assert np.abs(far - KNOWN).max() < np.abs(start - KNOWN).max() / 2


def test_without_right_candidates_the_start_is_kept():
    lesson = drawn(50)
    nothing = TrainingExamples(lesson.starts, lesson.features, np.zeros(len(lesson.is_right), dtype=bool))
    assert fit_weights([nothing]).tolist() == [0, 0, 0, 0]
    assert fit_weights([nothing], start=KNOWN).tolist() == KNOWN.tolist()
    assert np.array_equal(fit_weights([nothing, lesson]), fit_weights([lesson]))


def test_a_feature_never_seen_keeps_its_start():
    lesson = drawn(300)
    features = lesson.features.copy()
    features[:, 2] = 0
    weights = fit_weights(
        [TrainingExamples(lesson.starts, features, lesson.is_right)], start=np.array([0.0, 0.0, 5.0, 0.0])
    )
    assert weights[2] == 5


def test_each_lesson_counts_the_same_however_long():
    long, short = drawn(4000, np.array([3.0, 0, 0, 0])), drawn(400, np.array([-3.0, 0, 0, 0]), seed=1)
    assert abs(fit_weights([long, short], penalty=1e-6)[0]) < 0.3
    assert fit_weights([TrainingExamples.joined([long, short])], penalty=1e-6)[0] > 0.5


def test_any_of_several_right_candidates_is_right():
    weights = fit_weights([drawn(2000, n_right=2)])
    assert weights[0] > 1 and weights[1] < -0.5


def test_only_candidates_of_mentions_that_are_all_right_teach_nothing():
    lesson = drawn(20)
    weights = fit_weights([TrainingExamples(lesson.starts, lesson.features, np.ones(len(lesson.is_right), dtype=bool))])
    np.testing.assert_allclose(weights, 0, atol=1e-6)


def test_totals_beyond_the_range_of_exp_are_no_trouble():
    lesson = drawn(200)
    weights = fit_weights([lesson], start=np.array([1e4, 0, 0, 0]), penalty=1e-9)
    assert np.isfinite(weights).all()


def test_nothing_joined_is_refused():
    with pytest.raises(DataError, match="no mentions"):
        TrainingExamples.joined([])


def test_the_same_data_give_the_same_bytes_whatever_the_threads_of_the_matrix_library():
    code = (
        "import numpy as np\n"
        "from deixis.learners.listwise import TrainingExamples, fit_weights\n"
        "rng = np.random.default_rng(0)\n"
        "starts = np.arange(0, 60_001, 30)\n"
        "features = rng.random((60_000, 30)).astype(np.float32)\n"
        "is_right = np.arange(60_000) % 30 == rng.integers(0, 30, 2000).repeat(30)\n"
        "print(fit_weights([TrainingExamples(starts, features, is_right)]).tobytes().hex())"
    )
    found = []
    for n_threads in ("1", "2"):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, n_threads)
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            check=True,
        )
        found.append(done.stdout)
    assert len(found[0]) > 100 and found[0] == found[1]
