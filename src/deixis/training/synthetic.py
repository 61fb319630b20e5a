"""Synthetic mentions made from a knowledge base alone: how far features vary where nothing is annotated.

A mention is a name of its entity, as it is or damaged: a word left out, initials, a typo, another case. The text around
it mixes words of its description with words of another's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import MentionInContext

MAX_WORDS = 60  # of a description, on each side of the mention
CONTEXT_SHARE = 0.3  # of the mentions with words of the entity's description around
KEPT_WORDS = 0.2  # of these words


def synthetic_mentions(
    kb: KnowledgeBase, n_mentions: int, seed: int = 0
) -> tuple[list[MentionInContext], NDArray[np.int64]]:
    """Mentions of entities drawn at random, and the row each was made from; the same seed makes the same mentions.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q22647", "title": "Troy"}])
    >>> mentions, rows = synthetic_mentions(kb, 10)
    >>> len(mentions), len(rows)
    (10, 10)
    """
    rng = np.random.default_rng(seed)
    names, name_rows = kb.names()
    n = n_mentions if len(kb) else 0
    by_entity = np.argsort(name_rows, kind="stable")
    starts = np.searchsorted(name_rows[by_entity], np.arange(len(kb) + 1))
    rows = rng.integers(0, max(1, len(kb)), n)
    # Entities first and then a name: one with fifty aliases is not meant fifty times as often.
    chosen = by_entity[starts[rows] + (rng.random(n) * np.diff(starts)[rows]).astype(np.int64)]
    damages = np.searchsorted(np.cumsum(list(DAMAGES.values())), rng.random(n), side="right")
    has_context = rng.random(n) < CONTEXT_SHARE
    others = rng.integers(0, max(1, len(kb)), n)
    own, foreign = kb.description_texts(rows), kb.description_texts(others)
    damage = list(DAMAGES)
    mentions = []
    for i in range(n):
        name = names[int(chosen[i])]
        text = damage[damages[i]](name, rng) if damages[i] < len(damage) else name
        words = _sample(own[i].replace(name, " ").split(), KEPT_WORDS, rng) if has_context[i] else []
        mentions.append(_placed(text.strip() or name, words, foreign[i].split()[:MAX_WORDS], rng))
    return mentions, rows


def described_mentions(kb: KnowledgeBase, names: Sequence[str], rows: NDArray[np.integer]) -> list[MentionInContext]:
    """For each entity a text that begins with the name and goes on with its description; the name is the mention.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris", "description": "capital of France"}])
    >>> described_mentions(kb, ["City of Light"], np.array([0]))[0].document_text
    'City of Light: capital of France'
    """
    texts = (" ".join(text.split()[:MAX_WORDS]) for text in kb.description_texts(rows))
    return [MentionInContext(name, f"{name}: {text}", 0, len(name)) for name, text in zip(names, texts, strict=True)]


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


DAMAGES: dict[Callable[[str, np.random.Generator], str], float] = {
    _without_a_word: 0.2, _with_a_slip: 0.1, _in_another_case: 0.1, _as_initials: 0.02,
}  # fmt: skip
"""What may happen to a name, and to which share of the mentions it does; the others stay whole."""
