"""`span._.kb_ents`: the candidates of a spaCy span, as `[(id, score), ...]`, best first.

scispaCy has an attribute of the same name and shape; whichever is there first is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spacy.tokens import Span

NAME = "kb_ents"


def add_extension() -> None:
    """Spans have the attribute from now on."""
    if not Span.has_extension(NAME):
        Span.set_extension(NAME, getter=_candidates, setter=_set_candidates)


def _candidates(span: Span) -> list[tuple[str, float]]:
    # Pairs become lists in a document that was stored, or that came from another process.
    return [(entity, score) for entity, score in _stored(span).get(_key(span), ())]


def _set_candidates(span: Span, candidates: Sequence[tuple[str, float]]) -> None:
    _stored(span)[_key(span)] = list(candidates)


def _stored(span: Span) -> dict[Any, Any]:
    return span.doc.user_data


def _key(span: Span) -> tuple[str, str, int, int]:
    return "._.", NAME, span.start_char, span.end_char  # where spaCy itself keeps, joins and stores what spans have
