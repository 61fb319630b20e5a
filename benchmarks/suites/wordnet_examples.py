"""WordNet as a retrieval task: lemmas inside usage examples, which the knowledge base is not shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from deixis.kb.formats.wordnet import Synset, read_synsets
from deixis.types import Document, Mention


def wordnet_records(folder: Path) -> Iterator[dict[str, Any]]:
    """The synsets as entities; descriptions are glosses without their usage examples."""
    return (synset.record(synset.definition) for synset in read_synsets(folder))


def wordnet_documents(folder: Path) -> Iterator[Document]:
    """One document per usage example in which a lemma of the synset is found."""
    return example_documents(read_synsets(folder))


def example_documents(synsets: Iterable[Synset]) -> Iterator[Document]:
    """The same, of these synsets; `n00001740#2` is the second example of `n00001740`."""
    for synset in synsets:
        for number, example in enumerate(synset.examples, start=1):
            for lemma in sorted(synset.lemmas, key=len, reverse=True):
                if span := find_lemma(lemma, example):
                    mention = Mention(*span, example[slice(*span)], entity=synset.id)
                    yield Document(f"{synset.id}#{number}", example, lang="en", mentions=(mention,))
                    break


def find_lemma(lemma: str, example: str) -> tuple[int, int] | None:
    """Where the example has this lemma, inflected at most by a few last letters.

    Examples
    --------
    >>> find_lemma("take in", "roots Taking in water"), find_lemma("dock", "haddock for lunch")
    ((6, 15), None)
    """
    words = [re.escape(word[: max(3, len(word) - 1)] if len(word) > 3 else word) for word in lemma.split(" ")]
    tail = r"\w{0,4}"
    found = re.search(r"\b" + (tail + " ").join(words) + tail + r"\b", example, re.IGNORECASE)
    return found.span() if found else None
