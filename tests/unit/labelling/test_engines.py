"""What engines have beyond the contract: several averaged, a second stage that is calibrated."""

import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, MissingExtraError, NotFittedError, StoreError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.engines import ENGINES
from deixis.labelling.engines.average import AverageEngine, engine_class
from deixis.labelling.engines.combined import MIN_HELD_OUT, held_out_rows
from deixis.labelling.labeller import Labeller
from deixis.store.model_folder import open_model, save_model
from deixis.xmr.label_augmentation import AugmentationConfig
from deixis.xmr.text_rows import TextRows
from tests.library import books, library_vocabulary
from tests.timing import cpu_seconds

TRAIN, DEV = books(600), books(80, seed=1)


def build(**settings):
    return Labeller.build(TRAIN, library_vocabulary(), LabellerConfig(**settings), n_threads=1)


def precision_at_1(labeller):
    return DEV.docs_by_labels.toarray()[np.arange(80), labeller.rank(DEV.texts, 1).indices].mean()


def test_an_average_is_the_mean_of_its_engines(tmp_path):
    labeller = build(n_engines=3)
    assert isinstance(labeller.engine, AverageEngine)
    rows = TextRows(labeller.features.transform(DEV.texts))
    each = [engine.rank(rows, 4).toarray() for engine in labeller.engine._engines]
    assert np.allclose(labeller.engine.rank(rows, 4).toarray(), np.mean(each, axis=0), atol=1e-6)
    labeller.save(tmp_path / "model")
    assert Labeller.load(tmp_path / "model", n_threads=1).label(DEV.texts, 3) == labeller.label(DEV.texts, 3)


def test_a_second_stage_is_calibrated_where_there_are_documents_enough(tmp_path):
    labeller = build(engine="tree++")
    assert labeller.engine._combined.calibration is not None
    assert precision_at_1(labeller) > 0.95
    labeller.save(tmp_path / "model")
    assert Labeller.load(tmp_path / "model", n_threads=1).label(DEV.texts, 3) == labeller.label(DEV.texts, 3)


def test_a_second_stage_with_few_documents_says_that_it_is_not_calibrated(caplog):
    config = LabellerConfig(engine="tree++")
    labeller = Labeller.build(books(100), library_vocabulary(), config, n_threads=1)
    assert labeller.engine._combined.calibration is None and "not calibrated" in caplog.text


def test_a_second_stage_whose_labels_are_all_right_is_not_calibrated(caplog):
    books_of_one = replace(TRAIN, docs_by_labels=sparse.csr_matrix(np.ones((len(TRAIN), 1), np.float32)))
    labeller = Labeller.build(books_of_one, config=LabellerConfig(engine="tree++"), n_threads=1)
    assert labeller.engine._combined.calibration is None and "pairs are right" in caplog.text
    assert set(labeller.rank(DEV.texts, 1).indices) == {0}


@pytest.mark.parametrize("n_engines", [1, 2])
@pytest.mark.parametrize("name", ["tree++", "elias++"])
def test_a_second_stage_asks_for_scikit_learn_before_it_learns(monkeypatch, name, n_engines):
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(MissingExtraError, match=r"deixis\[sklearn\]"):
        engine_class(config := LabellerConfig(engine=name, n_engines=n_engines))(config).check_extras()


def test_names_of_labels_teach_the_first_stage_only():
    labeller = build(engine="tree++", augmentation=AugmentationConfig(kind="self"))
    assert labeller.engine.n_labels == 5 and labeller.engine._combined.label_counts[4] == 0
    assert precision_at_1(labeller) > 0.95


def test_no_label_loses_its_last_document():
    labels = sparse.csr_matrix(np.vstack([np.eye(40), np.ones((300, 40)) * (np.arange(40) == 7)]))
    is_held_out = held_out_rows(labels, n=340, n_held_out=100, seed=3)
    assert is_held_out.sum() == 100
    assert (labels[~is_held_out].sum(axis=0) > 0).all()


def test_names_are_never_held_out_and_too_few_are_none():
    labels = sparse.csr_matrix(np.ones((400, 1)))
    assert held_out_rows(labels, n=200, n_held_out=100, seed=0)[200:].sum() == 0
    assert held_out_rows(labels, n=200, n_held_out=MIN_HELD_OUT - 1, seed=0).sum() == 0


def test_training_without_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "deixis.neural.one_vs_all.train", raising=False)
    with pytest.raises(MissingExtraError, match=r"The engine 'one-vs-all' needs 'torch'.*deixis\[neural\]"):
        build(engine="one-vs-all")


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "tree"])
def test_asked_before_it_has_learned_an_engine_says_so(name):
    with pytest.raises(NotFittedError):
        ENGINES[name](LabellerConfig()).rank(TextRows(sparse.csr_matrix((1, 3))), 1)


def test_less_than_one_engine_is_refused():
    with pytest.raises(ConfigError, match="n_engines"):
        replace(LabellerConfig(), n_engines=0)


@pytest.fixture(scope="module")
def two_engines(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engines") / "two"
    Labeller.build(books(60), library_vocabulary(), LabellerConfig(n_engines=2), n_threads=1).save(folder)
    return folder


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"n_engines": 2**63}, r"n_engines = 9223372036854775808, the model holds 2"),
        ({"n_engines": 3}, r"n_engines = 3, the model holds 2"),
        ({"engine": "x" * 100_000}, r"manifest\.json cannot be used: No engine named 'xxx.*build it again"),
        ({"x" * 100_000: 1}, r"manifest\.json cannot be used: Unknown setting xxx.*build it again"),
        ({"tree": {"n_trees": 2**63}}, r"The model has no"),
    ],
    ids=["engines", "one more", "engine", "setting", "trees"],
)
def test_settings_that_its_arrays_belie_are_refused_in_no_time(two_engines, tmp_path, settings, words):
    stored = open_model(two_engines)
    save_model(tmp_path / "belied", stored.kind, stored.config | settings, stored.arrays)

    def refuse():
        with pytest.raises(StoreError, match=words) as caught:
            Labeller.load(tmp_path / "belied")
        assert len(str(caught.value)) < 1000

    assert cpu_seconds(refuse, enough=1) < 1
    tracemalloc.start()
    try:
        refuse()
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
