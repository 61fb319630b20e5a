"""The model of a linker (data), and the pipeline that links with it (one function). Knows nothing of training."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

EVALUATIONS = LazyRegistry("evaluation", {"links": Lazy("deixis.linking.evaluate:evaluate_links")})
"""Imported when it is first called: who only links need not wait for it."""
