from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("torch")

from benchmarks.xmc.elias import BEAMS, SHOWN, Judge, systems, variations
from benchmarks.xmc.matrices import Matrices
from deixis.neural.elias.config import EliasConfig
from deixis.neural.one_vs_all.config import BagConfig

CONFIG = EliasConfig(
    bag=BagConfig(n_dims=16), labels_per_cluster=4, beam=2, n_shortlist=8, n_epochs_fixed=4, n_epochs_learned=4,
    batch_size=32,
)  # fmt: skip


def made(n_labels=12):
    rng = np.random.default_rng(0)

    def part(n):
        labels = rng.integers(0, n_labels, n)
        X = np.eye(n_labels, 20, dtype=np.float32)[labels] + (rng.random((n, 20)) < 0.05).astype(np.float32)
        return sparse.csr_matrix(X), sparse.csr_matrix(np.eye(n_labels, dtype=np.float32)[labels])

    return Matrices(Path(), *part(120), *part(40), *part(30), sparse.csr_matrix((n_labels, 20)))


def test_every_system_has_its_rows_on_every_part():
    data = made()
    rows = list(systems(data, CONFIG, Judge(data, "tiny", {}, ("dev", "test")), seed=0))
    names = {"stage-1", "stage-1-continued", "stage-2", "sparse-index", "one-vs-all"}
    names |= {f"{stage}/beam-{beam}" for stage in ("stage-1", "stage-2") for beam in BEAMS}
    for part in ("dev", "test"):
        found = {(row.system, row.metric) for row in rows if row.suite == f"tiny/elias-{part}"}
        assert found == {(name, metric) for name in names for metric in (*SHOWN, "train_cpu")}
    weights = [row.value for row in rows if row.metric.startswith("weight-of-first")]
    assert weights == sorted(weights) and weights[-1] == pytest.approx(1, abs=1e-3)


def test_variations_begin_with_the_same_first_stage():
    data = made()
    rows = list(variations(data, CONFIG, Judge(data, "tiny", {}, ("dev",)), 0, ["lambda=0", "kappa=2L/C"]))
    assert {row.system for row in rows} == {"stage-2/lambda=0", "stage-2/kappa=2L/C"}
