"""The linker: the only place that knows in which order the stations come."""

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np
from scipy import sparse

from deixis.candidates.annotated import annotated_documents, known_mentions
from deixis.candidates.dense import DenseCandidates
from deixis.candidates.filters import EntityFilter
from deixis.candidates.listing import listed
from deixis.candidates.union import UnionCandidates, standings
from deixis.config import config_to_dict
from deixis.detection.dictionary import DictionaryDetector
from deixis.errors import ConfigError, DataError
from deixis.evaluation.gold import is_gold
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.calibration import Calibration, Judged, answers_of
from deixis.linking.config import LinkerConfig
from deixis.linking.given import as_document, not_a_text
from deixis.linking.held_out import split_documents
from deixis.linking.named import has_named
from deixis.linking.nil import NilRule
from deixis.linking.own_text import popularity_of
from deixis.linking.portions import portions
from deixis.linking.rehearsal import Rehearsal
from deixis.linking.reranking import Reranking, no_reranker
from deixis.linking.seen import SeenDocuments
from deixis.nearest.allowed import Mask
from deixis.progress import stage
from deixis.ranking.fusion import FusionRanker, learned_weights
from deixis.ranking.fusion_training import Lesson
from deixis.store.model_folder import open_model, save_model
from deixis.types import Candidate, Document, Mention, MentionInContext

KIND = "linker"
BATCH_SIZE = 64  # documents that walk through the stations together
FILTERS_KEPT = 8  # whose masks are at hand for the next call

Names = str | Iterable[str] | None
"""One name or several, or none asked for."""


