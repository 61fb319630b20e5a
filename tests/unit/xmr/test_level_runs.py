"""Runs of a level's parents, learned by themselves, are the level byte for byte."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from deixis.store.build_folder import BuildFolder, building_in
from deixis.xmr import level_runs
from deixis.xmr.level_runs import runs_of
from deixis.xmr.linear_rankers import joined_levels, train_level
from deixis.xmr.model import LabelTreeConfig, LabelTreeRanker, TreeConfig
from deixis.xmr.negatives import teacher_forcing
from deixis.xmr.sparse_rows import SparseRows


def task(n_docs=400, n_labels=60, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random(n_docs, 300, density=0.03, format="csr", dtype=np.float32, random_state=seed)
    Y = sparse.csr_matrix(np.eye(n_labels, dtype=np.float32)[rng.integers(n_labels, size=n_docs)])
    return X, Y


def test_runs_cover_all_parents_and_only_large_ones_are_above_the_limit():
    n = np.random.default_rng(0).integers(0, 40, size=200)
    n[[5, 60]] = 500
    runs = runs_of(n, most=100)
    assert [run.start for run in runs] == [0, *(run.stop for run in runs[:-1])] and runs[-1].stop == 200
    assert all(n[run.start : run.stop].sum() <= 100 or len(run) == 1 for run in runs)
    assert {(5, 6), (60, 61)} <= {(run.start, run.stop) for run in runs}
    assert runs_of(np.array([7]), most=5) == [range(0, 1)]


def test_runs_of_a_level_joined_are_the_level():
    X, Y = task()
    docs, children = SparseRows.of(X), SparseRows.of(Y)
    starts = np.array([0, 1, 9, 9, 30, 59, 60])
    parents = sparse.csr_matrix(np.repeat(np.eye(6, dtype=np.float32), np.diff(starts), axis=0))
    instances = teacher_forcing(SparseRows.of(Y @ parents))
    config = LabelTreeConfig().ranker
    whole = train_level(docs, children, instances, starts, config, seed=3)
    runs = [range(0, 2), range(2, 3), range(3, 6)]
    parts = [
        train_level(
            docs, children, sparse.csc_matrix(instances[:, run.start : run.stop]), starts[run.start : run.stop + 1],
            config, seed=3, first_parent=run.start,
        )
        for run in runs
    ]  # fmt: skip
    joined = joined_levels(parts)
    assert joined.child_starts.tolist() == starts.tolist()
    for name, array in whole.arrays.items():
        assert joined.arrays[name].dtype == array.dtype, name
        assert joined.arrays[name].tobytes() == array.tobytes(), name
    seeded = train_level(docs, children, instances[:, 3:], starts[3:], config, seed=3)
    assert seeded.arrays["bytes"].tobytes() != parts[2].arrays["bytes"].tobytes(), "the parents' numbers count"


@pytest.mark.parametrize("settings", [{}, {"n_trees": 2}, {"negatives": "matcher_aware"}, {"n_random": 5}])
def test_a_ranker_built_in_kept_runs_is_the_same(tmp_path, monkeypatch, settings):
    monkeypatch.setattr(level_runs, "RUN_INSTANCES", 50)
    X, Y = task()
    config = LabelTreeConfig(tree=TreeConfig(branching=4, max_leaf_size=4), **settings)
    in_memory = LabelTreeRanker(config, seed=1, n_threads=1).fit(X, Y).to_arrays("r")
    with building_in(BuildFolder(tmp_path, "digest")):
        kept = LabelTreeRanker(config, seed=1, n_threads=1).fit(X, Y).to_arrays("r")
        again = LabelTreeRanker(config, seed=1, n_threads=1).fit(X, Y).to_arrays("r")
    assert len(list(tmp_path.iterdir())) > 10
    assert kept.keys() == again.keys() == in_memory.keys()
    for name, array in in_memory.items():
        assert kept[name].tobytes() == again[name].tobytes() == array.tobytes(), name
