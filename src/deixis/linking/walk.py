"""The walk of a text through the stations, in their order: detection, candidates, ranking, the NIL rule."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args, overload

from scipy import sparse

from deixis.candidates.candidate_lists import listed
from deixis.candidates.combined import UnionCandidates
from deixis.candidates.filters import EntityFilter
from deixis.detection.dictionary import DictionaryDetector
from deixis.detection.recognizers import Recognize
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.calibration import Calibration
from deixis.linking.config import LinkerConfig
from deixis.linking.corrections import Corrections
from deixis.linking.finding import Finding, Overlaps, Rank
from deixis.linking.given import as_document, check_column, not_a_text
from deixis.linking.name_column import NAMELESS, named_documents
from deixis.linking.named import has_named
from deixis.linking.nil import NilRule
from deixis.linking.portions import portions
from deixis.linking.reading import LEAST_CHANCE, LEAST_SPAN, ReadingStation, no_reader
from deixis.linking.remembered import Remembered
from deixis.linking.reranking import Reranking, no_reranker
from deixis.linking.seen import SeenDocuments
from deixis.linking.shown import cut, extended
from deixis.linking.uncorrected import Uncorrected
from deixis.nearest.mask_cache import Mask
from deixis.progress import track
from deixis.ranking.ranker import FusionRanker
from deixis.types import Candidate, Document, Mention, MentionInContext

BATCH_SIZE = 64  # documents that walk through the stations together
FILTERS_KEPT = 8  # whose masks are at hand for the next call

Names = str | Iterable[str] | None
"""One name or several, or none asked for."""


class Walk:
    """The stations of a linker and their order: all that linking is. How they are made and taught is the linker's.

    `learned_from` are the documents that taught them, `corrections` what somebody said about single spans;
    `uncorrected` is what these have changed. `top_k` is how many candidates are shown, None for all that decide.
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
        finding: Finding | None = None,
        reading: ReadingStation | None = None,
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
        self.finding = finding or Finding.by_rules(detector, config.finding)
        self.corrections = Corrections()
        self.uncorrected: Uncorrected | None = None
        self.reading = reading
        self.top_k: int | None = None

    @overload
    def link(  # type: ignore[overload-overlap]
        self,
        text: str | Document,
        *,
        types: Names = None,
        subset: Names = None,
        languages: Names = None,
        rerank: bool = False,
        overlaps: Overlaps = "drop",
        recognize: Recognize | None = None,
        read: bool | None = None,
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
        overlaps: Overlaps = "drop",
        recognize: Recognize | None = None,
        read: bool | None = None,
    ) -> list[Document]: ...
    def link(
        self,
        text: str | Document | Iterable[str | Document],
        *,
        types: Names = None,
        subset: Names = None,
        languages: Names = None,
        rerank: bool = False,
        overlaps: Overlaps = "drop",
        recognize: Recognize | None = None,
        read: bool | None = None,
    ) -> Document | list[Document]:
        """The document with its mentions linked; mentions are detected where none are given. A list for many.

        Only to entities of one of the `types`, with an id in `subset`, known in one of the `languages`, where these
        are given. All others are left out before candidates are ranked, so none of them takes the place of one that
        passes; and names that none has that passes are not detected. With `rerank` the best candidates are looked at
        again by the re-ranker that the model was taught.

        Mentions that are detected do not overlap unless `overlaps` is "keep": then all that are likely enough stay.
        `recognize` finds further mentions in texts that bring none: texts in, spans out, as any NER can tell them.
        In such texts the reader has a say too, if the model was taught one and unless `read` is False.
        """
        if isinstance(text, (str, Document)):
            allowed = self.allowed(EntityFilter.of(types, subset, languages))
            return self._link_batch([as_document(text, 0)], allowed, rerank, checked(overlaps), recognize, read)[0]
        check_column(text, "texts")
        if isinstance(text, (bytes, bytearray, Mapping)) or not isinstance(text, Iterable):
            raise not_a_text(text)
        stream = self.link_stream(
            text,
            types=types,
            subset=subset,
            languages=languages,
            rerank=rerank,
            overlaps=overlaps,
            recognize=recognize,
            read=read,
        )
        return list(stream)

    def link_stream(
        self,
        texts: Iterable[str | Document],
        batch_size: int = BATCH_SIZE,
        *,
        types: Names = None,
        subset: Names = None,
        languages: Names = None,
        rerank: bool = False,
        overlaps: Overlaps = "drop",
        recognize: Recognize | None = None,
        read: bool | None = None,
    ) -> Iterator[Document]:
        """Linked documents as they come, for more text than fits in memory; filtered and re-ranked as by `link`."""
        check_column(texts, "texts")
        if batch_size < 1:
            raise ConfigError(f"batch_size must be at least 1, got {batch_size}.")
        if rerank and self.reranking is None:
            raise no_reranker()
        if read and self.reading is None:
            raise no_reader()
        allowed = self.allowed(EntityFilter.of(types, subset, languages))
        return self._stream(texts, batch_size, allowed, rerank, checked(overlaps), recognize, read)

    def link_names(
        self,
        names: Iterable[str | None],
        contexts: Iterable[str | None] | None = None,
        *,
        types: Names = None,
        subset: Names = None,
        languages: Names = None,
        rerank: bool = False,
    ) -> list[Mention]:
        """What each name of a list or a column means, alone or by a text about it: a link or NIL for each, in order.

        A missing name (None, or the NaN and NA of tables) means nothing. Filtered and re-ranked as by `link`.
        """
        documents = named_documents(names, contexts)
        asked = [document for document in documents if document.mentions]
        linked = iter(self.link(asked, types=types, subset=subset, languages=languages, rerank=rerank))
        return [(next(linked).mentions if document.mentions else (NAMELESS,))[0] for document in documents]

    def allowed(self, only: EntityFilter) -> Mask | None:
        """Whether each entity passes a filter, kept for the next call; None if it asks for nothing."""
        return self._masks(only)

    def _stream(
        self,
        texts: Iterable[str | Document],
        batch_size: int,
        allowed: Mask | None,
        rerank: bool,
        overlaps: Overlaps,
        recognize: Recognize | None,
        read: bool | None,
    ) -> Iterator[Document]:
        batch: list[Document] = []
        for number, text in enumerate(texts):
            batch.append(as_document(text, number))
            if len(batch) == batch_size:
                yield from self._link_batch(batch, allowed, rerank, overlaps, recognize, read)
                batch = []
        if batch:
            yield from self._link_batch(batch, allowed, rerank, overlaps, recognize, read)

    def _link_batch(
        self,
        given: list[Document],
        allowed: Mask | None,
        rerank: bool,
        overlaps: Overlaps = "drop",
        recognize: Recognize | None = None,
        read: bool | None = None,
    ) -> list[Document]:
        bare = [number for number, document in enumerate(given) if not document.mentions]
        is_read = self._is_read(read)
        is_again = rerank and (is_read or self.finding.scorer.is_by_rules)
        look_again = self._rank(allowed, rerank=True) if rerank and not is_again else None
        documents = self._found([given[n] for n in bare], allowed, overlaps, recognize, is_read, look_again)
        found = dict(zip(bare, documents, strict=True))
        if is_again:  # what was found is looked at as if it had been given
            found = {number: document.with_mentions(_bare(document)) for number, document in found.items()}
        linked = [found.get(number, document) for number, document in enumerate(given)]
        asked = [n for n, each in enumerate(linked) if each.mentions and (is_again or n not in found)]
        for number, document in zip(asked, self._linked([linked[n] for n in asked], allowed, rerank), strict=True):
            linked[number] = document
        return linked if self.top_k is None else self._shown(linked, self.top_k, allowed)

    def _shown(self, documents: list[Document], top_k: int, allowed: Mask | None) -> list[Document]:
        """The documents as they were linked, with `top_k` candidates for each mention."""
        if top_k <= self.config.n_candidates:
            return [document.with_mentions([cut(m, top_k) for m in document.mentions]) for document in documents]
        in_context = _in_context(documents)
        ranked = self.ranked(in_context, allowed, top_k)
        deeper = iter(Remembered(self.kb, self.corrections, allowed).revised(in_context, ranked))
        return [
            document.with_mentions([extended(mention, next(deeper), top_k) for mention in document.mentions])
            for document in documents
        ]

    def _found(
        self,
        documents: list[Document],
        allowed: Mask | None,
        overlaps: Overlaps,
        recognize: Recognize | None,
        is_read: bool,
        look_again: Rank | None,
    ) -> list[Document]:
        if not documents:
            return []
        if self.reading is not None and is_read:
            proposed = self.proposed(documents, allowed, recognize)
            found = self.reading.find(self.kb, proposed, overlaps, self.config.n_candidates)
        else:
            rule = self.decision()[1]
            rank = self._rank(allowed)
            found = self.finding.find(documents, rank, self.n_threads, overlaps, recognize, rule, look_again)
            found = self._named(found, allowed)
        remembered = Remembered(self.kb, self.corrections, allowed)
        return [remembered.held_to(each, may_overlap=overlaps == "keep") for each in found]

    def proposed(
        self, documents: Sequence[Document], allowed: Mask | None = None, recognize: Recognize | None = None
    ) -> list[Document]:
        """The documents with all that could be a link in them, mentions that overlap and unlikely ones too.

        This is what a reader looks at. Mentions that the documents bring are not looked at.
        """
        rule, config = NilRule(LEAST_CHANCE), self.finding.config
        low = replace(self.finding, nil=rule, config=replace(config, min_chance=min(config.min_chance, LEAST_SPAN)))
        found = low.find(documents, self._rank(allowed), self.n_threads, "keep", recognize, rule)
        linked = [each.with_mentions([m for m in each.mentions if m.entity is not None]) for each in found]
        return self._named(linked, allowed)

    def _is_read(self, read: bool | None) -> bool:
        if read and self.reading is None:
            raise no_reader()
        return self.reading is not None and read is not False

    def _rank(self, allowed: Mask | None, rerank: bool = False) -> Rank:
        """Candidates of spans, with scores as the decision over a text takes them."""
        return lambda mentions: self.decidable(mentions, self.ranked(mentions, allowed, rerank=rerank), allowed)

    def decidable(
        self, mentions: Sequence[MentionInContext], ranked: list[list[Candidate]], allowed: Mask | None = None
    ) -> list[list[Candidate]]:
        """What the ranker says of spans, as the decision over a text takes it."""
        if self.calibration is not None and self.finding.scorer.is_by_rules:
            ranked = self.calibration.calibrated(ranked)
        return Remembered(self.kb, self.corrections, allowed).revised(mentions, ranked)

    def _named(self, found: list[Document], allowed: Mask | None) -> list[Document]:
        """Without the names that no entity has that passes the filter."""
        if allowed is None:
            return found
        return [each.with_mentions([m for m in each.mentions if has_named(self.kb, m)]) for each in found]

    def _linked(self, documents: list[Document], allowed: Mask | None, rerank: bool) -> list[Document]:
        in_context = _in_context(documents)
        ranked = self.ranked(in_context, allowed, rerank=rerank)
        calibration, rule = self.decision(rerank)
        if calibration is not None:
            ranked = calibration.calibrated(ranked)
        ranked = Remembered(self.kb, self.corrections, allowed).revised(in_context, ranked)
        linked, first = [], 0
        for document in documents:
            last = first + len(document.mentions)
            linked.append(document.with_mentions(rule.decide(document.mentions, ranked[first:last])))
            first = last
        return linked

    def decision(self, rerank: bool = False) -> tuple[Calibration | None, NilRule]:
        """What turns scores into probabilities, if anything does, and when a link is made: with or without rerank."""
        if not rerank:
            return self.calibration, self.config.nil
        reranking = self._own_reranking()
        return reranking.calibration, reranking.nil

    def least_found(self, rerank: bool = False) -> float:
        """From which score on a mention that was found in a text is linked."""
        is_read = self._is_read(None)
        if rerank and (is_read or self.finding.scorer.is_by_rules):
            return self.decision(rerank)[1].least_score
        rule = self.finding.rule(self.config.nil) if self.reading is None else self.reading.nil
        return rule.least_score

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
        parts = list(portions(mentions))
        for portion in track(parts, "ranking candidates") if len(parts) > 1 else parts:
            asked = mentions[portion]
            proposals = self.generator.propose(asked, allowed)
            if reranker is None:
                yield self.ranker.rank(asked, proposals, k)
            else:
                # It reads as many as it was taught to, however few are wanted.
                yield reranker.rank(asked, self.ranker.rank(asked, proposals, max(k, reranker.n_candidates)))


def checked(overlaps: Overlaps) -> Overlaps:
    """What may be asked about overlaps; an error for anything else."""
    if overlaps not in get_args(Overlaps):
        raise ConfigError(f"overlaps must be 'drop' or 'keep', got {overlaps!r}.")
    return overlaps


def _in_context(documents: Sequence[Document]) -> list[MentionInContext]:
    # By number, not by id: two documents of one id and text must not lend each other mentions.
    numbered = (replace(document, id=str(number)) for number, document in enumerate(documents))
    return [mention for document in numbered for mention in document.mentions_in_context()]


def _bare(document: Document) -> list[Mention]:
    return [Mention(mention.start, mention.end, mention.text) for mention in document.mentions]


def _mask(kb: KnowledgeBase, only: EntityFilter) -> Mask | None:
    return only.allowed(kb)
