"""XML in, made safe: what a file declares about itself is read here and removed before an XML parser sees the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from deixis.errors import DataError

_ENCODING = re.compile(rb"""(<\?xml[^>]*?)\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_MISC = re.compile(rb"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_UNFINISHED = re.compile(rb"\Z|<\?|<!--")
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_DOCTYPE = re.compile(rb"""<!DOCTYPE(?:[^\[\]<>"']|"[^"<>]*"|'[^'<>]*')*>""")
_REFUSED = (
    "the DOCTYPE has declarations of its own, such as entities; they are not read, because expanding them can fill the "
    "memory or fetch other files. "
)
_TELLING = re.compile(rb"<[^!?]|<!D|\[", re.IGNORECASE)
_MAX_PROLOG = 1 << 16


def without_declarations(
    lines: Iterable[tuple[int, bytes]], path: object, way_out: str = "Remove them, or convert the file"
) -> Iterator[tuple[int, bytes]]:
    """The lines of an XML file in UTF-8, without its DOCTYPE; a DOCTYPE that declares anything is a `DataError`.

    A DOCTYPE that merely names a DTD, as NLM's files do, becomes a space: the DTD is not fetched. One with declarations
    of its own (`[ ... ]`, where entities are declared) is refused, and so is any after the first element, where XML
    allows none but some parsers do; the error ends with the `way_out`. An encoding in the XML declaration is carried
    out here and removed.

    Examples
    --------
    >>> lines = [(1, b'<?xml version="1.0"?>'), (2, b'<!DOCTYPE a SYSTEM "a.dtd">'), (3, b"<a/>")]
    >>> list(without_declarations(lines, "a.xml"))
    [(1, b'<?xml version="1.0"?>'), (2, b' '), (3, b'<a/>')]
    """
    refused = _REFUSED + way_out
    encoding, size, size_checked, is_open = "utf-8", 0, 0, True
    prolog: list[tuple[int, bytes]] = []
    for number, raw in lines:
        if not prolog and size == 0:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
            declared = _ENCODING.match(raw.lstrip())
            if declared is not None:
                encoding = declared[2].decode("ascii").lower()
                raw = _ENCODING.sub(rb"\1", raw, count=1)
        line = raw if encoding == "utf-8" else _recoded(raw, encoding, path, number)
        if not is_open:
            if b"<!" in line and _DECLARATION.search(line):
                raise DataError(refused, path=path, line=number)
            yield number, line
            continue
        prolog.append((number, line))
        size += len(line) + 1
        safe = None
        if _TELLING.search(line) or size >= 2 * size_checked:  # not each of many comments again and again
            size_checked = size
            safe = _checked(b"\n".join(text for _, text in prolog), path, number, refused)
        if safe is None and size > _MAX_PROLOG:
            raise DataError(f"not XML: no element in the first {_MAX_PROLOG // 1024} KB", path=path, line=number)
        if safe is not None:
            is_open = False
            if _DECLARATION.search(safe):
                raise DataError(refused, path=path, line=number)
            yield from zip((number for number, _ in prolog), safe.split(b"\n"), strict=True)
    if is_open:
        yield from prolog


def _checked(prolog: bytes, path: object, line: int, refused: str) -> bytes | None:
    """What stands up to the first element, without a DOCTYPE; None if the first element has not begun."""
    if b"\0" in prolog:
        raise DataError("not XML in UTF-8: it has zero bytes; save the file as UTF-8", path=path, line=line)
    at, doctype = 0, None
    while True:
        misc = _MISC.match(prolog, at)
        if misc is not None:
            at = misc.end()
        elif doctype is None and prolog.startswith(b"<!DOCTYPE", at):
            doctype = _DOCTYPE.match(prolog, at)
            if doctype is None:
                if b"[" in prolog[at:] or b">" in prolog[at:]:
                    raise DataError(refused, path=path, line=line)
                return None
            at = doctype.end()
        elif _UNFINISHED.match(prolog, at):
            return None
        elif prolog.startswith(b"<!", at):
            raise DataError("not XML: a declaration where the first element is expected", path=path, line=line)
        else:
            break
    if doctype is None:
        return prolog
    n_lines = doctype[0].count(b"\n")
    return prolog[: doctype.start()] + (b"\n" * n_lines or b" ") + prolog[doctype.end() :]


def _recoded(raw: bytes, encoding: str, path: object, line: int) -> bytes:
    try:
        return raw.decode(encoding).encode("utf-8")
    except (UnicodeError, LookupError) as error:
        raise DataError(f"not XML: {error}", path=path, line=line) from error
