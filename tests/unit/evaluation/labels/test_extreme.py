"""Metrics of label rankings: by hand, by a plain loop, and against scikit-learn and ranx."""

from math import log2

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.metrics import ndcg_score, top_k_accuracy_score

from deixis.errors import ConfigError, DataError
from deixis.evaluation.labels.extreme import ExtremeConfig, extreme_metrics
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.evaluation.labels.rankings import ranked_labels

N_LABELS = 30


def corpus(n_documents=40, seed=0):
    """Truth with one to five labels a document, frequent labels first, and scores that know something of it."""
    random = np.random.default_rng(seed)
    odds = 1.0 / np.arange(1, N_LABELS + 1)
    truth = np.zeros((n_documents, N_LABELS))
    for row in truth:
        row[random.choice(N_LABELS, random.integers(1, 6), replace=False, p=odds / odds.sum())] = 1
    return truth, truth * 0.4 + random.random(truth.shape)


def values(result):
    return {metric.name: metric.value for metric in result.metrics}


def metrics_of(truth, scores, at, training=None, **settings):
    ranked = ranked_labels(csr_matrix(scores), max(at))
    return extreme_metrics(csr_matrix(truth), ranked, training, ExtremeConfig(at=at, n_draws=100, **settings))


def test_precision_ndcg_and_recall_by_hand():
    """Document 0 has labels 0, 1, 2 and gets 1, 4, 2; document 1 has label 3 and gets 0, 3 and nothing more."""
    truth = csr_matrix([[1, 1, 1, 0, 0], [0, 0, 0, 1, 0]])
    found = values(extreme_metrics(truth, [[1, 4, 2], [0, 3, -1]], config=ExtremeConfig(at=[1, 3])))
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert found == pytest.approx(
        {
            "precision@1": (1 + 0) / 2,
            "precision@3": (2 / 3 + 1 / 3) / 2,
            "ndcg@1": (1 + 0) / 2,
            "ndcg@3": ((1 + 1 / log2(4)) / ideal + (1 / log2(3)) / 1) / 2,
            "recall@1": (1 / 3 + 0) / 2,
            "recall@3": (2 / 3 + 1) / 2,
        }
    )


def test_propensity_scored_precision_by_hand():
    """Weights 1 + (ln 8 - 1)(2.5)^.55 (n + 1.5)^-.55; the best ranking would have put the rarest labels first."""
    training = LabelFrequencies(np.array([8, 1, 3]), n_documents=8)
    often, once, thrice = (1 + (np.log(8) - 1) * 2.5**0.55 * (n + 1.5) ** -0.55 for n in (8, 1, 3))
    truth = csr_matrix([[1, 1, 0], [0, 0, 1]])
    found = values(extreme_metrics(truth, [[0, 2], [2, 0]], training, ExtremeConfig(at=[1, 2])))
    assert found["psp@1"] == pytest.approx((often + thrice) / (once + thrice))
    assert found["psp@2"] == pytest.approx((often + thrice) / (once + often + thrice))
    ideal = 1 + 1 / log2(3)
    best = (once + often / log2(3)) / ideal + thrice
    assert found["psndcg@2"] == pytest.approx((often / ideal + thrice) / best)


def test_propensity_scored_precision_agrees_with_a_plain_loop():
    truth, scores = corpus()
    training = LabelFrequencies.of(csr_matrix(corpus(200, seed=1)[0]))
    weights = training.inverse_propensities(0.6, 2.6)
    for k in (1, 3, 5):
        got = best = 0.0
        for labels, row in zip(truth, scores, strict=True):
            got += sum(weights[label] for label in np.argsort(-row)[:k] if labels[label])
            best += sum(sorted(weights[labels == 1])[-k:])
        found = metrics_of(truth, scores, [k], training, propensity_a=0.6, propensity_b=2.6)
        assert values(found)[f"psp@{k}"] == pytest.approx(got / best)


