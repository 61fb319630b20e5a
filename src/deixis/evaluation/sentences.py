"""How many annotated sentences are linked as annotated, in all and by language: what the demo shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deixis.types import Document, Mention


@dataclass(frozen=True)
class Verdict:
    """An annotated sentence, the same sentence linked, and for each gold mention what was made of it."""

    gold: Document
    answers: tuple[Mention, ...]

    @property
    def marks(self) -> list[bool]:
        """Per gold mention, whether the link is the annotated one."""
        pairs = zip(self.gold.mentions, self.answers, strict=True)
        return [answer.entity == truth.entity for truth, answer in pairs]

    @property
    def is_right(self) -> bool:
        """Whether every mention of the sentence is linked as annotated."""
        return all(self.marks)


def judge(gold: Document, linked: Document) -> Verdict:
    """The verdict on one sentence; a mention that was lost on the way counts as not linked."""
    by_span = {(mention.start, mention.end): mention for mention in linked.mentions}
    lost = [Mention(m.start, m.end, m.text, is_nil=True) for m in gold.mentions]
    return Verdict(gold, tuple(by_span.get((m.start, m.end), m) for m in lost))


@dataclass(frozen=True)
class Scoreboard:
    """Right and all, of sentences and of mentions, and of sentences in each language."""

    n_right: int
    n_sentences: int
    n_right_mentions: int
    n_mentions: int
    by_language: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, verdicts: Sequence[Verdict]) -> Scoreboard:
        """The sums over all verdicts; languages with most sentences first."""
        by_language: dict[str, tuple[int, int]] = {}
        for verdict in verdicts:
            right, total = by_language.get(verdict.gold.lang or "?", (0, 0))
            by_language[verdict.gold.lang or "?"] = (right + verdict.is_right, total + 1)
        marks = [mark for verdict in verdicts for mark in verdict.marks]
        ordered = sorted(by_language.items(), key=lambda item: (-item[1][1], item[0]))
        return cls(sum(v.is_right for v in verdicts), len(verdicts), sum(marks), len(marks), dict(ordered))

    def to_dict(self) -> dict[str, Any]:
        """The board as JSON holds it."""
        return {
            "sentences": self.n_sentences,
            "sentences_right": self.n_right,
            "mentions": self.n_mentions,
            "mentions_right": self.n_right_mentions,
            "by_language": {lang: {"right": right, "of": total} for lang, (right, total) in self.by_language.items()},
        }
