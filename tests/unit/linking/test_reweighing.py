"""Learning without anything neural: better or as good, honest about what was not learned."""

from dataclasses import replace

import pytest

from deixis.errors import DataError
from deixis.linking.config import LinkerConfig
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.reranking import Reranking
from deixis.linking.reweighing import learn_weights
from deixis.ranking.ranker import FusionConfig
from tests.aviary import aviary, sightings
from tests.unit.linking.test_reranking import Contrarian

KB = aviary()


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KB, config=LinkerConfig(ranking=FusionConfig(min_mentions=30)))


def test_weights_and_calibration_are_learned_and_the_linker_before_stays_as_it_was(linker):
    text = sightings(1, seed=9)[0].text
    was = linker.link(text)
    learned = learn_weights(linker, sightings(80))
    before, after = learned.accuracies
    assert (before.name, after.name) == ("before", "after") and after.value >= before.value
    assert before.n == after.n and learned.n_taught > 50 and learned.mentions_per_second is None
    assert learned.linker.calibration.source == "annotated" and linker.calibration is None
    assert learned.linker.link(text).mentions[0].score != was.mentions[0].score
    assert linker.link(text) == was


def test_what_was_learned_from_counts_as_seen_and_cannot_teach_again(linker):
    learned = learn_weights(linker, sightings(80)).linker
    assert 0 < len(learned.learned_from) <= 64
    with pytest.raises(DataError, match="learned from all .* documents to learn from already"):
        taught = [each for each in sightings(80) if learned.learned_from.holds([each]).all()]
        learn_weights(learned, taught)


def test_with_few_mentions_only_scores_are_calibrated_and_that_is_said(linker, caplog):
    few = learn_weights(linker, sightings(30))
    assert "there are" in caplog.text and "it takes 30" in caplog.text
    assert few.linker.ranker is linker.ranker and few.linker.calibration is not None
    assert few.accuracies[0].value == few.accuracies[1].value


def test_weights_that_the_settings_fix_stay(linker, caplog):
    fixed = Linker.build(KB, config=LinkerConfig(ranking=FusionConfig(weights="default", min_mentions=1)))
    assert learn_weights(fixed, sightings(40)).linker.ranker is fixed.ranker
    assert "ranking.weights is 'default'" in caplog.text


def test_weights_that_are_worse_on_the_held_out_part_are_not_taken(linker, caplog, monkeypatch):
    spoilt = linker._with(ranker=linker.ranker.with_weights(-abs(linker.ranker.weights)))
    monkeypatch.setattr(Linker, "taught_by", lambda self, documents: spoilt)
    # A linker that is right now and then, so that there is something to lose.
    learned = learn_weights(linker, sightings(80), dev=[_as_stones(each) for each in sightings(30, seed=3)])
    assert learned.linker.ranker is linker.ranker and "with those before" in caplog.text


def _as_stones(document):
    mentions = [replace(m, entity=m.entity and m.entity.replace("bird", "stone")) for m in document.mentions]
    return document.with_mentions(mentions)


def test_a_reranker_fitted_to_the_old_weights_is_told_of(linker, caplog):
    learn_weights(linker.with_reranking(Reranking(Contrarian())), sightings(80))
    assert "re-ranker was fitted to the linker before" in caplog.text


def test_the_share_held_out_is_a_share():
    with pytest.raises(Exception, match="held_out_share must lie between 0 and 1"):
        LearningConfig(held_out_share=1.0)