def test_equal_propensities_make_psp_a_share_of_the_best_precision():
    truth, scores = corpus()
    found = values(metrics_of(truth, scores, [1], LabelFrequencies(np.full(N_LABELS, 5), n_documents=200)))
    assert found["psp@1"] == pytest.approx(found["precision@1"])
    assert found["psndcg@1"] == pytest.approx(found["ndcg@1"])


@pytest.mark.parametrize("k", [1, 4, 10])
def test_ndcg_is_that_of_scikit_learn(k):
    truth, scores = corpus()
    assert values(metrics_of(truth, scores, [k]))[f"ndcg@{k}"] == pytest.approx(ndcg_score(truth, scores, k=k))


@pytest.mark.parametrize("k", [1, 3])
def test_recall_of_one_true_label_is_scikit_learns_top_k_accuracy(k):
    _, scores = corpus(60)
    labels = np.arange(60) % N_LABELS
    found = values(metrics_of(np.eye(N_LABELS)[labels], scores, [k]))
    assert found[f"recall@{k}"] == pytest.approx(top_k_accuracy_score(labels, scores, k=k))


def test_precision_recall_and_ndcg_are_those_of_ranx(ranx_scores):
    truth, scores = corpus(25)
    qrels = {f"d{i}": {f"l{j}": 1 for j in np.flatnonzero(row)} for i, row in enumerate(truth)}
    run = {f"d{i}": {f"l{j}": score for j, score in enumerate(row)} for i, row in enumerate(scores.tolist())}
    theirs = ranx_scores(qrels, run, [f"{name}@{k}" for name in ("precision", "recall", "ndcg") for k in (1, 5)])
    ours = values(metrics_of(truth, scores, [1, 5]))
    assert len(theirs) == 6
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)


def test_equal_scores_are_ranked_by_label_number_and_unstored_ones_not_at_all():
    scores = csr_matrix(([0.5, 0.5, 0.5, 0.0], [4, 1, 3, 0], [0, 3, 3, 4]), shape=(3, 5))
    assert ranked_labels(scores, 2).tolist() == [[1, 3], [-1, -1], [0, -1]]
    assert ranked_labels(scores, 4)[0].tolist() == [1, 3, 4, -1]


def test_documents_without_labels_are_left_out_and_counted():
    truth, scores = corpus(10)
    emptied = np.vstack([truth, np.zeros((3, N_LABELS))])
    with_empty = metrics_of(emptied, np.vstack([scores, scores[:3]]), [3])
    assert values(with_empty) == values(metrics_of(truth, scores, [3]))
    assert (with_empty.n_documents, with_empty.n_without_labels) == (13, 3)
    assert {metric.n for metric in with_empty.metrics} == {10}


def test_nothing_true_at_all_is_zero_of_zero_documents():
    result = extreme_metrics(csr_matrix((4, 3)), np.zeros((4, 1), int), LabelFrequencies(np.zeros(3, int), 4))
    assert {(metric.value, metric.n) for metric in result.metrics} == {(0.0, 0)}
    assert (result.by_decile, result.n_without_labels) == ({}, 4)


def test_a_ranking_shorter_than_k_still_counts_k():
    found = values(extreme_metrics(csr_matrix([[1, 1, 1]]), [[0]], config=ExtremeConfig(at=[1, 3])))
    assert found["precision@3"] == pytest.approx(1 / 3)


def test_intervals_hold_their_values_and_come_from_the_seed():
    truth, scores = corpus(200)
    training = LabelFrequencies.of(csr_matrix(truth))
    first, again = (metrics_of(truth, scores, [1, 5], training, seed=7) for _ in range(2))
    assert first == again
    assert all(metric.interval.low < metric.value < metric.interval.high for metric in first.metrics)


