"""The systems a suite may compare: baselines, one module each, and our own. All answer like a candidate generator."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

SYSTEMS = LazyRegistry(
    "system",
    {
        "exact": Lazy("deixis.bench.systems.exact:ExactNames"),
        "cased": Lazy("deixis.bench.systems.ladder:CasedNames"),
        "uncased": Lazy("deixis.bench.systems.ladder:UncasedNames"),
        "lemma": Lazy("deixis.bench.systems.ladder:LemmaNames"),
        "loose": Lazy("deixis.bench.systems.ladder:LooseNames"),
        "string": Lazy("deixis.bench.systems.spelling:SimilarNames"),
        "loose-string": Lazy("deixis.bench.systems.spelling:SimilarLooseNames"),
        "labels": Lazy("deixis.bench.systems.embedded:EmbeddedTitles"),
        "embedded": Lazy("deixis.bench.systems.embedded:EmbeddedNames"),
        "minilm": Lazy("deixis.bench.systems.embedded:EmbeddedByMiniLm"),
        "prior": Lazy("deixis.bench.systems.prior:PriorNames"),
        "bm25": Lazy("deixis.bench.systems.bm25:Bm25Names"),
        "bm25-descriptions": Lazy("deixis.bench.systems.bm25:Bm25Descriptions"),
        "brute-force": Lazy("deixis.bench.systems.brute_force:BruteForceCosine"),
        "scispacy": Lazy("deixis.bench.systems.scispacy:ScispacyNames"),
        "deixis-tree": Lazy("deixis.bench.systems.ours:TreeSystem"),
        "deixis": Lazy("deixis.bench.systems.ours:LinkerSystem"),
        "deixis-tree+mentions": Lazy("deixis.bench.systems.ours:TaughtTreeSystem"),
        "deixis+mentions": Lazy("deixis.bench.systems.ours:TaughtLinkerSystem"),
        "deixis+rerank": Lazy("deixis.bench.systems.reranked:RerankedLinkerSystem", extra="neural"),
    },
)
