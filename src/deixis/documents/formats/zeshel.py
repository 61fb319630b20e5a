"""Zeshel (Logeswaran et al., 2019): JSON lines of mentions, and texts in `documents/<corpus>.json`.

Mentions count tokens, both ends included; tokens are what stands between single spaces, so an empty token stands
between two spaces. (Where that does not give the mention's own `text`, tokens between white space of any kind are
tried.) Mentions carry no language, scores or candidates; documents without mentions are written, but not read back.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from deixis.documents.formats.side_files import check_has_folder, undone_if_it_fails
from deixis.documents.formats.side_texts import SideTexts, open_side_texts
from deixis.documents.json_lines import entity_in, read_records, text_in, unwritable, write_record
from deixis.documents.places import Place
from deixis.documents.spans import in_text_order
from deixis.errors import DataError
from deixis.types import Document, Mention

_BETWEEN_ANY_SPACE = re.compile(r"\S+")
_SUFFIXES = (".json", ".jsonl", ".json.gz", ".json.bz2", ".json.xz", ".json.zst")
_FOLDER = "documents"
_OUTSIDE = (-1, -1)
_EXAMPLE = (
    '{"mention_id": "A67C", "context_document_id": "8879", "corpus": "starwars", "start_index": 4, "end_index": 4, '
    '"text": "Hoth", "label_document_id": "CD37"}'
)


class _TokenSpan(NamedTuple):
    """A mention as the file has it: first and last token, what stands there, and what it means."""

    first: int
    last: int
    surface: str | None
    entity: str | None
    is_nil: bool
    place: Place


def read_zeshel(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    """One document for all mentions of one text, in the order in which the file first names the texts.

    The published files mix the mentions of many texts, so all of them are read, without their texts, before the first
    document comes. The folder `documents` stands beside the file or beside its folder. A `label_document_id` that is
    null is NIL, a missing one undecided.
    """
    check_has_folder(path, "zeshel")
    document_to_spans: dict[tuple[str, str], list[_TokenSpan]] = {}
    for record, place in read_records(lines, path):
        corpus, document = (text_in(record, key, place, _EXAMPLE) for key in ("corpus", "context_document_id"))
        document_to_spans.setdefault((corpus, document), []).append(_token_span(record, place))
    with ExitStack() as stack:
        corpus_to_texts: dict[str, SideTexts] = {}
        for (corpus, document), spans in document_to_spans.items():
            if corpus not in corpus_to_texts:
                names = {name for other, name in document_to_spans if other == corpus}
                file = _side_file(path, corpus, spans[0].place)
                corpus_to_texts[corpus] = stack.enter_context(open_side_texts(file, names))
            text = corpus_to_texts[corpus].text_of(document)
            if text is None:
                raise spans[0].place.error(f"no document {document!r} among the texts of the corpus {corpus!r}")
            yield Document(document, text, mentions=in_text_order(_mentions(spans, document, text)))


def write_zeshel(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes mentions to the stream and texts to `documents/` beside `path`; returns how many documents there were.

    The corpus is named after the file. Mentions must begin and end at a space or an end of the text.
    """
    check_has_folder(path, "zeshel")
    corpus = Path(path).name.partition(".")[0] or "mentions"
    texts_path = Path(path).parent / _FOLDER / f"{corpus}.json"
    with undone_if_it_fails() as made, _new_texts(texts_path, made) as texts:
        return _written(documents, stream, texts, corpus, path)


def _new_texts(path: Path, made: list[Path]) -> TextIO:
    """The file of texts, open and empty; it, and its folder if that is new, are added to `made`."""
    is_new_folder = not path.parent.exists()
    try:
        path.parent.mkdir(exist_ok=True)
        made.extend([path.parent] * is_new_folder)
        texts = path.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise DataError("exists; remove it, or write the mentions under another name", path=path) from None
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", path=path) from error
    made.append(path)
    return texts


def _token_span(record: Mapping[str, Any], place: Place) -> _TokenSpan:
    first, last = record.get("start_index"), record.get("end_index")
    if type(first) is not int or type(last) is not int or not 0 <= first <= last:
        raise place.error(
            f"a mention needs whole numbers 'start_index' <= 'end_index', tokens from 0 and both included, got "
            f"start_index={first!r}, end_index={last!r}"
        )
    surface = None if record.get("text") is None else text_in(record, "text", place, _EXAMPLE)
    entity = entity_in(record, "label_document_id", place)
    return _TokenSpan(first, last, surface, entity, entity is None and "label_document_id" in record, place)


