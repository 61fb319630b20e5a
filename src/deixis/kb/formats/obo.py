"""OBO ontologies to records (extra `obo`): an entity is a term that is not obsolete.

Synonyms of every scope are aliases, the exact ones first. `def` is the description, the namespace (or the file's
default one) the type; `alt_id` and `xref` are equivalent ids.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from typing import Any

import fastobo

from deixis.errors import DataError
from deixis.kb.records import BadRecord
from deixis.store.files import decode_line

logger = logging.getLogger(__name__)
_DAMAGE = (SyntaxError, ValueError, OSError, TypeError)
_SCOPES = ("EXACT", "NARROW", "BROAD", "RELATED")


def read_obo(lines: Iterator[tuple[int, bytes]], path: object) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    r"""Each term with the line on which it begins.

    Examples
    --------
    >>> text = b'format-version: 1.2\n\n[Term]\nid: X:1\nname: cat\nsynonym: "felis" EXACT []\nxref: UMLS:C1\n'
    >>> list(read_obo(enumerate(text.split(b"\n"), start=1), "cats.obo"))
    [(3, {'id': 'X:1', 'title': 'cat', 'aliases': ['felis'], 'types': [], 'alt_ids': ['UMLS:C1']})]
    """
    source, n_obsolete = _Lines(lines, path), 0
    try:
        frames = fastobo.iter(source, threads=1)
    except _DAMAGE as error:
        raise source.problem or _header_problem(error, source, path) from error
    if source.bad:
        raise DataError(source.bad[0][1].reason, path=path, line=source.bad[0][0])
    namespaces = [str(clause.namespace) for clause in frames.header() if clause.raw_tag() == "default-namespace"]
    for line, frame in _frames(frames, source):
        if isinstance(frame, BadRecord):
            yield line, frame
        elif isinstance(frame, fastobo.term.TermFrame):
            record = _record(frame, namespaces)
            if record is None:
                n_obsolete += 1
            else:
                yield line, record
    if source.problem is not None:
        raise source.problem
    if n_obsolete:
        logger.warning("%s: obsolete terms left out: %d", path, n_obsolete)


def _frames(frames: Iterator[Any], source: _Lines) -> Iterator[tuple[int, Any]]:
    """Each frame, or what is wrong with it; the library goes on with the next frame after an error."""
    while True:
        n_read = source.line
        try:
            frame = next(frames)
        except StopIteration:
            return
        except _DAMAGE as error:
            if source.problem is not None:
                return
            frame = BadRecord("bad_frame", _reason(error))
            line = getattr(error, "lineno", None) or source.line
            is_stuck = not source.starts and source.line == n_read
            if source.starts:
                source.starts.popleft()
        else:
            is_stuck = False
            line = source.starts.popleft() if source.starts else source.line
        bad_line = source.take_bad()
        yield bad_line if bad_line is not None else (line, frame)
        if is_stuck:
            return


def _reason(error: Exception) -> str:
    if not isinstance(error, SyntaxError):
        return f"not OBO: {error}"
    return f"not OBO: {error.msg}" + (f" (column {error.offset})" if error.offset else "")


def _header_problem(error: Exception, source: _Lines, path: object) -> DataError:
    return DataError(_reason(error), path=path, line=getattr(error, "lineno", None) or source.line)


def _record(frame: fastobo.term.TermFrame, namespaces: list[str]) -> dict[str, Any] | None:
    """The record of a term; None if it is obsolete."""
    record: dict[str, Any] = {"id": str(frame.id)}
    synonyms: dict[str, list[str]] = {scope: [] for scope in _SCOPES}
    types: list[str] = []
    alt_ids: list[str] = []
    for clause in frame:
        tag = clause.raw_tag()
        if tag == "is_obsolete" and clause.obsolete:
            return None
        if tag == "name":
            record["title"] = clause.name
        elif tag == "synonym":
            synonyms[clause.synonym.scope].append(clause.synonym.desc)
        elif tag == "def":
            record["description"] = clause.definition
        elif tag == "namespace":
            types.append(str(clause.namespace))
        elif tag == "alt_id":
            alt_ids.append(str(clause.alt_id))
        elif tag == "xref":
            alt_ids.append(str(clause.xref.id))
    record["aliases"] = list(dict.fromkeys(text for scope in _SCOPES for text in synonyms[scope]))
    record["types"] = types or namespaces
    record["alt_ids"] = list(dict.fromkeys(alt_ids))
    record.setdefault("title", record["id"])
    return record


class _Lines:
    """Lines as a file of bytes that notes where frames begin."""

    def __init__(self, lines: Iterator[tuple[int, bytes]], path: object) -> None:
        self._lines = lines
        self._path = path
        self._waiting = b""
        self.problem: DataError | None = None
        self.line = 1
        self.starts: deque[int] = deque()
        self.bad: deque[tuple[int, BadRecord]] = deque()

    def read(self, size: int) -> bytes:
        """At most `size` bytes of the next line; nothing at the end."""
        while not self._waiting:
            try:  # the library would hide an error behind one of its own
                self.line, raw = next(self._lines)
            except StopIteration:
                return b""
            except DataError as error:
                self.problem = error
                return b""
            try:
                decode_line(raw, self._path, self.line)
            except DataError as error:
                self.bad.append((self.line, BadRecord("encoding", error.reason)))
                raw = raw.decode("utf-8", "replace").encode()
            if raw.startswith(b"["):
                self.starts.append(self.line)
            self._waiting = raw + b"\n"
        chunk, self._waiting = self._waiting[:size], self._waiting[size:]
        return chunk

    def take_bad(self) -> tuple[int, BadRecord] | None:
        """The first line of the frame before the next that is not UTF-8; later ones of that frame are forgotten."""
        end = self.starts[0] if self.starts else self.line + 1
        first = None
        while self.bad and self.bad[0][0] < end:
            bad = self.bad.popleft()
            first = first or bad
        return first
