"""Which packages Deixis needs, and which each of its extras does, as its installed metadata says."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


def requirements() -> dict[str, tuple[str, ...]]:
    """The names of the packages of each extra; under the empty name, those that Deixis cannot do without.

    Examples
    --------
    >>> "numpy" in requirements()[""], requirements()["zstd"]
    (True, ('zstandard',))
    """
    about = importlib.metadata.metadata("deixis")
    return by_extra(about.get_all("Provides-Extra") or (), about.get_all("Requires-Dist") or ())


def by_extra(extras: Iterable[str], lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The names of required packages by the extra that asks for them, from `Requires-Dist` lines.

    Examples
    --------
    >>> by_extra(["zstd"], ["numpy>=2.0", 'zstandard>=0.22; extra == "zstd"'])
    {'': ('numpy',), 'zstd': ('zstandard',)}
    """
    packages: dict[str, tuple[str, ...]] = {extra: () for extra in ("", *extras)}
    for line in lines:
        name, extra = _NAME.match(line), _EXTRA.search(line)
        if name is not None:
            key = "" if extra is None else extra[1]
            packages[key] = (*packages.get(key, ()), name[0])
    return packages
