"""Synthetic mentions made from a knowledge base alone, for calibration without annotated text.

A mention is a name of its entity, as it is or damaged: a word left out, initials, a typo, another case. The text around
it mixes words of its description with words of another's. Some entities are hidden when they are mentioned, so that any
link is wrong: such a mention is NIL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.build_settings import RehearsalConfig
from deixis.linking.model import LinkerModel
from deixis.linking.streams import rank_mentions
from deixis.progress import stage
from deixis.ranking.default_weights import kind_of
from deixis.tables import Ranking
from deixis.training.calibrate import JudgedMentions, with_decision
from deixis.types import MentionInContext

MIN_ENTITIES = 1000  # a shorter list has too few namesakes to learn from
MAX_WORDS = 60  # of a description, on each side of the mention


def is_used_for(config: RehearsalConfig, kb: KnowledgeBase, has_annotated: bool) -> bool:
    """Whether a linker to `kb` is calibrated this way; docs/decisions/0014-calibration.md says when that helps."""
    if config.use != "auto":
        return config.use == "always"
    return not has_annotated and len(kb) >= MIN_ENTITIES and kind_of(kb) == "bare"


@dataclass(frozen=True)
class SyntheticKinds:
    """How many mentions are made, and what share of each kind; names that no share of damages takes stay whole.

    These are no settings: whoever could choose them has annotated text, and calibrates on that.
    """

    n_mentions: int = 2000
    hidden_share: float = 0.3  # their entity is hidden: a link is wrong
    context_share: float = 0.3  # words of the entity's description stand around
    kept_words: float = 0.2  # of these words
    dropped_word_share: float = 0.2
    typo_share: float = 0.1  # two letters exchanged, or one lost
    case_share: float = 0.1  # in small letters, or in capitals
    initials_share: float = 0.02  # first letters of several words

    @property
    def damage_shares(self) -> tuple[float, ...]:
        """The share of each damage, in the order of `DAMAGES`."""
        return (self.dropped_word_share, self.typo_share, self.case_share, self.initials_share)


@dataclass(frozen=True, eq=False)
class SyntheticMentions:
    """Mentions in context, the row each was made from, and whether that row is hidden; hidden ones come first.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22647", "title": "Troy"}])
    >>> mentions = SyntheticMentions.make(kb, SyntheticKinds(n_mentions=10, hidden_share=0.5))
    >>> len(mentions.mentions), int(mentions.is_hidden.sum())
    (10, 5)
    """

    mentions: list[MentionInContext]
    rows: NDArray[np.int64]
    is_hidden: NDArray[np.bool_]

    @classmethod
    def make(cls, kb: KnowledgeBase, kinds: SyntheticKinds | None = None, seed: int = 0) -> SyntheticMentions:
        """Mentions of entities drawn at random; the same seed makes the same mentions."""
        kinds, rng = kinds or SyntheticKinds(), np.random.default_rng(seed)
        names, name_rows = kb.names()
        n = kinds.n_mentions if len(kb) else 0
        by_entity = np.argsort(name_rows, kind="stable")
        starts = np.searchsorted(name_rows[by_entity], np.arange(len(kb) + 1))
        rows = rng.integers(0, max(1, len(kb)), n)
        # Entities first and then a name: one with fifty aliases is not meant fifty times as often.
        chosen = by_entity[starts[rows] + (rng.random(n) * np.diff(starts)[rows]).astype(np.int64)]
        edges = np.cumsum(kinds.damage_shares)
        damages = np.searchsorted(edges, rng.random(n), side="right")
        has_context = rng.random(n) < kinds.context_share
        others = rng.integers(0, max(1, len(kb)), n)
        own, foreign = kb.description_texts(rows), kb.description_texts(others)
        mentions = []
        for i in range(n):
            name = names[int(chosen[i])]
            text = DAMAGES[damages[i]](name, rng) if damages[i] < len(DAMAGES) else name
            words = _sample(own[i].replace(name, " ").split(), kinds.kept_words, rng) if has_context[i] else []
            mentions.append(_placed(text.strip() or name, words, foreign[i].split()[:MAX_WORDS], rng))
        return cls(mentions, rows, np.arange(n) < round(n * kinds.hidden_share))

    def ranked_by(self, model: LinkerModel) -> JudgedMentions:
        """How a model ranks these mentions, compared with the entities they were made from; hidden ones are NIL."""
        mask = np.ones(len(model.kb), dtype=bool)
        mask[self.rows[self.is_hidden]] = False
        n_hidden = int(self.is_hidden.sum())
        # With all hidden entities gone at once, each of them is missed by its own mention and by few others.
        hidden = rank_mentions(model, self.mentions[:n_hidden], mask=mask)
        ranking = Ranking.joined([hidden, rank_mentions(model, self.mentions[n_hidden:])])
        ids = [frozenset({model.kb.ids[row]}) for row in self.rows[n_hidden:].tolist()]
        accepted = [frozenset[str]()] * n_hidden + ids
        return JudgedMentions.of(model.kb, ranking, accepted, documents=range(len(ranking)))


def calibrate_on_names(
    model: LinkerModel, seed: int = 0, threshold: float | None = None, target_precision: float | None = None
) -> LinkerModel:
    """The model calibrated on mentions made from its knowledge base: for want of annotated documents."""
    with stage("calibrating on names of the knowledge base"):
        mentions = SyntheticMentions.make(model.kb, seed=seed).ranked_by(model)
        decision = mentions.decision(model.config.calibration, "synthetic")
    return with_decision(model, decision.with_best_threshold(threshold, target_precision), threshold, target_precision)


def _sample(words: Sequence[str], fraction: float, rng: np.random.Generator) -> list[str]:
    words = words[:MAX_WORDS]
    return [word for word, is_kept in zip(words, (rng.random(len(words)) < fraction).tolist(), strict=True) if is_kept]


def _placed(text: str, own: Sequence[str], foreign: Sequence[str], rng: np.random.Generator) -> MentionInContext:
    """The mention somewhere among its own words and those of another text, which are mixed."""
    words = [*own, *foreign]
    words = [words[position] for position in rng.permutation(len(words)).tolist()]
    half = len(words) // 2
    before = " ".join([*words[:half], ""])
    return MentionInContext(text, " ".join([before + text, *words[half:]]), len(before), len(before) + len(text))


def _without_a_word(name: str, rng: np.random.Generator) -> str:
    words = name.split()
    left_out = int(rng.integers(0, len(words))) if len(words) > 1 else -1
    return " ".join(word for position, word in enumerate(words) if position != left_out)


def _with_a_slip(name: str, rng: np.random.Generator) -> str:
    if len(name) < 4:
        return name
    position = int(rng.integers(1, len(name) - 1))
    swapped = name[:position] + name[position + 1] + name[position] + name[position + 2 :]
    return swapped if rng.random() < 0.5 else name[:position] + name[position + 1 :]


def _in_another_case(name: str, rng: np.random.Generator) -> str:
    return name.upper() if rng.random() < 0.5 else name.lower()


def _as_initials(name: str, rng: np.random.Generator) -> str:
    words = name.split()
    return "".join(word[0] for word in words).upper() if len(words) > 1 else name


DAMAGES: tuple[Callable[[str, np.random.Generator], str], ...] = (
    _without_a_word, _with_a_slip, _in_another_case, _as_initials,
)  # fmt: skip
