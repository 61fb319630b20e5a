"""A linker under test: what it makes of annotated documents, and how fast."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from deixis.cli.models import batches, load_linker, without_gold
from deixis.cli.session import Session
from deixis.documents.reading import read_documents
from deixis.evaluation.judge import mention_outcomes
from deixis.evaluation.outcomes import MentionOutcome
from deixis.linking.linker import Linker
from deixis.progress import track


@dataclass(frozen=True)
class LinkerUnderTest:
    """A linker as it answers; and, where recall is asked for deeper than it looks, the same one looking deeper.

    More candidates share the confidence among more of them, so links are always judged by the first.
    """

    linker: Linker
    deeper: Linker | None

    @classmethod
    def load(cls, path: str, session: Session, depth: int) -> LinkerUnderTest:
        """The linker at `path`, ready to be asked for its `depth` best candidates."""
        linker = load_linker(path, session)
        is_deep_enough = depth <= linker.config.n_candidates
        return cls(linker, None if is_deep_enough else load_linker(path, session, top_k=depth))

    def outcomes(self, path: str) -> tuple[list[MentionOutcome], float]:
        """What became of each gold mention of a file, and how many mentions were linked in a second."""
        outcomes: list[MentionOutcome] = []
        seconds, n_mentions, n_documents = 0.0, 0, 0
        for gold in batches(track(read_documents(path, "native"), f"evaluating on {Path(path).name}")):
            bare = [without_gold(document) for document in gold]
            started = time.perf_counter()
            predicted = self.linker.link(bare)
            seconds += time.perf_counter() - started
            n_mentions += sum(len(document.mentions) for document in predicted)
            judged = mention_outcomes(gold, predicted, self._resolve, first_document=n_documents)
            if self.deeper is not None:
                ranked = mention_outcomes(gold, self.deeper.link(bare), self._resolve)
                judged = [replace(own, rank=deep.rank) for own, deep in zip(judged, ranked, strict=True)]
            outcomes += judged
            n_documents += len(gold)
        return outcomes, n_mentions / max(seconds, 1e-9)

    def _resolve(self, name: str) -> str | None:
        kb = self.linker.kb
        row = kb.row_of(name)
        return None if row is None else kb.ids[row]
