"""The second look: same candidates, new order, nothing lost; a mixture that loses to neither of its parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tokenizers import Tokenizer, models, pre_tokenizers

from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import PairConfig
from deixis.neural.cross_encoder.texts import PairTexts
from deixis.neural.windows import TokenWindows
from deixis.ranking.rerankers.cross_encoder import CrossEncoderRanker, Ranked
from deixis.ranking.rerankers.mixing import RANKING_ALONE, RERANKER_ALONE, RerankerScores
from deixis.types import MentionInContext

TITLES = ["Paris", "Paris Hilton", "Troy", "Helen"]


class LikesWords:
    """Says of a pair how many words of the entity stand in the mention's text."""

    def __init__(self):
        self.n_asked = 0

    def scores(self, pairs):
        self.n_asked += len(pairs)
        shared = [len(set(entity.lower().split()) & set(mention.lower().split())) for entity, mention in pairs]
        return np.array(shared, dtype=np.float32)


def texts(n_tokens=128):
    words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PairTexts(TokenWindows(words), "|", PairConfig(n_tokens=n_tokens))


@pytest.fixture
def kb():
    described = ["capital of France", "heiress of hotels", "besieged city of Helen", "queen whom a prince carried off"]
    return KnowledgeBase.from_records(
        {"id": f"Q{n}", "title": title, "description": text}
        for n, (title, text) in enumerate(zip(TITLES, described, strict=True))
    )


def mention(text, document):
    start = document.index(text)
    return MentionInContext(text, document, start, start + len(text))


def best_first(shares):
    """mentions_by_entities with each row's candidates stored best first, as rankings give them."""
    rows = [np.argsort(-np.array(row), kind="stable")[: np.count_nonzero(row)] for row in shares]
    data = [np.array(row)[order] for row, order in zip(shares, rows, strict=True)]
    indptr = np.cumsum([0, *(len(order) for order in rows)])
    shape = len(shares), len(TITLES)
    return sparse.csr_matrix((np.concatenate(data).astype(np.float32), np.concatenate(rows), indptr), shape=shape)


def test_the_order_is_the_scorers_and_the_shares_are_still_shares(kb):
    ranker = CrossEncoderRanker(kb, LikesWords(), texts())
    asked = [mention("Helen", "Helen lived with hotels and an heiress")]
    found = ranker.rank(asked, best_first([[0.4, 0.1, 0.2, 0.2]]))
    assert found.indices[0] == 1  # the heiress
    assert sorted(found.indices) == [0, 1, 2, 3] and found.data.sum() == pytest.approx(0.9)
    assert (np.diff(found.data) <= 0).all()


def test_candidates_behind_the_first_keep_their_scores(kb):
    scorer = LikesWords()
    ranker = CrossEncoderRanker(kb, scorer, texts(), CrossEncoderConfig(n_candidates=2))
    found = ranker.rank([mention("Helen", "Helen an heiress")], best_first([[0.4, 0.3, 0.2, 0.1]]))
    assert scorer.n_asked == 2
    assert found.indices[0] == 1
    kept = dict(zip(found.indices.tolist(), found.data.tolist(), strict=True))
    assert kept[2] == pytest.approx(0.2) and kept[3] == pytest.approx(0.1)


def test_the_ranking_alone_changes_nothing(kb):
    ranker = CrossEncoderRanker(kb, LikesWords(), texts(), mixing=RANKING_ALONE)
    before = best_first([[0.4, 0.3, 0.2, 0.1], [0.1, 0.0, 0.6, 0.0]])
    after = ranker.rank([mention("Helen", "Helen"), mention("Troy", "Troy fell")], before)
    assert after.indices.tolist() == before.indices.tolist()
    np.testing.assert_allclose(after.data, before.data, rtol=1e-5)


def test_a_mention_too_long_for_its_window_keeps_its_ranking(kb):
    long = " ".join(["Helen"] * 60)
    ranker = CrossEncoderRanker(kb, LikesWords(), texts())
    before = best_first([[0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1]])
    after = ranker.rank([mention(long, long), mention("Helen", "Helen an heiress")], before)
    assert after.indices[:4].tolist() == [0, 1, 2, 3] and after.indices[4] == 1


def test_no_mentions_and_no_candidates_give_nothing(kb):
    ranker = CrossEncoderRanker(kb, LikesWords(), texts())
    assert ranker.rank([], best_first([[0.0] * 4])[:0]).shape == (0, 4)
    assert ranker.rank([mention("Helen", "Helen")], best_first([[0.0] * 4])).nnz == 0


def test_mentions_without_candidates_are_an_error(kb):
    with pytest.raises(ConfigError, match="Each mention needs its candidates, got 2 and 1"):
        CrossEncoderRanker(kb, LikesWords(), texts()).rank([mention("a", "a")] * 2, best_first([[1.0, 0, 0, 0]]))


