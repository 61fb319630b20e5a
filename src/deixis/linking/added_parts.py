"""What the stages need of entities that were added to a list, or edited, since its model was built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from deixis.candidates.edited_sources import added_sources
from deixis.candidates.entity_facts import extended_words
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.detection.names import NameMatcher
from deixis.features.entity_words import EntityWords
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.model import LinkerModel
from deixis.linking.popularity import added_popularity
from deixis.progress import stage
from deixis.ranking.entity_facts import EntityFacts
from deixis.store.strings import StringTable

TAIL = 256  # entities of the part that is made anew with each edit, at most
MANY = 2_000  # entities from which on making their part takes long enough to be shown


@dataclass(frozen=True, eq=False)
class AddedPart:
    """Entities added or edited, and what the stages need of them; made from the parts before it."""

    records: StringTable
    kb: KnowledgeBase
    words: EntityWords
    sources: Mapping[str, CandidateSource | None]
    facts: EntityFacts
    names: NameMatcher

    def is_of(self, records: StringTable) -> bool:
        """Whether it was made from these records."""
        own = self.records
        return len(own.data) == len(records.data) and own.data.tobytes() == records.data.tobytes()


def added_parts(built: LinkerModel, edits: EntityEdits, earlier: Sequence[AddedPart]) -> tuple[AddedPart, ...]:
    """The parts of added entities: those that were there before stay as they are."""
    n = len(edits.records)
    n_settled = n - n % TAIL
    parts: list[AddedPart] = []
    for first, last in ((0, n_settled), (n_settled, n)):
        if first == last:
            continue
        records = edits.records.take(range(first, last))
        known = next((part for part in earlier[len(parts) : len(parts) + 1] if part.is_of(records)), None)
        if known is None:
            with stage("indexing added entities") if last - first >= MANY else nullcontext():
                known = _part(built, parts, records, edits.kb.take(range(first, last)))
            earlier = ()  # a part is made from those before it
        parts.append(known)
    return tuple(parts)


def _part(built: LinkerModel, before: Sequence[AddedPart], records: StringTable, kb: KnowledgeBase) -> AddedPart:
    """What the stages need of further entities."""
    n_threads = built.n_threads
    words = extended_words(before[-1].words if before else built.sources.words, kb, n_threads)
    popularity = added_popularity(built, kb)
    inputs = SourceInputs(kb, n_threads=n_threads, stored_words=words, stored_popularity=popularity)
    latest: dict[str, CandidateSource] = dict(built.sources.by_name)
    for part in before:
        latest |= {name: source for name, source in part.sources.items() if source is not None}
    facts = EntityFacts.of(kb, words, popularity, n_threads=n_threads)
    names = NameMatcher.build(kb.names()[0], built.config.detection)
    return AddedPart(records, kb, words, added_sources(latest, inputs), facts, names)
