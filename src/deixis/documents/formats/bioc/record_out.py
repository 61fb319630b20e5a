"""A `Document` turned into BioC's record, for both of its dialects: one passage, offsets in code points."""

from __future__ import annotations

from typing import Any

from deixis.documents.formats.bioc.record_in import NIL_IDS
from deixis.documents.json_lines import reasons_of
from deixis.documents.spans import MakeError
from deixis.documents.tab_columns import writing_error
from deixis.types import Document, Mention


def record_of(document: Document, path: str) -> dict[str, Any]:
    """The document as a BioC record.

    The link is the infon `identifier` (`-` for NIL, none while undecided) and the score the infon `score`, what it
    is made of and the reason of NIL are infons of their own; candidates have no place in BioC.

    Examples
    --------
    >>> record = record_of(Document("d1", "Paris fled.", mentions=(Mention(0, 5, "Paris", entity="Q167646"),)), "-")
    >>> record["passages"][0]["annotations"][0]["infons"]
    {'type': 'entity', 'identifier': 'Q167646'}
    """
    error = writing_error(document.id, "BioC", path)
    return {
        "id": document.id,
        "infons": {} if document.lang is None else {"lang": document.lang},
        "passages": [
            {
                "offset": 0,
                "infons": {},
                "text": document.text,
                "sentences": [],
                "annotations": [
                    _annotation(number, mention, error) for number, mention in enumerate(document.mentions, 1)
                ],
                "relations": [],
            }
        ],
        "annotations": [],
        "relations": [],
    }


def _annotation(number: int, mention: Mention, error: MakeError) -> dict[str, Any]:
    infons = {"type": "entity"}
    if mention.entity in NIL_IDS:
        raise error(f"the entity id {mention.entity!r} means NIL in BioC. The format 'native' takes any")
    if mention.is_decided:
        infons["identifier"] = "-" if mention.entity is None else mention.entity
    if mention.score is not None:
        infons["score"] = f"{mention.score:.6g}"
    infons |= {name: str(value) for name, value in reasons_of(mention).items()}
    return {
        "id": str(number),
        "infons": infons,
        "text": mention.text,
        "locations": [{"offset": mention.start, "length": mention.end - mention.start}],
    }
