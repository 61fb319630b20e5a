"""Names changed one by one, in Python: only the ones that may change are taken out of their table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from deixis.store.strings import StringTable

Change = Callable[[str], str]


def changed_names(names: StringTable, rows: NDArray[np.int64], change: Change) -> StringTable:
    """The same names, those in `rows` (which rise) changed.

    Examples
    --------
    >>> list(changed_names(StringTable.from_strings(["a", "b", "c"]), np.array([1]), str.upper))
    ['a', 'B', 'c']
    """
    if not len(rows):
        return names
    changed = StringTable.from_strings(map(change, names.strings(rows)))
    order = np.arange(len(names))
    order[rows] = len(names) + np.arange(len(rows))
    return names.joined(changed).take(order)


def changed_by_language(
    names: StringTable, codes: NDArray[np.int64], langs: list[str], change_of: Callable[[str], Change | None]
) -> StringTable:
    """The same names, each changed as `change_of` its language `langs[code]` says; None leaves them as they are.

    Examples
    --------
    >>> names = StringTable.from_strings(["a", "b"])
    >>> list(changed_by_language(names, np.array([0, 1]), ["en", "de"], {"de": str.upper}.get))
    ['a', 'B']
    """
    for code, lang in enumerate(langs):
        change = change_of(lang)
        if change is not None:
            names = changed_names(names, np.flatnonzero(codes == code), change)
    return names
