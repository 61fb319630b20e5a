"""Words, titles and sentences of generated dumps: drawn at random, as frequent as in texts, the same for a seed."""

import random

import numpy as np

N_WORDS = 20_000
N_DRAWN = 1 << 20  # words drawn at a time
LETTERS = "aabcdeeeefghiiiklmnooprsttuvwyéüß"


class Words:
    """Words, titles and sentences, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random, self._draws = random.Random(seed), np.random.default_rng(seed)
        self._words = ["".join(self._random.choices(LETTERS, k=self._random.randint(2, 11))) for _ in range(N_WORDS)]
        weights = 1 / (np.arange(N_WORDS) + 5.0)
        self._upper = np.cumsum(weights) / weights.sum()
        self._waiting: list[str] = []

    def some(self, n: int) -> list[str]:
        """Words as frequent as in texts."""
        if len(self._waiting) < n:
            rows = np.searchsorted(self._upper, self._draws.random(N_DRAWN))
            self._waiting += np.array(self._words, dtype=object)[np.minimum(rows, N_WORDS - 1)].tolist()
        first = len(self._waiting) - n
        drawn = self._waiting[first:]
        del self._waiting[first:]
        return drawn

    def text(self, low: int, high: int) -> str:
        """Words with spaces between them, as many as a number between two."""
        return " ".join(self.some(self.number(low, high)))

    def number(self, low: int, high: int) -> int:
        """A number between two, both included."""
        return self._random.randint(low, high)

    def title(self, number: int) -> str:
        """The title of a page."""
        first, second = self._words[number * 7919 % N_WORDS], self._words[number * 104_729 % N_WORDS]
        return f"{first.capitalize()} {second} {number}"

    def target(self, n_pages: int) -> str:
        """The title of a page that is linked to; some are linked to far more than others."""
        return self.title(int(n_pages * self._random.random() ** 3))
