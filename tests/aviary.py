"""Stones and birds that share their names: who reads texts and descriptions together can learn that birds are meant."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from deixis.documents.writing import write_documents
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention
from tests.tiny_encoders import tiny_sentence_encoder

NAMES = ("Amber", "Coral", "Flint", "Garnet", "Ivory", "Jasper", "Onyx", "Pearl", "Ruby", "Topaz")
RECORDS = [
    {"id": f"{kind}-{name}", "title": name, "description": f"{name} is a kind of {kind}"}
    for kind in ("stone", "bird")
    for name in NAMES
]
EVEN_RECORDS = [
    record | {"description": record["description"].replace(" is ", ": ")}
    if number in range(0, len(NAMES), 2)
    else record
    for number, record in enumerate(RECORDS)
]
"""Every other stone is described in fewer words than its bird, so that a plain ranker takes as many stones as birds."""
TEXTS = ("we saw {} in the tree", "{} sang all morning", "a nest of {} was found", "{} flew over the lake")
NIL = "Basalt"


def aviary() -> KnowledgeBase:
    """Ten stones, then ten birds of the same names."""
    return KnowledgeBase.from_records(RECORDS)


def even_aviary() -> KnowledgeBase:
    """The same stones and birds; a plain ranker takes the stone for one name and the bird for the next."""
    return KnowledgeBase.from_records(EVEN_RECORDS)


def sightings(n: int, seed: int = 0, nil_share: float = 0.1) -> list[Document]:
    """Documents with one mention each, of a bird, or now and then of nothing that the list has."""
    rng = np.random.default_rng(seed)
    documents = []
    for number in range(n):
        is_nil = bool(rng.random() < nil_share)
        name = NIL if is_nil else NAMES[int(rng.integers(len(NAMES)))]
        text = f"{TEXTS[int(rng.integers(len(TEXTS)))].format(name)} on day {seed} {number}"
        start = text.index(name)
        gold = None if is_nil else f"bird-{name}"
        documents.append(
            Document(f"{seed}-{number}", text, mentions=(Mention(start, start + len(name), name, gold, is_nil=is_nil),))
        )
    return documents


def tiny_encoder(folder: Path) -> str:
    """The folder of an encoder that knows the words of all this."""
    texts = [*(record["description"] for record in RECORDS), *(text.format("Amber") for text in TEXTS)]
    return str(tiny_sentence_encoder(folder, texts))


def write_sightings(path: Path, documents: list[Document]) -> None:
    """The documents in a file, as JSON lines."""
    with open(path, "w", encoding="utf-8") as stream:
        write_documents(documents, stream)
