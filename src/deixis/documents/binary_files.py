"""Files that are no text: named for what they are, with what to do about it."""

from __future__ import annotations

import codecs
import re
import shlex

from deixis.errors import DataError

_READABLE = {
    b"%PDF-": "is a PDF file; give its text, such as that of: pdftotext {} - | deixis link MODEL",
    b"{\\rtf": "is a document in RTF; save it as plain text",
}
_KINDS = (
    (rb"\xd0\xcf\x11\xe0", "is a document of an older Word, Excel or PowerPoint; save it as plain text"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF....WEBP", "is a picture; give the text that is in it"),
    (rb"ID3|OggS|fLaC|RIFF|\0\0\0.ftyp|\x1aE\xdf\xa3", "is a recording; give a text of what is said in it"),
    (rb"SQLite format 3\0", "is a database of SQLite; give its texts, one JSON object a line"),
    (rb"PAR1|ARROW1|FEA1", "is a table in Parquet or Arrow; give its texts, one JSON object a line"),
    (rb"7z\xbc\xaf|Rar!", "is an archive of files; unpack it and give the files"),
    (rb"\x7fELF|MZ|\xfe\xed\xfa|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm", "is a program; give a text"),
)
_MAGIC = [(re.compile(magic, re.DOTALL), words) for magic, words in _KINDS]
_ZIPPED = {
    (".docx", ".odt", ".pages"): "is a document of a word processor; save it as plain text",
    (".xlsx", ".ods", ".numbers"): "is a spreadsheet; save its texts as CSV and give that column, one text a line",
    (".pptx", ".odp", ".key"): "is a presentation; save it as plain text",
    (".epub",): "is an e-book; unpack it and give the HTML files that are in it",
}
_SEEN = 1024  # bytes that decide whether the rest is text
_MAX_CONTROLS = 0.1  # of these, in a text
_MIN_CONTROLS = 32  # a short text may have some that were meant for a terminal
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\x1b")


def check_is_text(beginning: bytes, path: str) -> None:
    """An error with the kind of a file, if it begins like one that is no text.

    Examples
    --------
    >>> check_is_text(b"%PDF-1.7", "letter.pdf")
    Traceback (most recent call last):
        ...
    deixis.errors.DataError: letter.pdf: is a PDF file; give its text, such as that of: pdftotext letter.pdf - | deixis link MODEL
    """  # noqa: E501
    for magic, words in _READABLE.items():
        if beginning.startswith(magic):
            raise DataError(words.format(shlex.quote(path)), path=path)
    seen = beginning[:_SEEN]
    n_controls = len(seen) - len(seen.translate(None, _CONTROLS))
    known = next((words for magic, words in _MAGIC if magic.match(seen)), None)
    is_odd = n_controls > max(_MIN_CONTROLS, _MAX_CONTROLS * len(seen)) or seen.count(0) > len(seen) / 4
    if is_odd or (known is not None and not _is_utf8(seen)):
        raise DataError(known or _otherwise(seen), path=path)


def kind_of_archive(suffix: str) -> str | None:
    """What a zip archive of this name is; None if it is only that."""
    return next((words for suffixes, words in _ZIPPED.items() if suffix.lower() in suffixes), None)


def _otherwise(seen: bytes) -> str:
    n_zeros = max(seen[0::2].count(0), seen[1::2].count(0))
    if n_zeros > len(seen) / 4:
        return "is UTF-16 text; save it as UTF-8"
    return "is no text: it holds bytes that no text has; give a text file in UTF-8"


def _is_utf8(seen: bytes) -> bool:
    """Whether the bytes are UTF-8, as far as they go: the last character may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(seen)
    except UnicodeDecodeError:
        return False
    return True
