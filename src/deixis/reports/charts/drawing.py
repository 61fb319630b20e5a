"""Shapes and words of a picture, as SVG elements."""

from __future__ import annotations

import unicodedata

from deixis.reports.charts.theme import INK, LINE, PAPER, SOFT, Look
from deixis.reports.markup import Content, Html, element, joined

_TEXT_COLOURS = {"dx-ink": INK, "dx-soft": SOFT, "dx-on": PAPER, "dx-dark": "#11151a"}
_WIDTHS = dict.fromkeys("iljftr.,:;'|!()[]- ", 0.34) | dict.fromkeys("mwMW@%…—", 0.95)
_LINE_COLOURS = {"dx-rule": LINE, "dx-mid": SOFT, "dx-error": INK, "dx-halo": PAPER}


def coordinate(value: float) -> str:
    """A position in the picture, to a tenth of a unit.

    Examples
    --------
    >>> coordinate(3.0), coordinate(2.25), coordinate(-0.01)
    ('3', '2.2', '0')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def text(
    words: str, x: float, y: float, *, size: int = 12, kind: str = "dx-ink", anchor: str = "start", turn: float = 0,
    is_bold: bool = False, full: str = "",
) -> Html:  # fmt: skip
    """Text at a position, rotated by `turn` degrees; `full` is its tooltip."""
    tip = [element("title", full)] if full and full != words else []
    return element(
        "text",
        words,
        *tip,
        x=coordinate(x),
        y=coordinate(y),
        class_=kind,
        fill=_TEXT_COLOURS[kind],
        font_size=size,
        font_weight=600 if is_bold else None,
        text_anchor=None if anchor == "start" else anchor,
        transform=f"rotate({coordinate(turn)} {coordinate(x)} {coordinate(y)})" if turn else None,
    )


def rule(x1: float, y1: float, x2: float, y2: float, kind: str = "dx-rule", dash: str = "", **more: str) -> Html:
    """A thin straight line: of the grid, of an axis, of an error bar."""
    return element(
        "line",
        x1=coordinate(x1), y1=coordinate(y1), x2=coordinate(x2), y2=coordinate(y2),
        class_=kind, stroke=_LINE_COLOURS[kind], stroke_dasharray=dash or None, **more,
    )  # fmt: skip


def box(x: float, y: float, width: float, height: float, kind: str, colour: str, tip: str = "", **more: str) -> Html:
    """A filled rectangle."""
    title = [element("title", tip)] if tip else []
    return element(
        "rect",
        *title,
        x=coordinate(x),
        y=coordinate(y),
        width=coordinate(width),
        height=coordinate(height),
        class_=kind,
        fill=colour,
        **more,
    )


def mark(look: Look, x: float, y: float, tip: str = "", size: float = 4.0) -> Html:
    """The sign of a series at a point."""
    title = [element("title", tip)] if tip else []
    shared = {"class_": f"{look.name} dx-f dx-mark", "fill": look.colour, "stroke": PAPER}
    if look.mark == "circle":
        return element("circle", *title, cx=coordinate(x), cy=coordinate(y), r=coordinate(size), **shared)
    if look.mark == "square":
        half = size * 0.9
        return element(
            "rect",
            *title,
            x=coordinate(x - half),
            y=coordinate(y - half),
            width=coordinate(2 * half),
            height=coordinate(2 * half),
            **shared,
        )
    tall = size * 1.25
    corners = [(x, y - tall), (x + tall, y), (x, y + tall), (x - tall, y)]
    if look.mark == "triangle":
        corners = [(x, y - tall), (x + tall, y + size * 0.9), (x - tall, y + size * 0.9)]
    return element("polygon", *title, points=path_points(corners), **shared)


def path_points(points: list[tuple[float, float]]) -> str:
    """Points as the `points` attribute spells them."""
    return " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in points)


def group(parts: list[Html], **attributes: str) -> Html:
    """Parts that share attributes; nothing if there are none."""
    return element("g", joined(parts, Html("\n")), **attributes) if parts else Html("")


def text_width(words: str, size: int = 12) -> float:
    """About how wide words are: no font is at hand, so narrow, wide and East Asian letters have one width each.

    Examples
    --------
    >>> text_width("illi") < text_width("aaaa") < text_width("WWWW") < text_width("東京都民")
    True
    """
    return size * sum(_WIDTHS.get(letter) or _width_of_kind(letter) for letter in words)


def _width_of_kind(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.7 if letter.isupper() else 0.58


def shortened(words: str, width: float, size: int = 12) -> str:
    """The words, or as many letters as fit and an ellipsis.

    Examples
    --------
    >>> shortened("gold not in the knowledge base", 100)
    'gold not in the…'
    """
    if text_width(words, size) <= width:
        return words
    n_letters = len(words)
    while n_letters > 1 and text_width(words[:n_letters] + "…", size) > width:
        n_letters -= 1
    return words[:n_letters].rstrip() + "…"


def stacked(parts: list[Content]) -> Html:
    """Parts one below the other in the file."""
    return joined(parts, Html("\n"))
