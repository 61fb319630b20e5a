"""Explanations of links: the trace of a run as records whose parts add up, and a view of the label tree."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

EXPLAINERS = LazyRegistry(
    "explanation",
    {
        "links": Lazy("deixis.explanation.explain:explain"),
        "unlinked": Lazy("deixis.explanation.unlinked:unlinked"),
    },
)
"""Imported when they are first called: who only links need not wait for them."""
MIN_COUNT = 2
"""Mentions that an entity to be added must have."""