class Linker:
    """Finds which entity each mention of a text means, and how sure that is.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "description": "capital of France, on the river Seine"},
    ...     {"id": "Q167646", "title": "Paris", "description": "prince of Troy who carried Helen off"},
    ...     {"id": "Q22647", "title": "Troy", "description": "ancient city besieged by the Greeks"},
    ... ])
    >>> document = Linker.build(kb).link("To save Troy, Paris had to be sacrificed.")
    >>> [(mention.text, mention.entity) for mention in document.mentions]
    [('Troy', 'Q22647'), ('Paris', 'Q167646')]
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

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        mentions: Iterable[Document] | None = None,
        config: LinkerConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
        dense: DenseCandidates | None = None,
    ) -> Linker:
        """A linker to `kb`; documents with annotated mentions make it better but are not needed.

        `dense` has vectors of the same entities, whatever contexts: they are not made again.
        """
        if not isinstance(kb, KnowledgeBase):
            raise DataError(
                f"Expected a KnowledgeBase, got {type(kb).__name__}. Make one with KnowledgeBase.read(path) or "
                "KnowledgeBase.from_records(records)."
            )
        config = config or LinkerConfig()
        documents = None if mentions is None else annotated_documents(mentions)
        if documents is not None and config.held_out_share > 0:
            kept, held_out = split_documents(documents, config.held_out_share, seed)
            if len(list(known_mentions(kb, held_out))) >= config.ranking.min_mentions:
                plain = replace(config, held_out_share=0.0)
                first = cls.build(kb, kept, plain, seed, n_threads, dense)
                first = first.taught_by(held_out).calibrate(held_out, config.nil)
                whole = cls.build(kb, documents, plain, seed, n_threads, first.generator.dense)
                whole.ranker = whole.ranker.with_weights(first.ranker.weights)
                whole.config, whole.calibration = replace(config, nil=first.config.nil), first.calibration
                return whole
        with stage("making a dictionary of names"):
            detector = DictionaryDetector.build(kb.names(), kb.description_texts(), config.detection)
        counts = kb.counts + popularity_of(kb, detector, n_threads, config.own_text)
        generator = UnionCandidates.build(kb, documents or (), config.candidates, seed, n_threads, counts, dense)
        known, has_dense = generator.tree.learned, generator.dense is not None
        ranker = FusionRanker.build(kb, generator.words, standings(counts), known, config.ranking, n_threads, has_dense)
        seen = SeenDocuments.of(documents or ())
        linker = cls(kb, detector, generator, ranker, config, n_threads, learned_from=seen)
        is_rehearsed = config.rehearsal.is_used_for(kb, has_annotated=mentions is not None)
        return linker.rehearse(seed, config.nil) if is_rehearsed else linker

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

    def taught_by(self, documents: Iterable[Document]) -> Linker:
        """The same linker with weights learned from annotated documents that it has not learned from otherwise."""
        if self.config.ranking.weights != "auto":
            return self
        documents = annotated_documents(documents)
        with stage("weighing what speaks for a candidate"):
            known = list(known_mentions(self.kb, documents))
            lesson = self.lesson([mention for mention, _ in known], [rows for _, rows in known])
            weights = learned_weights([lesson], self.config.ranking.penalty, self.ranker.weights)
        learned_from = self.learned_from | SeenDocuments.of(documents)
        return self._with(ranker=self.ranker.with_weights(weights), learned_from=learned_from)

    def lesson(self, mentions: Sequence[MentionInContext], gold: Sequence[Sequence[int]]) -> Lesson:
        """The candidates of mentions whose entities are known, as training sees them: all rows of `gold` are right."""
        parts = []
        for portion in portions(mentions):
            asked = mentions[portion]
            proposals = self.generator.propose(asked)
            is_right = is_gold(proposals.mention_numbers, proposals.rows, gold[portion])
            parts.append(Lesson(proposals.starts, self.ranker.features(asked, proposals), is_right))
        return Lesson.joined(parts)

    def judged(self, documents: Iterable[Document], rerank: bool = False) -> Judged:
        """How this linker ranks the mentions of annotated documents, held against their entities; NIL counts too.

        Mentions about which nobody has decided, neither an entity nor NIL, are left out.
        """
        checked = [as_document(document, number) for number, document in enumerate(documents)]
        annotated = [each.with_mentions([m for m in each.mentions if m.is_decided]) for each in checked]
        accepted, numbers = answers_of(annotated, self.kb.own_id)
        in_context = [mention for document in annotated for mention in document.mentions_in_context()]
        return Judged.of(self.ranked(in_context, rerank=rerank), accepted, numbers)

    def calibrate(self, documents: Iterable[Document], rule: NilRule | None = None, rerank: bool = False) -> Linker:
        """The same linker with probabilities as scores, learned from annotated documents that it has not learned from.

        Its threshold is that of `calibrated_by`. With `rerank` it is the re-ranker whose scores become probabilities.
        """
        with stage("calibrating"):
            calibration = Calibration.fit(self.judged(documents, rerank), self.config.calibration)
        return self.calibrated_by(calibration, rule, rerank)

    def rehearse(self, seed: int = 0, rule: NilRule | None = None) -> Linker:
        """The same linker, calibrated on mentions made from its knowledge base: for want of annotated documents."""
        with stage("calibrating on names of the knowledge base"):
            judged = Rehearsal.make(self.kb, self.config.rehearsal, seed).judged(self.kb, self.ranked)
            calibration = Calibration.fit(judged, self.config.calibration, "rehearsed")
        return self.calibrated_by(calibration, rule)

    def calibrated_by(self, calibration: Calibration, rule: NilRule | None = None, rerank: bool = False) -> Linker:
        """The same linker with a calibration and with the threshold that does what `rule` asks for.

        By default that is the one that keeps to the target precision of the settings, or else has the best F1. With
        `rerank` both are the re-ranker's.
        """
        asked = rule or NilRule(target_precision=self.decision(rerank)[1].target_precision)
        if rerank:
            return self._with(reranking=self._own_reranking().calibrated_by(calibration, asked))
        return self._with(config=replace(self.config, nil=calibration.settled(asked)), calibration=calibration)

    def with_dense(self, dense: DenseCandidates) -> Linker:
        """The same linker with another list of candidates by vectors, or with its first, weighed as is the default.

        Scores are calibrated as before, by the list before.

        Examples
        --------
        >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "description": "capital of France"}])
        >>> linker = Linker.build(kb).with_dense(DenseCandidates.build(kb))
        >>> linker.with_dense(linker.generator.dense.with_contents("descriptions")).config.candidates.dense.contents
        'descriptions'
        """
        generator, weights = self.generator.with_dense(dense), self.ranker.weights
        known = self.config.ranking.known_weights(self.kb, has_dense=True)
        ranker = self.ranker.with_weights(np.concatenate([weights, known[len(weights) :]]))
        return self._with(generator=generator, ranker=ranker, config=replace(self.config, candidates=generator.config))

    def with_reranking(self, reranking: Reranking | None) -> Linker:
        """The same linker with another re-ranker, or with none."""
        return self._with(reranking=reranking)

    def _with(self, **changes: Any) -> Linker:  # noqa: ANN401 - whatever the attribute is
        other = copy.copy(self)
        vars(other).update(changes)
        return other

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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model folder; an older model of that name is replaced only when the new one is whole."""
        arrays = self.kb.to_arrays("kb") | self.detector.to_arrays("detector")
        arrays |= self.generator.to_arrays("candidates") | self.ranker.to_arrays("ranking")
        if self.calibration is not None:
            arrays |= self.calibration.to_arrays("calibration")
        if self.reranking is not None:
            arrays |= self.reranking.to_arrays("reranking")
        arrays |= self.learned_from.to_arrays("learned_from")
        save_model(path, KIND, config_to_dict(self.config), arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], n_threads: int = 0) -> Linker:
        """The linker that `save` wrote, memory-mapped: a large one opens as fast as a small one."""
        stored = open_model(path, KIND)
        config = stored.settings(LinkerConfig)
        kb = KnowledgeBase.from_arrays(stored.arrays, "kb")
        generator = UnionCandidates.from_arrays(stored.arrays, "candidates", kb, config.candidates, n_threads)
        return cls(
            kb,
            DictionaryDetector.from_arrays(stored.arrays, "detector", config.detection),
            generator,
            FusionRanker.from_arrays(stored.arrays, "ranking", generator.words, n_threads),
            config,
            n_threads,
            Calibration.from_arrays(stored.arrays, "calibration"),
            Reranking.from_arrays(stored.arrays, "reranking", kb, n_threads),
            SeenDocuments.from_arrays(stored.arrays, "learned_from"),
        )


def _mask(kb: KnowledgeBase, only: EntityFilter) -> Mask | None:
    return only.allowed(kb)
