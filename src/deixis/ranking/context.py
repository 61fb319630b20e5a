"""Ranks candidates by name, context and popularity together, with fixed weights: nothing is trained.

total = log(generator's score) + bonus for title or alias + weight * likeness + weight * log(count),
where likeness is the cosine of context and description, levelled off. For names that the generator has seen in
annotated text its score already says what they usually mean, so the other evidence counts less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import ConfigError, DataError
from deixis.features.name_set import NameSet, folded
from deixis.features.row_dots import row_dots
from deixis.features.stop_words import filler_words
from deixis.features.tfidf import TfidfConfig, TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.checks import require
from deixis.types import Candidate, MentionInContext


def _words() -> TfidfConfig:
    return TfidfConfig(ngrams_max=1, char_ngrams_min=4, char_ngrams_max=4, sublinear_tf=True)


@dataclass(frozen=True)
class ContextRankerConfig:
    """How much context and popularity count against the name, and how much text is context."""

    title_weight: float = field(default=4.0, metadata={"help": "Bonus when the mention is the entity's title."})
    alias_weight: float = field(default=3.0, metadata={"help": "Bonus when the mention is another of its names."})
    context_weight: float = field(default=16.0, metadata={"help": "Weight of the context's likeness to a description."})
    max_likeness: float = field(
        default=0.25, metadata={"help": "Likeness levels off towards this, so that a name that fits outweighs it."}
    )
    prior_weight: float = field(default=0.2, metadata={"help": "Weight of the logarithm of an entity's count."})
    window: int = field(default=1000, metadata={"help": "Characters of text around a mention that count."})
    stop_word_weight: float = field(default=0.1, metadata={"help": "What words like 'the' and 'und' weigh, 1: as all."})
    learned_name_share: float = field(
        default=0.05, metadata={"help": "What remains of the bonus for a name that was seen in annotated text."}
    )
    learned_context_share: float = field(
        default=0.4, metadata={"help": "What remains of the context's weight for a name seen in annotated text."}
    )
    words: TfidfConfig = field(default_factory=_words)

    def __post_init__(self) -> None:
        for name in (each.name for each in fields(self) if each.name != "words"):
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
        self,
        kb: KnowledgeBase,
        vectorizer: TfidfVectorizer,
        config: ContextRankerConfig,
        n_threads: int = 0,
        learned: NameSet | None = None,
    ) -> None:
        self.kb = kb
        self._learned = learned or NameSet()
        self.config = config
        self.n_threads = n_threads
        self._vectorizer = vectorizer

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        config: ContextRankerConfig | None = None,
        n_threads: int = 0,
        learned: NameSet | None = None,
    ) -> ContextRanker:
        """A ranker that knows the words of all descriptions, and which names the generator has seen annotated."""
        config = config or ContextRankerConfig()
        vectorizer = TfidfVectorizer(config.words).fit(kb.description_texts(), n_threads)
        # In a short list no word is frequent: a "the" in one of two descriptions would decide between them.
        vectorizer = vectorizer.damped(filler_words(), config.stop_word_weight)
        return cls(kb, vectorizer, config, n_threads, learned)

    def rank(
        self, mentions: Sequence[MentionInContext], candidates: Sequence[Sequence[Candidate]]
    ) -> list[list[Candidate]]:
        """The same candidates for each mention, best first, with scores between 0 and 1."""
        if len(mentions) != len(candidates):
            raise DataError(f"Each mention needs its list of candidates, got {len(mentions)} and {len(candidates)}.")
        flat = [candidate for listed in candidates for candidate in listed]
        if not flat:
            return [[] for _ in candidates]
        starts = np.cumsum([0, *map(len, candidates)])
        # Namesakes come back again and again in a document: each entity is looked at once.
        id_to_place: dict[str, int] = {}
        places = np.array([id_to_place.setdefault(candidate.id, len(id_to_place)) for candidate in flat])
        wanted = self._rows(list(id_to_place))
        totals = np.log(np.maximum([candidate.score for candidate in flat], 1e-9))
        surfaces = [folded(mention.text) for mention in mentions]
        is_learned = np.repeat(self._learned.holds(surfaces), np.diff(starts))
        context_shares = np.where(is_learned, self.config.learned_context_share, 1.0)
        totals += self.config.context_weight * context_shares * self._likeness(mentions, wanted, places, starts)
        name_shares = np.where(is_learned, self.config.learned_name_share, 1.0)
        totals += name_shares * self._name_bonuses(surfaces, wanted, places, starts)
        totals += (self.config.prior_weight * np.log1p(self.kb.counts[wanted]))[places]
        return [_shared_out(flat[start:end], totals[start:end]) for start, end in pairwise(starts.tolist())]

    def _rows(self, ids: Sequence[str]) -> NDArray[np.int64]:
        rows = self.kb.rows_of(ids)
        if rows.min() < 0:
            raise DataError(
                f"The candidate {ids[int(rows.argmin())]!r} is not in the ranker's knowledge base of {len(self.kb)} "
                "entities. Generator and ranker must be built over the same one."
            )
        return rows

    def _likeness(
        self,
        mentions: Sequence[MentionInContext],
        wanted: NDArray[np.int64],
        places: NDArray[np.int64],
        starts: NDArray[np.int64],
    ) -> NDArray[np.float32]:
        """The cosine of each candidate's description with its mention's context, levelled off."""
        if not self.config.context_weight:
            return np.zeros(len(places), dtype=np.float32)
        described = self._vectorizer.transform(self.kb.description_texts(wanted), self.n_threads)
        contexts = self._vectorizer.transform([surroundings(m, self.config.window) for m in mentions], self.n_threads)
        likeness = row_dots(contexts, starts, described, places, self.n_threads)
        # Likeness to a description of three words is easily high; it must not outweigh a name that fits.
        most = np.float32(max(self.config.max_likeness, 1e-9))
        levelled: NDArray[np.float32] = most * np.tanh(likeness / most)
        return levelled

    def _name_bonuses(
        self,
        surfaces: Sequence[str],
        wanted: NDArray[np.int64],
        places: NDArray[np.int64],
        starts: NDArray[np.int64],
    ) -> list[float]:
        """What each candidate gets for having the mention as title or as alias."""
        title_weight, alias_weight = self.config.title_weight, self.config.alias_weight
        titles = [folded(title) for title in self.kb.titles.strings(wanted)]
        aliases = [self._folded_aliases(row) for row in wanted.tolist()]
        bonuses = []
        for surface, (start, end) in zip(surfaces, pairwise(starts.tolist()), strict=True):
            for place in places[start:end].tolist():
                is_alias = surface in aliases[place]
                bonuses.append(title_weight if titles[place] == surface else alias_weight if is_alias else 0.0)
        return bonuses

    def _folded_aliases(self, row: int) -> set[str]:
        first, last = self.kb.alias_indptr[row : row + 2].tolist()
        return {folded(self.kb.aliases[alias]) for alias in range(first, last)}

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The vocabulary and the learned names (hashed) as arrays under names that begin with `prefix`."""
        arrays: dict[str, NDArray[Any]] = {f"{prefix}.learned": self._learned.hashes}
        return arrays | self._vectorizer.to_arrays(f"{prefix}.words")

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
        learned = NameSet(require(arrays, f"{prefix}.learned", np.uint64))
        vectorizer = TfidfVectorizer.from_arrays(arrays, f"{prefix}.words", config.words)
        return cls(kb, vectorizer, config, n_threads, learned)


def _shared_out(listed: Sequence[Candidate], totals: NDArray[np.float64]) -> list[Candidate]:
    """The candidates by falling total; scores share out how sure the name is in proportion to exp(total)."""
    if not listed:
        return []
    shares = np.exp(totals - totals.max())
    # How sure the name is, softened: on AIDA's train mentions the bare product is too timid by half.
    sureness = math.sqrt(max(0.0, *(candidate.score for candidate in listed)))
    shares *= sureness / shares.sum()
    order = np.argsort(-totals, kind="stable")
    scores = np.minimum(shares[order], 1.0).tolist()
    return [Candidate(listed[i].id, score, listed[i].title) for i, score in zip(order.tolist(), scores, strict=True)]


def surroundings(mention: MentionInContext, window: int) -> str:
    """The text around the mention without the mention: its own words speak for every namesake alike."""
    context = mention.context(window)
    return context.replace(mention.text, " ") if mention.text else context
