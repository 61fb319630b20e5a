"""Weights and calibration fitted: better or as good, honest about what was not fitted."""

import pytest

from deixis.errors import DataError
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import RankerConfig
from deixis.training import weights as weights_module
from deixis.training.config import TrainingConfig
from deixis.training.weights import train_weights
from tests.aviary import aviary, sightings
from tests.linkers import Contrarian, with_reranker, with_weights

KB = aviary()


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KB, config=LinkerConfig(ranking=RankerConfig(min_mentions=30)))


def test_weights_and_calibration_are_learned_and_the_linker_before_stays_as_it_was(linker):
    text = sightings(1, seed=9)[0].text
    was = linker.link(text)
    learned = train_weights(linker.model, sightings(80))
    before, after = learned.accuracies
    assert (before.name, after.name) == ("before", "after") and after.value >= before.value
    assert before.n == after.n and learned.n_train > 50 and learned.mentions_per_second is None
    assert learned.model.decisions.given.source == "annotated"
    assert learned.model.decisions.given.curve is not None and linker.model.decisions.given.curve is None
    assert Linker(learned.model).link(text).mentions[0].score != was.mentions[0].score
    assert linker.link(text) == was


def test_what_was_learned_from_counts_as_seen_and_cannot_teach_again(linker):
    learned = train_weights(linker.model, sightings(80)).model
    assert 0 < len(learned.seen) <= 64
    with pytest.raises(DataError, match="learned from all .* documents to learn from already"):
        train_weights(learned, [each for each in sightings(80) if learned.seen.holds([each]).all()])


def test_with_few_mentions_only_scores_are_calibrated_and_that_is_said(linker, caplog):
    few = train_weights(linker.model, sightings(30))
    assert "there are" in caplog.text and "it takes 30" in caplog.text
    assert few.model.ranker is linker.model.ranker and few.model.decisions.given.curve is not None
    assert few.accuracies[0].value == few.accuracies[1].value


def test_weights_that_the_settings_fix_stay(linker, caplog):
    fixed = Linker.build(KB, config=LinkerConfig(ranking=RankerConfig(weights="default", min_mentions=1)))
    assert train_weights(fixed.model, sightings(40)).model.ranker is fixed.model.ranker
    assert "ranking.weights is 'default'" in caplog.text


def test_weights_that_are_worse_on_the_held_out_part_are_not_taken(linker, caplog, monkeypatch):
    weights = linker.model.ranker.weights
    spoilt = with_weights(linker, weights.with_values(-abs(weights.values))).model
    monkeypatch.setattr(weights_module, "fit_weights", lambda model, documents: spoilt)
    learned = train_weights(linker.model, sightings(80), dev=sightings(30, seed=3))
    assert learned.model.ranker is linker.model.ranker and "with those before" in caplog.text
    assert learned.accuracies[0].value == learned.accuracies[1].value > 0  # there was something to lose


def test_a_reranker_fitted_to_the_old_weights_is_told_of(linker, caplog):
    train_weights(with_reranker(linker, Contrarian()).model, sightings(80))
    assert "re-ranker was trained for the model before" in caplog.text


def test_the_share_held_out_is_a_share():
    with pytest.raises(Exception, match="held_out_share must be above 0 and below 1"):
        TrainingConfig(held_out_share=1.0)
