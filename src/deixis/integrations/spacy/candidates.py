"""What spaCy spans say of their links beside `kb_id_`.

`span._.kb_ents` are the candidates, as `[(id, score), ...]`, best first; scispaCy has an attribute of the same name and
shape, and whichever is there first is used. `span._.kb_score`, `kb_mention_score`, `kb_entity_score` and
`kb_nil_reason` are the fields of `Mention` that these names end in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spacy.tokens import Span

from deixis.types import Mention

NAME = "kb_ents"
FIELDS = ("score", "mention_score", "entity_score", "nil_reason")
"""Fields of a mention that spans have as attributes."""


def add_extension() -> None:
    """Spans have the attributes from now on."""
    if not Span.has_extension(NAME):
        Span.set_extension(NAME, getter=_candidates, setter=_set_candidates)
    for field in FIELDS:
        if not Span.has_extension(f"kb_{field}"):
            Span.set_extension(f"kb_{field}", default=None)


def annotate(span: Span, mention: Mention) -> None:
    """Sets the attributes of a span to what its mention says."""
    span._.set(NAME, [(candidate.id, candidate.score) for candidate in mention.candidates])
    for field in FIELDS:
        span._.set(f"kb_{field}", getattr(mention, field))


def _candidates(span: Span) -> list[tuple[str, float]]:
    # Pairs become lists in a document that was stored, or that came from another process.
    return [(entity, score) for entity, score in _stored(span).get(_key(span), ())]


def _set_candidates(span: Span, candidates: Sequence[tuple[str, float]]) -> None:
    _stored(span)[_key(span)] = list(candidates)


def _stored(span: Span) -> dict[Any, Any]:
    return span.doc.user_data


def _key(span: Span) -> tuple[str, str, int, int]:
    return "._.", NAME, span.start_char, span.end_char  # where spaCy itself keeps, joins and stores what spans have
