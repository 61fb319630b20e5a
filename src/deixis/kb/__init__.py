"""Knowledge base: entities, names, types, descriptions; one reader per source."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

READING = LazyRegistry(
    "way to read entities",
    {
        "files": Lazy("deixis.kb.reading:read_columns"),
        "records": Lazy("deixis.kb.reading:build_columns"),
        "table": Lazy("deixis.kb.reading:table_columns"),
    },
)
"""Each gives columns; imported when it is first called: who has a model already need not wait for it."""