def _mentions(spans: Iterable[_TokenSpan], document: str, text: str) -> Iterator[Mention]:
    tokens = _tokens_between_spaces(text)
    for span in spans:
        borders = _code_points(span, tokens)
        if not _fits(span, borders, text):
            borders = _code_points(span, [word.span() for word in _BETWEEN_ANY_SPACE.finditer(text)])
            if span.surface is None or not _fits(span, borders, text):
                raise span.place.error(_mismatch(span, tokens, document, text))
        start, end = borders
        if start == end:
            raise span.place.error(f"the mention at token {span.first} of the document {document!r} is empty")
        yield Mention(start, end, text[start:end], span.entity, is_nil=span.is_nil)


def _fits(span: _TokenSpan, borders: tuple[int, int], text: str) -> bool:
    """Whether the text has the tokens, and there what the mention says, whatever the case and kinds of space."""
    surface = text[borders[0] : borders[1]]
    return borders != _OUTSIDE and (span.surface is None or surface.lower().split() == span.surface.lower().split())


def _mismatch(span: _TokenSpan, tokens: list[tuple[int, int]], document: str, text: str) -> str:
    start, end = _code_points(span, tokens)
    where = f"tokens {span.first} to {span.last} of the document {document!r}"
    hint = "Tokens stand between spaces and count from 0; 'end_index' is included"
    if (start, end) == _OUTSIDE:
        return f"{where} lie outside the text, which has {len(tokens)} tokens. {hint}"
    return f"the mention says {span.surface!r}, but {where} are {text[start:end]!r}. {hint}"


def _tokens_between_spaces(text: str) -> list[tuple[int, int]]:
    spaces = [place for place, character in enumerate(text) if character == " "]
    return list(zip([0, *(place + 1 for place in spaces)], [*spaces, len(text)], strict=True))


def _code_points(span: _TokenSpan, tokens: list[tuple[int, int]]) -> tuple[int, int]:
    return (tokens[span.first][0], tokens[span.last][1]) if span.last < len(tokens) else _OUTSIDE


def _side_file(path: str, corpus: str, place: Place) -> Path:
    if not corpus or any(mark in corpus for mark in ("/", "\\", "\0")):
        raise place.error(f"'corpus' names the file of the texts, so it must be a plain file name, got {corpus!r}")
    folder = Path(path).absolute().parent
    stems = [parent / _FOLDER / corpus for parent in (folder, folder.parent)]
    for stem, suffix in itertools.product(stems, _SUFFIXES):
        file = stem.with_name(stem.name + suffix)
        if file.is_file():
            return file
    raise place.error(
        f"the texts of the corpus {corpus!r} are neither at {stems[0]}.json nor at {stems[1]}.json; "
        "keep the folders 'mentions' and 'documents' side by side"
    )


def _written(documents: Iterable[Document], stream: TextIO, texts: TextIO, corpus: str, path: str) -> int:
    seen: set[str] = set()
    n_mentions = 0
    for document in documents:
        if document.id in seen:
            raise DataError(f"there are two documents with the id {document.id!r}; ids must differ", path=path)
        seen.add(document.id)
        write_record({"document_id": document.id, "title": document.id, "text": document.text}, texts)
        for mention in document.mentions:
            first, last = _token_numbers(document, mention, path)
            place = {"mention_id": f"{n_mentions:016X}", "context_document_id": document.id, "corpus": corpus}
            span = {"start_index": first, "end_index": last, "text": mention.text}
            label = {"label_document_id": mention.entity} if mention.is_decided else {}
            write_record({**place, **span, **label}, stream)
            n_mentions += 1
    return len(seen)


def _token_numbers(document: Document, mention: Mention, path: str) -> tuple[int, int]:
    text, start, end = document.text, mention.start, mention.end
    if text[start - 1 : start] not in ("", " ") or text[end : end + 1] not in ("", " "):
        around = text[max(0, start - 10) : end + 10]
        why = (
            f"does not stand between spaces in {around!r}, and zeshel counts tokens. Put spaces around words and marks"
        )
        raise unwritable(document, mention, why, path)
    return text.count(" ", 0, start), text.count(" ", 0, end)
