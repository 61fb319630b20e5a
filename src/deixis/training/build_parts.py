"""The parts of a build that several processes or machines make: each a task of paths and names, its result a file.

What they have made the build finds among its parts, so it goes the same way with them as without, to the same bytes.
Tasks of one wave do not need each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.label_tree import LabelTreeSource, LabelTreeSourceConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.training.build import entity_counts, span_detector
from deixis.types import Document

RUN = "run"
N_WAVES = 2
APART = ("alias", "spelling", "names", "descriptions")
"""Sources that need names, words, counts and the order of the tree, but none of its rankers; the longest work first."""


@dataclass(frozen=True, eq=False)
class BuildParts:
    """Makes single parts of the model of a list and of documents; `building_in` says where they are kept."""

    kb: KnowledgeBase
    documents: Sequence[Document]
    config: LinkerConfig
    seed: int
    n_threads: int = 1

    def wave(self, number: int) -> list[str]:
        """The parts of one of the waves, which need those of the waves before; the longest work first."""
        sources = self.config.candidates.sources
        if number == 0:
            order = "tree" if "label_tree" in sources else "order"
            return ["stated", order, "detector", "popularity", "words"]
        runs = LabelTreeSource.level_runs(self._inputs, self._tree) if "label_tree" in sources else []
        names = [f"{RUN} {' '.join(map(str, run))}" for run in runs]
        return [*names[:1], *(f"source {name}" for name in APART if name in sources), *names[1:]]

    def make(self, name: str) -> None:
        """Makes one part of a wave."""
        kind, _, what = name.partition(" ")
        if kind == RUN:
            number, level, first, last = map(int, what.split())
            LabelTreeSource.train_run(self._inputs, self._tree, (number, level, first, last))
        elif kind == "source":
            self._with_counts.source(what)
        elif kind == "tree":
            self._inputs.stored_row_order(lambda: LabelTreeSource.order(self._inputs, self._tree))
        elif kind == "order":
            _ = self._inputs.row_order
        elif kind == "popularity":
            entity_counts(self.kb, self.config, self.n_threads)
        elif kind == "detector":
            span_detector(self.kb, self.documents, self.config, self.seed, self.n_threads)
        elif kind == "stated":
            _ = self._inputs.stated
        elif kind == "words":
            _ = self._inputs.counted_words
        else:
            raise ValueError(f"There is no part {name!r} of a build.")

    @property
    def _tree(self) -> LabelTreeSourceConfig:
        config: LabelTreeSourceConfig = self.config.candidates["label_tree"]
        return config

    @cached_property
    def _inputs(self) -> SourceInputs:
        candidates = self.config.candidates
        configs = {name: candidates[name] for name in candidates.sources}
        return SourceInputs(self.kb, list(self.documents), None, configs, self.seed, self.n_threads)

    @cached_property
    def _with_counts(self) -> SourceInputs:
        counts, inputs = entity_counts(self.kb, self.config, self.n_threads), self._inputs
        return SourceInputs(self.kb, inputs.documents, counts, inputs.configs, self.seed, self.n_threads)
