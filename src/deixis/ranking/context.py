"""Ranks candidates by name, context and popularity together, with fixed weights: nothing is trained.

total = log(generator's score) + bonus for title or alias + weight * cosine(context, description) + weight * log(count).
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError, DataError
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, MentionInContext


def _words() -> TfidfConfig:
    return TfidfConfig(ngrams_max=1, char_ngrams_min=4, char_ngrams_max=4, sublinear_tf=True)


@dataclass(frozen=True)
class ContextRankerConfig:
    """How much context and popularity count against the name, and how much text is context."""

    title_weight: float = field(default=4.0, metadata={"help": "Bonus when the mention is the entity's title."})
    alias_weight: float = field(default=3.0, metadata={"help": "Bonus when the mention is another of its names."})
    context_weight: float = field(default=15.0, metadata={"help": "Weight of the context's likeness to a description."})
    prior_weight: float = field(default=0.2, metadata={"help": "Weight of the logarithm of an entity's count."})
    window: int = field(default=1000, metadata={"help": "Characters of text around a mention that count."})
    words: TfidfConfig = field(default_factory=_words)

    def __post_init__(self) -> None:
        for name in ("title_weight", "alias_weight", "context_weight", "prior_weight", "window"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} must be a number of at least 0, got {getattr(self, name)}.")


class ContextRanker:
    """Reorders candidates by name, context and popularity; a score is a share of how sure the name is.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "city", "title": "Paris", "description": "capital of France on the Seine"},
    ...     {"id": "prince", "title": "Paris", "description": "prince of Troy who took Helen"},
    ... ])
    >>> mention = MentionInContext("Paris", "To save Troy, Paris had to be sacrificed.", 14, 19)
    >>> ranked = ContextRanker.build(kb).rank([mention], [[Candidate("city", 0.9), Candidate("prince", 0.9)]])
    >>> ranked[0][0].id
    'prince'
    """

    def __init__(
        self, kb: KnowledgeBase, vectorizer: TfidfVectorizer, config: ContextRankerConfig, n_threads: int = 0
    ) -> None:
        self.kb = kb
        self.config = config
        self.n_threads = n_threads
        self._vectorizer = vectorizer
        self._descriptions = kb.description_texts()

    @classmethod
    def build(cls, kb: KnowledgeBase, config: ContextRankerConfig | None = None, n_threads: int = 0) -> ContextRanker:
        """A ranker that knows the words of all descriptions."""
        config = config or ContextRankerConfig()
        return cls(kb, TfidfVectorizer(config.words).fit(kb.description_texts(), n_threads), config, n_threads)

    def rank(
        self, mentions: Sequence[MentionInContext], candidates: Sequence[Sequence[Candidate]]
    ) -> list[list[Candidate]]:
        """The same candidates for each mention, best first, with scores between 0 and 1."""
        if len(mentions) != len(candidates):
            raise DataError(f"Each mention needs its list of candidates, got {len(mentions)} and {len(candidates)}.")
        rows = [self._rows(listed) for listed in candidates]
        likeness = self._likeness(mentions, rows)
        return [self._blend(*each) for each in zip(mentions, candidates, rows, likeness, strict=True)]

    def _rows(self, listed: Sequence[Candidate]) -> NDArray[np.int64]:
        rows = self.kb.rows_of(candidate.id for candidate in listed)
        if len(rows) and rows.min() < 0:
            stranger = listed[int(rows.argmin())].id
            raise DataError(
                f"The candidate {stranger!r} is not in the ranker's knowledge base of {len(self.kb)} entities."
            )
        return rows

    def _likeness(
        self, mentions: Sequence[MentionInContext], rows: Sequence[NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]:
        """For each mention, the cosine of its context with each candidate's description."""
        if not any(len(some) for some in rows) or not self.config.context_weight:
            return [np.zeros(len(some), dtype=np.float32) for some in rows]
        # Namesakes come back again and again in a document: each description is read once.
        wanted, places = np.unique(np.concatenate(rows), return_inverse=True)
        described = self._vectorizer.transform(self._descriptions.take(wanted), self.n_threads)
        contexts = self._vectorizer.transform([surroundings(m, self.config.window) for m in mentions], self.n_threads)
        mention_of = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
        cosines = np.asarray(described[places].multiply(contexts[mention_of]).sum(axis=1), dtype=np.float32).ravel()
        return np.split(cosines, np.cumsum([len(some) for some in rows])[:-1])

    def _blend(
        self,
        mention: MentionInContext,
        listed: Sequence[Candidate],
        rows: NDArray[np.int64],
        likeness: NDArray[np.float32],
    ) -> list[Candidate]:
        if not listed:
            return []
        names = [candidate.score for candidate in listed]
        surface = folded(mention.text)
        totals = np.log(np.maximum(names, 1e-9)) + self.config.context_weight * likeness
        totals += [self._name_bonus(surface, row) for row in rows.tolist()]
        totals += self.config.prior_weight * np.log1p(np.maximum(self.kb.counts[rows], 0))
        shares = np.exp(totals - totals.max())
        # How sure the name is, softened: on AIDA's train mentions the bare product is too timid by half.
        shares *= math.sqrt(max(0.0, max(names))) / shares.sum()
        order = np.lexsort((np.arange(len(listed)), -totals))
        return [replace(listed[i], score=min(1.0, float(shares[i]))) for i in order]

    def _name_bonus(self, surface: str, row: int) -> float:
        if folded(self.kb.titles[row]) == surface:
            return self.config.title_weight
        aliases = range(*self.kb.alias_indptr[row : row + 2].tolist())
        return self.config.alias_weight if any(folded(self.kb.aliases[a]) == surface for a in aliases) else 0.0

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The vocabulary as arrays under names that begin with `prefix`."""
        return self._vectorizer.to_arrays(f"{prefix}.words")

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        kb: KnowledgeBase,
        config: ContextRankerConfig,
        n_threads: int = 0,
    ) -> ContextRanker:
        """The ranker `to_arrays` gave, over the knowledge base it was built from."""
        return cls(kb, TfidfVectorizer.from_arrays(arrays, f"{prefix}.words", config.words), config, n_threads)


def surroundings(mention: MentionInContext, window: int) -> str:
    """The text around the mention without the mention: its own words speak for every namesake alike."""
    context = mention.context(window)
    return context.replace(mention.text, " ") if mention.text else context


def folded(name: str) -> str:
    """The name without differences of case, spacing and compatible characters."""
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name)
    return " ".join(name.casefold().split())
