"""What every engine of the labeller promises."""

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, StoreError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.engines import ENGINES
from deixis.labelling.labeller import Labeller
from deixis.labelling.training_rows import TrainingRows
from deixis.neural.elias.config import EliasConfig
from deixis.neural.one_vs_all.config import BagConfig, OneVsAllConfig
from deixis.xmr.text_rows import TextRows
from tests.library import books, library_vocabulary

BAG = BagConfig(n_dims=24)
ONE_VS_ALL = OneVsAllConfig(bag=BAG, n_epochs=60, batch_size=32, learning_rate=0.05, embedding_rate=0.05)
ELIAS = EliasConfig(bag=BAG, labels_per_cluster=3, n_epochs_fixed=30, n_epochs_learned=30, batch_size=32)
CONFIGS = {name: LabellerConfig(engine=name, one_vs_all=ONE_VS_ALL, elias=ELIAS) for name in ENGINES}
"""Of each engine; settings that learn a few documents quickly."""
IS_REPEATABLE = {"tree", "tree++"}
"""Engines that give the same bytes for the same seed."""


def rows_and_labels():
    rng = np.random.default_rng(1)
    n_docs, n_labels, n_features = 90, 9, 30
    owners = rng.integers(0, n_labels, n_docs)
    owners[:n_labels] = np.arange(n_labels)
    labels = sparse.csr_matrix((np.ones(n_docs, np.float32), (np.arange(n_docs), owners)), (n_docs, n_labels)).tolil()
    labels[np.arange(0, n_docs, 3), 0] = 1
    names = sparse.csr_matrix((rng.random((n_labels, n_features)) < 0.15).astype(np.float32))
    noise = sparse.random(n_docs, n_features, 0.05, "csr", np.float32, rng=rng)
    rows = sparse.csr_matrix(labels.tocsr() @ names + noise, dtype=np.float32)
    rows.sort_indices()
    return TextRows(rows), sparse.csr_matrix(labels)


ROWS, LABELS = rows_and_labels()


def learned(config, labels=LABELS, n_threads=1):
    """The engine of the settings after these labels of the rows."""
    rows = TrainingRows(ROWS, labels, np.arange(labels.shape[1], dtype=np.int32), ROWS.shape[0])
    return ENGINES[config.engine](config).fit(rows, seed=3, n_threads=n_threads)


@pytest.fixture(scope="module", params=sorted(ENGINES))
def engine(request):
    config = CONFIGS[request.param]
    return learned(config), config


def test_it_learns_what_is_there_to_be_learned(engine):
    best = engine[0].rank(ROWS, 1)
    assert np.diff(best.indptr).tolist() == [1] * ROWS.shape[0]
    assert LABELS.toarray()[np.arange(ROWS.shape[0]), best.indices].mean() > 0.8


def test_it_knows_its_size(engine):
    assert (engine[0].n_features, engine[0].n_labels) == (ROWS.shape[1], LABELS.shape[1])
    assert engine[0].rank(ROWS, 3).shape == LABELS.shape


def test_scores_fall_and_lie_between_0_and_1_and_no_label_comes_twice(engine):
    ranked = engine[0].rank(ROWS, 5)
    assert np.isfinite(ranked.data).all() and (ranked.data >= 0).all() and (ranked.data <= 1).all()
    for first, last in zip(ranked.indptr, ranked.indptr[1:], strict=False):
        assert (np.diff(ranked.data[first:last]) <= 0).all()
        assert 0 < last - first <= 5 and len(set(ranked.indices[first:last].tolist())) == last - first


def test_a_batch_is_its_singles(engine):
    """To the last bit, or where dense vectors are multiplied, as far as the order of additions matters."""
    tolerance = 0.0 if engine[1].engine in IS_REPEATABLE else 1e-4
    together = engine[0].rank(ROWS, 4)
    for number in (0, 17, 89):
        single, row = engine[0].rank(ROWS[number : number + 1], 4), together[number]
        assert single.indices.tolist() == row.indices.tolist()
        assert np.allclose(single.data, row.data, rtol=tolerance, atol=0)


def test_no_rows_are_no_ranking(engine):
    assert engine[0].rank(ROWS[:0], 3).shape == (0, LABELS.shape[1])


