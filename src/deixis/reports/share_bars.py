"""Little bars inside tables: drawn, not styled, so that a strict policy allows them."""

from __future__ import annotations

from deixis.reports.markup import Html, element

WIDTH, HEIGHT = 100, 8


def share_bar(share: float, low: float | None = None, high: float | None = None) -> Html:
    """A bar filled to the share, with a whisker from `low` to `high`; says nothing to a screen reader.

    The number beside it says the same in words.

    Examples
    --------
    >>> 'width="25"' in share_bar(0.25), "line" in share_bar(0.25), "line" in share_bar(0.25, 0.2, 0.3)
    (True, False, True)
    """
    filled = min(max(share, 0.0), 1.0) * WIDTH
    parts = [
        element("rect", width=WIDTH, height=HEIGHT, rx=1),
        element("rect", width=f"{filled:.4g}", height=HEIGHT, rx=1, class_="fill"),
    ]
    if low is not None and high is not None:
        middle = HEIGHT / 2
        parts.append(element("line", x1=f"{low * WIDTH:.4g}", x2=f"{high * WIDTH:.4g}", y1=middle, y2=middle))
    return element(
        "svg",
        *parts,
        class_="bar",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        aria_hidden="true",
        focusable="false",
    )
