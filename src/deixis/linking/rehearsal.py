"""Mentions of known answer made from a knowledge base alone, for a calibration without annotated text.

An entity is asked for by one of its names, as it stands or damaged: a word left out, initials, a slip of the keys,
another case. The text around it has words of its description among words of another's. Part of the entities are asked
for while they are hidden, so that any link is wrong: that is a name that the list lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deixis.config import check_choices
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.calibration import Judged
from deixis.nearest.mask_cache import Mask
from deixis.ranking.ranker import kind_of
from deixis.types import Candidate, MentionInContext

Rank = Callable[[Sequence[MentionInContext], Mask | None], list[list[Candidate]]]

MIN_ENTITIES = 1000  # a shorter list has too few namesakes to learn from
MAX_WORDS = 60  # of a description, on each side of the mention


@dataclass(frozen=True)
class RehearsalConfig:
    """How many mentions are made, and of what kinds; names that no share of damages takes stay whole."""

    use: Literal["auto", "always", "never"] = field(
        default="auto",
        metadata={"help": "Calibrate on mentions made from the knowledge base. auto: if few entities are described."},
    )
    n_mentions: int = field(default=2000, metadata={"help": "Mentions made from the knowledge base."})
    hidden_share: float = field(default=0.3, metadata={"help": "Mentions whose entity is hidden: a link is wrong."})
    context_share: float = field(default=0.3, metadata={"help": "Mentions with words of their entity's description."})
    kept_words: float = field(default=0.2, metadata={"help": "Words of the description that are kept there."})
    dropped_word_share: float = field(default=0.2, metadata={"help": "Names without one of their words."})
    typo_share: float = field(default=0.1, metadata={"help": "Names with two letters exchanged, or one lost."})
    case_share: float = field(default=0.1, metadata={"help": "Names in small letters, or in capitals."})
    initials_share: float = field(default=0.02, metadata={"help": "Names of several words as their first letters."})

    def __post_init__(self) -> None:
        check_choices(self)
        if self.n_mentions < 1:
            raise ConfigError(f"n_mentions must be at least 1, got {self.n_mentions}.")
        for name in (each.name for each in fields(self) if each.type == "float"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is a share and must lie in 0..1, got {getattr(self, name)}.")
        if sum(self.damage_shares) > 1:
            raise ConfigError(f"The shares of damaged names add up to {sum(self.damage_shares)}, more than 1.")

    def is_used_for(self, kb: KnowledgeBase, has_annotated: bool) -> bool:
        """Whether a linker to `kb` is calibrated this way; docs/decisions/0014-calibration.md says when that helps."""
        if self.use != "auto":
            return self.use == "always"
        return not has_annotated and len(kb) >= MIN_ENTITIES and kind_of(kb) == "bare"

    @property
    def damage_shares(self) -> tuple[float, ...]:
        """The share of each damage, in the order of `DAMAGES`."""
        return (self.dropped_word_share, self.typo_share, self.case_share, self.initials_share)


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Mentions in context, the row each was made from, and whether that row is hidden when it is asked, those first.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22647", "title": "Troy"}])
    >>> rehearsal = Rehearsal.make(kb, RehearsalConfig(n_mentions=10, hidden_share=0.5))
    >>> len(rehearsal.mentions), int(rehearsal.is_hidden.sum())
    (10, 5)
    """

    mentions: list[MentionInContext]
    rows: NDArray[np.int64]
    is_hidden: NDArray[np.bool_]

    @classmethod
    def make(cls, kb: KnowledgeBase, config: RehearsalConfig, seed: int = 0) -> Rehearsal:
        """Mentions of entities drawn at random; the same seed makes the same mentions."""
        rng = np.random.default_rng(seed)
        names, name_rows = kb.names()
        n = config.n_mentions if len(kb) else 0
        by_entity = np.argsort(name_rows, kind="stable")
        starts = np.searchsorted(name_rows[by_entity], np.arange(len(kb) + 1))
        rows = rng.integers(0, max(1, len(kb)), n)
        # Entities first and then a name: one with fifty aliases is not meant fifty times as often.
        chosen = by_entity[starts[rows] + (rng.random(n) * np.diff(starts)[rows]).astype(np.int64)]
        edges = np.cumsum(config.damage_shares)
        damages = np.searchsorted(edges, rng.random(n), side="right")
        has_context = rng.random(n) < config.context_share
        others = rng.integers(0, max(1, len(kb)), n)
        own, foreign = kb.description_texts(rows), kb.description_texts(others)
        mentions = []
        for i in range(n):
            name = names[int(chosen[i])]
            text = DAMAGES[damages[i]](name, rng) if damages[i] < len(DAMAGES) else name
            words = _kept(own[i].replace(name, " ").split(), config.kept_words, rng) if has_context[i] else []
            mentions.append(_placed(text.strip() or name, words, foreign[i].split()[:MAX_WORDS], rng))
        return cls(mentions, rows, np.arange(n) < round(n * config.hidden_share))

    def judged(self, kb: KnowledgeBase, rank: Rank) -> Judged:
        """How these mentions are ranked, held against the entities they were made from; hidden ones answer nothing."""
        allowed = np.ones(len(kb), dtype=bool)
        allowed[self.rows[self.is_hidden]] = False
        n_hidden = int(self.is_hidden.sum())
        # With all hidden entities gone at once, each of them is missed by its own mention and by few others.
        ranked = rank(self.mentions[:n_hidden], allowed) + rank(self.mentions[n_hidden:], None)
        accepted = [frozenset[str]()] * n_hidden + [frozenset({kb.ids[row]}) for row in self.rows[n_hidden:].tolist()]
        return Judged.of(ranked, accepted, documents=range(len(ranked)))


def _kept(words: Sequence[str], share: float, rng: np.random.Generator) -> list[str]:
    words = words[:MAX_WORDS]
    return [word for word, is_kept in zip(words, (rng.random(len(words)) < share).tolist(), strict=True) if is_kept]


def _placed(text: str, own: Sequence[str], foreign: Sequence[str], rng: np.random.Generator) -> MentionInContext:
    """The mention somewhere among its own words and those of another text, which are mixed."""
    words = [*own, *foreign]
    words = [words[place] for place in rng.permutation(len(words)).tolist()]
    half = len(words) // 2
    before = " ".join([*words[:half], ""])
    return MentionInContext(text, " ".join([before + text, *words[half:]]), len(before), len(before) + len(text))


def _without_a_word(name: str, rng: np.random.Generator) -> str:
    words = name.split()
    left_out = int(rng.integers(0, len(words))) if len(words) > 1 else -1
    return " ".join(word for place, word in enumerate(words) if place != left_out)


def _with_a_slip(name: str, rng: np.random.Generator) -> str:
    if len(name) < 4:
        return name
    place = int(rng.integers(1, len(name) - 1))
    swapped = name[:place] + name[place + 1] + name[place] + name[place + 2 :]
    return swapped if rng.random() < 0.5 else name[:place] + name[place + 1 :]


def _in_another_case(name: str, rng: np.random.Generator) -> str:
    return name.upper() if rng.random() < 0.5 else name.lower()


def _as_initials(name: str, rng: np.random.Generator) -> str:
    words = name.split()
    return "".join(word[0] for word in words).upper() if len(words) > 1 else name


DAMAGES: tuple[Callable[[str, np.random.Generator], str], ...] = (
    _without_a_word, _with_a_slip, _in_another_case, _as_initials,
)  # fmt: skip
