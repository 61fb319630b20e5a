"""Training of a cross-encoder: it learns, goes on where it stopped, and works without torch afterwards."""

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import PairConfig, PairExamples
from deixis.neural.cross_encoder.texts import MentionCandidates
from deixis.neural.cross_encoder.train import logits, open_cross_encoder, train_cross_encoder, train_pair_scorer
from deixis.progress import listening
from deixis.ranking.rerankers.cross_encoder import CrossEncoderRanker, Ranked
from deixis.types import MentionInContext
from tests.tiny_encoders import tiny_sentence_encoder

COLOURS = ["red", "green", "blue", "white"]
KINDS = [*COLOURS, *COLOURS[:2]]  # of stone, but for the last two, which are of birds
KB = KnowledgeBase.from_records(
    {"id": str(n), "title": name, "description": f"a kind of {'stone' if n < 4 else 'bird'}"}
    for n, name in enumerate(KINDS)
)
TEXT = "we saw a {} in the tree"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    texts = [TEXT.format(colour) for colour in COLOURS] + ["a kind of stone", "a kind of bird"]
    return str(tiny_sentence_encoder(tmp_path_factory.mktemp("tiny"), texts))


def settings(encoder, **changed):
    told = {
        "encoder": encoder, "pairs": PairConfig(n_tokens=48), "epochs": 2, "learning_rate": 3e-3, "batch_size": 8,
        "n_taught": 4, "n_candidates": 4, "checks_per_epoch": 2,
    }  # fmt: skip
    return CrossEncoderConfig(**(told | changed))


def ranked_mentions(n, seed=0):
    """Mentions that always mean a bird, while the ranking before prefers stones: only descriptions tell."""
    random = np.random.default_rng(seed)
    orders = np.stack([random.permutation([random.integers(4, 6), *random.permutation(4)[:3]]) for _ in range(n)])
    entities = orders.max(axis=1)
    mentions = [MentionInContext(KINDS[e], TEXT.format(KINDS[e]), 9, 9 + len(KINDS[e])) for e in entities]
    shares = np.full(orders.size, 0.25, dtype=np.float32)
    candidates = sparse.csr_matrix((shares, orders.ravel(), np.arange(n + 1) * 4), shape=(n, len(KINDS)))
    return Ranked(mentions, candidates, entities[:, None].tolist())


def pairs(n, seed=0):
    ranked = ranked_mentions(n, seed)
    given = MentionCandidates.of(ranked.mentions, ranked.candidates, ranked.gold, 4, has_right=True)
    texts = [
        ("bird" if row > 3 else "stone", given.mentions[n].text)
        for n, row in zip(given.numbers, given.rows, strict=True)
    ]
    return PairExamples(given.starts, texts, given.is_right)


class StopsAt:
    """Listens, and presses Ctrl-C after some steps."""

    def __init__(self, n):
        self.left = n
        self.words = []

    def started(self, label, total):
        return 1

    def advanced(self, task, n):
        self.left -= n
        if self.left < 0:
            raise KeyboardInterrupt

    def noted(self, task, text):
        self.words.append(text)

    def finished(self, task):
        self.words.append("end")


def trained(encoder, folder, config=None, seed=0):
    import torch

    torch.manual_seed(seed)
    config = config or settings(encoder)
    model = open_cross_encoder(config.encoder, config.pairs.n_tokens)
    train_cross_encoder(model, pairs(40), pairs(12, 1), config, folder, seed)
    return logits(model, pairs(12, 1))


