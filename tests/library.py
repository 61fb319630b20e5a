"""A small library: books by title and their subjects, so plain that a reader knows which subject fits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy import sparse

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.store.strings import StringTable

WORDS = {
    "cats": ("cat", "kitten", "purr", "whisker"),
    "ships": ("ship", "mast", "sail", "harbour"),
    "bread": ("bread", "oven", "flour", "crust"),
    "stars": ("star", "comet", "orbit", "telescope"),
}
RECORDS = [{"id": f"s{number}", "title": name.title()} for number, name in enumerate(WORDS)]
UNSEEN = {"id": "s9", "title": "Volcano"}  # a subject that no book has


def library_vocabulary() -> KnowledgeBase:
    """The four subjects, and one that no book has."""
    return KnowledgeBase.from_records([*RECORDS, UNSEEN])


def books(n: int, seed: int = 0) -> LabelledTexts:
    """Books with one subject or two, whose titles have words of each."""
    rng = np.random.default_rng(seed)
    words, texts, has_subject = list(WORDS.values()), [], np.zeros((n, len(WORDS) + 1), np.float32)
    for book in range(n):
        subjects = rng.choice(len(words), int(rng.integers(1, 3)), replace=False)
        has_subject[book, subjects] = 1
        drawn = [word for subject in subjects for word in rng.choice(words[subject], 2, replace=False)]
        texts.append(f"the book of {' and '.join(drawn)}")
    ids = StringTable.from_strings(f"b{seed}-{book}" for book in range(n))
    return LabelledTexts(ids, StringTable.from_strings(texts), sparse.csr_matrix(has_subject))


def write_books(path: Path, documents: LabelledTexts) -> None:
    """The books in a file, as JSON lines."""
    subjects = library_vocabulary().ids
    with open(path, "w", encoding="utf-8") as stream:
        for id_, text, row in zip(documents.ids, documents.texts, documents.docs_by_labels, strict=True):
            labels = [subjects[int(column)] for column in row.indices]
            stream.write(json.dumps({"id": id_, "text": text, "labels": labels}) + "\n")


def write_vocabulary(path: Path) -> None:
    """The subjects in a file, as JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in [*RECORDS, UNSEEN]), encoding="utf-8")
