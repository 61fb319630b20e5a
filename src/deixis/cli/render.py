"""Links for a person to read: the text with its mentions marked, and what each of them may mean."""

from __future__ import annotations

import bisect
import io
import itertools
import re
from collections.abc import Callable
from typing import TextIO, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deixis.cli.output import printable
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import NIL_WORDS, Candidate, Document, Mention

Gloss = Callable[[str], str]
"""An entity's id -> a few words that tell it from its namesakes."""

_TRAILING_BLANKS = re.compile(" +$", re.MULTILINE)
_BLOCKS = " ▏▎▍▌▋▊▉█"


def console_on(stream: TextIO) -> Console:
    """Where results for a person go: coloured on a terminal, plain and 80 columns wide in a pipe or a file."""
    if stream.isatty():
        return Console(file=stream, highlight=False, markup=False, emoji=False)
    return Console(file=cast(TextIO, _Tidy(stream)), width=80, highlight=False, markup=False, emoji=False)


class _Tidy(io.TextIOBase):
    """Passes text on to another stream without the blanks with which tables fill their lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_TRAILING_BLANKS.sub("", text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()


def confidence_style(score: float | None) -> str:
    """Green for a link to rely on, yellow for one to check, red for a guess."""
    if score is None or score < 0.2:
        return "red"
    return "green" if score >= 0.5 else "yellow"


def bar(share: float, width: int = 10) -> str:
    """A bar of `width` characters, filled to the share in eighths.

    Examples
    --------
    >>> bar(0.5, 4), bar(0.3, 4), bar(1.2, 4)
    ('██  ', '█▎  ', '████')
    """
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(width)


def marked_text(document: Document) -> Text:
    """The document's text; after each mention its number in brackets, coloured by how sure the link is."""
    marked = Text()
    by_end = sorted(enumerate(document.mentions, start=1), key=lambda item: item[1].end)
    ends = [mention.end for _, mention in by_end]
    inserted = list(itertools.accumulate((len(_mark(number)) for number, _ in by_end), initial=0))
    done = 0
    for number, mention in by_end:
        marked.append(printable(document.text[done : mention.end]))
        marked.append(_mark(number), style="dim")
        done = mention.end
    marked.append(printable(document.text[done:]))
    for mention in document.mentions:
        start = mention.start + inserted[bisect.bisect_right(ends, mention.start)]
        end = mention.end + inserted[bisect.bisect_left(ends, mention.end)]
        marked.stylize("dim" if mention.is_nil else f"bold {confidence_style(mention.score)}", start, end)
    return marked


def _mark(number: int) -> str:
    return f"[{number}]"


def candidate_table(document: Document, gloss: Gloss, max_candidates: int = 3) -> Table:
    """One block of rows per mention: what it was linked to, and what else it might have been."""
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False, expand=True)
    table.add_column("number", justify="right", no_wrap=True, style="dim")
    table.add_column("mention", no_wrap=True, overflow="ellipsis", max_width=18)
    table.add_column("bar", no_wrap=True, width=10)
    table.add_column("score", no_wrap=True, justify="right")
    table.add_column("candidate", no_wrap=True, overflow="ellipsis", ratio=1)
    for number, mention in enumerate(document.mentions, start=1):
        for row in _mention_rows(number, mention, gloss, max_candidates):
            table.add_row(*row)
    return table


def _mention_rows(number: int, mention: Mention, gloss: Gloss, max_candidates: int) -> list[tuple[str | Text, ...]]:
    name = Text(printable(mention.text.replace("\n", " ")), style="bold")
    if not mention.candidates:
        answer = mention.entity if mention.entity is not None else why_nil(mention, "nothing in the knowledge base")
        return [(str(number), name, "", "", Text(answer, style="" if mention.entity else "dim"))]
    rows: list[tuple[str | Text, ...]] = []
    for position, candidate in enumerate(mention.candidates[:max_candidates]):
        is_chosen = candidate.id == mention.entity
        head = (str(number), name) if position == 0 else ("", "")
        rows.append((*head, *_candidate_cells(candidate, is_chosen, gloss)))
    if mention.is_nil:
        rows.append(("", "", "", "", Text(why_nil(mention, "none of them is sure enough"), style="dim italic")))
    return rows


def why_nil(mention: Mention, otherwise: str) -> str:
    """Why a mention is not linked, in words; `otherwise` where the linker gave no reason."""
    return f"not linked: {otherwise if mention.nil_reason is None else NIL_WORDS[mention.nil_reason]}"


def _candidate_cells(candidate: Candidate, is_chosen: bool, gloss: Gloss) -> tuple[Text, Text, Text]:
    style = confidence_style(candidate.score) if is_chosen else "dim"
    words = Text(printable(candidate.title or candidate.id), style="bold" if is_chosen else "dim")
    extra = gloss(candidate.id)
    words.append(f"  {candidate.id}", style="dim")
    if extra:
        words.append(f"  {printable(extra)}", style="" if is_chosen else "dim")
    return Text(bar(candidate.score), style=style), Text(f"{candidate.score:.2f}", style=style), words


def gloss_of(kb: KnowledgeBase) -> Gloss:
    """A function from an entity's id to its description, or to its types if it has none."""

    def gloss(name: str) -> str:
        row = kb.row_of(name)
        return "" if row is None else kb.entity(row).gloss

    return gloss
