"""Weights by name: how they are stored, read from older models, and refused."""

import logging
from dataclasses import replace

import numpy as np
import pytest

from deixis.errors import DataError, StoreError
from deixis.learners.listwise import TrainingExamples
from deixis.ranking import weights as weights_module
from deixis.ranking.features import FEATURES
from deixis.ranking.weights import UNNAMED, FeatureMatrix, FeatureWeights, fit_feature_weights

WEIGHTS = FeatureWeights.of({"names": 2.0, "popularity": 0.5, "others": -1.0})


def test_weights_come_back_by_name():
    again = FeatureWeights.from_arrays(WEIGHTS.to_arrays("w"), "w")
    assert again.names == WEIGHTS.names and again.values.tobytes() == WEIGHTS.values.tobytes()


@pytest.mark.parametrize("n_weights", [30, 31])
def test_weights_saved_without_names_are_read_in_the_order_of_that_time(n_weights):
    values = np.arange(n_weights, dtype=np.float64)
    read = FeatureWeights.from_arrays({"w": values}, "w")
    assert read.values.tobytes() == values.tobytes()
    assert (read["names"], read["spelling"], read["label_tree"], read["mention_in_names"]) == (0, 2, 3, 12)
    assert (read["mention_in_description"], read["learned_around"], read["vectors"]) == (14, 29, 30 * (n_weights == 31))


def test_the_order_of_that_time_is_still_the_order_of_the_first_features():
    read = FeatureWeights.from_arrays({"w": np.zeros(len(UNNAMED))}, "w")
    assert read.names == tuple(FEATURES)[: len(UNNAMED)]


@pytest.mark.parametrize("n_weights", [0, 29, 32])
def test_weights_without_names_must_be_as_many_as_there_were(n_weights):
    with pytest.raises(StoreError, match=f"'w' has {n_weights} weights without the names"):
        FeatureWeights.from_arrays({"w": np.zeros(n_weights)}, "w")


def test_a_weight_of_a_feature_that_is_gone_is_an_error_that_names_it(monkeypatch):
    arrays = WEIGHTS.to_arrays("w")
    without_others = {name: each for name, each in FEATURES.items() if name != "others"}
    monkeypatch.setattr(weights_module, "FEATURES", without_others)  # the order of features is that of weights
    with pytest.raises(StoreError, match="'w' has a weight for 'others', which is no ranking feature"):
        FeatureWeights.from_arrays(arrays, "w")


def test_a_weight_of_a_retired_feature_is_passed_over_with_a_debug_line(monkeypatch, caplog):
    arrays = WEIGHTS.to_arrays("w")
    without_others = {name: each for name, each in FEATURES.items() if name != "others"}
    monkeypatch.setattr(weights_module, "FEATURES", without_others)  # the order of features is that of weights
    monkeypatch.setattr(weights_module, "RETIRED", frozenset({"others"}))
    with caplog.at_level(logging.DEBUG):
        read = FeatureWeights.from_arrays(arrays, "w")
    assert read.by_name() == {"names": 2.0, "popularity": 0.5}
    assert "the feature 'others' is retired" in caplog.text


def test_a_feature_with_an_older_name_keeps_its_weight():
    arrays = FeatureWeights(("string", "names"), np.array([1.5, 2.0])).to_arrays("w")
    assert FeatureWeights.from_arrays(arrays, "w").by_name() == {"spelling": 1.5, "names": 2.0}


def test_a_feature_has_one_weight():
    arrays = FeatureWeights(("string", "spelling"), np.array([1.5, 2.0])).to_arrays("w")
    with pytest.raises(StoreError, match="twice"):
        FeatureWeights.from_arrays(arrays, "w")


def test_features_besides_those_that_weigh_do_not_touch_a_digit():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 40)).astype(np.float32)
    names = tuple(f"f{number}" for number in range(40))
    weights = FeatureWeights(names[:30], rng.normal(size=30))
    own = weights.sums(FeatureMatrix(names[:30], np.ascontiguousarray(values[:, :30])))
    assert weights.sums(FeatureMatrix(names, values)).tobytes() == own.tobytes()
    shuffled = rng.permutation(40)
    mixed = FeatureMatrix(tuple(names[number] for number in shuffled), values[:, shuffled])
    assert weights.sums(mixed).tobytes() == own.tobytes()


def test_weights_are_fitted_by_name_and_keep_to_the_sign_of_their_feature():
    names = ("names", "mention_in_names")
    features = np.array([[0, 0], [1, 1], [0, 0], [1, 1]], dtype=np.float32)
    examples = TrainingExamples(np.array([0, 2, 4]), features, np.array([True, False, True, False]), names)
    fitted = fit_feature_weights([examples], 1e-3)
    assert FEATURES["names"].sign == "+" and FEATURES["mention_in_names"].sign == "+-"
    assert fitted["names"] == 0 and fitted["mention_in_names"] < 0


def test_examples_of_other_features_are_refused():
    examples = TrainingExamples(np.array([0, 1]), np.zeros((1, 1), np.float32), np.array([True]), ("alias",))
    with pytest.raises(DataError, match="The examples have the features alias; weights are names, popularity, others"):
        fit_feature_weights([examples], 1e-3, WEIGHTS)
    with pytest.raises(DataError, match="the same features in the same order"):
        TrainingExamples.joined([examples, replace(examples, names=("names",))])
