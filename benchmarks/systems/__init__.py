"""The systems a suite may compare: baselines, one module each, and our own. All answer like a candidate generator."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

SYSTEMS = LazyRegistry(
    "system",
    {
        "exact": Lazy("benchmarks.systems.exact:ExactNames"),
        "cased": Lazy("benchmarks.systems.ladder:CasedNames"),
        "uncased": Lazy("benchmarks.systems.ladder:UncasedNames"),
        "lemma": Lazy("benchmarks.systems.ladder:LemmaNames"),
        "loose": Lazy("benchmarks.systems.ladder:LooseNames"),
        "string": Lazy("benchmarks.systems.spelling:SimilarNames"),
        "loose-string": Lazy("benchmarks.systems.spelling:SimilarLooseNames"),
        "labels": Lazy("benchmarks.systems.embedded:EmbeddedTitles"),
        "embedded": Lazy("benchmarks.systems.embedded:EmbeddedNames"),
        "minilm": Lazy("benchmarks.systems.embedded:EmbeddedByMiniLm"),
        "prior": Lazy("benchmarks.systems.prior:PriorNames"),
        "bm25": Lazy("benchmarks.systems.bm25:Bm25Names"),
        "bm25-descriptions": Lazy("benchmarks.systems.bm25:Bm25Descriptions"),
        "brute-force": Lazy("benchmarks.systems.brute_force:BruteForceCosine"),
        "scispacy": Lazy("benchmarks.systems.scispacy:ScispacyNames"),
        "deixis-tree": Lazy("benchmarks.systems.ours:TreeSystem"),
        "deixis": Lazy("benchmarks.systems.ours:LinkerSystem"),
        "alias+vectors": Lazy("benchmarks.systems.ours:NamesAndVectorsSystem"),
        "deixis-tree+mentions": Lazy("benchmarks.systems.ours:TaughtTreeSystem"),
        "deixis+mentions": Lazy("benchmarks.systems.ours:TaughtLinkerSystem"),
        "xmred": Lazy("benchmarks.systems.ours:XmredSystem"),
        "xmred+mentions": Lazy("benchmarks.systems.ours:TaughtXmredSystem"),
        "tree": Lazy("benchmarks.systems.ours:TreeAloneSystem"),
        "tree+mentions": Lazy("benchmarks.systems.ours:TaughtTreeAloneSystem"),
        "deixis+rerank": Lazy("benchmarks.systems.reranked:RerankedLinkerSystem", extra="neural"),
    },
)
