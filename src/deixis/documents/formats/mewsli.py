"""Mewsli-9: a TSV of mentions, and each document's text in a file of its own, `text/<docid>`, beside it.

Columns are known by the header: `docid`, `position` and `length` are needed, `mention` (checked), `lang` and `qid` are
read if there, others pass. Positions and lengths count Unicode code points of the text file as it is, line ends
included. Fields may be quoted as in CSV. A mention without a `qid` is undecided, and `NIL`, which the published files
do not have, is NIL. The mentions of a document stand together; documents that only the list of documents names
(`docs.tsv` beside `mentions.tsv`) have no mentions and come last.

Not carried: scores and candidates. A written list of documents has the columns of the published one, of which only
`docid` and `text_md5` are filled, and `lang`. A text file that is there and says something else is not overwritten.
Where writing fails, the files that it made are taken away again.
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from deixis.documents.formats.side_files import check_has_folder, undone_if_it_fails
from deixis.documents.json_lines import shown
from deixis.documents.places import Place
from deixis.documents.spans import MakeError, checked_span, checked_surface, in_text_order
from deixis.documents.tab_columns import Row, column_value, named_rows, on_one_line, whole_number, writing_error
from deixis.errors import DataError
from deixis.store.files import open_lines
from deixis.types import Document, Mention

_MENTION_COLUMNS = ("docid", "position", "length", "mention", "url", "lang", "qid")
_DOCUMENT_COLUMNS = ("docid", "title", "curid", "revid", "url", "text_md5", "lang")
_NIL = "NIL"
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def read_mewsli(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    r"""The documents that the mentions stand in, then those without mentions.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "text").mkdir()
    >>> _ = (folder / "text" / "tr-8").write_text("Bugün Türkiye", encoding="utf-8")
    >>> rows = ["docid\tposition\tlength\tmention\turl\tlang\tqid", "tr-8\t6\t7\tTürkiye\t\ttr\tQ43"]
    >>> document = next(read_mewsli(enumerate(rows, start=1), str(folder / "mentions.tsv")))
    >>> document.id, document.lang, document.mentions[0].entity
    ('tr-8', 'tr', 'Q43')
    """
    check_has_folder(path, "mewsli")
    seen: set[str] = set()
    rows: list[Row] = []
    for place, row in named_rows(lines, path, needed=("docid", "position", "length")):
        if rows and rows[0][1]["docid"] != row["docid"]:
            yield _document(rows, path)
            rows = []
        if not rows and row["docid"] in seen:
            raise place.error(f"the mentions of {row['docid']!r} must stand together; sort the file by docid")
        seen.add(row["docid"])
        rows.append((place, row))
    if rows:
        yield _document(rows, path)
    documents_path = _documents_path(path)
    if documents_path.is_file():
        for place, row in named_rows(open_lines(documents_path), str(documents_path), needed=("docid",)):
            if row["docid"] not in seen:
                seen.add(row["docid"])
                yield Document(row["docid"], _text(row["docid"], path, place), row.get("lang") or None)


def write_mewsli(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes mentions to the stream, texts and the list of documents beside `path`; returns how many documents."""
    check_has_folder(path, "mewsli")
    documents_path = _documents_path(path)
    _refuse_foreign(documents_path)
    mentions_out = csv.writer(stream, delimiter="\t", lineterminator="\n")
    mentions_out.writerow(_MENTION_COLUMNS)
    seen: set[str] = set()
    with undone_if_it_fails() as made:
        unfinished = documents_path.with_name(f".{documents_path.name}.{os.getpid()}.part")
        made.append(unfinished)
        with unfinished.open("w", encoding="utf-8", newline="") as documents_stream:
            documents_out = csv.writer(documents_stream, delimiter="\t", lineterminator="\n")
            documents_out.writerow(_DOCUMENT_COLUMNS)
            for document in documents:
                error = writing_error(document.id, "mewsli", path)
                if document.id in seen:
                    raise error("a document with this id was written already, and its text would be overwritten")
                seen.add(document.id)
                lang = column_value(document.lang, "its language", error) if document.lang else ""
                digest = _write_text(document, path, error, made)
                documents_out.writerow((document.id, "", "", "", "", digest, lang))
                mentions_out.writerows(_row(document, mention, lang, error) for mention in document.mentions)
        os.replace(unfinished, documents_path)
    return len(seen)


