"""Content negotiation."""

from __future__ import annotations

from collections.abc import Sequence


def preferred(accept: str, offered: Sequence[str]) -> str:
    """The offered media type that an Accept header prefers; the first one if it accepts none.

    Examples
    --------
    >>> preferred("text/html,application/xml;q=0.9,*/*;q=0.8", ("application/json", "text/html"))
    'text/html'
    >>> preferred("*/*", ("application/json", "text/html")), preferred("image/png", ("application/json", "text/html"))
    ('application/json', 'application/json')
    """
    liking = dict.fromkeys(offered, (0.0, 0))
    for part in accept.lower().split(",")[:50]:
        kind, *settings = (word.strip() for word in part.split(";"))
        quality = _quality(settings)
        for each in offered:
            exactness = 2 if kind == each else 1 if kind == each.partition("/")[0] + "/*" else 0
            if exactness or kind == "*/*":
                liking[each] = max(liking[each], (quality, exactness), key=lambda pair: (pair[1], pair[0]))
    return max(offered, key=lambda each: liking[each])


def _quality(settings: Sequence[str]) -> float:
    for setting in settings:
        name, _, value = setting.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0
