"""HTML made so that it cannot be made wrong: what is not markup already is escaped wherever it goes."""

from __future__ import annotations

import html
from collections.abc import Iterable

_VOID = frozenset({"br", "col", "hr", "input", "meta", "wbr"})
_UNSHOWABLE = {
    code: "\ufffd"
    for code in (*range(32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
    if chr(code) not in "\n\t"
}


class Html(str):
    """Markup that may stand in a page as it is; a plain string may not, and is escaped.

    Examples
    --------
    >>> element("p", "1 < 2 ", Html("<b>indeed</b>"))
    '<p>1 &lt; 2 <b>indeed</b></p>'
    """

    __slots__ = ()


Content = str | Html
"""What an element may hold: markup as it is, any other text escaped."""


def escaped(text: str) -> Html:
    """The text as markup that shows just that text, in an element or in a quoted attribute.

    Examples
    --------
    >>> escaped('</script> & "co"')
    '&lt;/script&gt; &amp; &quot;co&quot;'
    """
    return text if isinstance(text, Html) else Html(html.escape(text.translate(_UNSHOWABLE), quote=True))


def element(name: str, /, *content: Content, **attributes: str | int | float | bool | None) -> Html:
    """An element; `class_` is `class`, `data_kind` is `data-kind`, True is a bare attribute, None and False are none.

    Examples
    --------
    >>> element("input", type="search", required=True, data_kind="<x>")
    '<input type="search" required data-kind="&lt;x&gt;">'
    """
    words = [name]
    for key, value in attributes.items():
        spelled = key.rstrip("_").replace("_", "-")
        if value is True:
            words.append(spelled)
        elif value is not None and value is not False:
            words.append(f'{spelled}="{escaped(str(value))}"')
    opening = f"<{' '.join(words)}>"
    return Html(opening if name in _VOID else f"{opening}{joined(content)}</{name}>")


def joined(parts: Iterable[Content], between: Content = "") -> Html:
    """The parts one after another, each escaped unless it is markup.

    Examples
    --------
    >>> joined(["a&b", Html("<br>")])
    'a&amp;b<br>'
    """
    return Html(escaped(between).join(escaped(part) for part in parts))


def foreign(text: str) -> Html:
    """A text that somebody else wrote, with a direction of its own: whatever it holds turns nothing else around.

    Examples
    --------
    >>> foreign("<i>")
    '<bdi>&lt;i&gt;</bdi>'
    """
    return element("bdi", text)
