"""What the stages need of entities that were added or edited together."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.edited_sources import added_sources
from deixis.candidates.entity_facts import WORDS, extended_words
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.candidates.sources.names import NameSource
from deixis.detection.name_edits import AddedNames
from deixis.features.added_ngrams import AddedNgrams
from deixis.features.entity_words import DESCRIPTION, EntityWords
from deixis.features.word_rows import ColumnRows
from deixis.kb.edited_list import RecordPart
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.model import LinkerModel
from deixis.linking.popularity import added_popularity
from deixis.progress import stage
from deixis.ranking.entity_facts import EntityFacts
from deixis.scipy_sparse import sparse

MANY = 2_000  # entities from which on making their part takes long enough to be shown


@dataclass(frozen=True, eq=False)
class AddedPart:
    """Entities added or edited together, and what the stages need of them; it does not depend on other parts."""

    kb: KnowledgeBase
    words: EntityWords
    sources: Mapping[str, CandidateSource | None]
    facts: EntityFacts
    names: AddedNames
    name_to_ngrams: Mapping[str, ColumnRows]
    """For each vocabulary the new n-grams of each entity."""

    @classmethod
    def of(cls, built: LinkerModel, part: RecordPart, ngrams: Mapping[str, AddedNgrams]) -> AddedPart:
        """What the stages need of further entities."""
        kb, n_threads = part.kb, built.n_threads
        with stage("indexing added entities") if len(kb) >= MANY else nullcontext():
            words = extended_words(built.sources.words, ngrams[WORDS], kb, n_threads)
            counts, popularity = added_popularity(built, part)
            inputs = SourceInputs(
                kb,
                counts=counts,
                n_threads=n_threads,
                stored_words=words,
                stored_popularity=popularity,
                name_to_ngrams=ngrams,
            )
            sources = added_sources(built.sources.by_name, inputs)
            facts = EntityFacts.of(kb, replace(words, stated=inputs.stated), popularity, n_threads=n_threads)
            name_to_ngrams = {WORDS: _new_columns(words, ngrams[WORDS].built.n_features)}
            names = sources.get(NameSource.name)
            n_built = ngrams[NameSource.name].built.n_features
            named = _new_ngrams(names, n_built) if isinstance(names, NameSource) else name_to_ngrams[WORDS]
            name_to_ngrams[NameSource.name] = named
            matcher = AddedNames.of(kb, built.config.detection)
        return cls(kb, words, sources, facts, matcher, name_to_ngrams)


def _new_columns(words: EntityWords, n_built: int) -> ColumnRows:
    """The numbers of the new words of each entity."""
    described, named = words.texts.columns(DESCRIPTION), words.names.columns()
    rows = np.concatenate([_owners(described), _owners(named)])
    return _by_row(rows, np.concatenate([described.indices, named.indices]), n_built, len(described))


def _new_ngrams(names: NameSource, n_built: int) -> ColumnRows:
    """The numbers of the new n-grams of the names of each entity."""
    rows_by_features, rows = names.weighted_names()
    owners, n_ngrams = rows[_owners(rows_by_features)], rows_by_features.shape[1] - bool(len(names.gains))
    is_ngram = rows_by_features.indices < n_ngrams  # the column after them has what popularity gains
    return _by_row(owners[is_ngram], rows_by_features.indices[is_ngram], n_built, len(names.kb))


def _owners(rows: ColumnRows | sparse.csr_matrix) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))


def _by_row(rows: NDArray[np.int64], columns: NDArray[np.integer], n_built: int, n_rows: int) -> ColumnRows:
    is_new = columns >= n_built
    rows, numbers = rows[is_new], columns[is_new] - n_built
    order = np.argsort(rows, kind="stable")
    return ColumnRows(np.searchsorted(rows[order], np.arange(n_rows + 1)), numbers[order].astype(np.int32))
