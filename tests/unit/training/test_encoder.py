"""An encoder is trained on annotated mentions, and a list of candidates by its vectors put beside the others."""

import logging
import shutil
from dataclasses import replace

import pytest

from deixis.encoders.registry import register_encoder
from deixis.errors import ConfigError, DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.ranking.default_weights import RankerConfig
from deixis.training import encoder as encoder_module
from deixis.training import weights as weights_module
from deixis.training.config import TrainingConfig
from deixis.training.encoder import train_encoder
from deixis.training.split import TrainDevSplit
from deixis.types import Document
from tests.aviary import even_aviary, sightings, tiny_encoder
from tests.linkers import Contrarian, with_reranker

KB = even_aviary()
PLAIN = LinkerConfig(held_out_share=0.0, ranking=RankerConfig(min_mentions=10))


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return TrainingConfig(
        held_out_share=0.4,
        encoder=BiEncoderConfig(
            encoder=tiny_encoder(tmp_path_factory.mktemp("tiny")), n_rounds=2, n_steps=20, batch_size=8, n_negatives=3,
            k=10, n_tokens=32, learning_rate=3e-3,
        ),
    )  # fmt: skip


@pytest.fixture(scope="module")
def brief(config):
    return replace(config, encoder=replace(config.encoder, n_rounds=1, n_steps=2))


@pytest.fixture(scope="module")
def before():
    return Linker.build(KB, config=PLAIN, n_threads=1)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def learned(before, config, work):
    return train_encoder(before.model, sightings(80), None, config, work / "shared")


def n_contexts(model):
    return len(model.sources.get("vectors").contexts.groups)


def test_accuracy_before_and_after_and_recall_by_round_are_told(learned, before):
    first, after = learned.accuracies
    assert (first.name, after.name) == ("before", "after") and first.n == after.n > 10
    assert after.value >= first.value and after.interval.low <= after.value <= after.interval.high
    untrained, *rounds = learned.recalls
    assert untrained.name == "untrained" and [each.name[:13] for each in rounds] == ["after round 1", "after round 2"]
    assert [each.name.endswith("taken") for each in learned.recalls].count(True) == 1
    taken = next(each for each in rounds if each.name.endswith("taken"))
    assert taken.value == max(each.value for each in rounds) > untrained.value
    assert learned.n_train > 40 and before.model.sources.get("vectors") is None


def test_the_list_is_put_beside_the_others_which_stay(learned, before):
    model, sources = learned.model, before.model.sources
    assert all(model.sources.get(name) is source for name, source in sources.by_name.items())
    assert set(model.ranker.weights.names) >= {*before.model.ranker.weights.names, "vectors"}
    assert model.config.candidates.sources[-1] == "vectors" and model.config.candidates["vectors"].texts.n_tokens == 32
    assert model.decisions.given.source == "annotated" and model.decisions.given.curve is not None


def test_contexts_of_all_documents_are_vectors_in_the_end_and_count_as_seen(learned):
    assert n_contexts(learned.model) == sum(mention.entity is not None for d in sightings(80) for mention in d.mentions)
    assert learned.model.seen.holds(sightings(80)).all()


def test_the_model_links_when_the_folder_of_the_work_is_gone_and_does_not_name_it(learned, work, tmp_path):
    Linker(learned.model).save(tmp_path / "model")
    shutil.move(work / "shared", tmp_path / "elsewhere")
    texts = [document.text for document in sightings(5, seed=7)]
    loaded = Linker.load(tmp_path / "model")
    assert list(loaded.link_many(texts)) == list(Linker(learned.model).link_many(texts))
    assert loaded.config.candidates["vectors"].encoder.name == "learned"
    assert str(work) not in (tmp_path / "model" / "manifest.json").read_text(encoding="utf-8")
    with pytest.raises(ConfigError, match="'learned' is the name of an encoder of Deixis"):
        register_encoder("learned", lambda texts: [[1.0] for _ in texts])
    shutil.move(tmp_path / "elsewhere", work / "shared")


def test_documents_given_to_judge_by_can_judge_again(before, brief, work):
    dev = sightings(40, seed=1)
    learned = train_encoder(before.model, sightings(80), dev, brief, work / "dev").model
    seen, new = learned.seen.split(dev)
    assert len(seen) == len(new) == 20
    assert len(TrainDevSplit.of(learned, sightings(80), dev).dev) == 20  # as a re-ranker is taught next
    assert n_contexts(learned) == sum(m.entity is not None for d in [*sightings(80), *seen] for m in d.mentions)


def test_a_linker_taught_vectors_only_is_judged_by_itself_without_what_is_held_out(learned):
    split = TrainDevSplit.of(learned.model, sightings(80))
    other = split.judge
    assert other.sources.get("alias") is learned.model.sources.get("alias")
    assert n_contexts(other) == sum(m.entity is not None for d in split.train for m in d.mentions)
    assert not other.seen.holds(split.dev).any() and other.seen.holds(split.train).all()


def test_vectors_that_harm_weigh_nothing_and_weights_that_are_worse_are_not_taken(
    before, brief, work, caplog, monkeypatch
):
    with_vectors = encoder_module.with_vectors

    def worse(model, documents=None):
        weights = model.ranker.weights
        return replace(model, ranker=model.ranker.with_weights(weights.with_values(-abs(weights.values))))

    monkeypatch.setattr(encoder_module, "with_vectors", lambda model, vectors: worse(with_vectors(model, vectors)))
    monkeypatch.setattr(weights_module, "fit_weights", worse)
    learned = train_encoder(before.model, [as_stones(each) for each in sightings(80)], None, brief, work / "stones")
    weights, own = learned.model.ranker.weights, before.model.ranker.weights
    assert weights.by_name() == own.by_name() | {"vectors": 0.0}
    assert "weigh nothing in the ranking" in caplog.text and "with those before" in caplog.text
    assert learned.accuracies[1].value >= learned.accuracies[0].value > 0


def as_stones(document):
    mentions = [replace(m, entity=m.entity and m.entity.replace("bird", "stone")) for m in document.mentions]
    return document.with_mentions(mentions)


def test_a_reranker_stays_and_is_told_to_be_trained_again(before, config, work, caplog):
    caplog.set_level(logging.WARNING)
    model = with_reranker(before, Contrarian()).model
    learned = train_encoder(model, sightings(80), None, config, work / "shared")  # trained before
    assert learned.model.reranker is model.reranker and "Train it again: deixis fit reranker" in caplog.text


def test_what_cannot_be_learned_from_is_refused(before, config, tmp_path):
    with pytest.raises(DataError, match="no documents to learn from"):
        train_encoder(before.model, [], None, config, tmp_path)
    with pytest.raises(DataError, match="to hold out has an annotated mention"):
        train_encoder(before.model, sightings(20), [Document("d", "Ruby"), Document("e", "Amber")], config, tmp_path)
    with pytest.raises(DataError, match="to learn from has an annotated mention"):
        train_encoder(before.model, [Document("d", "Ruby")], sightings(20), config, tmp_path)


def test_a_list_without_descriptions_gets_an_encoder_of_titles(brief, tmp_path):
    bare = KnowledgeBase.from_records([{"id": entity.id, "title": entity.title} for entity in KB.entities()])
    linker = Linker.build(bare, config=PLAIN, n_threads=1)
    result = train_encoder(linker.model, sightings(60), None, brief, tmp_path)
    assert len(result.model.sources.get("vectors").descriptions.groups) == len(bare)