def test_a_ranker_learns_to_read_without_a_word_and_is_kept_without_torch(encoder, tmp_path, capsys):
    config = settings(encoder, epochs=4)
    ranker, opinions = CrossEncoderRanker.learn(KB, ranked_mentions(80), ranked_mentions(40, 1), config, tmp_path)
    assert opinions.is_first_right(ranker.mixing).mean() > 0.9  # by chance 0.25
    asked = ranked_mentions(20, 2)
    found = ranker.rank(asked.mentions, asked.candidates)
    assert capsys.readouterr() == ("", "")
    assert np.mean(found.indices[::4] == np.concatenate(asked.gold)) > 0.9
    again = CrossEncoderRanker.from_arrays(ranker.to_arrays("r"), "r", KB)
    same = again.rank(asked.mentions, asked.candidates)
    assert same.indices.tolist() == found.indices.tolist()
    np.testing.assert_allclose(same.data, found.data, atol=1e-6)


def test_training_that_was_stopped_goes_on_to_the_same_end(encoder, tmp_path):
    whole = trained(encoder, tmp_path / "whole")
    stopped = StopsAt(25)
    with listening(stopped), pytest.raises(KeyboardInterrupt):
        trained(encoder, tmp_path / "parts")
    assert stopped.words[-1] == "end" and any(word.startswith("loss") for word in stopped.words)
    assert list((tmp_path / "parts").glob("checkpoint-*"))
    np.testing.assert_allclose(trained(encoder, tmp_path / "parts"), whole, atol=1e-4)


def test_a_training_that_was_stopped_waits_no_longer_for_a_gain_than_one_that_was_not(encoder, tmp_path):
    config = settings(encoder, epochs=6, learning_rate=1e-9, checks_per_epoch=1, patience=2)  # nothing is gained
    whole = trained(encoder, tmp_path / "whole", config)
    ended = [last_step(tmp_path / "whole")]
    with listening(StopsAt(50)), pytest.raises(KeyboardInterrupt):  # after the second check of 20 steps each
        trained(encoder, tmp_path / "parts", config)
    for _ in range(2):  # to its end, and once more after that
        np.testing.assert_allclose(trained(encoder, tmp_path / "parts", config), whole, atol=1e-4)
        ended.append(last_step(tmp_path / "parts"))
    assert ended == [60, 60, 60]


def last_step(folder):
    return max(int(path.name.rpartition("-")[2]) for path in folder.glob("checkpoint-*"))


def test_the_same_seed_gives_the_same_model_and_another_one_another(encoder, tmp_path):
    first, same, other = (trained(encoder, tmp_path / str(n), seed=seed) for n, seed in enumerate((0, 0, 5)))
    np.testing.assert_allclose(same, first, atol=1e-5)
    assert np.abs(other - first).max() > 1e-3


def test_a_folder_of_another_training_is_not_taken(encoder, tmp_path):
    trained(encoder, tmp_path)
    with pytest.raises(ConfigError, match="other settings or other data"):
        trained(encoder, tmp_path, settings(encoder, learning_rate=1e-3))


def test_pairs_that_are_all_right_or_all_wrong_teach_nothing(encoder, tmp_path):
    model = open_cross_encoder(encoder, 48)
    lessons = PairExamples(np.array([0, 2]), [("a", "b")] * 2, np.array([False, False]))
    with pytest.raises(DataError, match="nothing to tell apart: of 2 pairs 0 are right"):
        train_cross_encoder(model, lessons, lessons, settings(encoder), tmp_path)


def test_a_mention_wider_than_its_window_is_refused(encoder, tmp_path):
    text = "red " * 40
    wide = MentionInContext(text.strip(), text, 0, len(text) - 1, document_id="d7")
    ranked = sparse.csr_matrix(np.array([[0.5, 0.5, 0, 0, 0, 0]], dtype=np.float32))
    given = MentionCandidates.of([wide], ranked, [[0]], 4, has_right=True)
    with pytest.raises(DataError, match=r"document 'd7' takes 42 tokens .* window of 18\. Widen"):
        train_pair_scorer(KB, given, given, settings(encoder), tmp_path)


def test_an_encoder_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(DataError, match="nowhere"):
        open_cross_encoder(str(tmp_path / "nowhere"), 48)