def test_a_decile_counts_its_own_labels_only():
    """Labels 0 and 1 are frequent, 2 is rare and always ranked last: found within 3, never within 1."""
    training = LabelFrequencies(np.array([50, 45, 5]), n_documents=60)
    assert training.deciles().tolist() == [8, 3, 1]
    truth = csr_matrix([[1, 0, 1], [0, 1, 0], [1, 1, 1]])
    ranked = np.array([[0, 1, 2], [1, 0, 2], [0, 1, 2]])
    found = extreme_metrics(truth, ranked, training, ExtremeConfig(at=[1, 3]))
    by_decile = {decile: {m.name: (m.value, m.n) for m in found.by_decile[decile]} for decile in found.by_decile}
    assert set(by_decile) == {1, 3, 8}
    assert by_decile[1]["recall@1"] == (0.0, 2)
    assert by_decile[1]["recall@3"] == (1.0, 2)
    assert by_decile[3]["recall@1"] == (0.5, 2)
    assert by_decile[8]["psp@1"] == (1.0, 2)


def test_hits_of_all_deciles_add_up_to_all_hits():
    truth, scores = corpus(100)
    result = metrics_of(truth, scores, [5], LabelFrequencies.of(csr_matrix(corpus(300, seed=2)[0])))
    by_decile = [next(m for m in metrics if m.name == "precision@5") for metrics in result.by_decile.values()]
    assert sum(m.value * m.n for m in by_decile) == pytest.approx(values(result)["precision@5"] * 100)


def test_deciles_hold_about_equal_shares_of_the_training_data_and_unseen_labels_their_own():
    counts = np.random.default_rng(0).zipf(1.8, 5000).clip(max=200)
    counts[::100] = 0
    deciles = LabelFrequencies(counts, n_documents=10_000).deciles()
    assert set(deciles[counts == 0]) == {0}
    shares = np.bincount(deciles, counts)[1:] / counts.sum()
    assert shares == pytest.approx(np.full(10, 0.1), abs=0.02)
    assert all(counts[deciles == low].max() <= counts[deciles == low + 1].min() for low in range(1, 10))


def test_sparse_arrays_stored_zeros_and_labels_given_twice_are_understood():
    plain = extreme_metrics(csr_matrix([[1, 0, 1]]), [[0, 1]])
    odd = csr_array(([1.0, 1.0, 0.0, 1.0], [0, 0, 1, 2], [0, 4]), shape=(1, 3))
    assert extreme_metrics(odd, [[0, 1]]) == plain
    assert LabelFrequencies.of(odd).counts.tolist() == [1, 0, 1]
    assert odd.nnz == 4


def test_propensities_of_a_tiny_training_set_stay_at_least_1():
    assert LabelFrequencies(np.array([0, 1]), n_documents=2).inverse_propensities().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("ranked", "message"),
    [
        ([[0], [1], [2]], r"2 documents; the ranking has the shape \(3, 1\)"),
        ([[0.5], [0.25]], "float64 and not a row of label numbers"),
        ([[0, 5], [1, 2]], r"Label 5 was ranked; labels lie in 0\.\.2"),
        ([[0, -2], [1, 2]], r"Label -2 was ranked"),
        ([[0, 1], [2, 2]], "Document 1 has a label ranked twice"),
    ],
)
def test_rankings_that_do_not_fit_are_refused(ranked, message):
    with pytest.raises(DataError, match=message):
        extreme_metrics(csr_matrix([[1, 0, 0], [0, 1, 0]]), ranked)


def test_other_inputs_that_do_not_fit_are_refused():
    truth = csr_matrix([[1, 0, 0]])
    with pytest.raises(DataError, match="The truth has 3 labels; the training data 2"):
        extreme_metrics(truth, [[0]], LabelFrequencies(np.array([1, 1]), 5))
    with pytest.raises(DataError, match="A score is NaN"):
        ranked_labels(csr_matrix([[np.nan, 1.0]]), 1)
    with pytest.raises(DataError, match=r"frequency must lie in 0\.\.1"):
        LabelFrequencies(np.array([2]), n_documents=1)
    with pytest.raises(ConfigError, match="a and b must be above 0"):
        LabelFrequencies(np.array([1]), 1).inverse_propensities(a=0.0)
    with pytest.raises(ConfigError, match=r"Each k must be at least 1.*\[0\]"):
        ExtremeConfig(at=[0])