def test_a_batch_gives_what_singles_give(kb):
    ranker = CrossEncoderRanker(kb, LikesWords(), texts())
    asked = [mention("Helen", "Helen an heiress"), mention("Troy", "Troy the city"), mention("Paris", "Paris")]
    before = best_first([[0.4, 0.3, 0.2, 0.1], [0.0, 0.3, 0.2, 0.0], [0.7, 0.2, 0.0, 0.1]])
    together = ranker.rank(asked, before)
    for number, one in enumerate(asked):
        alone = ranker.rank([one], before[number])
        own = together[number]
        assert own.indices.tolist() == alone.indices.tolist()
        np.testing.assert_allclose(own.data, alone.data)


def test_any_of_several_right_entities_counts_in_an_opinion(kb):
    ranked = Ranked([mention("Paris", "Paris")] * 2, best_first([[0.4, 0.3, 0.2, 0.1]] * 2), [[1, 3], [2]])
    assert CrossEncoderRanker(kb, LikesWords(), texts()).reranker_scores(ranked).is_right.tolist() == [
        False, True, False, True, False, False, True, False,
    ]  # fmt: skip


@st.composite
def opinions(draw):
    lengths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=12))
    n = sum(lengths)
    shares = draw(st.lists(st.floats(0, 1, width=32), min_size=n, max_size=n))
    logits = draw(st.lists(st.floats(-8, 8, width=32), min_size=n, max_size=n))
    right = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return RerankerScores(np.cumsum([0, *lengths]), np.array(shares), np.array(logits), np.array(right, dtype=bool))


@settings(max_examples=60, deadline=None)
@given(opinions())
def test_the_ranking_is_alone_unless_held_out_mentions_gain_beyond_chance(held_out):
    mixing = held_out.mixing()
    before, after = held_out.is_first_right(RANKING_ALONE), held_out.is_first_right(mixing)
    assert mixing == RANKING_ALONE or (after & ~before).sum() - (before & ~after).sum() > (before != after).sum() ** 0.5


def test_a_gain_of_a_few_mentions_among_many_changes_is_chance():
    """Of nine mentions that change six become right: three more than become wrong, as chance would have it."""
    shares, logits = np.tile([0.6, 0.4], 9), np.tile([-9.0, 9.0], 9)
    becomes_right = np.repeat([True, False], [6, 3])
    is_right = np.stack([~becomes_right, becomes_right], axis=1).ravel()
    held_out = RerankerScores(np.arange(0, 19, 2), shares, logits, is_right)
    assert not held_out.gains(RERANKER_ALONE) and held_out.mixing() == RANKING_ALONE
    is_right[-2:] = False, True
    assert RerankerScores(np.arange(0, 19, 2), shares, logits, is_right).gains(RERANKER_ALONE)


def test_mentions_of_which_the_ranking_is_sure_are_not_read_and_keep_their_scores(kb):
    scorer = LikesWords()
    ranker = CrossEncoderRanker(kb, scorer, texts(), CrossEncoderConfig(max_score=0.5))
    asked = [mention("Helen", "Helen an heiress"), mention("Helen", "Helen an heiress too")]
    before = best_first([[0.7, 0.2, 0.1, 0.0], [0.4, 0.3, 0.2, 0.1]])
    after = ranker.rank(asked, before)
    assert scorer.n_asked == 4
    assert after.indices.tolist() == [0, 1, 2, 1, *after.indices[4:]]
    np.testing.assert_allclose(after.data[:3], before.data[:3])
    scores = ranker.reranker_scores(Ranked(asked, before, [[0], [1]]))
    assert scores.is_first_right(RERANKER_ALONE).tolist() == [True, True]
    assert scores.is_first_right(RANKING_ALONE).tolist() == [True, False]


def test_a_reranker_that_does_not_count_reads_nothing(kb):
    scorer = LikesWords()
    CrossEncoderRanker(kb, scorer, texts(), mixing=RANKING_ALONE).rank(
        [mention("Helen", "Helen an heiress")], best_first([[0.4, 0.3, 0.2, 0.1]])
    )
    assert scorer.n_asked == 0


def test_two_halves_of_the_truth_are_mixed():
    random = np.random.default_rng(0)
    is_right = np.tile([True, False, False], 200)
    signal = is_right * 1.5
    shares = np.exp(signal + random.normal(size=600))
    logits = signal + random.normal(size=600)
    held_out = RerankerScores(np.arange(0, 601, 3), shares, logits, is_right)
    mixing = held_out.mixing()
    assert mixing.ranking > 0.3 and mixing.reranker > 0.3
    assert held_out.is_first_right(mixing).mean() > held_out.is_first_right(RANKING_ALONE).mean() + 0.05


def test_a_scorer_that_says_nothing_weighs_nothing():
    random = np.random.default_rng(1)
    is_right = np.tile([True, False, False, True], 100)
    held_out = RerankerScores(
        np.arange(0, 401, 2), np.exp(2 * is_right + random.normal(size=400)), np.zeros(400), is_right
    )
    assert held_out.mixing().reranker == pytest.approx(0.0)
