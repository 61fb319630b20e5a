"""A SentenceTransformer as the encoder of ELIAS: a tiny one, in torch and without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from deixis.errors import ConfigError, DataError
from deixis.neural.elias_config import EliasConfig
from deixis.neural.elias_training import train_elias
from deixis.neural.text_module import TextModule
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
    with pytest.raises(ConfigError, match="kept as a folder"):
        ranker.to_arrays("elias")


def test_texts_and_rows_must_be_as_many(module: TextModule) -> None:
    with pytest.raises(DataError, match="There are 31 texts and 32 rows"):
        train_elias(LABELS, LABELS, encoder=module, texts=TEXTS[1:])
