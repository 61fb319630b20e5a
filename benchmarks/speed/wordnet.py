"""WordNet as a knowledge base and as a retrieval task, read from Debian's `wordnet-base`.

An entity is a synset: its first lemma is the title, the others are aliases, the gloss is the description. The quoted
usage examples inside glosses make held-out queries: they are cut out of the description that the training sees.
"""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("/usr/share/wordnet")
PARTS = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
EXAMPLE = re.compile(r'"([^"]+)"?')
SYNTACTIC_MARKER = re.compile(r"\((?:p|a|ip)\)$")


@dataclass(frozen=True)
class Synset:
    """One entity: `definition` is the gloss without its usage examples."""

    id: str
    lemmas: tuple[str, ...]
    gloss: str
    definition: str
    examples: tuple[str, ...]

    def record(self) -> dict[str, object]:
        """The synset in the native knowledge base shape."""
        return {
            "id": self.id,
            "title": self.lemmas[0],
            "aliases": list(self.lemmas[1:]),
            "description": self.gloss,
        }


@dataclass(frozen=True)
class Query:
    """A lemma as it stands in a usage example, and the synset that the example illustrates."""

    mention: str
    context: str
    entity: str


def install() -> Path:
    """The folder with WordNet's files, installed first where that is possible."""
    if (FOLDER / "data.noun").exists():
        return FOLDER
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-y", "-q", "wordnet-base"], check=True, stdout=subprocess.DEVNULL)
    if not (FOLDER / "data.noun").exists():
        raise SystemExit(f"WordNet is not in {FOLDER}. Install Debian's package: apt-get install wordnet-base")
    return FOLDER


def read_synsets(folder: Path = FOLDER) -> Iterator[Synset]:
    """All synsets, nouns first, in file order."""
    for letter, name in PARTS.items():
        with open(folder / name, encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("  "):  # the licence at the head of each file is indented
                    yield parse_synset(letter, line)


def parse_synset(letter: str, line: str) -> Synset:
    """One line of a WordNet data file."""
    fields, _, gloss = line.partition(" | ")
    parts = fields.split(" ")
    words = parts[4 : 4 + 2 * int(parts[3], 16) : 2]
    lemmas = tuple(dict.fromkeys(SYNTACTIC_MARKER.sub("", word).replace("_", " ") for word in words))
    gloss = gloss.strip()
    definition = EXAMPLE.sub(" ", gloss)
    definition = re.sub(r"[\s;]+(?=;|$)", "", definition).strip(" ;")
    return Synset(letter + parts[0], lemmas, gloss, definition, tuple(EXAMPLE.findall(gloss)))


def find_lemma(lemma: str, example: str) -> str | None:
    """The words of the example that are this lemma, inflected at most by a few last letters."""
    words = [re.escape(word[: max(3, len(word) - 1)] if len(word) > 3 else word) for word in lemma.split(" ")]
    tail = r"\w{0,4}"
    found = re.search(r"\b" + (tail + " ").join(words) + tail + r"\b", example, re.IGNORECASE)
    return found.group(0) if found else None


def make_queries(synsets: Iterator[Synset] | list[Synset]) -> Iterator[Query]:
    """One query per usage example in which a lemma of the synset is found, longest lemma first."""
    for synset in synsets:
        for example in synset.examples:
            for lemma in sorted(synset.lemmas, key=len, reverse=True):
                if mention := find_lemma(lemma, example):
                    yield Query(mention, example, synset.id)
                    break


def is_dev(entity: str) -> bool:
    """Whether the queries of this synset serve for choices (dev) or for the reported figures (test)."""
    return hashlib.sha256(entity.encode()).digest()[0] % 2 == 0
