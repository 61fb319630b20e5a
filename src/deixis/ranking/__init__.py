"""Station 2, candidates to ranked candidates."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

RANKERS = LazyRegistry("candidate ranker", {"fusion": Lazy("deixis.ranking.fusion:FusionRanker")})
