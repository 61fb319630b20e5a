"""A SentenceTransformer as the encoder of ELIAS and one-versus-all: a tiny one, in torch and without."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from deixis.errors import DataError
from deixis.neural.elias.config import EliasConfig
from deixis.neural.elias.train import EliasTraining, train_elias
from deixis.neural.one_vs_all.config import OneVsAllConfig, TextConfig
from deixis.neural.one_vs_all.text_module import FixedTextModule, TextModule, open_text_module
from deixis.neural.one_vs_all.train import train_one_vs_all
from deixis.xmr.learned_index import LearnedRanker
from deixis.xmr.one_vs_all import OneVsAllRanker
from tests.tiny_encoders import tiny_sentence_encoder

torch.set_num_threads(1)
TEXTS = [f"{word} number {n}" for word in ("heron", "falcon", "wren", "plover") for n in range(8)]
LABELS = np.repeat(np.eye(4, dtype=np.float32), 8, axis=0)


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> TextModule:
    folder: Path = tiny_sentence_encoder(tmp_path_factory.mktemp("encoder"), TEXTS)
    return TextModule(SentenceTransformer(str(folder), device="cpu"), scale=5.0, learning_rate=5e-3)


def test_texts_are_labelled_by_an_encoder_that_learns(module: TextModule) -> None:
    config = EliasConfig(
        labels_per_cluster=2, beam=2, n_epochs_fixed=12, n_epochs_learned=12, batch_size=16, classifier_every=1,
        classifier_rate=2e-2, learning_rate=2e-2,
    )  # fmt: skip
    ranker = train_elias(LABELS, LABELS, config, encoder=module, texts=TEXTS)
    ranked = ranker.rank(TEXTS, k=1)
    assert LABELS[np.arange(32), ranked.indices].mean() > 0.9
    with torch.no_grad():
        wanted = module.eval().vectors(TEXTS, np.arange(32)).numpy()
    np.testing.assert_allclose(ranker.encode(TEXTS), wanted, atol=1e-3)
    assert ranker.encode([]).shape == (0, module.n_dims)
    again = LearnedRanker.from_arrays(ranker.to_arrays("elias"), "elias")
    np.testing.assert_array_equal(again.rank(TEXTS, k=2).indices, ranker.rank(TEXTS, k=2).indices)


@pytest.mark.parametrize("learning_rate", [5e-3, 0.0])
def test_one_versus_all_reads_texts_and_is_the_same_when_stored(module: TextModule, learning_rate: float) -> None:
    kind = TextModule if learning_rate else FixedTextModule
    encoder = kind(copy.deepcopy(module.model), scale=5.0, learning_rate=learning_rate)
    config = OneVsAllConfig(n_epochs=40, batch_size=16, learning_rate=5e-2)
    ranker = train_one_vs_all(LABELS, LABELS, config, encoder=encoder, texts=TEXTS)
    ranked = ranker.rank(TEXTS, k=1)
    assert LABELS[np.arange(32), ranked.indices].mean() > 0.9
    again = OneVsAllRanker.from_arrays(ranker.to_arrays("ova"), "ova")
    np.testing.assert_array_equal(again.rank(TEXTS, k=2).indices, ranker.rank(TEXTS, k=2).indices)
    with pytest.raises(DataError, match="There are 31 texts and 32 rows"):
        train_one_vs_all(LABELS, LABELS, encoder=encoder, texts=TEXTS[1:])


def test_texts_and_rows_must_be_as_many(module: TextModule) -> None:
    with pytest.raises(DataError, match="There are 31 texts and 32 rows"):
        train_elias(LABELS, LABELS, encoder=module, texts=TEXTS[1:])


def test_an_encoder_that_stays_as_it_is_reads_each_text_once(module: TextModule) -> None:
    fixed = FixedTextModule(module.model, scale=5.0)
    config = EliasConfig(labels_per_cluster=2, beam=2, n_epochs_fixed=3, n_epochs_learned=3, batch_size=16)
    before = module.eval().vectors(TEXTS, np.arange(32)).detach().numpy()
    n_texts = []
    handle = module.model.register_forward_pre_hook(lambda _, inputs: n_texts.append(len(inputs[0]["input_ids"])))
    ranker = train_elias(LABELS, LABELS, config, encoder=fixed, texts=TEXTS)
    handle.remove()
    assert n_texts[0] == 32 and max(n_texts[1:]) < 32  # the others are trials of the exported graph
    np.testing.assert_allclose(ranker.encode(TEXTS), before, atol=1e-3)


def test_label_classifiers_learn_on_an_encoder_that_stays_as_it_is(module: TextModule) -> None:
    config = EliasConfig(labels_per_cluster=2, beam=2, batch_size=16)
    training = EliasTraining(LABELS, LABELS, config, encoder=FixedTextModule(module.model, scale=5.0), texts=TEXTS)
    before = training.classifiers.clone()
    training.run(1, "stage 1")
    assert (training.classifiers != before).any(dim=1).all()


def test_texts_are_cut_where_the_settings_say(module: TextModule, tmp_path: Path) -> None:
    folder = tiny_sentence_encoder(tmp_path, TEXTS)
    cut = open_text_module(str(folder), TextConfig(max_tokens=4), scale=10.0, n_features=4)
    both = cut.vectors(["heron number 1", "heron number 1 falcon wren plover"], np.arange(2)).detach().numpy()
    np.testing.assert_allclose(both[0, :-1], both[1, :-1], atol=1e-5)
    np.testing.assert_allclose(cut.frozen().encode(["heron number 1 falcon wren plover"]), both[1:], atol=1e-3)
