"""The name of an entity that is most similar to a mention."""

from __future__ import annotations

import numpy as np

from deixis.explanation.records import NameMatch
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.native import _core

_FORMS = NameForms(NameFormsConfig.loose())


def name_match(kb: KnowledgeBase, row: int, mention: str) -> NameMatch:
    """The name that is most similar to the mention; of equally similar names the title."""
    names = kb.names_of(row)
    if mention in names:
        return NameMatch(mention, "same", 1.0)
    keys, key = list(_FORMS.keys(names)), next(iter(_FORMS.keys([mention])))
    if key in keys:
        return NameMatch(names[keys.index(key)], "normalized", 1.0)
    similarities = [_core.indel_similarity(each, key) for each in keys]
    best = int(np.argmax(similarities))
    return NameMatch(names[best], "similar", similarities[best])
