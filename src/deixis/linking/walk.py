"""The walk of a text through the stations, in their order: detection, candidates, ranking, the NIL rule."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

from scipy import sparse

from deixis.candidates.filters import EntityFilter
from deixis.candidates.listing import listed
from deixis.candidates.union import UnionCandidates
from deixis.detection.dictionary import DictionaryDetector
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.calibration import Calibration
from deixis.linking.config import LinkerConfig
from deixis.linking.given import as_document, not_a_text
from deixis.linking.named import has_named
from deixis.linking.nil import NilRule
from deixis.linking.portions import portions
from deixis.linking.reranking import Reranking, no_reranker
from deixis.linking.seen import SeenDocuments
from deixis.nearest.allowed import Mask
from deixis.ranking.fusion import FusionRanker
from deixis.types import Candidate, Document, Mention, MentionInContext

BATCH_SIZE = 64  # documents that walk through the stations together
FILTERS_KEPT = 8  # whose masks are at hand for the next call

Names = str | Iterable[str] | None
"""One name or several, or none asked for."""


class Walk:
    """The stations of a linker and their order: all that linking is. How they are made and taught is the linker's.

    `learned_from` are the documents that taught them.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        detector: DictionaryDetector,
        generator: UnionCandidates,
        ranker: FusionRanker,
        config: LinkerConfig,
        n_threads: int = 0,
        calibration: Calibration | None = None,
        reranking: Reranking | None = None,
        learned_from: SeenDocuments | None = None,
    ) -> None:
        self.kb = kb
        self.detector = detector
        self.generator = generator
        self.ranker = ranker
        self.config = config
        self.n_threads = n_threads
        self._masks = functools.lru_cache(maxsize=FILTERS_KEPT)(functools.partial(_mask, kb))
        self.calibration = calibration
        self.reranking = reranking
        self.learned_from = learned_from or SeenDocuments()

    @overload
    def link(  # type: ignore[overload-overlap]
        self,
        text: str | Document,
        *,
        types: Names = None,
        subset: Names = None,
        languages: Names = None,
        rerank: bool = False,
    ) -> Document: ...
    @overload
    def link(
        self,
        text: Iterable[str | Document],
        *,
        types: Names = None,
        subset: Names = None,
        languages: Names = None,
        rerank: bool = False,
    ) -> list[Document]: ...
    def link(
        self,
        text: str | Document | Iterable[str | Document],
        *,
        types: Names = None,
        subset: Names = None,
        languages: Names = None,
        rerank: bool = False,
    ) -> Document | list[Document]:
        """The document with its mentions linked; mentions are detected where none are given. A list for many.

        Only to entities of one of the `types`, with an id in `subset`, known in one of the `languages`, where these
        are given. All others are left out before candidates are ranked, so none of them takes the place of one that
        passes; and names that none has that passes are not detected. With `rerank` the best candidates are looked at
        again by the re-ranker that the model was taught.
        """
        if isinstance(text, (str, Document)):
            allowed = self.allowed(EntityFilter.of(types, subset, languages))
            return self._link_batch([as_document(text, 0)], allowed, rerank)[0]
        if isinstance(text, (bytes, bytearray, Mapping)) or not isinstance(text, Iterable):
            raise not_a_text(text)
        return list(self.link_stream(text, types=types, subset=subset, languages=languages, rerank=rerank))

    def link_stream(
        self,
        texts: Iterable[str | Document],
        batch_size: int = BATCH_SIZE,
        *,
        types: Names = None,
        subset: Names = None,
        languages: Names = None,
        rerank: bool = False,
    ) -> Iterator[Document]:
        """Linked documents as they come, for more text than fits in memory; filtered and re-ranked as by `link`."""
        if batch_size < 1:
            raise ConfigError(f"batch_size must be at least 1, got {batch_size}.")
        if rerank and self.reranking is None:
            raise no_reranker()
        return self._stream(texts, batch_size, self.allowed(EntityFilter.of(types, subset, languages)), rerank)

    def allowed(self, only: EntityFilter) -> Mask | None:
        """Whether each entity passes a filter, kept for the next call; None if it asks for nothing."""
        return self._masks(only)

    def _stream(
        self, texts: Iterable[str | Document], batch_size: int, allowed: Mask | None, rerank: bool
    ) -> Iterator[Document]:
        batch: list[Document] = []
        for number, text in enumerate(texts):
            batch.append(as_document(text, number))
            if len(batch) == batch_size:
                yield from self._link_batch(batch, allowed, rerank)
                batch = []
        if batch:
            yield from self._link_batch(batch, allowed, rerank)

    def _link_batch(self, given: list[Document], allowed: Mask | None, rerank: bool) -> list[Document]:
        documents = self._with_detected(given)
        # By number, not by id: two documents of one id and text must not lend each other mentions.
        numbered = (replace(document, id=str(number)) for number, document in enumerate(documents))
        in_context = [mention for document in numbered for mention in document.mentions_in_context()]
        ranked = self.ranked(in_context, allowed, rerank=rerank)
        calibration, rule = self.decision(rerank)
        if calibration is not None:
            ranked = calibration.calibrated(ranked)
        linked, first = [], 0
        for before, document in zip(given, documents, strict=True):
            last = first + len(document.mentions)
            mentions = rule.decide(document.mentions, ranked[first:last])
            if allowed is not None and not before.mentions:
                mentions = [mention for mention in mentions if has_named(self.kb, mention)]
            linked.append(document.with_mentions(mentions))
            first = last
        return linked

    def decision(self, rerank: bool = False) -> tuple[Calibration | None, NilRule]:
        """What turns scores into probabilities, if anything does, and when a link is made: with or without rerank."""
        if not rerank:
            return self.calibration, self.config.nil
        reranking = self._own_reranking()
        return reranking.calibration, reranking.nil

    def _own_reranking(self) -> Reranking:
        if self.reranking is None:
            raise no_reranker()
        return self.reranking

    def ranked(
        self,
        mentions: Sequence[MentionInContext],
        allowed: Mask | None = None,
        k: int | None = None,
        rerank: bool = False,
    ) -> list[list[Candidate]]:
        """The candidates of each mention, best first, with the scores of the ranker: nothing calibrated or decided.

        With `rerank`, in the order and with the scores of the re-ranker.
        """
        k = self.config.n_candidates if k is None else k
        lists: list[list[Candidate]] = []
        for found in self._ranked_portions(mentions, allowed, k, rerank):
            lists += [best[:k] for best in listed(self.kb, found)]
        return lists

    def ranked_rows(self, mentions: Sequence[MentionInContext], k: int) -> sparse.csr_matrix:
        """mentions_by_entities: the best `k` of each mention, stored best first, with the scores of the ranker."""
        found = list(self._ranked_portions(mentions, None, k, rerank=False))
        nothing = self.ranker.rank([], self.generator.propose([]), k)
        joined: sparse.csr_matrix = sparse.vstack([nothing, *found], format="csr")
        return joined

    def _ranked_portions(
        self, mentions: Sequence[MentionInContext], allowed: Mask | None, k: int, rerank: bool
    ) -> Iterator[sparse.csr_matrix]:
        reranker = self._own_reranking().ranker if rerank else None
        for portion in portions(mentions):
            asked = mentions[portion]
            proposals = self.generator.propose(asked, allowed)
            if reranker is None:
                yield self.ranker.rank(asked, proposals, k)
            else:
                # It reads as many as it was taught to, however few are wanted.
                yield reranker.rank(asked, self.ranker.rank(asked, proposals, max(k, reranker.n_candidates)))

    def _with_detected(self, documents: list[Document]) -> list[Document]:
        bare = [number for number, document in enumerate(documents) if not document.mentions]
        if not bare:
            return documents
        completed = list(documents)
        found = self.detector.detect([documents[number].text for number in bare], self.n_threads)
        for number, spans in zip(bare, found, strict=True):
            text = documents[number].text
            completed[number] = documents[number].with_mentions([Mention(s, e, text[s:e]) for s, e in spans])
        return completed


def _mask(kb: KnowledgeBase, only: EntityFilter) -> Mask | None:
    return only.allowed(kb)
