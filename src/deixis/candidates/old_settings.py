"""Settings of candidates as models before 0.3 stored them, read as those of today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COUNTS = {
    "n_alias": ("alias", 100), "n_string": ("spelling", 20), "n_names": ("names", 200), "n_tree": ("label_tree", 50),
    "n_described": ("descriptions", 50), "n_dense": ("vectors", 0),
}  # fmt: skip
"""Old count -> the source it belongs to, and how many candidates that was by default; 0: the source is left out."""

TABLES = {"alias": "alias", "string": "spelling", "tree": "label_tree", "dense": "vectors"}
"""Old table of settings -> the source it belongs to. `tree.names` is the table of the source `names`."""

SHARES = ("tree_share", "learned_tree_share")  # how names and tree were blended, which no linker did


def current_settings(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The table `candidates` of a model, whichever version stored it, as `SourcesConfig` reads it.

    Examples
    --------
    >>> current_settings({"n_alias": 7, "n_string": 0, "n_names": 0, "n_tree": 0, "n_described": 0})
    {'alias': {'k': 7}, 'sources': ['alias']}
    """
    if "sources" in stored:
        return dict(stored)
    tables = {source: dict(stored[old]) for old, source in TABLES.items() if old in stored}
    names = dict(tables.get("label_tree", {}).pop("names", {}))
    shares = [names.pop(share, 0.0) for share in SHARES]
    counts = {source: stored.get(old, default) for old, (source, default) in COUNTS.items()}
    if min(shares) >= 1:
        counts["names"] = 0
    if names:
        tables["names"] = names
    sources = [source for source, k in counts.items() if k]
    settings = {source: tables.get(source, {}) | {"k": counts[source]} for source in sources}
    return {source: table for source, table in tables.items() if source not in sources} | settings | {
        "sources": sources
    }  # fmt: skip
