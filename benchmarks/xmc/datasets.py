"""Sets for extreme classification, read: those of `../shared/data/xmc`, and one that is made from wiki468k."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.suites.data import DataFolder
from benchmarks.xmc.sentence_set import SentenceSet, sentence_set
from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.store.strings import StringTable

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Dataset:
    """A set's name, its labels with their names, and its folder; parts are read when asked for."""

    name: str
    vocabulary: KnowledgeBase
    folder: Path
    label_prefix: str = ""  # stands before the labels of documents in the vocabulary's ids

    def part(self, name: str) -> LabelledTexts:
        """The documents of `train`, `dev` or `test`. Nothing may be chosen by `test`."""
        if name not in PARTS:
            raise DataError(f"No part {name!r}. Known: {', '.join(PARTS)}.")
        ids, texts, rows, labels = [], [], [], []
        for number, document in enumerate(json_lines(self.folder / f"{name}.jsonl.gz")):
            ids.append(str(document["id"]))
            texts.append(document["text"])
            known = [self.vocabulary.row_of(self.label_prefix + label) for label in document["labels"]]
            found = sorted({row for row in known if row is not None})
            rows += [number] * len(found)
            labels += found
        ones = np.ones(len(labels), dtype=np.float32)
        docs_by_labels = sparse.csr_matrix((ones, (rows, labels)), shape=(len(ids), len(self.vocabulary)))
        return LabelledTexts(StringTable.from_strings(ids), StringTable.from_strings(texts), docs_by_labels)


def json_lines(path: Path) -> Iterator[dict]:
    """The objects of a compressed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def yso_en(folder: Path) -> Dataset:
    """Titles of library books and the YSO subjects they have: short texts, named labels."""
    with gzip.open(folder / "labels.tsv.gz", "rt", encoding="utf-8") as lines:
        fields = [line.rstrip("\n").split("\t") for line in lines]
    return Dataset("yso_en", KnowledgeBase.from_records({"id": each[0], "title": each[1]} for each in fields), folder)


def eurlex57k(folder: Path) -> Dataset:
    """EU laws and their EUROVOC concepts: longer texts, few labels."""
    concepts = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    records = ({"id": id, "title": each["label"], "aliases": each["alt_labels"]} for id, each in concepts.items())
    return Dataset("eurlex57k", KnowledgeBase.from_records(records), folder)


def tibkat(folder: Path) -> Dataset:
    """German and English abstracts and their GND subjects: most labels are never seen in training."""
    vocabulary = KnowledgeBase.from_records(json_lines(folder / "labels.jsonl.gz"))
    return Dataset("tibkat", vocabulary, folder, "http://d-nb.info/gnd/")


def wiki_sentences(folder: Path) -> SentenceSet:
    """Sentences and the page they are about: many labels, two documents each."""
    return sentence_set(json_lines(folder / "kb.jsonl.gz"))


DATASETS: dict[str, Callable[[Path], Dataset | SentenceSet]] = {
    "yso_en": yso_en, "eurlex57k": eurlex57k, "tibkat": tibkat, "wiki_sentences": wiki_sentences
}  # fmt: skip


def read_dataset(name: str) -> Dataset | SentenceSet:
    """One of `DATASETS`, from `DEIXIS_DATA` or `../shared/data`."""
    place = "wiki468k" if name == "wiki_sentences" else f"xmc/{name}"
    folder = DataFolder.choose(None, ROOT).root / place
    if not folder.exists():
        raise DataError(f"There is no {folder}. Set DEIXIS_DATA to the folder that holds {place}.")
    return DATASETS[name](folder)
