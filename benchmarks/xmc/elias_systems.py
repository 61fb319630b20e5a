"""The systems that `benchmarks.xmc.elias` compares, each as it has learned."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.speed import matrices as on_disk
from benchmarks.speed.systems import Bench
from benchmarks.xmc.elias_rows import TOP, Learned, by_part, of_seen
from benchmarks.xmc.fixed_vectors import FixedModule, minilm_vectors
from benchmarks.xmc.matrices import Matrices
from benchmarks.xmc.peers import measure
from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.train import EliasTraining
from deixis.neural.one_vs_all.config import OneVsAllConfig
from deixis.neural.one_vs_all.train import train_one_vs_all
from deixis.xmr.averaging import Ranker
from deixis.xmr.combined import CombinedRanker
from deixis.xmr.learned_index import LearnedIndex
from deixis.xmr.model import LABELLING, LabelTreeRanker

WARM = 3.0
N_WORDS = 25  # of a document that MiniLM reads
MAX_CPU = 900  # seconds of a peer


@dataclass(frozen=True, eq=False)
class Task:
    """What systems learn from, and what second stages are calibrated on."""

    made: Matrices
    X_held: sparse.csr_matrix
    Y_held: sparse.csr_matrix
    config: EliasConfig
    n_negatives: int = 0
    is_plain: bool = False

    @cached_property
    def seen(self) -> np.ndarray:
        """The labels that have documents; others are ranked by nobody."""
        return np.flatnonzero(self.made.Y_train.getnnz(axis=0)).astype(np.int32)

    @property
    def one_vs_all(self) -> OneVsAllConfig:
        """As many passes as both stages of ELIAS."""
        n_epochs = self.config.n_epochs_fixed + self.config.n_epochs_learned
        return OneVsAllConfig(
            self.config.bag, n_epochs=n_epochs, batch_size=self.config.batch_size, n_negatives=self.n_negatives
        )


def linear(task: Task, seed: int) -> Iterator[tuple[str, Learned]]:
    """The label tree, alone and reranked."""
    begun = time.process_time()
    tree = LabelTreeRanker(LABELLING, seed=seed, n_threads=1).fit(task.made.X_train, task.made.Y_train)
    cpu = time.process_time() - begun
    yield "tree", Learned(by_part(task.made, tree.rank), cpu)
    if not task.is_plain:
        yield from reranked(task, tree, ("tree+sparse-ranker", "tree++"), cpu, seed)


def reranked(
    task: Task, first: Ranker, names: tuple[str, str], first_cpu: float, seed: int
) -> Iterator[tuple[str, Learned]]:
    """A first stage with the sparse ranker, and with calibrated scores."""
    begun = time.process_time()
    combined = CombinedRanker.fit(first, task.made.X_train, task.made.Y_train, None, seed, 1)
    cpu = first_cpu + time.process_time() - begun
    yield names[0], Learned(by_part(task.made, combined.rank), cpu)
    begun = time.process_time()
    calibrated = combined.calibrated(task.X_held, task.Y_held, seed)
    yield names[1], Learned(by_part(task.made, calibrated.rank), cpu + time.process_time() - begun)


def brute_force(task: Task, seed: int) -> Iterator[tuple[str, Learned]]:
    """The classifier of every label that has documents, on the bag."""
    made, begun = task.made, time.process_time()
    exact = train_one_vs_all(made.X_train, made.Y_train[:, task.seen], task.one_vs_all, seed, n_threads=1)
    cpu, n_labels = time.process_time() - begun, made.Y_train.shape[1]
    yield "one-vs-all", Learned(by_part(made, lambda X, k: of_seen(exact.rank(X, k), task.seen, n_labels)), cpu)


def stages(task: Task, seed: int, indexes: list[LearnedIndex]) -> Iterator[tuple[str, Learned]]:
    """ELIAS after each of its stages, stage 2 in two ways, and reranked; the index of stage 2 is left in `indexes`."""
    made, config, begun = task.made, task.config, time.process_time()
    training = EliasTraining(made.X_train, made.Y_train, config, seed)
    training.run(config.n_epochs_fixed, "stage 1")
    cpu = time.process_time() - begun
    yield "stage-1", Learned(by_part(made, training.ranker().rank), cpu)
    for name, warm_edges in (("stage-1-continued", None), ("stage-2-warm", WARM), ("stage-2", 0.0)):
        if task.is_plain and warm_edges:
            continue
        other, begun = training.fork(), time.process_time()
        if warm_edges is not None:
            other.config = replace(config, warm_edges=warm_edges)
            other.learn_edges()
        other.run(config.n_epochs_learned, name)
        longer_cpu, ranker = cpu + time.process_time() - begun, other.ranker()
        yield name, Learned(by_part(made, ranker.rank), longer_cpu)
    indexes.append(ranker.index)
    wide = ranker.with_search(2 * config.beam, 2 * config.n_shortlist)
    yield "stage-2-wide", Learned(by_part(made, wide.rank), longer_cpu)
    if task.is_plain:
        return
    yield from reranked(task, ranker, ("stage-2+sparse-ranker", "elias++"), longer_cpu, seed)


def on_minilm(task: Task, seed: int, dataset: str, n_documents: int | None) -> Iterator[tuple[str, Learned]]:
    """One-versus-all and ELIAS on sentence vectors that stay as they are; encoding counts."""
    train = minilm_vectors(dataset, "train", n_documents, N_WORDS)
    vectors = {part: minilm_vectors(dataset, part, None, N_WORDS) for part in ("test",)}
    encode_cpu, encoded = vectors["test"].cpu_each * 1000, train.cpu_each * len(train.docs_by_dims)
    module = FixedModule(train.docs_by_dims.shape[1], task.config.bag.scale)
    given: dict[str, Any] = {"encoder": module, "texts": train.docs_by_dims}

    def learned(rank: Callable[[Any, int], sparse.csr_matrix], cpu: float) -> Learned:
        return Learned(lambda part: rank(vectors[part].docs_by_dims, TOP), cpu + encoded, encode_cpu=encode_cpu)

    X, Y, begun = task.made.X_train, task.made.Y_train, time.process_time()  # noqa: N806
    exact = train_one_vs_all(X, Y[:, task.seen], task.one_vs_all, seed, n_threads=1, **given)
    cpu = time.process_time() - begun
    yield "one-vs-all/minilm", learned(lambda rows, k: of_seen(exact.rank(rows, k), task.seen, Y.shape[1]), cpu)
    begun = time.process_time()
    training = EliasTraining(X, Y, task.config, seed, **given)
    training.run(task.config.n_epochs_fixed, "stage 1")
    training.learn_edges()
    training.run(task.config.n_epochs_learned, "stage 2")
    yield "stage-2/minilm", learned(training.ranker().rank, time.process_time() - begun)


def peers(made: Matrices, dataset: str) -> Iterator[tuple[str, Learned]]:
    """PECOS and omikuji, each in its own process; measured on test."""
    n_rows = {part: getattr(made, f"X_{part}").shape[0] for part in ("train", "dev", "test")}
    files = on_disk.Matrices(dataset, made.folder, made.Y_train.shape[1], n_rows, made.X_train.shape[1])
    for name in ("pecos", "omikuji"):
        try:
            figures, found = measure(Bench(files, n_threads=1), name, "test", MAX_CPU)
        except SystemExit as stopped:
            print(f"{name} has no result (it may take {MAX_CPU} CPU seconds): {stopped}")
            continue
        yield name, Learned(lambda _, found=found: found, figures["train_cpu"], figures["predict_cpu"])