def test_the_training_rows_are_left_as_they_came(engine):
    before = [matrix.copy() for matrix in (ROWS.docs_by_features, LABELS)]
    learned(engine[1]).rank(ROWS, 3)
    for matrix, copied in zip((ROWS.docs_by_features, LABELS), before, strict=True):
        assert (matrix != copied).nnz == 0


def test_soft_targets_count_less(engine):
    """Rows of label 1 that are half of label 2, too: the firmer that is said, the surer 2 is found."""
    of_one = np.flatnonzero(LABELS.toarray()[:, 1])
    scores = []
    for target in (0.2, 1.0):
        soft = LABELS.tolil(copy=True)
        soft[of_one[::2], 2] = target
        fitted = learned(engine[1], soft.tocsr())
        scores.append(fitted.rank(ROWS[of_one], LABELS.shape[1]).toarray()[:, 2].mean())
    assert scores[0] < scores[1]


def test_a_single_label_can_be_learned(engine):
    only = sparse.csr_matrix(np.ones((ROWS.shape[0], 1), np.float32))
    ranked = learned(engine[1], only).rank(ROWS, 1)
    assert set(ranked.indices.tolist()) == {0}


def test_what_is_stored_ranks_the_same(engine):
    arrays = engine[0].to_arrays("x")
    assert all(name.startswith("x.") for name in arrays)
    again = type(engine[0]).from_arrays(arrays, "x", engine[1], n_threads=1)
    first, second = engine[0].rank(ROWS, 5), again.rank(ROWS, 5)
    assert first.indices.tolist() == second.indices.tolist() and first.data.tobytes() == second.data.tobytes()
    stored = again.to_arrays("x")
    assert {name: array.tobytes() for name, array in stored.items()} == {
        name: array.tobytes() for name, array in arrays.items()
    }


def test_every_stored_array_is_needed_and_has_its_type(engine):
    arrays = engine[0].to_arrays("x")
    for name in arrays:
        others = {other: array for other, array in arrays.items() if other != name}
        other_type = arrays[name].astype(np.int8) if arrays[name].ndim else np.array([3])
        for kept in (others, others | {name: other_type}):
            with pytest.raises(StoreError):
                type(engine[0]).from_arrays(kept, "x", engine[1])


def test_the_same_seed_gives_the_same_bytes_on_one_thread_or_three(engine):
    if engine[1].engine not in IS_REPEATABLE:
        pytest.skip("torch")
    again = learned(engine[1], n_threads=3).to_arrays("x")
    assert {name: array.tobytes() for name, array in again.items()} == {
        name: array.tobytes() for name, array in engine[0].to_arrays("x").items()
    }


def test_a_labeller_with_it_saves_and_loads(engine, tmp_path):
    labeller = Labeller.build(books(80), library_vocabulary(), engine[1], n_threads=1)
    labeller.save(tmp_path / "model")
    texts = books(20, seed=1).texts
    assert Labeller.load(tmp_path / "model", n_threads=1).label(texts, 3) == labeller.label(texts, 3)


def test_another_width_of_the_search_leaves_the_engine_as_it_is(engine):
    before = engine[0].rank(ROWS, 5)
    if engine[1].engine.startswith("one-vs-all"):
        with pytest.raises(ConfigError, match="scores every label"):
            engine[0].with_search(1, None)
    else:
        narrow = engine[0].with_search(1, None)
        assert narrow.rank(ROWS, 5).shape == before.shape
        assert narrow.with_search(20, None).rank(ROWS, 5).nnz >= narrow.rank(ROWS, 5).nnz
    same = engine[0].with_search(None, None).rank(ROWS, 5)
    assert (same != before).nnz == 0 and (engine[0].rank(ROWS, 5) != before).nnz == 0


def test_a_shortlist_of_one_label_finds_one(engine):
    name = engine[1].engine
    if not name.startswith("elias"):
        with pytest.raises(ConfigError, match="shortlist"):
            engine[0].with_search(None, 1)
    elif name == "elias":
        assert np.diff(engine[0].with_search(None, 1).rank(ROWS, 5).indptr).max() == 1
