"""An extreme classification set as matrices: `matrices("yso_en")`, made once and kept under `build/xmc`.

Every system of a comparison gets these: uni- and bigrams of the training texts, weighted as TF-IDF, rows of length one,
at most 400,000 columns: those in the most documents. With `has_title_words` the labels' titles are counted as texts,
too, as `deixis xmr train` does where it learns from them; otherwise words that only titles have are nothing.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.xmc.datasets import PARTS, ROOT, Dataset, read_dataset
from benchmarks.xmc.sentence_set import SentenceSet
from deixis.errors import ConfigError
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.store.strings import StringTable

CACHE = ROOT / "build" / "xmc"
MAX_FEATURES = 400_000
DRAWN_BY = 0  # the seed of samples
FEATURES = TfidfConfig(ngrams_max=2)


@dataclass(frozen=True, eq=False)
class Matrices:
    """Rows of the three parts, and the labels' titles through the same features. Nothing may be chosen by `*_test`."""

    folder: Path  # each matrix as a file of its name, `X_train.npz`
    X_train: sparse.csr_matrix
    Y_train: sparse.csr_matrix
    X_dev: sparse.csr_matrix
    Y_dev: sparse.csr_matrix
    X_test: sparse.csr_matrix
    Y_test: sparse.csr_matrix
    labels_by_features: sparse.csr_matrix


MATRICES = tuple(each.name for each in dataclasses.fields(Matrices))[1:]


def matrices(
    dataset: str,
    n_documents: int | None = None,
    features: TfidfConfig = FEATURES,
    max_features: int = MAX_FEATURES,
    *,
    has_title_words: bool = False,
) -> Matrices:
    """The set's matrices, those of `n_documents` training documents, drawn evenly, if that is given."""
    settings = repr((features, max_features, DRAWN_BY, has_title_words)).encode()
    size = "all" if n_documents is None else str(n_documents)
    folder = CACHE / f"{dataset}-{size}-{hashlib.sha256(settings).hexdigest()[:8]}"
    if not (folder / "whole").exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = make(read_dataset(dataset), n_documents, features, max_features, has_title_words)
        for name, matrix in made.items():
            sparse.save_npz(folder / f"{name}.npz", matrix, compressed=False)
        (folder / "whole").touch()
    loaded = {name: sparse.load_npz(folder / f"{name}.npz").tocsr() for name in MATRICES}
    return Matrices(folder, **loaded)


def make(
    read: Dataset | SentenceSet,
    n_documents: int | None,
    features: TfidfConfig,
    max_features: int,
    has_title_words: bool,
) -> dict[str, sparse.csr_matrix]:
    """Each matrix by its name."""
    titles = StringTable.from_strings([read.vocabulary.title(row) for row in range(len(read.vocabulary))])
    made: dict[str, sparse.csr_matrix] = {}
    vectorizer = TfidfVectorizer(features)
    for part in PARTS:
        documents = read.part(part)
        if part == "train":
            documents = documents if n_documents is None else documents.take(drawn(len(documents), n_documents))
            vectorizer.fit(documents.texts.joined(titles) if has_title_words else documents.texts, n_threads=1)
            columns = most_frequent(vectorizer.idf, max_features)
        made[f"X_{part}"] = unit_rows_of(vectorizer.transform(documents.texts, n_threads=1), columns)
        made[f"Y_{part}"] = documents.docs_by_labels
    made["labels_by_features"] = unit_rows_of(vectorizer.transform(titles, n_threads=1), columns)
    return made


def drawn(n_all: int, n: int) -> np.ndarray:
    """So many of all documents, in their order, drawn evenly: files may be in order of date, as eurlex57k's are."""
    if n > n_all:
        raise ConfigError(f"There are {n_all} training documents, {n} cannot be drawn.")
    return np.sort(np.random.default_rng(DRAWN_BY).choice(n_all, n, replace=False))


def most_frequent(idf: np.ndarray, max_features: int) -> np.ndarray:
    """The columns in the most documents, in their order; of equally frequent ones the first."""
    return np.sort(np.argsort(idf, kind="stable")[:max_features])


def unit_rows_of(rows: sparse.csr_matrix, columns: np.ndarray) -> sparse.csr_matrix:
    """These columns only, rows scaled to length one again."""
    kept = rows[:, columns].tocsr()
    kept.sort_indices()
    lengths = np.sqrt(np.asarray(kept.multiply(kept).sum(axis=1), dtype=np.float64)).ravel()
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    kept.data = (kept.data * np.repeat(scale, np.diff(kept.indptr))).astype(np.float32)
    return kept
