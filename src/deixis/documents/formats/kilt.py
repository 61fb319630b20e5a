"""KILT's entity linking tasks (Petroni et al., 2021): JSON lines, one mention a line between two markers.

The source counts nothing: the text is `input` without the markers and the one space inside each. A line carries no
language; several mentions of a document become several lines, which are read as documents of their own, and a document
without mentions becomes none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from deixis.documents.formats.mention_lines import named_mentions
from deixis.documents.json_lines import (
    name_in,
    nil_reason_in,
    read_records,
    reasons_of,
    records_in,
    score_in,
    short_score,
    shown,
    text_in,
    unwritable,
    write_record,
)
from deixis.documents.places import Place
from deixis.types import Candidate, Document, Mention

START, END = "[START_ENT]", "[END_ENT]"
_NIL = "NIL"
_EXAMPLE = '{"id": "d1:0", "input": "[START_ENT] Paris [END_ENT] fled.", "output": [{"answer": "Paris (mythology)"}]}'


def read_kilt(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document with one mention per line. Its entity is the title of the page in `provenance`, or the `answer`.

    Several outputs are alternatives, joined by `|`. Pages with a `score`, or several pages, are candidates; such an
    output without an `answer` is undecided, as is a line without `output`. The answer `NIL` with no page of its own
    is NIL. A page with an `id` is called by that and not by its title.

    Examples
    --------
    >>> line = '{"id": "7", "input": "So [START_ENT] Paris [END_ENT] fled.", "output": [{"answer": "Paris (myth)"}]}'
    >>> document = next(read_kilt([(1, line)], "aidayago2-dev-kilt.jsonl"))
    >>> document.text, document.mentions[0].start, document.mentions[0].entity
    ('So Paris fled.', 3, 'Paris (myth)')
    """
    for record, place in read_records(lines, path):
        text, start, end = _unmarked(text_in(record, "input", place, _EXAMPLE), place)
        outputs = records_in(record, "output", place, "'answer' and 'provenance'")
        meaning = _joined([_meaning(output, place) for output in outputs])
        mention = Mention(start, end, text[start:end], **meaning)
        yield Document(id=name_in(record, "id", place) or str(place.line), text=text, mentions=(mention,))


def write_kilt(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes one line per mention, candidates as its `provenance`, the link first; returns how many documents came.

    KILT's own scorers compare `wikipedia_id`, here the entity's id, and `answer`, here its title or else its id.
    """
    n_documents = 0
    for document in documents:
        for name, mention in named_mentions(document):
            marked = _marked(document, mention, path)
            write_record({"id": name, "input": marked, "output": _outputs(mention)}, stream)
        n_documents += 1
    return n_documents


def _unmarked(marked: str, place: Place) -> tuple[str, int, int]:
    """The text without markers, and the span between them."""
    for marker in (START, END):
        n_markers = marked.count(marker)
        if n_markers != 1:
            problem = f"got {marker} {n_markers} times: {shown(marked)}"
            raise place.error(f"'input' must hold {START} and {END} once each, around the mention, {problem}")
    before, _, rest = marked.partition(START)
    inside, end_marker, after = rest.partition(END)
    surface = inside.removeprefix(" ").removesuffix(" ")
    if not end_marker:
        raise place.error(f"{END} stands before {START}: {shown(marked)}")
    if not surface:
        raise place.error(f"nothing stands between {START} and {END}: {shown(marked)}")
    return before + surface + after, len(before), len(before) + len(surface)


def _marked(document: Document, mention: Mention, path: str) -> str:
    text = document.text
    marked = f"{text[: mention.start]}{START} {mention.text} {END}{text[mention.end :]}"
    if marked.count(START) != 1 or marked.count(END) != 1:
        why = f"cannot be marked: the text itself holds {START} or {END}"
        raise unwritable(document, mention, why, path)
    return marked


def _meaning(output: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """What one output says about the mention, as the fields of one."""
    pages = records_in(output, "provenance", place, "'wikipedia_id' and 'title'")
    answer = (name_in(output, "answer", place) or "").strip()
    has_scores = any(page.get("score") is not None for page in pages)
    ranked = [page for page in pages if page.get("score") is not None] if has_scores else pages
    has_link = bool(pages) and pages[0].get("score") is None and (has_scores or len(pages) == 1 or bool(answer))
    entity = None
    if has_link or (pages and answer and answer != _NIL):
        entity = _candidate(pages[0], place).id
    elif answer and answer != _NIL:
        entity = answer
    return {
        "entity": entity,
        "score": score_in(output, place),
        "mention_score": score_in(output, place, "mention_score"),
        "entity_score": score_in(output, place, "entity_score"),
        "nil_reason": nil_reason_in(output, place.error),
        "is_nil": entity is None and answer == _NIL,
        "candidates": tuple(_candidate(page, place) for page in ranked) if has_scores or len(pages) > 1 else (),
    }


def _joined(meanings: list[dict[str, Any]]) -> dict[str, Any]:
    """The first output's meaning; where several name entities, any of them is right."""
    if not meanings:
        return {}
    entities = dict.fromkeys(meaning["entity"] for meaning in meanings if meaning["entity"] is not None)
    return {**meanings[0], "entity": "|".join(entities) or None, "is_nil": not entities and meanings[0]["is_nil"]}


def _candidate(page: Mapping[str, Any], place: Place) -> Candidate:
    score = score_in(page, place) or 0.0
    name, title = name_in(page, "id", place), name_in(page, "title", place)
    if name:
        return Candidate(name, score, title or "")
    name = title or name_in(page, "wikipedia_id", place)
    if not name:
        raise place.error(f"a page in 'provenance' needs a 'title' or a 'wikipedia_id', got {shown(page)}")
    return Candidate(name, score)


def _outputs(mention: Mention) -> list[dict[str, Any]]:
    output: dict[str, Any] = {}
    pages = [{**_page(candidate), "score": short_score(candidate.score)} for candidate in mention.candidates]
    if mention.entity is not None:
        link = next((one for one in mention.candidates if one.id == mention.entity), Candidate(mention.entity, 0.0))
        output["answer"] = link.title or link.id
        is_first = bool(mention.candidates) and mention.candidates[0].id == mention.entity
        if not is_first or output["answer"].strip() in ("", _NIL):
            pages.insert(0, _page(link))
    elif mention.is_nil:
        output["answer"] = _NIL
    if mention.score is not None:
        output["score"] = short_score(mention.score)
    output |= reasons_of(mention)
    return [{**output, "provenance": pages}] if output or pages else []


def _page(candidate: Candidate) -> dict[str, Any]:
    named = {"id": candidate.id} if candidate.title else {}
    return {**named, "wikipedia_id": candidate.id, "title": candidate.title or candidate.id}
