"""An encoder is trained on annotated mentions, and the linker that is built anew with it forgets nothing."""

import shutil

import pytest

from deixis.errors import DataError
from deixis.linking.config import LinkerConfig
from deixis.linking.encoder_learning import learn_encoder
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.reranking import Reranking
from deixis.neural.bi_config import BiEncoderConfig
from deixis.types import Document
from tests.aviary import aviary, sightings, tiny_encoder
from tests.unit.linking.test_reranking import Contrarian

KB = aviary()


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return LearningConfig(
        bi_encoder=BiEncoderConfig(
            encoder=tiny_encoder(tmp_path_factory.mktemp("tiny")), n_rounds=1, n_steps=30, batch_size=8, n_negatives=3,
            k=10, n_tokens=32, learning_rate=3e-3,
        )
    )  # fmt: skip


def test_vectors_of_the_new_encoder_are_in_the_model_and_its_folder_is_not_needed(config, tmp_path, caplog):
    linker = Linker.build(KB, sightings(20), LinkerConfig(held_out_share=0.0)).with_reranking(Reranking(Contrarian()))
    learned = learn_encoder(linker, sightings(60), None, config, tmp_path / "work")
    before, after = learned.accuracies
    assert before.name == "encoder before, recall@10" and after.name == "encoder after, recall@10"
    assert after.value >= before.value and before.n == after.n > 5
    built = learned.linker
    assert built.generator.dense is not None and built.config.candidates.n_dense > 0
    assert built.config.candidates.dense.texts.n_tokens == 32
    assert built.learned_from.holds(sightings(60)).all()
    assert built.reranking is None and "re-ranker was fitted to other candidates" in caplog.text
    built.save(tmp_path / "model")
    shutil.rmtree(tmp_path / "work")
    texts = [document.text for document in sightings(5, seed=7)]
    assert Linker.load(tmp_path / "model").link(texts) == built.link(texts)


def test_documents_that_the_model_would_forget_are_asked_for(config, tmp_path):
    linker = Linker.build(KB, sightings(20), LinkerConfig(held_out_share=0.0))
    with pytest.raises(DataError, match="learned from 20 documents that are not among these"):
        learn_encoder(linker, sightings(20, seed=1), None, config, tmp_path)
    with pytest.raises(DataError, match="no documents to learn from"):
        learn_encoder(linker, [], None, config, tmp_path)
    with pytest.raises(DataError, match="to hold out has an annotated mention"):
        learn_encoder(linker, sightings(20), [Document("d", "Ruby")], config, tmp_path)
