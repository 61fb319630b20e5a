"""Makes explanations: the numbers of a linker's own stations, asked again for one mention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.candidate_lists import listed as as_lists
from deixis.candidates.filters import unknown_ids
from deixis.candidates.sources.label_tree import LabelTreeCandidates
from deixis.errors import DataError
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.explanation import (
    ExplainedCandidate,
    Explanation,
    FoundSpan,
    NameMatch,
    NGram,
    Part,
    Standing,
    TreeStep,
    parts_of,
)
from deixis.linking.finding import rescored
from deixis.linking.given import as_document
from deixis.linking.linker import Linker
from deixis.linking.portions import portions
from deixis.linking.remembered import Remembered
from deixis.linking.searched_text import SearchedText
from deixis.linking.tree_view import topics_of
from deixis.native import _core
from deixis.ranking.feature import DENSE_FEATURES, FEATURES
from deixis.ranking.ranker import weighed
from deixis.tables import Proposals
from deixis.types import Candidate, Document, Mention, MentionInContext
from deixis.xmr.tree_paths import PathStep, labels_below, path_to

N_NGRAMS = 8
CORRECTED = "corrections said that the name did not mean it"
_FORMS = NameForms(NameFormsConfig.loose())


def explain(linker: Linker, text: str | Document, start: int, end: int, entity_id: str | None = None) -> Explanation:
    """Why the mention at `start` to `end` means its entity, or how far `entity_id` is from being it.

    A text without mentions is searched, as linking does; the span asked about need not be among those found, and how
    likely it is a mention is told too. What a re-ranker or a reader would change is not. Where the span was corrected
    in this very text, `is_linked` and the entity are as somebody said; the numbers are those of the evidence.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "description": "capital of France"},
    ...     {"id": "Q167646", "title": "Paris", "description": "prince of Troy"},
    ... ])
    >>> told = explain(Linker.build(kb), "Paris is the capital of France.", 0, 5)
    >>> told.entity.id, told.runner_up.id, told.entity.name.how
    ('Q90', 'Q167646', 'same')
    >>> bool(np.isclose(sum(part.contribution for part in told.entity.parts), told.entity.total))
    True
    """
    return next(explain_spans(linker, text, [(start, end)], entity_id))


def explain_spans(
    linker: Linker,
    text: str | Document,
    spans: Sequence[tuple[int, int]],
    entity_id: str | None = None,
    skip_unknown: bool = False,
    linked: Document | None = None,
) -> Iterator[Explanation]:
    """The explanation of each span, in the order of the text; mentions that walk together are judged once for all.

    A span without candidates is an error, or with `skip_unknown` left out. What a document's own mentions are annotated
    with is not looked at. `linked` is what linking makes of a text without mentions, for who knows it already.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q220", "title": "Rome"}])
    >>> [told.entity.id for told in explain_spans(Linker.build(kb), "Rome or Paris", [(8, 13), (0, 4)])]
    ['Q220', 'Q90']
    """
    document, asked = as_document(text, 0), set(spans)
    _check_inside(document, spans)
    searched = None if document.mentions else SearchedText(linker, document)
    if searched is not None and linker.reading is not None and linked is None:
        linked = linker.link(document)  # a reader decides
    links = None
    if searched is not None and linked is not None:
        links = {(each.start, each.end): each.entity for each in linked.mentions}
    for together in _together(document, spans) if searched is None else searched.together(spans):
        places = [place for place, each in enumerate(together) if (each.start, each.end) in asked]
        if places:
            stations = _Stations.asked(linker, together)
            if skip_unknown:
                places = [place for place in places if stations.has_candidates(place)]
            here = links
            if searched is not None and links is None:
                here = searched.links(together, stations.ranked())
            yield from (_explanation(linker, stations.judged(place, searched), entity_id, here) for place in places)


def _explanation(
    linker: Linker, judged: _Judged, entity_id: str | None, links: Mapping[tuple[int, int], str | None] | None
) -> Explanation:
    """`links` are those of a text that was searched; mentions that were given are linked by their candidates alone."""
    listed = [Candidate(linker.kb.ids[row], score) for row, score in zip(judged.rows, judged.confidences, strict=True)]
    told = Remembered(linker.kb, linker.corrections).candidates(judged.mention, listed)
    likely = {candidate.id for candidate in listed}
    best = next((candidate.id for candidate in told if candidate.id in likely), listed[0].id)
    row = _row_of(linker.kb, best if entity_id is None else entity_id)
    places = np.flatnonzero(judged.rows == row)
    mention = judged.mention
    if not len(places):
        raise DataError(
            f"{entity_id!r} is not among the {len(judged.rows)} candidates of {mention.text!r:.60}: no list of "
            f"candidates found its names ({', '.join(_names_of(linker.kb, row)[:5])}) or description near enough. "
            "Add the mention to its aliases, or teach the model with annotated mentions."
        )
    chosen = _candidate(linker, judged, int(places[0]), mention.text)
    others = [place for place in range(len(judged.rows)) if place != places[0]]
    runner_up = _candidate(linker, judged, others[0], mention.text) if others else None
    if links is None:
        threshold = linker.decision()[1].least_score
        is_linked = bool(told and told[0].id == chosen.id and told[0].score >= threshold)
    else:
        threshold = linker.least_found()
        is_linked = links.get((mention.start, mention.end)) == chosen.id
    return Explanation(
        mention.start, mention.end, mention.text, chosen, runner_up, is_linked, is_corrected=told != listed,
        threshold=threshold, n_candidates=len(judged.rows), log_sum=judged.log_sum,
        path=tuple(_steps(linker.generator.tree, mention, row)), found=judged.found, standing=judged.standing,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Judged:
    """The candidates of one mention, best first."""

    mention: MentionInContext
    rows: NDArray[np.int64]
    features: NDArray[np.float32]
    refuted: NDArray[np.float64]
    totals: NDArray[np.float64]
    scores: NDArray[np.float32]
    confidences: list[float]
    log_sum: float
    found: FoundSpan | None
    standing: Standing


@dataclass(frozen=True, eq=False)
class _Stations:
    """What the stations of a linker say of mentions that walk together."""

    linker: Linker
    mentions: Sequence[MentionInContext]
    proposals: Proposals
    features: NDArray[np.float32]
    refuted: NDArray[np.float64]

    @classmethod
    def asked(cls, linker: Linker, mentions: Sequence[MentionInContext]) -> _Stations:
        proposals = linker.generator.propose(mentions)
        features = linker.ranker.features(mentions, proposals)
        refuted = linker.ranker.corrected.log_odds([mention.text for mention in mentions], proposals)
        return cls(linker, mentions, proposals, features, refuted)

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        return weighed(self.features, self.linker.ranker.weights) + self.refuted

    @cached_property
    def scores(self) -> NDArray[np.float32]:
        return self.linker.ranker.shares(self.features, self.proposals, self.refuted)

    def has_candidates(self, place: int) -> bool:
        return bool(self.proposals.starts[place] < self.proposals.starts[place + 1])

    def ranked(self) -> list[list[Candidate]]:
        """The candidates of each mention, best first, by their scores."""
        n_candidates = self.linker.config.n_candidates
        return as_lists(self.linker.kb, self.proposals.best(self.scores, n_candidates, len(self.linker.kb)))

    def judged(self, place: int, searched: SearchedText | None) -> _Judged:
        """The candidates of one of the mentions; how sure they are says the search of the text, if it has a say."""
        own = slice(self.proposals.starts[place], self.proposals.starts[place + 1])
        rows, totals, scores = self.proposals.rows[own], self.totals[own], self.scores[own]
        if not self.has_candidates(place):
            raise DataError(
                f"{self.mentions[place].text!r:.60} has no candidates: nothing in the knowledge base has a name or a "
                "description like it, so there is nothing to explain."
            )
        order = np.lexsort((rows, -scores))
        listed = [Candidate("", float(scores[each])) for each in order]
        found = None if searched is None else searched.found(self.mentions[place], listed)
        calibration = self.linker.decision()[0]
        if found is not None:
            listed = list(rescored(listed, found.chance))
        elif calibration is not None:
            listed = calibration.calibrated([listed])[0]
        return _Judged(
            self.mentions[place], rows[order], self.features[own][order], self.refuted[own][order], totals[order],
            scores[order], [each.score for each in listed], float(np.logaddexp.reduce(totals)), found,
            "given" if searched is None else searched.standing(self.mentions[place]),
        )  # fmt: skip


def _check_inside(document: Document, spans: Sequence[tuple[int, int]]) -> None:
    for start, end in spans:
        if not 0 <= start < end <= len(document.text):
            raise DataError(
                f"A mention must stand inside the text, which has {len(document.text)} code points; got {start}..{end}."
            )


def _together(document: Document, asked: Sequence[tuple[int, int]]) -> Iterator[Sequence[MentionInContext]]:
    """The mentions of a document, and the spans asked about, in the parts that are ranked together."""
    spans = [(mention.start, mention.end) for mention in document.mentions]
    if not set(asked) <= set(spans):
        spans = sorted({*spans, *asked})
    whole = replace(document, mentions=tuple(Mention(*span, document.text[slice(*span)]) for span in spans))
    in_context = whole.mentions_in_context()
    yield from (in_context[portion] for portion in portions(in_context))


def _candidate(linker: Linker, judged: _Judged, place: int, mention: str) -> ExplainedCandidate:
    row, weights = int(judged.rows[place]), linker.ranker.weights
    says = {**FEATURES, **DENSE_FEATURES} if len(weights) > len(FEATURES) else FEATURES
    refuted = float(judged.refuted[place])
    corrected = Part("corrected", CORRECTED, refuted, 1.0, refuted)
    return ExplainedCandidate(
        linker.kb.ids[row], linker.kb.titles[row], float(judged.scores[place]), judged.confidences[place],
        float(judged.totals[place]), _name_match(linker.kb, row, mention),
        parts_of(says, judged.features[place], weights, corrected),
    )  # fmt: skip


def _name_match(kb: KnowledgeBase, row: int, mention: str) -> NameMatch:
    """The name that is most like the mention, the title if several are."""
    names = _names_of(kb, row)
    if mention in names:
        return NameMatch(mention, "same", 1.0)
    keys, asked = list(_FORMS.keys(names)), next(iter(_FORMS.keys([mention])))
    if asked in keys:
        return NameMatch(names[keys.index(asked)], "normalized", 1.0)
    similarities = [_core.indel_similarity(key, asked) for key in keys]
    best = int(np.argmax(similarities))
    return NameMatch(names[best], "alike", similarities[best])


def _names_of(kb: KnowledgeBase, row: int) -> list[str]:
    first, last = kb.alias_indptr[row : row + 2]
    return [kb.titles[row], *kb.aliases.strings(range(int(first), int(last)))]


def _row_of(kb: KnowledgeBase, entity_id: str) -> int:
    row = kb.row_of(entity_id)
    if row is None:
        raise DataError(unknown_ids(kb, [entity_id], 1))
    return row


def _steps(generator: LabelTreeCandidates, mention: MentionInContext, row: int) -> Iterator[TreeStep]:
    """The way to the entity in every tree; nothing if the tree knows no n-gram of the mention."""
    features, ranker = generator.features, generator.ranker
    contexts = [mention.context(generator.config.features.context_window)] if features.has_context else []
    query = features.transform([mention.text], contexts, n_threads=1)
    if not query.nnz:
        return
    for number, tree in enumerate(ranker.trees):
        steps = path_to(tree, row, query, ranker.config.beam)
        for step in steps:
            topics: tuple[str, ...] = (generator.kb.titles[row],)
            if step is not steps[-1]:
                topics = topics_of(generator, labels_below(tree, step.level, step.node))
            yield _step(generator, number, step, topics)


def _step(generator: LabelTreeCandidates, tree: int, step: PathStep, topics: tuple[str, ...]) -> TreeStep:
    contributions = step.values.astype(np.float64) * step.weights
    shown = np.lexsort((step.columns, -np.abs(contributions)))[:N_NGRAMS]
    shown = shown[contributions[shown] != 0]
    names = generator.features.feature_names(step.columns[shown])
    ngrams = tuple(
        NGram(name, float(step.values[each]), float(step.weights[each]), float(contributions[each]))
        for name, each in zip(names, shown, strict=True)
    )
    rest = float(contributions.sum() - contributions[shown].sum())
    return TreeStep(
        tree, step.level, step.node, step.n_labels, topics, step.bias, ngrams, rest, step.margin,
        float(np.exp(step.path_log_score)),
    )  # fmt: skip
