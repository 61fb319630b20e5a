"""How charts look: colours for light and dark, and marks and dashes for readers who cannot tell the colours apart.

Every shape has a class, which the style sheet colours by CSS variables, and beside it a plain light colour for viewers
that know no style sheets. A page can set `--ink`, `--soft`, `--line`, `--raised` and `--chart-1` to `--chart-6`.
"""

from __future__ import annotations

from dataclasses import dataclass

# After Okabe and Ito's palette for colour-blind readers, darkened until each stands out from white by 3 to 1.
_LIGHT = ("#0b6bb0", "#c8510a", "#0a8061", "#a3478a", "#8a6500", "#56616d")
_DARK = ("#62b4f2", "#ff9457", "#45cda2", "#ea9acb", "#e8c252", "#b9c3ce")
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2", "1 2")
_MARKS = ("circle", "square", "triangle", "diamond", "circle", "square")

INK, SOFT, LINE, PAPER = "#1b1f24", "#57606a", "#d5dae0", "#ffffff"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Look:
    """The look of one series: its class, its colour without a style sheet, dash and mark."""

    name: str
    colour: str
    dash: str
    mark: str


def look_of(number: int) -> Look:
    """The look of the series with this number; colours come again after six, with other dashes.

    Examples
    --------
    >>> look_of(0).name, look_of(6).name, look_of(0).dash == look_of(6).dash
    ('dx-1', 'dx-1', False)
    """
    coordinate, again = number % len(_LIGHT), number // len(_LIGHT)
    dash = (coordinate + again) % len(_DASHES)
    return Look(f"dx-{coordinate + 1}", _LIGHT[coordinate], _DASHES[dash], _MARKS[dash])


def _variables(ink: str, soft: str, line: str, paper: str, on: str, colours: tuple[str, ...]) -> str:
    own = f"--dx-ink:var(--ink,{ink});--dx-soft:var(--soft,{soft});--dx-line:var(--line,{line});"
    own += f"--dx-paper:var(--raised,{paper});--dx-on:{on};"
    return own + "".join(f"--dx-{i}:var(--chart-{i},{colour});" for i, colour in enumerate(colours, start=1))


def _style() -> str:
    """One and the same text in every chart, so that a page may repeat it, and may know it by one hash."""
    rules = [
        f".dx-chart{{{_variables(INK, SOFT, LINE, PAPER, '#fff', _LIGHT)}max-width:100%;height:auto}}",
        "@media screen and (prefers-color-scheme:dark){.dx-chart{"
        + _variables("#e6e9ed", "#a2abb6", "#3b434d", "#14171b", "#0d1013", _DARK)
        + "}}",
        ".dx-paper{fill:var(--dx-paper)}.dx-ink{fill:var(--dx-ink)}.dx-soft{fill:var(--dx-soft)}.dx-on{fill:var(--dx-on)}.dx-dark{fill:#11151a}",
        ".dx-rule{stroke:var(--dx-line)}.dx-mid{stroke:var(--dx-soft)}.dx-error{stroke:var(--dx-ink)}.dx-halo{stroke:var(--dx-paper)}",
    ]
    rules += [f".dx-{i}.dx-f{{fill:var(--dx-{i})}}.dx-{i}.dx-l{{stroke:var(--dx-{i})}}" for i in range(1, 7)]
    rules.append(".dx-mark{stroke:var(--dx-paper)}.dx-hit:hover,.dx-mark:hover{opacity:.75}")
    return "".join(rules)


STYLE = _style()
