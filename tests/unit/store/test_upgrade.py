"""Models of format 1: names and shapes of today, nothing computed anew."""

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store.strings import StringTable
from deixis.store.upgrade import upgraded


def test_arrays_of_a_linker_get_the_names_of_their_parts():
    old = ["finding.scorer.seen.odds", "finding.learned.flags", "detector.flags", "reading.reader.onnx", "learned_from"]
    new = upgraded("linker", {}, {name: np.full(2, number) for number, name in enumerate(old)})
    assert {name: int(array[0]) for name, array in new.items() if array.ndim and array.size} == {
        "detector.scorer.seen.values": 0, "detector.learned.flags": 1, "detector.names.flags": 2,
        "reader.part.onnx": 3, "seen.hashes": 4,
    }  # fmt: skip


def test_arrays_are_used_as_they_are():
    facts = np.arange(8, dtype=np.float16)
    new = upgraded("linker", {}, {"finding.scorer.facts": facts})["detector.scorer.facts.table"]
    assert new.shape == (2, 4) and np.shares_memory(new, facts)


def test_decisions_are_gathered_from_settings_and_arrays():
    arrays = {
        "calibration.source": np.array([1], np.uint8), "calibration.curve.places": np.zeros(2),
        "calibration.held_out.scores": np.ones(3), "finding.threshold": np.array([0.4]),
        "finding.decider.weights": np.ones(6), "reranking.nil": np.array([0.3, np.nan]),
        "reranking.ranker.onnx": np.zeros(1, np.uint8),
    }  # fmt: skip
    new = upgraded("linker", {"nil": {"threshold": 0.2, "target_precision": None}}, arrays)
    values = {name: array.item() for name, array in new.items() if array.ndim == 0}
    assert values == {
        "decisions.given.source": "synthetic", "decisions.given.model.kind": "calibrator",
        "decisions.given.threshold": 0.2, "decisions.detected.source": "annotated",
        "decisions.detected.model.kind": "link_model", "decisions.detected.threshold": 0.4,
        "decisions.reranked.source": "annotated", "decisions.reranked.threshold": 0.3,
    }  # fmt: skip
    assert {"decisions.given.model.places", "decisions.given.curve.scores", "decisions.detected.model.weights"} < set(
        new
    )
    assert not [name for name in new if name.startswith(("calibration", "finding", "reranking", "decisions.read."))]


def test_numbers_in_arrays_of_one_become_values():
    identity = StringTable.from_strings(["chars", "abc", "32"]).to_arrays("features.identity")
    arrays = {"engine.n_features": np.array([7]), "engine.index.sizes": np.array([3, 20, 9])} | identity
    new = upgraded("labeller", {}, arrays)
    assert {name: array.item() for name, array in new.items()} == {
        "engine.n_features": 7, "engine.index.n_labels": 3, "engine.index.beam": 20, "engine.index.n_shortlist": 9,
        "engine.encoder.kind": "bag", "features.identity.id": "chars", "features.identity.digest": "abc",
        "features.identity.n_dims": 32,
    }  # fmt: skip


@pytest.mark.parametrize(
    "arrays",
    [
        {"finding.scorer.facts": np.zeros(7)},
        {"calibration.source": np.array([9])},
        {"calibration.elsewhere.x": np.zeros(1)},
        {"reranking.nil": np.zeros(3)},
        StringTable.from_strings(["chars", "abc", "many"]).to_arrays("x.identity"),
    ],
)
def test_what_cannot_be_is_a_store_error(arrays):
    with pytest.raises(StoreError, match=r"format 1 is damaged .* build the model again"):
        upgraded("linker", {}, arrays)


def test_other_kinds_are_left_as_they_are():
    assert list(upgraded("cached rows", {}, {"learned_from": np.zeros(1)})) == ["learned_from"]
