"""The column of mentions has the digits and the nulls of native documents, made piece by piece or at once."""

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="PyArrow is not installed")

from deixis.documents.json_lines import short_score
from deixis.integrations.spark.mention_column import mention_column, short_scores
from deixis.types import Candidate, Document, Mention


def test_many_scores_are_shortened_to_the_digits_that_one_has():
    draw, tenths = np.random.default_rng(0), 10.0 ** -np.arange(20)
    scores = np.concatenate([
        draw.random(20_000), 10 ** draw.uniform(-20, 1, 20_000), np.float32(draw.random(9_000)).astype(np.float64),
        (draw.integers(100_000, 1_000_000, 9_000) + 0.5) / 10.0 ** draw.integers(6, 12, 9_000),  # half a digit
        tenths, np.nextafter(tenths, 0), np.nextafter(tenths, 1), [0.0, -0.5, 2.0],
    ])  # fmt: skip
    assert short_scores(scores).tolist() == [short_score(score) for score in scores.tolist()]
    assert short_scores(np.zeros(0)).tolist() == []


def test_a_row_is_null_where_its_text_is_missing_and_empty_where_it_has_no_mention():
    candidates = (Candidate("Q90", 0.123456789, "Paris"), Candidate("Q1", 0.1))
    mention = Mention(0, 5, "Paris", "Q90", 0.98765432, candidates=candidates, entity_score=0.5)
    documents = [Document("1", "Paris", mentions=(mention,)), Document("2", ""), Document("3", "none")]
    rows = mention_column(documents, [False, True, False]).to_pylist()
    assert rows[1:] == [None, []]
    assert rows[0] == [
        {
            "start": 0, "end": 5, "text": "Paris", "entity": "Q90", "score": 0.987654, "nil": False,
            "mention_score": None, "entity_score": 0.5, "nil_reason": None,
            "candidates": [
                {"id": "Q90", "title": "Paris", "score": 0.123457}, {"id": "Q1", "title": None, "score": 0.1},
            ],
        }
    ]  # fmt: skip
    assert mention_column([], []).to_pylist() == []
