"""A task's texts as matrices on disk, made once by Deixis' own features, so that every system gets the same."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.speed.tasks import Instances, Task, data_folder, read_mentions
from deixis.candidates.sources.label_tree import LabelTreeSourceConfig
from deixis.candidates.training_rows import make_instances
from deixis.features.mention_features import MentionFeatures, MentionFeaturesConfig
from deixis.features.tfidf import TfidfConfig
from deixis.kb.knowledge_base import KnowledgeBase

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Matrices:
    """Where a task's files lie: `X_train.npz`, `Y_train.npz`, the same for dev and test, `texts.json`."""

    name: str
    folder: Path
    n_labels: int
    n_rows: dict[str, int]
    n_features: int

    def path(self, name: str) -> str:
        """One of the files."""
        return str(self.folder / name)


def cache_folder() -> Path:
    """Where matrices and models of a run are kept: DEIXIS_BENCH_CACHE, or below the system's temporary folder."""
    return Path(os.environ.get("DEIXIS_BENCH_CACHE", Path(tempfile.gettempdir()) / "deixis-bench"))


def prepare(task: Task) -> Matrices:
    """Write the task's matrices; XMRED's Eq. 1 with uni- and bigrams of mention and context, each of length one."""
    folder = cache_folder() / task.name
    folder.mkdir(parents=True, exist_ok=True)
    contexts = [context for context in task.train.contexts if context]
    config = MentionFeaturesConfig(context=TfidfConfig(min_df=task.context_min_df))
    features = MentionFeatures(config).fit(task.train.mentions, contexts)
    n_rows = {}
    for part in PARTS:
        instances: Instances = getattr(task, part)
        save(folder / f"X_{part}.npz", features.transform(instances.mentions, instances.contexts))
        save(folder / f"Y_{part}.npz", indicator(instances.labels, task.n_labels))
        n_rows[part] = len(instances.labels)
    (folder / "texts.json").write_text(json.dumps(contexts), encoding="utf-8")
    return Matrices(task.name, folder, task.n_labels, n_rows, features.n_features)


def prepare_linker(name: str = "wiki468k-names") -> Matrices:
    """The matrices that the linker itself builds its tree from, by default: names and words of names, no context.

    Labels are wiki468k's entities, queries AIDA's in-KB mentions: train for dev, testa for test.
    """
    folder = cache_folder() / name
    folder.mkdir(parents=True, exist_ok=True)
    kb = KnowledgeBase.read(data_folder() / "wiki468k" / "kb.jsonl.gz")
    config = LabelTreeSourceConfig()
    train = make_instances(kb, config.instances, has_context=False)
    features = MentionFeatures(config.features).fit(train.mentions, train.contexts)
    save(folder / "X_train.npz", features.transform(train.mentions, train.contexts))
    save(folder / "Y_train.npz", train.docs_by_labels.astype(np.float32))
    n_rows = {"train": len(train.mentions)}
    id_to_row = {identifier: row for row, identifier in enumerate(kb.ids)}
    for part, file in (("dev", "train"), ("test", "testa")):
        queries = read_mentions(data_folder() / "aida" / f"{file}.jsonl.gz", id_to_row)
        save(folder / f"X_{part}.npz", features.transform(queries.mentions, []))
        save(folder / f"Y_{part}.npz", indicator(queries.labels, len(kb)))
        n_rows[part] = len(queries.labels)
    (folder / "texts.json").write_text(json.dumps(list(kb.description_texts())), encoding="utf-8")
    return Matrices(name, folder, len(kb), n_rows, features.n_features)


def indicator(labels: list[int], n_labels: int) -> sparse.csr_matrix:
    """docs_by_labels with one label a row."""
    n = len(labels)
    data, starts = np.ones(n, np.float32), np.arange(n + 1, dtype=np.int32)
    return sparse.csr_matrix((data, np.asarray(labels, np.int32), starts), shape=(n, n_labels))


def save(path: Path, matrix: sparse.csr_matrix) -> None:
    """Uncompressed, so that loading costs nobody anything."""
    sparse.save_npz(path, matrix, compressed=False)
