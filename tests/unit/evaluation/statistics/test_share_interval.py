"""Intervals of shares, which must hold them."""

import numpy as np

from deixis.evaluation.statistics.bootstrap import share_interval


def test_the_interval_holds_the_share_and_narrows_with_more_documents():
    hits = np.array([1, 2, 0, 1, 3])
    totals = np.array([2, 2, 1, 3, 4])
    few = share_interval(hits, totals)
    many = share_interval(np.tile(hits, 40), np.tile(totals, 40))
    assert few.low < 7 / 12 < few.high
    assert many.low < 7 / 12 < many.high
    assert many.high - many.low < (few.high - few.low) / 3


def test_mentions_of_one_document_are_drawn_together():
    """Twenty mentions in two documents say less than twenty mentions in twenty documents."""
    together = share_interval([10, 0], [10, 10])
    apart = share_interval([1] * 10 + [0] * 10, [1] * 20)
    assert (together.low, together.high) == (0.0, 1.0)
    assert apart.low > 0.2


def test_the_interval_is_near_the_textbook_one():
    """For one mention a document it must agree with the normal approximation of a proportion."""
    hits = np.arange(2000) % 10 < 3
    found = share_interval(hits, np.ones(2000))
    margin = 1.96 * np.sqrt(0.3 * 0.7 / 2000)
    assert abs(found.low - (0.3 - margin)) < 0.003
    assert abs(found.high - (0.3 + margin)) < 0.003


def test_the_same_seed_gives_the_same_interval():
    assert share_interval([1, 0, 2], [2, 1, 2], seed=3) == share_interval([1, 0, 2], [2, 1, 2], seed=3)
