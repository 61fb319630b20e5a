"""Our own systems, with the library's default settings: the label tree alone, and the whole linker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from benchmarks.systems.tree_and_names import TreeAndNames
from deixis.candidates.candidate_lists import candidate_lists
from deixis.candidates.config import SourcesConfig
from deixis.evaluation.run import Evaluation
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.linking.options import LinkOptions
from deixis.linking.streams import rank_mentions
from deixis.ranking.default_weights import RankerConfig
from deixis.types import Candidate, Document, MentionInContext


class TreeSystem:
    """Candidates of the label tree and of similar names, learned from the knowledge base alone."""

    needs = "nothing"

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> TreeAndNames:
        """The tree and the names."""
        return TreeAndNames.build(kb, annotated, n_threads=n_threads)

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """The settings it was built with."""
        return {"settings": "library defaults"}


class TaughtTreeSystem(TreeSystem):
    """The same, taught by annotated mentions."""

    needs = "mentions"


class LinkerSystem:
    """The linker: candidates of all lists as its ranking orders them, and what it decides."""

    needs = "nothing"
    options: ClassVar[LinkOptions] = LinkOptions()
    linker_config: ClassVar[LinkerConfig] = LinkerConfig()
    about: ClassVar[str] = "library defaults"

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    @classmethod
    def build(cls, kb: KnowledgeBase, annotated: Sequence[Document] = (), n_threads: int = 1) -> LinkerSystem:
        """The linker with all its stages."""
        return cls(Linker.build(kb, annotated or None, cls.linker_config, n_threads=n_threads))

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """The settings it was built with."""
        return {"settings": cls.about}

    def generate(self, mentions: Sequence[MentionInContext], k: int) -> list[list[Candidate]]:
        """Ranked candidates, as many as are asked for."""
        return candidate_lists(self.linker.kb, rank_mentions(self.linker.model, mentions, k))

    def evaluate(self, documents: Sequence[Document], end_to_end: bool, seed: int = 0) -> Evaluation:
        """What it decides, with given mentions or on raw text."""
        return self.linker.evaluate(documents, self.options, end_to_end=end_to_end, seed=seed)


class TaughtLinkerSystem(LinkerSystem):
    """The same, taught by annotated mentions."""

    needs = "mentions"


class XmredSystem(LinkerSystem):
    """XMRED's retriever to the letter."""

    linker_config = LinkerConfig.preset("xmred")
    about = "preset xmred"


class TaughtXmredSystem(XmredSystem):
    """The same, taught by annotated mentions."""

    needs = "mentions"


class NamesAndVectorsSystem(LinkerSystem):
    """The linker with two sources: names as they are written, and vectors of names (OLPEAT)."""

    linker_config = LinkerConfig(candidates=SourcesConfig(sources=("alias", "name_vectors")))
    about = "library defaults, sources alias and name_vectors"


class TreeAloneSystem(LinkerSystem):
    """The label tree as the linker has it, with names as instances and without context, and no other source."""

    linker_config = LinkerConfig(
        candidates=SourcesConfig(sources=("label_tree",)),
        ranking=RankerConfig(weights="tree"),
        nil=ThresholdConfig(threshold=0.0),
    )
    about = "library defaults, source label_tree alone"


class TaughtTreeAloneSystem(TreeAloneSystem):
    """The same, taught by annotated mentions."""

    needs = "mentions"
