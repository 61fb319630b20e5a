"""A reader whose candidates come from a linker's own sources: what it is given, and both weighed together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from benchmarks.quality.reader_figures import Answers, Task, figures_of, is_found
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.learners.logistic import weighed
from deixis.linker import Linker
from deixis.linking.stages.decide import mentions_among
from deixis.linking.stages.read import MIN_READ, PossibleLinks, passage_candidates
from deixis.neural.reader.examples import AnnotatedPassage
from deixis.neural.reader.run import Reader
from deixis.tables import Ranking, Spans
from deixis.training.reader import fit_reading, reader_input_of
from deixis.types import Document, Mention

Proposed = tuple[Spans, Ranking]
"""Spans of documents, and the candidates of each."""


@dataclass(frozen=True)
class LinkerSources:
    """A linker built with the train documents: what it proposes for a reader, alone and together with one."""

    linker: Linker
    proposed: Proposed

    @classmethod
    def build(cls, task: Task, seed: int) -> LinkerSources:
        """The linker, and what it proposes in the train documents."""
        linker = Linker.build(task.kb, task.train, seed=seed, n_threads=1)
        return cls(linker, reader_input_of(linker.model, task.train))

    def propose(self, documents: Sequence[Document]) -> Proposed:
        """What a reader is given of the texts of these documents."""
        return reader_input_of(self.linker.model, documents)

    def source(self, k: int) -> Callable[[Sequence[AnnotatedPassage]], list[list[int]]]:
        """What a reader learns from."""
        return lambda taught: passage_candidates(*self.proposed, [each.passage for each in taught], k)

    def together(
        self,
        arm: str,
        taught: tuple[Answers, Proposed],
        asked: tuple[Answers, Proposed],
        suite: str,
        settings: dict[str, Any],
    ) -> Iterator[ResultRow]:
        """The rows of finding alone, and of finding and the arm's reader weighed by the documents of `taught`."""
        kb, documents = self.linker.kb, asked[0].documents
        links = [PossibleLinks.of(*proposed, found.readings) for found, proposed in (taught, asked)]
        weights, decision = fit_reading(kb, taught[0].documents, links[0], None)
        bare = [document.with_mentions(()) for document in documents]
        both = linked_by(kb, bare, links[1], weights, decision.min_probability)
        linked = {"finding": list(self.linker.link_many(bare)), f"{arm}+finding": both}
        for system, found in linked.items():
            yield from metric_rows(figures_of(kb, documents, found), suite, system, settings)


def linked_by(
    kb: KnowledgeBase, documents: Sequence[Document], links: PossibleLinks, weights: np.ndarray, threshold: float
) -> list[Document]:
    """The documents with the links of the best sum of probabilities, by what the evidence for each weighs."""
    spans, ranking = links.ranked(expit(weighed(links.evidence, weights)))
    is_link = mentions_among(spans, ranking.best_scores(), threshold, may_overlap=False)
    mentions: list[list[Mention]] = [[] for _ in documents]
    keys = zip(spans.keys(), ranking.best_rows().tolist(), is_link.tolist(), strict=True)
    for number, start, end, row in ((*key, row) for key, row, is_chosen in keys if is_chosen):
        mentions[number].append(Mention(start, end, documents[number].text[start:end], kb.ids[row]))
    return [document.with_mentions(own) for document, own in zip(documents, mentions, strict=True)]


def proposed_answers(reader: Reader, documents: list[Document], proposed: Proposed) -> Answers:
    """What a reader says about documents with the candidates that a linker proposes."""
    passages = reader.texts.passages(document.text for document in documents)
    started = time.process_time()
    candidates = passage_candidates(*proposed, passages, reader.config.n_candidates)
    readings = reader.read(passages, candidates, MIN_READ)
    seconds = time.process_time() - started
    recalls = {f"recall@{reader.config.n_candidates}": is_found(reader, documents, passages, candidates)}
    return Answers(documents, readings, recalls, seconds)


def joined_proposals(one: Proposed, other: Proposed, n_documents: int) -> Proposed:
    """What is proposed in the documents of both; the first has so many documents."""
    shifted = replace(other[0], documents=other[0].documents + n_documents)
    return Spans.joined([one[0], shifted]), Ranking.joined([one[1], other[1]])
