"""What a cross-encoder reads: an entity and a mention, each as text, cut so that both always have room.

After XMRED (2.4, Eq. 9): title, abstract, mention and context, with the tokenizer's own separator between them. Further
names of an entity stand with its title, and in place of a missing abstract. The mention in its context may be marked,
which the paper does not do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.gold import is_gold
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.cross_encoder.pairs import N_SIGNS, Pair, PairConfig, PairExamples
from deixis.neural.windows import TokenWindows
from deixis.types import MentionInContext

N_ALIASES = 8  # at most, of which as many are read as there is room for


class PairTexts:
    """Turns entities and mentions into the two halves of pairs."""

    def __init__(self, windows: TokenWindows, separator: str, config: PairConfig | None = None) -> None:
        self.windows = windows
        self.separator = separator
        self.config = config or PairConfig()
        self.n_abstract = self.config.n_abstract - max(0, self._n_signs() - N_SIGNS)

    def fits(self, mentions: Sequence[MentionInContext]) -> list[bool]:
        """Whether each mention has room in its window."""
        return self.windows.fits(mentions, self.config.n_context, self.config.marker)

    def mentions(self, mentions: Sequence[MentionInContext]) -> list[str]:
        """The mention and the text around it; a mention that has no room there is an error."""
        heads = self.windows.heads([mention.text for mention in mentions], self.config.n_mention)
        contexts = self.windows.around(mentions, self.config.n_context, self.config.marker)
        return [f"{head} {self.separator} {context}" for head, context in zip(heads, contexts, strict=True)]

    def entities(self, kb: KnowledgeBase, rows: Sequence[int]) -> list[str]:
        """The names and the description of each entity, which may be without one."""
        names = [_names(kb, row) for row in rows]
        described = kb.description_texts(np.asarray(rows, dtype=np.int64))
        abstracts = [text or name for text, name in zip(described, names, strict=True)]
        heads = self.windows.heads(names, self.config.n_names)
        abstracts = self.windows.heads(abstracts, self.n_abstract)
        return [f"{head} {self.separator} {abstract}" for head, abstract in zip(heads, abstracts, strict=True)]

    def pairs(
        self,
        kb: KnowledgeBase,
        mentions: Sequence[MentionInContext],
        numbers: NDArray[np.integer],
        rows: NDArray[np.integer],
    ) -> list[Pair]:
        """The mention `numbers[i]` with the entity of row `rows[i]`, for every `i`."""
        wanted, place_of = np.unique(rows, return_inverse=True)
        of_entity = self.entities(kb, wanted.tolist())
        asked, asker = np.unique(numbers, return_inverse=True)
        of_mention = self.mentions([mentions[number] for number in asked.tolist()])
        return [(of_entity[e], of_mention[m]) for e, m in zip(place_of.tolist(), asker.tolist(), strict=True)]

    def _n_signs(self) -> int:
        """Tokens of a pair beside those of its four parts: five of BERT's, six of XLM-R's, which separates twice."""
        together, apart = self.windows.n_tokens([f"a {self.separator} a", "a"])
        return int(self.windows.tokenizer.num_special_tokens_to_add(True)) + 2 * (together - 2 * apart)


@dataclass(frozen=True, eq=False)
class MentionCandidates:
    """Mentions and the entities each may mean: mention `i` has `rows[starts[i]:starts[i + 1]]`, some right."""

    mentions: Sequence[MentionInContext]
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    is_right: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        mentions: Sequence[MentionInContext],
        ranked: sparse.csr_matrix,
        gold: Sequence[Sequence[int]],
        k: int,
        has_right: bool,
    ) -> MentionCandidates:
        """The best `k` of each mention in mentions_by_entities, stored best first; all rows of `gold[i]` are right.

        With `has_right` the first right one takes the last place where none is among them.
        """
        rows = []
        for number, right in enumerate(gold):
            found = ranked.indices[ranked.indptr[number] : ranked.indptr[number + 1]][:k].tolist()
            rows.append([*found[: k - 1], right[0]] if has_right and not set(right) & set(found) else found)
        lengths = [len(each) for each in rows]
        of_mention = np.array([row for each in rows for row in each], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return cls(mentions, starts, of_mention, is_gold(np.repeat(np.arange(len(rows)), lengths), of_mention, gold))

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The mention that each candidate belongs to."""
        return np.repeat(np.arange(len(self.mentions)), np.diff(self.starts))

    def as_pairs(self, kb: KnowledgeBase, texts: PairTexts) -> PairExamples:
        """The same as pairs of texts; a mention that has no room in its window is an error."""
        return PairExamples(self.starts, texts.pairs(kb, self.mentions, self.numbers, self.rows), self.is_right)


def _names(kb: KnowledgeBase, row: int) -> str:
    """The title and the first of the other names, each once."""
    return "; ".join(filter(None, [kb.titles[row], further_names(kb, row)]))


def further_names(kb: KnowledgeBase, row: int) -> str:
    """The first of an entity's names other than its title, each once."""
    entity = kb.entity(row)
    others = dict.fromkeys(alias.text for alias in entity.aliases[:N_ALIASES])
    return "; ".join(name for name in others if name.casefold() != entity.title.casefold())
