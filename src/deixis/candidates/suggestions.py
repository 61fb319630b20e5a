"""What a user may have meant by a name that is not there: close spellings, and ids of entities of that title."""

from __future__ import annotations

import difflib
from collections.abc import Collection

import numpy as np

from deixis.errors import UnknownNameError
from deixis.features.name_set import folded
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.string_hashes import hash_string, hash_strings

MAX_COMPARED = 20_000  # ids whose spelling is compared: a message must not take longer than the work


def unknown_name(kind: str, name: str, known: Collection[str]) -> UnknownNameError:
    """The error for a name that is none of the known, with the closest one whatever its case.

    Examples
    --------
    >>> print(unknown_name("type", "City", ["city", "river"]))
    No type named 'City'. Known: city, river. Did you mean 'city'?
    """
    names = sorted(known)
    folded_to_name = {folded(each): each for each in reversed(names)}
    close = difflib.get_close_matches(folded(name), folded_to_name, n=1)
    return UnknownNameError(kind, name, names, close=[folded_to_name[each] for each in close])


def near_ids(kb: KnowledgeBase, identifier: str, n: int = 3) -> list[str]:
    """Ids that the user may have meant: of entities with this title, or with a similar spelling.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q167646", "title": "Paris"}])
    >>> near_ids(kb, "Paris"), near_ids(kb, "q90")
    (['Q90', 'Q167646'], ['Q90'])
    """
    try:
        length, hash_ = len(identifier.encode()), np.uint64(hash_string(identifier))
    except UnicodeEncodeError:  # a lone surrogate: no title has one
        return []
    as_long = np.flatnonzero(np.diff(kb.titles.offsets) == length)
    titled = kb.ids.strings(as_long[hash_strings(kb.titles.take(as_long)) == hash_][:n])
    if titled:
        return titled
    rows = np.flatnonzero(np.abs(np.diff(kb.ids.offsets) - length) <= 2)[:MAX_COMPARED]
    folded_to_id = {folded(each): each for each in kb.ids.strings(rows)}
    return [folded_to_id[each] for each in difflib.get_close_matches(folded(identifier), folded_to_id, n, cutoff=0.8)]
