"""Titles of entities as training instances that also name the entities they are mentioned with (Gandalf, section 4).

Documents that mention entities together give the graph of `xmr/label_graph.py`; an entity's title is its label text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from deixis.candidates.pseudo_instances import Instances
from deixis.evaluation.gold import known_parts
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.strings import StringTable
from deixis.types import Document
from deixis.xmr.label_augmentation import AugmentationConfig, label_targets


def related_titles(
    kb: KnowledgeBase,
    documents: Sequence[Document],
    config: AugmentationConfig,
    seed: int = 0,
    n_threads: int = 0,
) -> Instances | None:
    """The titles of the entities that `documents` mention, with targets in (0, 1]; None if there are none to add.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> kb = KnowledgeBase.from_records([{"id": id, "title": id} for id in ("Paris", "Troy", "Nice")])
    >>> mentions = (Mention(0, 5, "Paris", "Paris"), Mention(7, 11, "Troy", "Troy"))
    >>> made = related_titles(kb, [Document("d", "Paris, Troy", mentions=mentions)], AugmentationConfig("soft"))
    >>> made.mentions[0], made.docs_by_labels[0].indices.tolist()
    ('Paris', [0, 1])
    """
    if config.kind == "none":
        return None
    docs_by_entities = mentioned_entities(kb, documents)
    rows = np.unique(docs_by_entities.indices)
    if not len(rows):
        return None
    targets = label_targets(docs_by_entities, config, seed, n_threads)[rows]
    return Instances(kb.titles.take(rows), StringTable.from_strings([""] * len(rows)), targets)


def mentioned_entities(kb: KnowledgeBase, documents: Sequence[Document]) -> sparse.csr_matrix:
    """docs_by_entities: ones where a document mentions an entity of the knowledge base."""
    pairs = {
        (number, row)
        for number, document in enumerate(documents)
        for mention in document.mentions
        for row in (known_parts(mention.entity, kb.row_of) if mention.entity is not None else ())
    }
    places = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    ones = np.ones(len(places), dtype=np.float32)
    return sparse.csr_matrix((ones, (places[:, 0], places[:, 1])), shape=(len(documents), len(kb)))
