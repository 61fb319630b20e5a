"""Makes explanations: the numbers of a linker's own stations, asked again for one mention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from deixis.candidates.filters import unknown_ids
from deixis.candidates.label_tree import LabelTreeCandidates
from deixis.errors import DataError
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.explanation import ExplainedCandidate, Explanation, NameMatch, NGram, Part, TreeStep
from deixis.linking.given import as_document
from deixis.linking.linker import Linker
from deixis.linking.portions import portions
from deixis.linking.tree_view import topics_of
from deixis.ranking.fusion import weighed
from deixis.ranking.fusion_features import DENSE_FEATURES, FEATURES, feature_names
from deixis.types import Candidate, Document, Mention, MentionInContext
from deixis.xmr.tree_paths import PathStep, labels_below, nodes_to, path_to

N_NGRAMS = 8
CORRECTED = "corrections said that the name did not mean it"
_FORMS = NameForms(NameFormsConfig.loose())


def explain(linker: Linker, text: str | Document, start: int, end: int, entity_id: str | None = None) -> Explanation:
    """Why the mention at `start` to `end` means its entity, or how far `entity_id` is from being it.

    A text without mentions has its own found, since they speak for one another; the span asked about need not be among
    them. What a re-ranker would change is not told, nor that a span was corrected in this very text: evidence is.

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
    document, number = _asked(linker, as_document(text, 0), start, end)
    judged = _judged(linker, document, number)
    row = int(judged.rows[0]) if entity_id is None else _row_of(linker.kb, entity_id)
    places = np.flatnonzero(judged.rows == row)
    mention = document.mentions[number]
    if not len(places):
        raise DataError(
            f"{entity_id!r} is not among the {len(judged.rows)} candidates of {mention.text!r:.60}: no list of "
            f"candidates found its names ({', '.join(_names_of(linker.kb, row)[:5])}) or description near enough. "
            "Add the mention to its aliases, or teach the model with annotated mentions."
        )
    chosen = _candidate(linker, judged, int(places[0]), mention.text)
    others = [place for place in range(len(judged.rows)) if place != places[0]]
    runner_up = _candidate(linker, judged, others[0], mention.text) if others else None
    threshold = linker.decision()[1].least_score
    return Explanation(
        mention.start, mention.end, mention.text, chosen, runner_up,
        is_linked=bool(places[0] == 0 and chosen.confidence >= threshold), threshold=threshold,
        n_candidates=len(judged.rows), log_sum=judged.log_sum,
        path=tuple(_steps(linker.generator.tree, judged.mention, row)),
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


def _asked(linker: Linker, document: Document, start: int, end: int) -> tuple[Document, int]:
    """The document with its mentions, the span among them, and its number."""
    if not 0 <= start < end <= len(document.text):
        raise DataError(
            f"A mention must stand inside the text, which has {len(document.text)} code points; got {start}..{end}."
        )
    if not document.mentions:
        document = linker.link(document)
    spans = [(mention.start, mention.end) for mention in document.mentions]
    if (start, end) not in spans:
        spans = sorted({*spans, (start, end)})
    mentions = [Mention(*span, document.text[slice(*span)]) for span in spans]
    return replace(document, mentions=tuple(mentions)), spans.index((start, end))


def _judged(linker: Linker, document: Document, number: int) -> _Judged:
    in_context = document.mentions_in_context()
    portion = next(each for each in portions(in_context) if each.start <= number < each.stop)
    asked, place = in_context[portion], number - portion.start
    proposals = linker.generator.propose(asked)
    features = linker.ranker.features(asked, proposals)
    own = slice(proposals.starts[place], proposals.starts[place + 1])
    refuted = linker.ranker.corrected.log_odds([mention.text for mention in asked], proposals)
    rows, totals = proposals.rows[own], (weighed(features, linker.ranker.weights) + refuted)[own]
    if not len(rows):
        raise DataError(
            f"{asked[place].text!r:.60} has no candidates: nothing in the knowledge base has a name or a description "
            "like it, so there is nothing to explain."
        )
    scores = linker.ranker.shares(features, proposals, refuted)[own]
    order = np.lexsort((rows, -scores))
    log_sum = float(np.logaddexp.reduce(totals))
    listed = [Candidate("", float(scores[each])) for each in order]
    calibration = linker.decision()[0]
    calibrated = listed if calibration is None else calibration.calibrated([listed])[0]
    return _Judged(
        asked[place], rows[order], features[own][order], refuted[own][order], totals[order], scores[order],
        [each.score for each in calibrated], log_sum,
    )  # fmt: skip


def _candidate(linker: Linker, judged: _Judged, place: int, mention: str) -> ExplainedCandidate:
    row, weights = int(judged.rows[place]), linker.ranker.weights
    says, names = {**FEATURES, **DENSE_FEATURES}, feature_names(len(weights) > len(FEATURES))
    parts = [
        Part(name, says[name], float(value), float(weight), float(value) * float(weight))
        for name, value, weight in zip(names, judged.features[place], weights, strict=True)
        if value and weight
    ]
    if judged.refuted[place]:
        parts.append(Part("corrected", CORRECTED, float(judged.refuted[place]), 1.0, float(judged.refuted[place])))
    parts.sort(key=lambda part: -abs(part.contribution))
    return ExplainedCandidate(
        linker.kb.ids[row], linker.kb.titles[row], float(judged.scores[place]), judged.confidences[place],
        float(judged.totals[place]), _name_match(linker.kb, row, mention), tuple(parts),
    )  # fmt: skip


def _name_match(kb: KnowledgeBase, row: int, mention: str) -> NameMatch:
    """The name that is most like the mention, the title if several are."""
    names = _names_of(kb, row)
    if mention in names:
        return NameMatch(mention, "same", 1.0)
    keys, asked = list(_FORMS.keys(names)), next(iter(_FORMS.keys([mention])))
    if asked in keys:
        return NameMatch(names[keys.index(asked)], "normalized", 1.0)
    likeness = [fuzz.ratio(key, asked) / 100 for key in keys]
    best = int(np.argmax(likeness))
    return NameMatch(names[best], "alike", likeness[best])


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
        for step, (level, _, node) in zip(steps, nodes_to(tree, row), strict=True):
            topics: tuple[str, ...] = (generator.kb.titles[row],)
            if step.n_labels > 1 or level + 1 < len(steps):
                topics = topics_of(generator, labels_below(tree, level, node))
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
