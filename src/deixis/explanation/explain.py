"""Explanations: the trace of one run of the pipeline, as records whose parts add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deixis.candidates.filters import unknown_ids
from deixis.errors import DataError
from deixis.explanation.detection_evidence import DetectedText, Key, read_evidence
from deixis.explanation.ranked_span import RankedSpan, ranked_spans
from deixis.explanation.records import Explanation, MentionEvidence
from deixis.explanation.tree_path import tree_steps
from deixis.linking.batching import batches
from deixis.linking.inputs import as_document
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.linking.pipeline import link_documents
from deixis.linking.plan import LinkPlan, LinkPlans
from deixis.linking.stages.correct import overrule
from deixis.linking.stages.rank import RankedSpans, rank
from deixis.linking.trace import Trace
from deixis.tables import Ranking, Spans
from deixis.types import Document

DEFAULT = LinkOptions()


def explain(
    model: LinkerModel,
    text: str | Document,
    spans: Sequence[Key] | None = None,
    entity: str | None = None,
    options: LinkOptions = DEFAULT,
) -> list[Explanation]:
    """Explanations of the links of spans, or of the candidate `entity`, in text order.

    Without `spans`, all mentions that linking with these options returns are explained if they have candidates. A given
    span without candidates is an error. A span that was not detected is explained as if it were given. If a span was
    corrected in this text, the entity is the corrected one, and the numbers are those of the evidence.

    Examples
    --------
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> from deixis.training.build import build_model
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "description": "capital of France"},
    ...     {"id": "Q167646", "title": "Paris", "description": "prince of Troy"},
    ... ])
    >>> explanation = explain(build_model(kb), "Paris is the capital of France.")[0]
    >>> explanation.entity.id, explanation.runner_up.id, explanation.entity.name.how
    ('Q90', 'Q167646', 'same')
    >>> bool(np.isclose(sum(part.contribution for part in explanation.entity.parts), explanation.entity.total))
    True
    """
    document = as_document(text, 0)
    for start, end in spans or ():
        if not 0 <= start < end <= len(document.text):
            raise DataError(
                f"A mention must be inside the text of {len(document.text)} code points, got {start}..{end}."
            )
    run = LinkedText.of(model, document, options)
    if spans is None:
        keys = [(each.start, each.end) for each in run.linked.mentions]
        run = run.with_spans(keys)
        return [run.explanation(key, entity) for key in keys if run.has_candidates(key)]
    run = run.with_spans(spans)
    return [run.explanation(key, entity) for key in sorted(set(spans))]


@dataclass(frozen=True, eq=False)
class LinkedText:
    """One linked document, and the candidates of its spans: those of the run, and those of further spans."""

    plan: LinkPlan
    document: Document
    linked: Document
    selected: dict[Key, RankedSpans]
    """The spans that were selected as mentions, with their decisions."""
    spans: dict[Key, RankedSpan]
    traced: frozenset[Key]
    """The spans that linking ranked."""
    detected: DetectedText | None

    @classmethod
    def of(cls, model: LinkerModel, document: Document, options: LinkOptions) -> LinkedText:
        """The document linked with these options."""
        plans, trace = LinkPlans.of(model, options), Trace()
        linked = link_documents(plans, [document], trace=trace)[0]
        plan = plans.given if document.mentions else plans.raw
        ranked = [each for batch in trace.batches for each in batch.ranked]
        spans = {key: each for batch in ranked for key, each in ranked_spans(plan, batch)}
        selected = {
            (start, end): batch.selected.take(np.arange(len(batch.selected.spans)) == number)
            for batch in trace.batches
            for number, (_, start, end) in enumerate(batch.selected.spans.keys())
        }
        detected = DetectedText(model.detector, document.text, model.n_threads) if plan.detects else None
        return cls(plan, document, linked, selected, spans, frozenset(spans), detected)

    def with_spans(self, keys: Sequence[Key]) -> LinkedText:
        """The same with further spans, ranked together with those of the run."""
        missing = set(keys) - set(self.spans)
        if not missing:
            return self
        every = sorted({*self.traced, *missing})
        starts, ends = np.array(every, dtype=np.int64).reshape(-1, 2).T
        numbers, has_name = np.zeros(len(every), dtype=np.int64), np.ones(len(every), dtype=bool)
        spans = Spans(numbers, starts, ends, np.full(len(every), np.inf), has_name)
        parts = [rank(self.plan, [self.document], each) for each in batches(spans, is_given=not self.plan.detects)]
        further = {key: each for part in parts for key, each in ranked_spans(self.plan, part) if key in missing}
        return replace(self, spans={**self.spans, **further})

    def has_candidates(self, key: Key) -> bool:
        """Whether a span has candidates."""
        return key in self.spans and len(self.spans[key].ranking.rows) > 0

    def explanation(self, key: Key, entity: str | None = None) -> Explanation:
        """The explanation of a span's best candidate, or of another one."""
        model, text = self.plan.model, self.document.text[slice(*key)]
        if not self.has_candidates(key):
            raise DataError(
                f"{text!r:.60} has no candidates: no entity of the knowledge base has a similar name or description, "
                "so there is nothing to explain."
            )
        span = self.spans[key]
        scored, evidence = self._scored(key, span)
        overruled = overrule(model, [(self.document.text, *key)], scored, self.plan.mask)
        rows = [*scored.rows.tolist(), *(row for row in span.ranking.rows.tolist() if row not in set(scored.rows))]
        best = next((row for row in overruled.rows.tolist() if row in rows), rows[0])
        row = best if entity is None else self._row_of(entity)
        if row not in set(span.ranking.rows.tolist()):
            raise DataError(
                f"{entity!r} is not among the {len(span.ranking.rows)} candidates of {text!r:.60}: no source found its "
                f"names ({', '.join(model.kb.names_of(row)[:5])}) or description near enough. Add the mention to its "
                "aliases, or train the model on annotated mentions."
            )
        reranked = self._reranked(key)
        probabilities = dict(zip(scored.rows.tolist(), scored.scores.tolist(), strict=True))
        others = [each for each in rows if each != row and each in set(span.ranking.rows.tolist())]
        runner_up = span.candidate(model, others[0], probabilities, reranked) if others else None
        is_changed = (
            overruled.rows.tolist() != scored.rows.tolist() or overruled.scores.tolist() != scored.scores.tolist()
        )
        detection = "given" if self.detected is None else self.detected.detection(key, key in self.traced)
        tree = model.sources.get("label_tree")
        return Explanation(
            *key, text, span.candidate(model, row, probabilities, reranked), runner_up,
            self._is_linked(key, row, overruled), is_changed, self._threshold(key, row),
            len(span.ranking.rows), span.log_sum, tuple(tree_steps(tree, span.mention, row)), span.on_list, evidence,
            detection,
        )  # fmt: skip

    def _scored(self, key: Key, span: RankedSpan) -> tuple[Ranking, MentionEvidence | None]:
        """The candidates of a span with the probabilities that `link` returns, and the evidence for a mention."""
        plan, model, selected = self.plan, self.plan.model, self.selected.get(key)
        if selected is not None and plan.reader is not None and plan.reranker is None:
            return selected.ranking, read_evidence(plan.reader, selected)
        is_reranked = selected is not None and plan.reranker is not None
        ranking = selected.ranking if selected is not None and is_reranked else span.ranking
        first = ranking.head(plan.n_candidates)
        # Before a re-ranker reads them, detected mentions are ranked anew.
        on_list = selected.on_list if selected is not None and is_reranked else np.array([span.on_list.probability])
        detected = model.decisions.detected
        if detected.model is not None and detected.model.uses_on_list:
            first = first.times(on_list)
        evidence = None if self.detected is None else self.detected.evidence(key, first, detected)
        start, end = (np.array([each], dtype=np.int64) for each in key)
        spans = Spans(np.zeros(1, dtype=np.int64), start, end, np.full(1, np.inf), np.ones(1, dtype=bool))
        if evidence is None or (is_reranked and plan.reader is not None):
            decision = plan.deciding if is_reranked else model.decisions.given
            return decision.score(spans, ranking, on_list, plan.n_candidates), None
        if detected.model is None:
            return ranking, evidence
        return detected.model.rescale(ranking, np.array([evidence.probability]), plan.n_candidates), evidence

    def _reranked(self, key: Key) -> dict[int, float]:
        selected = self.selected.get(key)
        if selected is None or self.plan.reranker is None:
            return {}
        return dict(zip(selected.ranking.rows.tolist(), selected.ranking.scores.tolist(), strict=True))

    def _is_linked(self, key: Key, row: int, overruled: Ranking) -> bool:
        """Whether the span is linked to the entity; a span that was not linked counts as if it were given."""
        for mention in self.linked.mentions:
            if (mention.start, mention.end) == key:
                return mention.entity == self.plan.model.kb.ids[row]
        if self.plan.detects or not len(overruled.rows):
            return False
        best, probability = int(overruled.rows[0]), float(overruled.scores[0])
        return best == row and probability >= self._threshold(key, row)

    def _threshold(self, key: Key, row: int) -> float:
        selected = self.selected.get(key)
        is_linked_name = None if selected is None else self.plan.is_linked_name(selected.spans, selected.on_list)
        return float(self.plan.thresholds(self.plan.deciding, np.array([row]), is_linked_name)[0])

    def _row_of(self, entity: str) -> int:
        row = self.plan.model.kb.row_of(entity)
        if row is None:
            raise DataError(unknown_ids(self.plan.model.kb, [entity], 1))
        return row
