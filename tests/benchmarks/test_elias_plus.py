from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("torch")

from benchmarks.xmc.elias_plus import SHOWN, Split, Table, build_up
from benchmarks.xmc.matrices import Matrices
from deixis.xmr.combined import CombinedConfig


def made(n_train=120, n_dev=40, n_labels=12):
    rng = np.random.default_rng(0)

    def part(n):
        labels = rng.integers(0, n_labels, n)
        X = np.eye(n_labels, 20, dtype=np.float32)[labels] + (rng.random((n, 20)) < 0.05).astype(np.float32)
        return sparse.csr_matrix(X), sparse.csr_matrix(np.eye(n_labels, dtype=np.float32)[labels])

    return Matrices(Path(), *part(n_train), *part(n_dev), *part(30), sparse.csr_matrix((n_labels, 20)))


def test_no_document_is_both_calibrated_on_and_judged():
    data = made()
    on_dev, on_test = Split.of(data, "dev"), Split.of(data, "test")
    assert on_dev.Y_held.shape[0] == on_dev.Y.shape[0] == 20
    both = sparse.vstack([on_dev.X_held, on_dev.X]).toarray().tolist()
    assert sorted(both) == sorted(data.X_dev.toarray().tolist())
    assert (on_test.X != data.X_test).nnz == 0 and (on_test.X_held != on_dev.X_held).nnz == 0


def test_every_part_has_its_row_and_the_second_stage_finds_what_the_first_did():
    data = made()
    table = Table(data, Split.of(data, "dev"), "tiny", {})
    build_up(data, "tree", table, CombinedConfig(), n_models=2)
    values = {(row.system, row.metric): row.value for row in table.rows if row.suite == "tiny"}
    systems = ["tree", "tree+sparse-ranker", "tree+calibration", "tree+average-of-2"]
    assert set(values) == {(system, metric) for system in systems for metric in SHOWN}
    assert len({values[system, "recall@100"] for system in systems[:3]}) == 1
    assert all(" " not in row.system and 0 <= row.value <= 1 for row in table.rows)
    assert {row.system for row in table.rows if row.suite == "tiny/true-scores"} == {
        "tree", "sparse-ranker", "calibrated"
    }  # fmt: skip
