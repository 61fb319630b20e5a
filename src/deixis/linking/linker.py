"""The linker: how the stations of a walk are built, taught, calibrated, saved and loaded."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.annotated import annotated_documents, known_mentions
from deixis.candidates.combined import UnionCandidates, standings
from deixis.candidates.sources.vectors import DenseCandidates
from deixis.config import config_to_dict
from deixis.detection.correction_odds import CorrectedSpans
from deixis.detection.dictionary import DictionaryDetector
from deixis.documents.corrections import VERDICTS
from deixis.errors import ConfigError, DataError
from deixis.gold import is_gold
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.listwise import Lesson
from deixis.linking.calibration import Calibration, Judged, answers_of
from deixis.linking.config import LinkerConfig
from deixis.linking.corrections import Corrections, rows_named
from deixis.linking.finding import Finding
from deixis.linking.finding_learning import build_finding, decided_by
from deixis.linking.given import as_document
from deixis.linking.held_out import split_documents
from deixis.linking.nil import NilRule
from deixis.linking.own_text import popularity_of
from deixis.linking.portions import portions
from deixis.linking.reading import ReadingStation
from deixis.linking.rehearsal import Rehearsal
from deixis.linking.reranking import Reranking
from deixis.linking.seen import SeenDocuments
from deixis.linking.uncorrected import Uncorrected
from deixis.linking.walk import Walk
from deixis.progress import stage
from deixis.ranking.correction_odds import CorrectedPairs
from deixis.ranking.ranker import FusionRanker, learned_weights
from deixis.store.model_folder import StoredModel, open_model, save_model
from deixis.store.packed import pack_model, unpack_model
from deixis.types import Document, MentionInContext

KIND = "linker"
TAUGHT = frozenset({"ranker", "calibration"})  # what corrections change, and other teaching too


class Linker(Walk):
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
                first = first.taught_by(held_out).calibrate(held_out, config.nil).decided_by(held_out, config.nil)
                whole = cls.build(kb, documents, plain, seed, n_threads, first.generator.dense)
                whole.ranker = whole.ranker.with_weights(first.ranker.weights)
                whole.config, whole.calibration = replace(config, nil=first.config.nil), first.calibration
                whole.finding = whole.finding.with_decision(first.finding)
                return whole
        with stage("making a dictionary of names"):
            detector = DictionaryDetector.build(kb.names(), kb.description_texts(), config.detection)
        counts = kb.counts + popularity_of(kb, detector, n_threads, config.own_text)
        generator = UnionCandidates.build(kb, documents or (), config.candidates, seed, n_threads, counts, dense)
        known, has_dense = generator.tree.learned, generator.dense is not None
        ranker = FusionRanker.build(kb, generator.words, standings(counts), known, config.ranking, n_threads, has_dense)
        seen = SeenDocuments.of(documents or ())
        finding = build_finding(kb, detector, counts, documents or (), config.finding, seed, n_threads)
        if config.nil.threshold is not None:
            finding = replace(finding, nil=config.nil)
        linker = cls(kb, detector, generator, ranker, config, n_threads, learned_from=seen, finding=finding)
        is_rehearsed = config.rehearsal.is_used_for(kb, has_annotated=mentions is not None)
        return linker.rehearse(seed, config.nil) if is_rehearsed else linker

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

    def decided_by(self, documents: Iterable[Document], rule: NilRule | None = None) -> Linker:
        """The same linker with a decision over whole texts, learned from documents that it has not learned from.

        All mentions in the documents must be annotated: what is not counts as wrong.
        """
        asked = [as_document(document, number) for number, document in enumerate(documents)]
        with stage("deciding what is a mention"):
            finding = decided_by(
                self.finding, asked, self.kb.own_id, self.ranked, rule or self.config.nil, self.n_threads
            )
        return self._with(finding=finding)

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

    def ruled_by(self, rule: NilRule, rerank: bool = False) -> Linker:
        """The same linker that links from another threshold on, or from the one that has a target precision.

        With `rerank` that is the re-ranker's. A target precision needs a linker that was calibrated.
        """
        calibration, _ = self.decision(rerank)
        if rule.target_precision is not None and calibration is None:
            raise ConfigError(
                f"No threshold is known that has a precision of {rule.target_precision}: the linker was never "
                "calibrated. Calibrate it on annotated documents, or give a threshold."
            )
        settled = rule if rule.target_precision is None or calibration is None else calibration.settled(rule)
        if rerank:
            other = self._with(reranking=replace(self._own_reranking(), nil=settled))
        else:
            other = self._with(config=replace(self.config, nil=settled))
        other.finding = self.finding.ruled(rule)
        other.reading = None if self.reading is None else self.reading.ruled(rule)
        return other

    def showing(self, top_k: int | None) -> Linker:
        """The same linker, whose mentions have this many candidates; None for as many as decide. No link changes."""
        if top_k is not None and top_k < 1:
            raise ConfigError(f"top_k must be at least 1, got {top_k}.")
        return self._with(top_k=top_k)

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

    def corrected_by(self, corrections: Corrections) -> Linker:
        """The same linker with what these corrections say of names, in place of others; nothing is weighed anew.

        `deixis.linking.correcting.learn_corrections` does that, too.
        """
        gold, wrong, others = (corrections.saying(verdict) for verdict in VERDICTS)
        mentions = [one.in_context() for one in gold]
        right_rows, wrong_rows = (rows_named(self.kb, told) for told in (gold, wrong))
        pairs = CorrectedPairs.of(
            zip((one.surface for one in gold), right_rows, strict=True),
            zip((one.surface for one in wrong), wrong_rows, strict=True),
        )
        spans = CorrectedSpans.of([one.surface for one in gold], [one.surface for one in others], self.detector.config)
        return self._with(
            generator=self.generator.with_alias(self.generator.alias.with_mentions(mentions, right_rows)),
            ranker=self.ranker.with_corrected(pairs),
            finding=replace(self.finding, corrected=spans),
            corrections=corrections,
        )

    def with_reranking(self, reranking: Reranking | None) -> Linker:
        """The same linker with another re-ranker, or with none."""
        return self._with(reranking=reranking)

    def with_reading(self, reading: ReadingStation | None) -> Linker:
        """The same linker with another reader, or with none."""
        return self._with(reading=reading)

    def _with(self, **changes: Any) -> Linker:  # noqa: ANN401 - whatever the attribute is
        other = copy.copy(self)
        if not TAUGHT.isdisjoint(changes):
            other.uncorrected = None  # what else was learned since does not go back with the corrections
        vars(other).update(changes)
        return other

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model folder; an older model of that name is replaced only when the new one is whole."""
        save_model(path, KIND, config_to_dict(self.config), self._arrays())

    def to_bytes(self) -> bytes:
        """The linker as bytes, the same for the same linker: for those who cannot keep a folder."""
        return pack_model(KIND, config_to_dict(self.config), self._arrays())

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays = self.kb.to_arrays("kb") | self.detector.to_arrays("detector")
        arrays |= self.generator.to_arrays("candidates") | self.ranker.to_arrays("ranking")
        if self.calibration is not None:
            arrays |= self.calibration.to_arrays("calibration")
        if self.reranking is not None:
            arrays |= self.reranking.to_arrays("reranking")
        if self.reading is not None:
            arrays |= self.reading.to_arrays("reading")
        arrays |= self.learned_from.to_arrays("learned_from") | self.finding.to_arrays("finding")
        arrays |= self.corrections.to_arrays("corrections")
        if self.uncorrected is not None:
            arrays |= self.uncorrected.to_arrays("uncorrected")
        return arrays

    @classmethod
    def load(cls, path: str | os.PathLike[str], n_threads: int = 0) -> Linker:
        """The linker that `save` wrote, memory-mapped: a large one opens as fast as a small one."""
        return cls._opened(open_model(path, KIND), n_threads)

    @classmethod
    def from_bytes(cls, data: bytes, n_threads: int = 0) -> Linker:
        """The linker that `to_bytes` gave, in memory."""
        return cls._opened(unpack_model(data, KIND), n_threads)

    @classmethod
    def _opened(cls, stored: StoredModel, n_threads: int) -> Linker:
        config = stored.settings(LinkerConfig)
        kb = KnowledgeBase.from_arrays(stored.arrays, "kb")
        generator = UnionCandidates.from_arrays(stored.arrays, "candidates", kb, config.candidates, n_threads)
        detector = DictionaryDetector.from_arrays(stored.arrays, "detector", config.detection)
        linker = cls(
            kb,
            detector,
            generator,
            FusionRanker.from_arrays(stored.arrays, "ranking", generator.words, n_threads),
            config,
            n_threads,
            Calibration.from_arrays(stored.arrays, "calibration"),
            Reranking.from_arrays(stored.arrays, "reranking", kb, n_threads),
            SeenDocuments.from_arrays(stored.arrays, "learned_from"),
            Finding.from_arrays(stored.arrays, "finding", detector, config.finding),
            ReadingStation.from_arrays(stored.arrays, "reading", kb, n_threads),
        )
        corrections = Corrections.from_arrays(stored.arrays, "corrections")
        if not corrections.each:
            return linker
        uncorrected = Uncorrected.from_arrays(stored.arrays, "uncorrected", len(linker.ranker.weights))
        return linker.corrected_by(corrections)._with(uncorrected=uncorrected)
