"""An encoder is trained on annotated mentions, and a list of candidates by its vectors put beside the others."""

import logging
import shutil
from dataclasses import replace

import pytest

from deixis.encoders.registry import register_encoder
from deixis.errors import ConfigError, DataError
from deixis.linking.config import LinkerConfig
from deixis.linking.encoder_learning import learn_encoder
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.reranking import Reranking
from deixis.linking.teaching import Teaching
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.ranking.feature import FEATURES
from deixis.ranking.ranker import FusionConfig
from deixis.types import Document
from tests.aviary import aviary, sightings, tiny_encoder
from tests.unit.linking.test_reranking import Contrarian

KB = aviary()
PLAIN = LinkerConfig(held_out_share=0.0, ranking=FusionConfig(min_mentions=10))


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return LearningConfig(
        held_out_share=0.4,
        bi_encoder=BiEncoderConfig(
            encoder=tiny_encoder(tmp_path_factory.mktemp("tiny")), n_rounds=2, n_steps=20, batch_size=8, n_negatives=3,
            k=10, n_tokens=32, learning_rate=3e-3,
        ),
    )  # fmt: skip


@pytest.fixture(scope="module")
def brief(config):
    return replace(config, bi_encoder=replace(config.bi_encoder, n_rounds=1, n_steps=2))


@pytest.fixture(scope="module")
def before():
    return Linker.build(KB, config=PLAIN, n_threads=1)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def learned(before, config, work):
    return learn_encoder(before, sightings(80), None, config, work / "shared")


def n_contexts(linker):
    return len(linker.generator.dense.contexts.groups)


def test_accuracy_before_and_after_and_recall_by_round_are_told(learned, before):
    first, after = learned.accuracies
    assert (first.name, after.name) == ("before", "after") and first.n == after.n > 10
    assert after.value >= first.value and after.interval.low <= after.value <= after.interval.high
    untrained, *rounds = learned.recalls
    assert untrained.name == "untrained" and [each.name[:13] for each in rounds] == ["after round 1", "after round 2"]
    assert [each.name.endswith("taken") for each in learned.recalls].count(True) == 1
    taken = next(each for each in rounds if each.name.endswith("taken"))
    assert taken.value == max(each.value for each in rounds) > untrained.value
    assert learned.n_taught > 40 and before.generator.dense is None


def test_the_list_is_put_beside_the_others_which_stay(learned, before):
    linker = learned.linker
    assert linker.generator.alias is before.generator.alias and linker.generator.tree is before.generator.tree
    assert len(linker.ranker.weights) > len(before.ranker.weights) == len(FEATURES)
    assert linker.config.candidates.n_dense > 0 and linker.config.candidates.dense.texts.n_tokens == 32
    assert linker.calibration.source == "annotated"


def test_contexts_of_all_documents_are_vectors_in_the_end_and_count_as_seen(learned):
    assert n_contexts(learned.linker) == sum(
        mention.entity is not None for d in sightings(80) for mention in d.mentions
    )
    assert learned.linker.learned_from.holds(sightings(80)).all()


def test_the_model_links_when_the_folder_of_the_work_is_gone_and_does_not_name_it(learned, work, tmp_path):
    learned.linker.save(tmp_path / "model")
    shutil.move(work / "shared", tmp_path / "elsewhere")
    texts = [document.text for document in sightings(5, seed=7)]
    loaded = Linker.load(tmp_path / "model")
    assert loaded.link(texts) == learned.linker.link(texts)
    assert loaded.config.candidates.dense.encoder.name == "learned"
    assert str(work) not in (tmp_path / "model" / "manifest.json").read_text(encoding="utf-8")
    with pytest.raises(ConfigError, match="'learned' is the name of an encoder of Deixis"):
        register_encoder("learned", lambda texts: [[1.0] for _ in texts])
    shutil.move(tmp_path / "elsewhere", work / "shared")


def test_documents_given_to_judge_by_can_judge_again(before, brief, work):
    dev = sightings(40, seed=1)
    learned = learn_encoder(before, sightings(80), dev, brief, work / "dev").linker
    seen, new = learned.learned_from.split(dev)
    assert len(seen) == len(new) == 20
    assert len(Teaching.of(learned, sightings(80), dev).held_out) == 20  # as a re-ranker is taught next
    assert n_contexts(learned) == sum(m.entity is not None for d in [*sightings(80), *seen] for m in d.mentions)


def test_a_linker_taught_vectors_only_is_judged_by_itself_without_what_is_held_out(learned):
    teaching = Teaching.of(learned.linker, sightings(80))
    other = teaching.linker
    assert other.generator.alias is learned.linker.generator.alias
    assert n_contexts(other) == sum(m.entity is not None for d in teaching.taught for m in d.mentions)
    assert not other.learned_from.holds(teaching.held_out).any() and other.learned_from.holds(teaching.taught).all()


def test_vectors_that_harm_get_no_say_and_weights_that_are_worse_are_not_taken(
    before, brief, work, caplog, monkeypatch
):
    with_dense = Linker.with_dense

    def spoilt(self, dense):
        linker = with_dense(self, dense)
        linker.ranker = linker.ranker.with_weights(-abs(linker.ranker.weights))
        return linker

    def worse(self, documents):
        return self._with(ranker=self.ranker.with_weights(-abs(self.ranker.weights)))

    monkeypatch.setattr(Linker, "with_dense", spoilt)
    monkeypatch.setattr(Linker, "taught_by", worse)
    learned = learn_encoder(before, [as_stones(each) for each in sightings(80)], None, brief, work / "stones")
    weights = learned.linker.ranker.weights
    assert weights[: len(FEATURES)].tolist() == before.ranker.weights.tolist() and not weights[len(FEATURES) :].any()
    assert "get no say" in caplog.text and "with those before" in caplog.text
    assert learned.accuracies[1].value >= learned.accuracies[0].value > 0


def as_stones(document):
    mentions = [replace(m, entity=m.entity and m.entity.replace("bird", "stone")) for m in document.mentions]
    return document.with_mentions(mentions)


def test_a_reranker_stays_and_is_told_to_be_learned_again(before, config, work, caplog):
    caplog.set_level(logging.WARNING)
    linker = before.with_reranking(Reranking(Contrarian()))
    learned = learn_encoder(linker, sightings(80), None, config, work / "shared")  # trained before
    assert learned.linker.reranking is not None and "Learn it again: deixis learn --rerank" in caplog.text


def test_what_cannot_be_learned_from_is_refused(before, config, tmp_path):
    with pytest.raises(DataError, match="no documents to learn from"):
        learn_encoder(before, [], None, config, tmp_path)
    with pytest.raises(DataError, match="to hold out has an annotated mention"):
        learn_encoder(before, sightings(20), [Document("d", "Ruby"), Document("e", "Amber")], config, tmp_path)
    with pytest.raises(DataError, match="to learn from has an annotated mention"):
        learn_encoder(before, [Document("d", "Ruby")], sightings(20), config, tmp_path)
