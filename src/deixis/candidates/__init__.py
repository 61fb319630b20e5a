"""Station 1, mention to candidates."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

GENERATORS = LazyRegistry(
    "candidate generator",
    {
        "alias": Lazy("deixis.candidates.alias:AliasCandidates"),
        "dense": Lazy("deixis.candidates.dense:DenseCandidates"),
        "embedding": Lazy("deixis.candidates.embedding:EmbeddingCandidates"),
        "label_tree": Lazy("deixis.candidates.label_tree:LabelTreeCandidates"),
        "string": Lazy("deixis.candidates.string:StringCandidates"),
        "union": Lazy("deixis.candidates.union:UnionCandidates"),
    },
)
