"""Stage 1 of linking: texts to spans, each with the log odds of being a mention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from deixis.detection.abbreviations import ShortForm, short_forms
from deixis.detection.config import FindingConfig
from deixis.detection.correction_odds import CorrectedSpans
from deixis.detection.dictionary import DictionaryConfig
from deixis.detection.markup import outside_markup
from deixis.detection.name_edits import NAME_SIGNS, NameEdits
from deixis.detection.name_facts import NameFacts
from deixis.detection.names import NameMatcher
from deixis.detection.recognizers import Recognize, recognized
from deixis.detection.span_scorer import SpanScorer
from deixis.detection.spans import Sign, SpanTable
from deixis.learners.log_odds import logit
from deixis.store.checks import check_length
from deixis.store.part import GIVEN, Part
from deixis.store.strings import StringTable
from deixis.tables import Spans

Position = tuple[int, int, int]
"""Number of a text, start and end."""


@dataclass(frozen=True, eq=False)
class SpanDetector(Part):
    """Where mentions may be: names of the knowledge base, names seen annotated or corrected, a recognizer's spans.

    `learned` has the names that annotated documents use. `corrections` is what corrections say of names, `edits` are
    names added and removed; both are made from those of the model and not stored.

    Examples
    --------
    >>> names = StringTable.from_strings(["Paris", "Troy"])
    >>> detector = SpanDetector.from_names(names, names, StringTable.from_strings([]))
    >>> spans = detector.detect(["To save Troy, Paris had to die."])
    >>> list(zip(spans.starts.tolist(), spans.ends.tolist()))
    [(8, 12), (14, 19)]
    """

    names: NameMatcher
    scorer: SpanScorer
    config: Annotated[FindingConfig, GIVEN] = field(default_factory=FindingConfig)
    learned: NameMatcher | None = None
    corrections: Annotated[CorrectedSpans, GIVEN] = field(default_factory=CorrectedSpans)
    edits: Annotated[NameEdits, GIVEN] = field(default_factory=NameEdits)

    @classmethod
    def from_names(
        cls,
        names: StringTable,
        titles: StringTable,
        texts: StringTable,
        config: FindingConfig | None = None,
        dictionary: DictionaryConfig | None = None,
        n_threads: int = 0,
    ) -> SpanDetector:
        """The detector of a list's names; `titles` are those of its entities, `texts` their descriptions."""
        matcher = NameMatcher.build(names, dictionary)
        facts = NameFacts.build(matcher, names, titles, texts, n_threads)
        return cls(matcher, SpanScorer.from_kb(facts), config or FindingConfig())

    def detect(
        self,
        texts: Sequence[str],
        *,
        recognizer: Recognize | None = None,
        min_probability: float | None = None,
        n_threads: int = 0,
    ) -> Spans:
        """The spans of the texts that are mentions with some probability, none of them in markup.

        `min_probability` is the configured one by default.
        """
        short = [short_forms(text) for text in texts]
        table = self.table(texts, recognizer, n_threads, short)
        forms = long_forms(table, texts, short)
        spans = as_spans(table, self.log_odds(table, forms), forms)
        threshold = self.config.min_chance if min_probability is None else min_probability
        return spans.take(spans.log_odds >= (logit(threshold) if threshold > 0 else -np.inf))

    def table(
        self,
        texts: Sequence[str],
        recognizer: Recognize | None = None,
        n_threads: int = 0,
        short: Sequence[Sequence[ShortForm]] | None = None,
    ) -> SpanTable:
        """All spans of the texts that could be mentions, however improbable, none of them in markup.

        `short` are the short forms that each text defines, if they are known.
        """
        learned = [each for each in (self.learned, self.corrections.names) if each is not None]
        table = all_spans(self.names, learned, texts, self.config, n_threads, self.edits, short)
        if recognizer is not None:
            table = table.merged(SpanTable.of_spans(recognized(recognizer, texts), texts, Sign.RECOGNIZED))
        return table

    def log_odds(self, table: SpanTable, forms: Mapping[Position, Position] | None = None) -> NDArray[np.float64]:
        """The log odds that each of all spans of some texts is a mention, corrections of names included.

        A short form that the text defines is as likely a mention as the name it stands for.
        """
        log_odds = self.corrections.revised(table, self.scorer.log_odds(table))
        if forms:
            rows = {position: row for row, position in enumerate(table.positions())}
            for position, long_form in forms.items():
                if position in rows and long_form in rows:
                    log_odds[rows[position]] = max(log_odds[rows[position]], log_odds[rows[long_form]])
        return log_odds

    def check_parts(self, prefix: str) -> None:
        """There are facts of each name."""
        check_length(f"{prefix}.scorer.facts.table", self.scorer.facts.table, self.names.n_numbers)


