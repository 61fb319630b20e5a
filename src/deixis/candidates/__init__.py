"""Stage 2: mentions to candidates, from the registered sources."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

SOURCES = LazyRegistry(
    "candidate source",
    {
        "alias": Lazy("deixis.candidates.sources.alias:AliasSource"),
        "spelling": Lazy("deixis.candidates.sources.spelling:SpellingSource"),
        "names": Lazy("deixis.candidates.sources.names:NameSource"),
        "label_tree": Lazy("deixis.candidates.sources.label_tree:LabelTreeSource"),
        "descriptions": Lazy("deixis.candidates.sources.descriptions:DescriptionSource"),
        "vectors": Lazy("deixis.candidates.sources.vectors:VectorSource"),
        "name_vectors": Lazy("deixis.candidates.sources.name_vectors:NameVectorSource"),
    },
)