def _document(rows: list[Row], path: str) -> Document:
    place, first = rows[0]
    text = _text(first["docid"], path, place)
    for place, row in rows:
        if row.get("lang") != first.get("lang"):
            raise place.error(f"{row['docid']!r} is in {first.get('lang')!r} above and in {row.get('lang')!r} here")
    mentions = [_mention(row, text, place) for place, row in rows]
    return Document(first["docid"], text, first.get("lang") or None, in_text_order(mentions))


def _mention(row: dict[str, str], text: str, place: Place) -> Mention:
    position, length = (_number(row, name, place) for name in ("position", "length"))
    start, end = checked_span(position, position + length, text, place.error)
    surface = row.get("mention")
    if surface is not None and on_one_line(surface) != on_one_line(text[start:end]):
        checked_surface(
            surface, start, end, text, place.error, otherwise="Or leave out the column 'mention' to trust the offsets"
        )
    qid = row.get("qid", "")
    is_nil = qid == _NIL
    return Mention(start, end, text[start:end], entity=None if is_nil else qid or None, is_nil=is_nil)


def _number(row: dict[str, str], name: str, place: Place) -> int:
    number = whole_number(row[name])
    if number is None:
        raise place.error(f"{name} must be a whole number, got {shown(row[name])}")
    return number


def _row(document: Document, mention: Mention, lang: str, error: MakeError) -> tuple[object, ...]:
    surface, length = on_one_line(mention.text), mention.end - mention.start
    return document.id, mention.start, length, surface, "", lang, _qid(mention, error)


def _qid(mention: Mention, error: MakeError) -> str:
    if mention.entity is not None:
        return column_value(mention.entity, "an entity id", error, reserved=(_NIL,))
    return _NIL if mention.is_nil else ""


def _text(docid: str, path: str, place: Place) -> str:
    file = _text_path(docid, path, place.error)
    try:
        return file.read_bytes().decode("utf-8")
    except OSError:
        raise place.error(
            f"the text of {docid!r} is not at {file}; texts stand in 'text/' beside the mentions"
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(f"not valid UTF-8 at byte {error.start + 1}; save the file as UTF-8", path=file) from None


def _write_text(document: Document, path: str, error: MakeError, made: list[Path]) -> str:
    """Writes the text's file, unless it is there already, and returns its checksum; adds what is new to `made`."""
    file = _text_path(document.id, path, error)
    data = document.text.encode("utf-8")
    if file.exists():
        if not file.is_file() or file.read_bytes() != data:
            raise error(f"{file} exists and has another text; write to another folder")
    else:
        if not file.parent.exists():
            made.append(file.parent)
            file.parent.mkdir()
        made.append(file)
        file.write_bytes(data)
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _text_path(docid: str, path: str, error: MakeError) -> Path:
    """Where a document's text is kept; ids that would lead out of the folder are refused."""
    is_name = docid not in ("", ".", "..") and not any(mark in docid for mark in ("/", "\\", "\0", "\t", "\n", "\r"))
    if not is_name or len(os.fsencode(docid)) > 255:
        raise error(f"a docid names the text's file, so it must be a plain file name, got {docid!r}")
    return Path(path).parent / "text" / docid


def _documents_path(path: str) -> Path:
    """`docs.tsv` for `mentions.tsv`, `dev_docs.tsv` for `dev_mentions.tsv`, `links.docs.tsv` for `links.tsv`."""
    file = Path(path)
    if file.suffix in _COMPRESSED:
        file = file.with_suffix("")
    name = file.name.replace("mentions", "docs")
    return file.with_name(name if name != file.name else f"{file.stem}.docs.tsv")


def _refuse_foreign(documents_path: Path) -> None:
    """Raises if there is a list of documents that this writer did not write."""
    if documents_path.exists() and next(iter(open_lines(documents_path)), (1, ""))[1] != "\t".join(_DOCUMENT_COLUMNS):
        raise DataError("exists and was not written by Deixis; write to another folder", path=documents_path)
