"""Texts with marked spans as HTML: for notebooks and for pages that stand alone. Knows no documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

STYLE = """\
.deixis { font: 15px/1.7 system-ui, sans-serif; max-width: 60em; overflow-wrap: anywhere; }
.deixis .text { white-space: pre-wrap; }
.deixis mark { color: inherit; background: rgba(60, 170, 90, .28); border-radius: 3px; padding: 1px 2px; }
.deixis mark.unsure { background: rgba(220, 170, 30, .32); }
.deixis mark.nil { background: none; border-bottom: 2px dotted gray; border-radius: 0; }
.deixis mark small { opacity: .75; margin-left: .35em; }
.deixis table { border-collapse: collapse; font-size: 13px; margin: .6em 0; }
.deixis th, .deixis td { text-align: left; vertical-align: top; padding: 2px 10px 2px 0; }
"""
"""The style of all that is made here, to stand once on a page."""

SURE = 0.5  # from this score on, a link is shown as one to rely on


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of a text with what it means: an entity and its title; or no entity, what it is called then, and why."""

    start: int
    end: int
    entity: str | None
    title: str
    score: float | None
    note: str = ""

    @property
    def kind(self) -> str:
        """How the span is drawn."""
        return "nil" if self.entity is None else "sure" if self.score is None or self.score >= SURE else "unsure"


def marked_html(text: str, marks: Sequence[Mark]) -> str:
    """The text with its spans marked, and below it a table with a row for each of them.

    A span that overlaps one before it is in the table only.

    Examples
    --------
    >>> page = marked_html("So <Paris> fled.", [Mark(4, 9, "Q167646", "Paris & Helen", 0.93)])
    >>> print(page.splitlines()[0])
    <div class="text">So &lt;<mark class="sure" title="Q167646 0.93">Paris<small>Paris &amp; Helen</small></mark>&gt; fled.</div>
    """  # noqa: E501
    pieces, done = [], 0
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if mark.start >= done:
            pieces += [escape(text[done : mark.start]), _marked(text[mark.start : mark.end], mark)]
            done = mark.end
    body = f'<div class="text">{"".join(pieces)}{escape(text[done:])}</div>\n'
    return body + _table(text, marks) if marks else body


def _marked(words: str, mark: Mark) -> str:
    label = mark.title or mark.entity or ""
    about = " ".join(each for each in (mark.entity or mark.note or mark.title, _number(mark.score)) if each)
    return f'<mark class="{mark.kind}" title="{escape(about)}">{escape(words)}<small>{escape(label)}</small></mark>'


def _table(text: str, marks: Iterable[Mark]) -> str:
    rows = [
        (text[m.start : m.end], m.entity or m.title, m.title if m.entity else m.note, _number(m.score)) for m in marks
    ]
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    head = "".join(f"<th>{name}</th>" for name in ("mention", "entity", "title", "score"))
    return f"<table>\n<tr>{head}</tr>\n" + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table>\n"


def _number(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"
