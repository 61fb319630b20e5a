"""Short texts whose labels are items like themselves, made from wiki468k: `title_set("also-mentioned", split=0)`.

- `description-titles`: the input is a page's title, its labels are the pages that its description names.
- `also-mentioned`: the labels of a page are those that descriptions name together with it, as shops know what was also
  bought: pages that share two descriptions or more, the best ten by count over the root of their frequency.

Left out as labels: titles with a bracket, lists, titles of less than four letters, and pages that are named once or
more than 500 times. Splits are random, by page; a label of a split is one that two of its training pages have.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.suites.data import DataFolder
from benchmarks.xmc.datasets import ROOT, json_lines
from benchmarks.xmc.title_mentions import title_mentions
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.labelling.label_filter import OwnLabels
from deixis.store.strings import StringTable

CACHE = ROOT / "build" / "xmc"
SETS = ("also-mentioned", "description-titles")
N_POINTS = 80_000  # of description-titles: all that are labels too, then others, drawn evenly
MIN_MENTIONS, MAX_MENTIONS = 2, 500
MIN_LETTERS = 4
MIN_SHARED = 2  # descriptions that two pages must share to be also mentioned
MAX_ALSO = 10
MIN_TRAIN = 2
PART_TO_SHARE = {"also-mentioned": (0.8, 0.1), "description-titles": (0.875, 0.0625)}  # train, dev; the rest is test


@dataclass(frozen=True, eq=False)
class TitleSet:
    """The parts of one split and its labels. Nothing may be chosen by `test`."""

    name: str
    split: int
    vocabulary: KnowledgeBase
    train: LabelledTexts
    dev: LabelledTexts
    test: LabelledTexts

    def own(self, documents: LabelledTexts) -> sparse.csr_matrix:
        """docs_by_labels: the label that each input is."""
        return OwnLabels(self.vocabulary.titles).of(documents.texts)

    def mirrored(self, documents: LabelledTexts) -> sparse.csr_matrix:
        """docs_by_labels: label b of input a where b is an input of training that has the label a."""
        train_by_label = OwnLabels(self.vocabulary.titles).of(self.train.texts)  # the inputs of training as labels
        labels_by_labels = (train_by_label.T @ self.train.docs_by_labels).tocsr()  # b, then its label a
        mirrored = (self.own(documents) @ labels_by_labels.T.tocsr()).tocsr()
        mirrored.data[:] = 1
        return mirrored


@dataclass(frozen=True, eq=False)
class Pages:
    """All pages by their full titles, and which of them are labels of which."""

    titles: list[str]
    pages_by_labels: sparse.csr_matrix


def title_set(name: str, split: int, n_points: int | None = None) -> TitleSet:
    """One of `SETS` in one of its splits; `n_points` takes so many pages of it, for trials."""
    pages = also_mentioned() if name == "also-mentioned" else description_titles()
    has_labels = np.flatnonzero(np.diff(pages.pages_by_labels.indptr))
    points = np.random.default_rng(0).permutation(chosen(pages, has_labels))[:n_points]
    return split_of(name, split, pages, points)


def chosen(pages: Pages, points: NDArray[np.int64]) -> NDArray[np.int64]:
    """At most `N_POINTS` of the points: those that are labels first, of the others as many as are left."""
    is_label = np.bincount(pages.pages_by_labels.indices, minlength=len(pages.titles)) > 0
    order = np.random.default_rng(0).permutation(points)
    return np.concatenate([order[is_label[order]], order[~is_label[order]]])[:N_POINTS]


def split_of(name: str, split: int, pages: Pages, points: NDArray[np.int64]) -> TitleSet:
    """Points drawn into three parts; labels that too few of the training points have are left out everywhere."""
    order = np.random.default_rng(100 + split).permutation(points)
    ends = np.cumsum([round(share * len(order)) for share in PART_TO_SHARE[name]])
    parts = np.split(order, ends)
    counts = np.bincount(pages.pages_by_labels[parts[0]].indices, minlength=len(pages.titles))
    labels = np.flatnonzero(counts >= MIN_TRAIN)
    vocabulary = KnowledgeBase.from_records({"id": str(page), "title": pages.titles[page]} for page in labels.tolist())
    documents = []
    for part in parts:
        docs_by_labels = pages.pages_by_labels[part][:, labels].tocsr()
        kept = np.flatnonzero(np.diff(docs_by_labels.indptr))
        ids = StringTable.from_strings(str(page) for page in part[kept].tolist())
        texts = StringTable.from_strings(pages.titles[page] for page in part[kept].tolist())
        documents.append(LabelledTexts(ids, texts, docs_by_labels[kept]))
    return TitleSet(name, split, vocabulary, *documents)


def description_titles() -> Pages:
    """Every page, with the pages that its description names and that can be labels."""
    titles, pages_by_pages = read_mentions()
    counts = np.bincount(pages_by_pages.indices, minlength=len(titles))
    is_label = np.array([_can_be_label(title) for title in titles])
    is_label &= (counts >= MIN_MENTIONS) & (counts <= MAX_MENTIONS)
    return Pages(titles, _only_columns(pages_by_pages, is_label))


def also_mentioned() -> Pages:
    """Every page, with the pages that are named together with it."""
    named = description_titles()
    baskets = named.pages_by_labels
    counts = np.bincount(baskets.indices, minlength=len(named.titles))
    shared = (baskets.T @ baskets).tocoo()
    is_pair = (shared.row != shared.col) & (shared.data >= MIN_SHARED)
    rows, columns, n_shared = shared.row[is_pair], shared.col[is_pair], shared.data[is_pair]
    order = np.lexsort([columns, -n_shared / np.sqrt(counts[columns]), rows])
    rows, columns = rows[order], columns[order]
    starts = np.searchsorted(rows, rows)
    is_best = np.arange(len(rows)) - starts < MAX_ALSO
    ones = np.ones(int(is_best.sum()), dtype=np.float32)
    return Pages(named.titles, sparse.csr_matrix((ones, (rows[is_best], columns[is_best])), shape=baskets.shape))


def read_mentions() -> tuple[list[str], sparse.csr_matrix]:
    """Full titles of all pages and which of them each description names; found once and kept under `build/xmc`."""
    records = list(json_lines(DataFolder.choose(None, ROOT).root / "wiki468k" / "kb.jsonl.gz"))
    ids = [record["id"] for record in records]
    path: Path = CACHE / "wiki468k-title-mentions.npz"
    if not path.exists():
        descriptions = [record.get("description", "") for record in records]
        path.parent.mkdir(parents=True, exist_ok=True)
        found = title_mentions(ids, [record["title"] for record in records], descriptions)
        sparse.save_npz(path.with_suffix(".part.npz"), found)
        path.with_suffix(".part.npz").replace(path)
    return ids, sparse.load_npz(path).tocsr()


def _can_be_label(title: str) -> bool:
    return len(title) >= MIN_LETTERS and "(" not in title and not title.startswith("List of ")


def _only_columns(matrix: sparse.csr_matrix, is_kept: NDArray[np.bool_]) -> sparse.csr_matrix:
    """The same shape, with entries in these columns only."""
    kept = (matrix @ sparse.diags(is_kept.astype(np.float32))).tocsr()
    kept.eliminate_zeros()
    return kept
