"""The books of an evaluation: documents go in one by one, numbers stay, figures come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deixis.errors import DataError
from deixis.evaluation.linking.confidence import Confidences
from deixis.evaluation.linking.error_examples import ErrorExample, ExampleStore
from deixis.evaluation.linking.figures import (
    RECALL_AT,
    Array,
    averaged_figures,
    document_columns,
    linking_figures,
    macro_over_languages,
    measured,
    rank_columns,
    retrieval_figures,
    summed,
)
from deixis.evaluation.linking.frequency import FREQUENCY_BINS, FrequencyBin
from deixis.evaluation.linking.judge import CountOf, Judge, TypesOf
from deixis.evaluation.linking.ledger import Ledger
from deixis.evaluation.linking.outcomes import Outcome
from deixis.evaluation.statistics.bootstrap import N_DRAWS
from deixis.evaluation.statistics.metric import Metric
from deixis.gold import Resolve
from deixis.types import Document

CURVE_AT = (*range(1, 21), *range(25, 101, 5))
N_EXAMPLES = 20


class Tally:
    """Adds up what became of every mention of a corpus; keeps a few bytes per mention and a few examples, no texts.

    Parameters
    ----------
    resolve
        A gold or predicted id -> the knowledge base's own id for it, None if it has none. Without a knowledge base give
        None: every gold id then counts as known.
    count_of, types_of
        How often an entity is mentioned elsewhere, and its types; without them there are no frequency bins and no
        confusion of types.
    n_examples
        How many mistakes of each kind are kept with their text.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> gold = Document("d", "Paris left Troy.", mentions=(Mention(0, 5, "Paris", "Q1"), Mention(11, 15, "Troy", "Q2")))
    >>> tally = Tally(resolve=None)
    >>> tally.add(gold, gold.with_mentions([Mention(0, 5, "Paris", "Q1", score=0.9)]))
    >>> values = {metric.name: metric.value for metric in tally.metrics()}
    >>> values["inkb_micro_precision"], values["inkb_micro_recall"], round(values["inkb_micro_f1"], 3)
    (1.0, 0.5, 0.667)
    >>> [(outcome.value, n) for outcome, n in tally.outcomes.items()]
    [('right', 1), ('missed', 1)]
    """

    def __init__(
        self,
        resolve: Resolve | None,
        *,
        count_of: CountOf | None = None,
        types_of: TypesOf | None = None,
        n_examples: int = N_EXAMPLES,
    ) -> None:
        self.ledger = Ledger()
        self.type_confusion: Counter[tuple[str, str]] = Counter()
        """(type of the gold entity, type of the linked one) -> how many gold mentions in the knowledge base."""
        self.n_longest = 0
        """The length of the longest list of candidates: recall beyond it says nothing new."""
        self._has_counts = count_of is not None
        self._judge = Judge(resolve, count_of=count_of, types_of=types_of)
        self._store = ExampleStore(n_examples)
        self._outcomes: Counter[Outcome] = Counter()

    def add(self, gold: Document, predicted: Document, ranked: Document | None = None) -> None:
        """Hold one document's predictions against its gold.

        `ranked` has the same mentions with longer lists of candidates: ranks are then taken from it, links are not.
        """
        if gold.text != predicted.text:
            raise DataError(
                f"The prediction for document {gold.id!r} has another text than the gold ({len(predicted.text)} "
                f"characters against {len(gold.text)}). Predict on the very text that was annotated."
            )
        document_outcome = self._judge.judge(gold, predicted, ranked, self.ledger.n_documents)
        self.ledger.add(gold.id, gold.lang or predicted.lang, document_outcome)
        for mention in document_outcome.mentions:
            self._outcomes[mention.outcome] += 1
            if mention.types is not None:
                self.type_confusion[mention.types] += 1
            if not mention.outcome.is_good:
                self._store.add(mention.outcome, gold, mention.gold, mention.guess)
        for outcome, guess in document_outcome.spurious:
            self._outcomes[outcome] += 1
            self._store.add(outcome, gold, None, guess)
        lists = (ranked or predicted).mentions
        self.n_longest = max(self.n_longest, max((len(mention.candidates) for mention in lists), default=0))

    @property
    def n_documents(self) -> int:
        """How many documents were added."""
        return self.ledger.n_documents

    @property
    def n_gold(self) -> int:
        """How many gold mentions somebody has decided; with none there is nothing to measure."""
        return sum(
            n for outcome, n in self._outcomes.items() if outcome not in (Outcome.SPURIOUS, Outcome.SPURIOUS_NIL)
        )

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """How many mentions have each outcome, in the order of `Outcome`; those that none has are left out."""
        return {outcome: self._outcomes[outcome] for outcome in Outcome if outcome in self._outcomes}

    @property
    def examples(self) -> dict[Outcome, list[ErrorExample]]:
        """A few mistakes of every kind."""
        return self._store.examples()

    @property
    def confidences(self) -> Confidences:
        """The score of each link that has one and whether it is right: for calibration, and risk against coverage."""
        return Confidences(*self.ledger.links())

    def metrics(self, at: Sequence[int] = RECALL_AT, seed: int = 0, n_draws: int = N_DRAWS) -> list[Metric]:
        """Every figure that is about something, with its interval; with several languages also their averages."""
        columns = self.columns(at)
        metrics = measured(columns, linking_figures(at), seed, n_draws) + self.confidences.metrics(seed, n_draws)
        if len(self.ledger.languages) > 1:
            of_language = {name: self._of_language(columns, name) for name in self.ledger.languages}
            metrics += macro_over_languages(of_language, averaged_figures(at), seed, n_draws)
        return metrics

    def by_language(
        self, at: Sequence[int] = RECALL_AT, seed: int = 0, n_draws: int = N_DRAWS
    ) -> dict[str, list[Metric]]:
        """The figures of each language on its own; `und` stands for documents that do not say theirs."""
        columns, figures = self.columns(at), linking_figures(at)
        return {
            name: measured(self._of_language(columns, name), figures, seed, n_draws) for name in self.ledger.languages
        }

    def by_frequency(self, at: Sequence[int] = RECALL_AT, seed: int = 0, n_draws: int = N_DRAWS) -> list[FrequencyBin]:
        """Recall, MRR and accuracy by how often the gold entity was seen elsewhere; no bins where nobody counted."""
        if not self._has_counts:
            return []
        bins = [(low, high, self.ledger.is_of_frequency(low, high)) for low, high in FREQUENCY_BINS]
        figures = retrieval_figures(at)
        return [
            FrequencyBin(
                low, high, int(chosen.sum()), measured(self._mention_columns(chosen, at), figures, seed, n_draws)
            )
            for low, high, chosen in bins
        ]

    def recall_curve(self, at: Sequence[int] = CURVE_AT, seed: int = 0, n_draws: int = N_DRAWS) -> list[Metric]:
        """Recall at many k, each named `recall@k`: what a plot needs."""
        columns = self._mention_columns(np.ones(len(self.ledger.mentions()[0]), dtype=np.bool_), at)
        return [m for m in measured(columns, retrieval_figures(at), seed, n_draws) if m.name.startswith("recall@")]

    def columns(self, at: Sequence[int] = RECALL_AT) -> dict[str, Array]:
        """What each document adds to each figure, documents in the order they came."""
        if self.n_gold == 0:
            raise DataError(
                f"There is no gold: none of the {self.n_documents} documents has a mention with an 'entity' (null for "
                "NIL), so there is nothing to measure."
            )
        documents, ranks, _ = self.ledger.mentions()
        return document_columns(self.ledger.counts()) | rank_columns(documents, ranks, self.n_documents, at)

    def _mention_columns(self, chosen: NDArray[np.bool_], at: Sequence[int]) -> dict[str, Array]:
        documents, ranks, is_right = self.ledger.mentions()
        columns = rank_columns(documents[chosen], ranks[chosen], self.n_documents, at)
        columns["n_in_kb"] = summed(documents, chosen, self.n_documents)
        columns["n_right"] = summed(documents, chosen & is_right, self.n_documents)
        return columns

    def _of_language(self, columns: dict[str, Array], language: str) -> dict[str, Array]:
        chosen = self.ledger.is_of_language(language)
        return {name: values[chosen] for name, values in columns.items()}
