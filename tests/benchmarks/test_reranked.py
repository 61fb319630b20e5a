"""The linker with a re-ranker as a system under test: trained on what it is given, cheap to ask twice."""

import numpy as np
import pytest

from benchmarks.systems import SYSTEMS
from benchmarks.systems.reranked import WORK, RememberedScores, RerankedLinkerSystem
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import PairConfig
from deixis.ranking.rerankers.mixing import RerankerScores
from deixis.training.config import TrainingConfig
from tests.aviary import aviary, sightings, tiny_encoder


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    config = CrossEncoderConfig(
        encoder=tiny_encoder(tmp_path_factory.mktemp("tiny")), pairs=PairConfig(n_tokens=48), epochs=1, batch_size=8,
        learning_rate=3e-3, n_taught=3, n_candidates=3, max_mentions=24, checks_per_epoch=1,
    )  # fmt: skip
    kind = type("Small", (RerankedLinkerSystem,), {"config": TrainingConfig(reranker=config)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WORK, str(tmp_path_factory.mktemp("work")))
        patch.setattr(RerankerScores, "gains", lambda *_: True)  # so hardly trained it would not count
        return kind.build(aviary(), sightings(60), n_threads=1)


def test_it_answers_like_a_candidate_generator_and_asks_its_scorer_once(system):
    ranker = system.linker.model.reranker.opened
    n_scored = []
    scorer, ranker.scorer._scorer = ranker.scorer._scorer, None
    ranker.scorer._scorer = type("Counting", (), {"scores": lambda _, p: n_scored.append(len(p)) or scorer.scores(p)})()
    mentions = sightings(3, seed=4, nil_share=0)[0].mentions_in_context()
    shallow, deep = system.generate(mentions, 2), system.generate(mentions, 10)
    assert n_scored == [3]
    assert shallow[0] == deep[0][:2] and 2 < len(deep[0]) <= 10
    assert system.generate([], 10) == []


def test_its_settings_tell_how_it_was_trained(system):
    told = type(system).settings()
    assert told["rerank"]["max_mentions"] == 24 and told["drawn_by_seed"] == 0
    assert SYSTEMS["deixis+rerank"] is RerankedLinkerSystem and RerankedLinkerSystem.needs == "mentions"


def test_remembered_scores_are_those_of_the_last_call_only():
    asked = []

    class Scorer:
        def scores(self, pairs):
            asked.append(list(pairs))
            return np.arange(len(pairs), dtype=np.float32)

    remembered = RememberedScores(Scorer())
    assert remembered.scores([("a", "1"), ("b", "2"), ("a", "1")]).tolist() == [0.0, 1.0, 0.0]
    assert remembered.scores([("b", "2"), ("c", "3")]).tolist() == [1.0, 0.0]
    remembered.scores([("a", "1")])
    assert asked == [[("a", "1"), ("b", "2")], [("c", "3")], [("a", "1")]]
    assert remembered.scores([]).tolist() == []
