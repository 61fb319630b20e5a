"""What a bi-encoder learns from in one round: mentions, mined negatives, and the batches they stand in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deixis.nearest.protocol import VectorSearch
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.neural.bi_encoder.linked_mentions import LinkedMentions
from deixis.neural.bi_encoder.mining import Rows, batches_apart, mine_negatives


@dataclass(frozen=True)
class EntityTexts:
    """Texts of entities and the row of each, rows never falling; some entities have several."""

    texts: list[str]
    rows: NDArray[np.int32]

    def drawn(self, rows: Rows, random: np.random.Generator) -> list[str]:
        """One of the texts of each row, drawn evenly."""
        begins = np.searchsorted(self.rows, rows, side="left")
        counts = np.searchsorted(self.rows, rows, side="right") - begins
        numbers = begins + (random.random(len(rows)) * counts).astype(np.int64)
        return [self.texts[number] for number in numbers.tolist()]


@dataclass(frozen=True)
class Examples:
    """Numbers of mentions, and for each the rows of its negatives."""

    mentions: Rows
    negatives: Rows

    def save(self, path: Path) -> None:
        """Write the examples; a file that was begun and not ended does not stay under this name."""
        begun = path.with_suffix(".begun.npz")
        np.savez(begun, mentions=self.mentions, negatives=self.negatives)
        os.replace(begun, path)

    @classmethod
    def load(cls, path: Path) -> Examples:
        """The examples `save` wrote."""
        with np.load(path, allow_pickle=False) as stored:
            return cls(stored["mentions"], stored["negatives"])

    def batches(self, train: LinkedMentions, config: BiEncoderConfig) -> list[list[int]]:
        """For each step the examples in it: in none is one mention's entity a negative of another's."""
        gold = [train.gold[number] for number in self.mentions.tolist()]
        shown = [[rows[0], *others] for rows, others in zip(gold, self.negatives.tolist(), strict=True)]
        apart = batches_apart(gold, shown, config.batch_size, range(len(gold)))
        return list(islice(apart, config.n_steps))

    def columns(
        self, train: LinkedMentions, windows: list[str], entities: EntityTexts, random: np.random.Generator
    ) -> dict[str, list[str]]:
        """The texts, as the loss takes them: of each mention, of its entity, and a column for each negative."""
        numbers = self.mentions.tolist()
        positives = np.array([train.gold[number][0] for number in numbers], dtype=np.int64)
        columns = {"mention": [windows[number] for number in numbers], "entity": entities.drawn(positives, random)}
        for rank, rows in enumerate(self.negatives.T, start=1):
            columns[f"negative_{rank}"] = entities.drawn(rows, random)
        return columns


def drawn_mentions(n_mentions: int, n: int, random: np.random.Generator) -> Rows:
    """`n` numbers of mentions: all in a drawn order, then all again in another."""
    passes = [random.permutation(n_mentions) for _ in range(-(-n // n_mentions))]
    return np.concatenate(passes)[:n].astype(np.int64)


def mined_examples(
    index: VectorSearch, vectors: NDArray[np.float32], numbers: Rows, train: LinkedMentions, config: BiEncoderConfig,
    seed: int,
) -> Examples:  # fmt: skip
    """Negatives for the mentions of these numbers; `vectors` has a row for each of them."""
    gold = [train.gold[number] for number in numbers.tolist()]
    return Examples(numbers, mine_negatives(index, vectors, gold, config.n_negatives, config.k, seed))
