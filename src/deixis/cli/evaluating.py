"""One run over one file of annotated documents, added up as it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from deixis.cli.known_entities import KnownEntities
from deixis.cli.measuring import Speed, UnderTest
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.evaluation.linking.outcomes import Fate
from deixis.evaluation.linking.tally import Tally
from deixis.evaluation.pairing import distinct
from deixis.progress import track
from deixis.types import Document, Mention

_OTHER_SPANS = (Fate.MISSED, Fate.NIL_MISSED, Fate.WRONG_SPAN, Fate.SPURIOUS, Fate.SPURIOUS_NIL)


@dataclass(frozen=True)
class Evaluated:
    """A run over a file: the books, how fast it was, and how many gold mentions overlap another."""

    data: str
    tally: Tally
    speed: Speed
    n_overlapping: int

    @property
    def has_own_spans(self) -> bool:
        """Whether mentions were predicted elsewhere than gold has them: somebody looked for them."""
        return any(fate in self.tally.fates for fate in _OTHER_SPANS)

    @property
    def has_no_known_gold(self) -> bool:
        """Whether gold has entities, and the knowledge base none of them."""
        counts = self.tally.ledger.counts()
        return bool(counts["n_linked_gold"].sum() > 0 and counts["n_in_kb"].sum() == 0)


def evaluate_file(
    tested: UnderTest,
    data: str,
    format: str | None,
    known: KnownEntities,
    n_examples: int = 0,
    skipped: dict[str, int] | None = None,
) -> Evaluated:
    """The run over a file of gold, read once and not kept; a file without gold is an error.

    So is a document that comes twice, unless there is a table to count those `skipped`.
    """
    tally = Tally(known.resolve, count_of=known.count_of, types_of=known.types_of, n_examples=n_examples)
    speed, overlaps = Speed(), _Overlaps()
    documents = read_documents(data, format)
    if skipped is not None:
        documents = distinct(documents, data, skipped)
    documents = track(overlaps.counted(documents), f"evaluating on {Path(data).name}")
    for answered in tested.answers(documents, data, speed):
        try:
            tally.add(*answered)
        except DataError as error:
            raise error if error.path else DataError(error.reason, path=data) from None
    if tally.n_gold == 0:
        raise DataError(
            "has no gold: no mention has an 'entity'. Annotate mentions as "
            '{"start": 14, "end": 19, "entity": "Q167646"}, or link the file with: deixis link',
            path=data,
        )
    return Evaluated(data, tally, speed, overlaps.n_mentions)


class _Overlaps:
    """Counts gold mentions that share text with the one before them."""

    def __init__(self) -> None:
        self.n_mentions = 0

    def counted(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            self.n_mentions += n_overlapping([m for m in document.mentions if m.is_decided])
            yield document


def n_overlapping(mentions: Iterable[Mention]) -> int:
    """How many mentions begin before an earlier one has ended.

    Examples
    --------
    >>> n_overlapping([Mention(0, 8, "New York"), Mention(4, 8, "York"), Mention(9, 13, "City")])
    1
    """
    n, last_end = 0, 0
    for mention in sorted(mentions, key=lambda mention: (mention.start, mention.end)):
        n += mention.start < last_end
        last_end = max(last_end, mention.end)
    return n
