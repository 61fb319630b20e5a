"""The detector of a list with edits: added names, and names that nothing has any more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.candidates.sources.alias import AliasSource
from deixis.detection.detector import SpanDetector
from deixis.detection.name_edits import DoubtfulNames, NameEdits, extended_facts
from deixis.linking.added_parts import AddedParts
from deixis.linking.model import LinkerModel
from deixis.store.strings import StringTable


def edited_detector(built: LinkerModel, added: AddedParts, sources: CandidateSources) -> SpanDetector:
    """The detector with the added names, without names that nothing has any more."""
    detector = built.detector
    scorer = replace(detector.scorer, facts=extended_facts(detector.scorer.facts))
    return replace(detector, scorer=scorer, edits=NameEdits(added.names, _doubtful(built, added, sources)))


def _doubtful(built: LinkerModel, added: AddedParts, sources: CandidateSources) -> DoubtfulNames | None:
    """The detector's numbers of names of built entities that were removed or edited."""
    alias = sources.get("alias")
    if not isinstance(alias, AliasSource):
        return None
    numbers, rows = added.removed_names
    matcher = built.detector.names

    def number_of(names: list[str]) -> NDArray[np.int32]:
        return matcher.numbers(StringTable.from_strings(names), 1)

    return DoubtfulNames(numbers, rows, built.kb.names_of, alias.has_name, number_of)
