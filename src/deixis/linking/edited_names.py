"""The detector of a list with edits: added names, and names that nothing has any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.candidates.sources.alias import AliasSource
from deixis.detection.detector import SpanDetector
from deixis.detection.name_edits import NameEdits, extended_facts
from deixis.kb.edited import EditedKnowledgeBase
from deixis.linking.added_parts import AddedPart
from deixis.linking.model import LinkerModel
from deixis.store.strings import StringTable


def edited_detector(
    built: LinkerModel, kb: EditedKnowledgeBase, parts: Sequence[AddedPart], sources: CandidateSources
) -> SpanDetector:
    """The detector with the added names, without names that nothing has any more."""
    detector, facts = built.detector, built.detector.scorer.facts
    for part in parts:
        facts = extended_facts(facts, part.names, part.kb.titles)
    scorer = replace(detector.scorer, facts=facts)
    edits = NameEdits(tuple(part.names for part in parts), _removed_names(built, kb, sources))
    return replace(detector, scorer=scorer, edits=edits)


def _removed_names(built: LinkerModel, kb: EditedKnowledgeBase, sources: CandidateSources) -> NDArray[np.int32]:
    """The detector's numbers of built names that no entity has any more."""
    gone, alias = np.flatnonzero(~kb.is_live), sources.get("alias")
    names = list(dict.fromkeys(name for row in gone.tolist() for name in kb.names_of(row)))
    if not names or not isinstance(alias, AliasSource):
        return np.zeros(0, dtype=np.int32)
    unknown = [name for name, is_known in zip(names, alias.has_name(names).tolist(), strict=True) if not is_known]
    numbers = built.detector.names.numbers(StringTable.from_strings(unknown), 1)
    return np.unique(numbers[numbers >= 0]).astype(np.int32)
