"""Stage 7: corrections hold in the very texts that were corrected, whatever the numbers say.

`overrule` changes the candidates of spans that were corrected; `pin` adds corrected mentions that were not detected,
and removes others from their position.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deixis.linking.model import LinkerModel
from deixis.tables import EntityMask, Ranking
from deixis.types import Candidate, Document, Mention

Position = tuple[str, int, int]
"""A text, and the start and end of a mention in it."""


def overrule(
    model: LinkerModel, positions: Iterable[Position], ranking: Ranking, mask: EntityMask | None = None
) -> Ranking:
    """The ranking with the right candidate alone, without wrong ones, or with none, where a mention was corrected.

    `positions` are those of the mentions: their text, start and end.
    """
    if not model.corrections.each:
        return ranking
    verdicts = model.corrections.by_key
    corrected = {
        number: corrections for number, position in enumerate(positions) if (corrections := verdicts.get(position))
    }
    if not corrected:
        return ranking
    parts = []
    for number in range(len(ranking)):
        own = slice(ranking.starts[number], ranking.starts[number + 1])
        rows, scores = ranking.rows[own], ranking.scores[own]
        corrections = corrected.get(number, ())
        if corrections and corrections[0].verdict == "wrong":
            is_kept = ~np.isin(rows, model.kb.rows_of([each.entity or "" for each in corrections]))
            rows, scores = rows[is_kept], scores[is_kept]
        elif corrections:
            row = gold_row(model, corrections[0].entity, mask)
            rows = np.array([] if row is None else [row], dtype=np.int64)
            scores = np.ones(len(rows))
        parts.append(Ranking(np.array([0, len(rows)]), rows, scores))
    return Ranking.joined(parts)


def gold_row(model: LinkerModel, entity: str | None, mask: EntityMask | None) -> int | None:
    """The row of a corrected entity; None if there is none, or none that passes the filter."""
    row = None if entity is None else model.kb.row_of(entity)
    return None if row is None or (mask is not None and not mask[row]) else row


def pin(model: LinkerModel, document: Document, mask: EntityMask | None, may_overlap: bool) -> Document:
    """The document with mentions detected in it, those that were corrected added, and no others in their position."""
    corrections = [each for each in model.corrections.by_text.get(document.text, ()) if each.verdict != "wrong"]
    if not corrections:
        return document
    pinned = []
    for each in corrections:
        row = gold_row(model, each.entity, mask)
        if row is not None:
            candidate = Candidate(model.kb.ids[row], 1.0, model.kb.title(row))
            pinned.append(Mention(each.start, each.end, each.surface, candidate.id, 1.0, False, (candidate,)))
    spans = {(each.start, each.end) for each in corrections}
    others = [mention for mention in document.mentions if (mention.start, mention.end) not in spans]
    if not may_overlap:
        others = [each for each in others if not any(each.start < p.end and p.start < each.end for p in pinned)]
    mentions = sorted([*others, *pinned], key=lambda mention: (mention.start, mention.end))
    return document.with_mentions(mentions)
