"""Stage 1 of linking: texts to spans, each with the log odds of being a mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from deixis.detection.config import FindingConfig
from deixis.detection.correction_odds import CorrectedSpans
from deixis.detection.dictionary import DictionaryDetector
from deixis.detection.markup import outside_markup
from deixis.detection.recognizers import Recognize, recognized
from deixis.detection.span_scorer import SpanScorer
from deixis.detection.spans import Sign, SpanTable
from deixis.store.checks import check_length
from deixis.store.part import GIVEN, Part, nested
from deixis.tables import Spans

_NAME_SIGNS = Sign.NAME | Sign.UNRULY_NAME | Sign.INFLECTED | Sign.COMMON_NAME


@dataclass(frozen=True, eq=False)
class SpanDetector(Part):
    """Where mentions may be: names of the knowledge base, names seen annotated or corrected, a recognizer's spans.

    `learned` has the names that annotated documents use. `corrections` is what corrections say of names; it is made
    from the model's corrections and not stored.

    Examples
    --------
    >>> detector = SpanDetector(DictionaryDetector.build(["Paris", "Troy"]), SpanScorer.by_rules())
    >>> spans = detector.detect(["To save Troy, Paris had to die."])
    >>> list(zip(spans.starts.tolist(), spans.ends.tolist()))
    [(8, 12), (14, 19)]
    """

    names: Annotated[DictionaryDetector, nested(config="dictionary")]
    scorer: SpanScorer
    config: Annotated[FindingConfig, GIVEN] = field(default_factory=FindingConfig)
    learned: Annotated[DictionaryDetector | None, nested(config="dictionary")] = None
    corrections: Annotated[CorrectedSpans, GIVEN] = field(default_factory=CorrectedSpans)

    @property
    def uses_rules(self) -> bool:
        """Whether every name of the list is a mention (short lists), and no odds decide."""
        return self.scorer.is_by_rules

    def detect(
        self,
        texts: Sequence[str],
        *,
        may_overlap: bool = False,
        recognizer: Recognize | None = None,
        min_probability: float | None = None,
        n_threads: int = 0,
    ) -> Spans:
        """The spans of the texts that are mentions with some probability, none of them in markup.

        `min_probability` is the configured one by default.
        """
        table = self.table(texts, recognizer, n_threads)
        spans = as_spans(table, self.log_odds(table, may_overlap))
        threshold = self.config.min_chance if min_probability is None else min_probability
        return spans.take(spans.log_odds >= (logit(threshold) if threshold > 0 else -np.inf))

    def table(self, texts: Sequence[str], recognizer: Recognize | None = None, n_threads: int = 0) -> SpanTable:
        """All spans of the texts that could be mentions, however improbable, none of them in markup."""
        config = self.config
        if self.uses_rules:
            config = replace(config, any_case=False, plurals=False, max_run=0)
        learned = [each for each in (self.learned, self.corrections.names) if each is not None]
        table = all_spans(self.names, learned, texts, config, n_threads)
        if recognizer is not None:
            table = table.merged(SpanTable.of_spans(recognized(recognizer, texts), texts))
        return table

    def log_odds(self, table: SpanTable, may_overlap: bool = False) -> NDArray[np.float64]:
        """The log odds that each of all spans of some texts is a mention, corrections of names included."""
        log_odds = self.scorer.log_odds(table, may_overlap)
        return self.corrections.revised(table, log_odds, self.uses_rules, may_overlap)

    def check_parts(self, prefix: str) -> None:
        """There are facts of each name."""
        if not self.uses_rules:
            check_length(f"{prefix}.scorer.facts.table", self.scorer.facts.table, self.names.n_numbers)


def as_spans(table: SpanTable, log_odds: NDArray[np.float64]) -> Spans:
    """The rows of a table of spans, as the other stages take them."""
    has_name = (table.names >= 0) | table.has(Sign.LEARNED_NAME | Sign.RECOGNIZED)
    documents, starts, ends = (column.astype(np.int64) for column in (table.texts, table.starts, table.ends))
    return Spans(documents, starts, ends, log_odds, has_name)


def all_spans(
    names: DictionaryDetector,
    learned: Sequence[DictionaryDetector],
    texts: Sequence[str],
    config: FindingConfig,
    n_threads: int = 0,
) -> SpanTable:
    """Every span that could be a mention: names, names that others have `learned`, runs of capitals; not in markup."""
    any_case, plurals = config.any_case, config.plurals
    table = names.spans(texts, n_threads, any_case=any_case, plurals=plurals, max_run=config.max_run)
    for each in learned:
        used = each.spans(texts, n_threads, any_case=any_case, plurals=plurals)
        signs = (used.signs & ~np.uint32(_NAME_SIGNS)) | np.uint32(Sign.LEARNED_NAME)
        table = table.merged(replace(used, names=np.full_like(used.names, -1), signs=signs))
    return outside_markup(table, texts)
