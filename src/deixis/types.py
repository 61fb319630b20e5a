"""The records that travel between rooms. All frozen; offsets are Unicode code points, half-open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MemberDescriptorType
from typing import Any, Literal

from deixis.marked_html import STYLE, Mark, marked_html

NilReason = Literal["unknown", "ambiguous", "not a mention"]
"""Why a mention is not linked: nothing like it is on the list, several entities are as likely, or it is no mention."""

NIL_WORDS: dict[NilReason, str] = {
    "unknown": "nothing like it on the list",
    "ambiguous": "too ambiguous",
    "not a mention": "not a mention",
}
"""Each reason in words for people."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate entity of a mention, with its score."""

    id: str
    score: float
    title: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a text. `entity` is its link or gold id; `is_nil` says it was decided to mean nothing we know.

    `score` is the probability that the link is right: that the span is a mention (`mention_score`, None for mentions
    that were given) and that it means this entity (`entity_score`). `nil_reason` says why there is no link.

    Examples
    --------
    >>> Mention(14, 19, "Paris").is_decided
    False
    >>> Mention(14, 19, "Paris", entity="Q167646").is_decided
    True
    """

    start: int
    end: int
    text: str
    entity: str | None = None
    score: float | None = None
    is_nil: bool = False
    candidates: tuple[Candidate, ...] = ()
    mention_score: float | None = None
    entity_score: float | None = None
    nil_reason: NilReason | None = None

    @property
    def is_decided(self) -> bool:
        """Whether somebody, an annotator or a linker, has said what the mention means (or that it means nothing)."""
        return self.entity is not None or self.is_nil

    @property
    def title(self) -> str:
        """The title of the entity, as its candidates have it; empty if there is none."""
        return next((each.title for each in self.candidates if each.id == self.entity), "")

    @property
    def second(self) -> Candidate | None:
        """The best candidate that the mention is not linked to; of a NIL mention, the best there is."""
        return next((each for each in self.candidates if each.id != self.entity), None)

    def with_candidates(self, candidates: Sequence[Candidate]) -> Mention:
        """The same mention with other candidates."""
        return replace(self, candidates=tuple(candidates))


class _MadeWhenRead:
    """The candidates of a mention: a tuple, or a function that makes it when they are first read.

    A linker ranks twenty candidates for every mention, and most who link texts read none of them.
    """

    def __init__(self, slot: MemberDescriptorType) -> None:
        self._slot = slot

    def __get__(self, mention: Mention | None, owner: type | None = None) -> Any:  # noqa: ANN401
        value = self._slot.__get__(mention, owner)
        if callable(value):
            value = value()
            self._slot.__set__(mention, value)
        return value

    def __set__(self, mention: Mention, value: Any) -> None:  # noqa: ANN401
        self._slot.__set__(mention, value)


setattr(Mention, "candidates", _MadeWhenRead(vars(Mention)["candidates"]))  # noqa: B010


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its mentions, in the order they stand in the text.

    Examples
    --------
    >>> document = Document("d1", "To save Troy, Paris had to be sacrificed.", mentions=(Mention(14, 19, "Paris"),))
    >>> [mention.text for mention in document.mentions]
    ['Paris']
    """

    id: str
    text: str
    lang: str | None = None
    mentions: tuple[Mention, ...] = ()

    def with_mentions(self, mentions: Sequence[Mention]) -> Document:
        """The same text with other mentions."""
        return replace(self, mentions=tuple(mentions))

    def to_html(self) -> str:
        """The text with its mentions marked, and a table of what they mean; `deixis.marked_html.STYLE` is its style."""
        return marked_html(self.text, [_mark(mention) for mention in self.mentions])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return f'<style>{STYLE}</style><div class="deixis">{self.to_html()}</div>'

    def mentions_in_context(self) -> list[MentionInContext]:
        """The mentions with their context, in order, as the stages use them."""
        return [MentionInContext(m.text, self.text, m.start, m.end, self.lang, self.id) for m in self.mentions]


def _mark(mention: Mention) -> Mark:
    """The mention as pages show it."""
    title = mention.title if mention.entity else "NIL" if mention.is_nil else "undecided"
    why = "" if mention.nil_reason is None else NIL_WORDS[mention.nil_reason]
    return Mark(mention.start, mention.end, mention.entity, title, mention.score, why)


@dataclass(frozen=True, slots=True)
class MentionInContext:
    """A mention with the text it stands in: what candidate generators and rankers are given."""

    text: str
    document_text: str
    start: int
    end: int
    lang: str | None = None
    document_id: str = ""

    def context(self, window: int) -> str:
        """Up to `window` code points of text, the mention in their middle; a mention longer than that stays whole."""
        margin = max(0, window - (self.end - self.start)) // 2
        return self.document_text[max(0, self.start - margin) : self.end + margin]


def base_language(code: str) -> str:
    """The language of a code without its region or script.

    Examples
    --------
    >>> base_language("pt-BR"), base_language("zh_Hant"), base_language("DE")
    ('pt', 'zh', 'de')
    """
    return code.replace("_", "-").partition("-")[0].strip().casefold()
