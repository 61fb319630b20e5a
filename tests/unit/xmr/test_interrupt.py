"""Ctrl-C during a long fit: a KeyboardInterrupt soon, whatever the core is doing and on however many threads."""

import signal
import subprocess
import sys
import time

import pytest

from tests.processes import PATIENCE, processor_seconds, start

PROBLEM = """
import sys, numpy as np
from scipy import sparse
from deixis.xmr.label_graph import LabelGraphConfig, label_graph
from deixis.xmr.label_tree import TreeConfig, build_label_tree
from deixis.xmr.linear_rankers import RankerConfig, train_level
from deixis.xmr.sparse_rows import SparseRows

what, n_threads = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
n, d, nnz = 60_000, 50_000, 60
indices = rng.integers(0, d, n * nnz)
X = SparseRows.of(sparse.csr_matrix((np.full(n * nnz, 0.13), indices, np.arange(n + 1) * nnz), shape=(n, d)))
starts = np.array([0, 16])
Y = SparseRows.of(sparse.csr_matrix((np.ones(n), rng.integers(0, 16, n), np.arange(n + 1)), shape=(n, 16)))
everything = sparse.csc_matrix(np.ones((n, 1), dtype=np.float32))
try:
    print("started", flush=True)
    if what == "training":
        config = RankerConfig(epsilon=1e-9, max_rounds=10**8)
        train_level(X, Y, everything, starts, config, n_threads=n_threads)
    elif what == "walking":
        label_graph(X.matrix(), LabelGraphConfig(walk_length=10**6), n_threads=n_threads)
    else:
        for seed in range(10**6):
            sample = 2**20 if what == "clustering whole" else 2**12
            build_label_tree(X, TreeConfig(2, 1, max_sample=sample, max_rounds=10**6), seed, n_threads)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("what", ["training", "clustering by sample", "clustering whole", "walking"])
def test_ctrl_c_ends_a_long_fit_within_about_a_second(what, n_threads):
    command = [sys.executable, "-c", PROBLEM, what, str(n_threads)]
    with start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "started\n"
            time.sleep(1.0)
            assert process.poll() is None
            used = processor_seconds(process.pid)
            process.send_signal(signal.SIGINT)
            answer = process.stdout.readline()
            assert answer == "interrupted\n", process.stderr.read()
            assert processor_seconds(process.pid) - used < 3.0  # usually a tenth of a second
            assert process.wait(timeout=PATIENCE) == 0
        finally:
            process.kill()
