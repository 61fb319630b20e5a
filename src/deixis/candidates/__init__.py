"""Stage 2: mentions to candidates, from several sources."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

GENERATORS = LazyRegistry(
    "candidate generator",
    {
        "alias": Lazy("deixis.candidates.sources.alias:AliasCandidates"),
        "dense": Lazy("deixis.candidates.sources.vectors:DenseCandidates"),
        "embedding": Lazy("deixis.candidates.sources.name_vectors:EmbeddingCandidates"),
        "label_tree": Lazy("deixis.candidates.sources.label_tree:LabelTreeCandidates"),
        "string": Lazy("deixis.candidates.sources.spelling:StringCandidates"),
        "union": Lazy("deixis.candidates.combined:UnionCandidates"),
    },
)