def as_spans(
    table: SpanTable, log_odds: NDArray[np.float64], forms: Mapping[Position, Position] | None = None
) -> Spans:
    """The rows of a table of spans, as the other stages take them; short forms are read as what they stand for."""
    has_name = (table.names >= 0) | table.has(Sign.LEARNED_NAME | Sign.RECOGNIZED | Sign.SHORT_FORM)
    documents, starts, ends = (column.astype(np.int64) for column in (table.texts, table.starts, table.ends))
    spans = Spans(documents, starts, ends, log_odds, has_name)
    return spans.with_long_forms({position: long_form[1:] for position, long_form in (forms or {}).items()})


def all_spans(
    names: NameMatcher,
    learned: Sequence[NameMatcher],
    texts: Sequence[str],
    config: FindingConfig,
    n_threads: int = 0,
    edits: NameEdits | None = None,
    short: Sequence[Sequence[ShortForm]] | None = None,
) -> SpanTable:
    """Every span that could be a mention: names, names that others have `learned`, runs of capitals; not in markup."""
    table = names.spans(texts, n_threads, max_run=config.max_run)
    if edits is not None:
        table = edits.applied(table, texts, names.n_numbers, n_threads)
    for each in learned:
        used = each.spans(texts, n_threads)
        signs = (used.signs & ~np.uint32(NAME_SIGNS)) | np.uint32(Sign.LEARNED_NAME)
        table = table.merged(replace(used, names=np.full_like(used.names, -1), signs=signs))
    forms = [short_forms(text) for text in texts] if short is None else short
    occurrences = [_occurrences(text, own) for text, own in zip(texts, forms, strict=True)]
    if any(occurrences):
        table = table.merged(SpanTable.of_spans(occurrences, texts, Sign.SHORT_FORM))
    return outside_markup(table, texts)


def long_forms(
    table: SpanTable, texts: Sequence[str], short: Sequence[Sequence[ShortForm]] | None = None
) -> dict[Position, Position]:
    """For each short form that a text defines the position of its long form: a name of the list, if one ends there."""
    if not table.has(Sign.SHORT_FORM).any():
        return {}
    is_name, is_short = (table.names >= 0) | table.has(Sign.LEARNED_NAME), table.has(Sign.SHORT_FORM)
    forms: dict[Position, Position] = {}
    for number in np.unique(table.texts[is_short]).tolist():
        text, own = texts[number], slice(*np.searchsorted(table.texts, [number, number + 1]).tolist())
        form_of = {form.text: form for form in (short_forms(text) if short is None else short[number])}
        starts, ends = table.starts[own], table.ends[own]
        name_starts: dict[int, list[int]] = {}
        for start, end in zip(starts[is_name[own]].tolist(), ends[is_name[own]].tolist(), strict=True):
            name_starts.setdefault(end, []).append(start)
        for start, end in zip(starts[is_short[own]].tolist(), ends[is_short[own]].tolist(), strict=True):
            form = form_of[text[start:end]]
            fitting = [at for at in name_starts.get(form.end, ()) if text[at].lower() == form.text[0].lower()]
            distances = [abs(at - form.start) for at in fitting]
            long_start = fitting[distances.index(min(distances))] if fitting else form.start
            forms[number, start, end] = (number, long_start, form.end)
    return forms


def _occurrences(text: str, forms: Sequence[ShortForm]) -> list[tuple[int, int]]:
    """Where the short forms stand in their text as words, from left to right, the longest of those that begin there.

    Examples
    --------
    >>> text = "Saint Mary (SM) and SM Hospital (SM H), not SMS: SM H, SM."
    >>> [text[start:end] for start, end in _occurrences(text, [ShortForm("SM", 0, 0), ShortForm("SM H", 0, 0)])]
    ['SM', 'SM', 'SM H', 'SM H', 'SM']
    """
    spans = []
    for short in {form.text for form in forms}:
        start = text.find(short)
        while start >= 0:
            end = start + len(short)
            if not _is_word(text[start - 1 : start]) and not _is_word(text[end : end + 1]):
                spans.append((start, end))
            start = text.find(short, start + 1)
    apart: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def _is_word(character: str) -> bool:
    """Whether it can be part of a word; no character cannot."""
    return character.isalnum() or character == "_"
