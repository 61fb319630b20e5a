"""A labeller whose engine reads texts with a transformer: a tiny one, learned along or left as it is."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deixis.errors import ConfigError, DataError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.corpus.documents import LabelledRows
from deixis.labelling.labeller import Labeller
from deixis.neural.elias.config import EliasConfig
from deixis.neural.one_vs_all.config import OneVsAllConfig, TextConfig
from deixis.xmr.label_augmentation import AugmentationConfig
from tests.library import books, library_vocabulary
from tests.tiny_encoders import tiny_sentence_encoder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_sentence_encoder(tmp_path_factory.mktemp("encoder"), list(books(80).texts))


def config_with(encoder: Path, engine: str = "elias", learning_rate: float = 5e-3) -> LabellerConfig:
    elias = EliasConfig(
        encoder=str(encoder), text=TextConfig(learning_rate, 32), labels_per_cluster=3, n_epochs_fixed=12,
        n_epochs_learned=12, batch_size=16, classifier_every=1, classifier_rate=2e-2, learning_rate=2e-2,
    )  # fmt: skip
    exact = OneVsAllConfig(
        encoder=str(encoder), text=TextConfig(learning_rate, 32), n_epochs=24, batch_size=16, learning_rate=2e-2
    )
    return LabellerConfig(engine=engine, elias=elias, one_vs_all=exact)


@pytest.mark.parametrize("engine", ["elias", "elias++", "one-vs-all"])
@pytest.mark.parametrize("learning_rate", [5e-3, 0.0])
def test_it_reads_texts_and_is_the_same_when_loaded(
    encoder: Path, engine: str, learning_rate: float, tmp_path: Path
) -> None:
    documents = books(80)
    labeller = Labeller.build(documents, library_vocabulary(), config_with(encoder, engine, learning_rate), n_threads=1)
    labeller.save(tmp_path / "model")
    again = Labeller.load(tmp_path / "model", n_threads=1)
    best = again.rank(documents.texts, 1)
    assert best.indices.tolist() == labeller.rank(documents.texts, 1).indices.tolist()
    if learning_rate or engine == "elias++":  # random vectors alone tell little
        assert documents.docs_by_labels.toarray()[np.arange(80), best.indices].mean() > 0.8


def test_names_of_labels_are_read_as_texts(encoder: Path) -> None:
    config = replace(config_with(encoder), augmentation=AugmentationConfig("self"))
    labeller = Labeller.build(books(80), library_vocabulary(), config, n_threads=1)
    titles = library_vocabulary().titles
    is_known = np.diff(labeller.features.transform(titles).indptr) > 0
    best = labeller.rank(titles, 1)
    assert (best.indices == np.flatnonzero(is_known)).mean() > 0.6


def test_rows_of_features_cannot_be_read(encoder: Path) -> None:
    documents = books(80)
    labeller = Labeller.build(documents, library_vocabulary(), config_with(encoder, learning_rate=0.0), n_threads=1)
    rows = labeller.features.transform(documents.texts)
    with pytest.raises(DataError, match="reads texts, and there are only rows of features"):
        labeller.rank(rows)
    with pytest.raises((ConfigError, DataError), match="reads texts, and there are only rows of features"):
        Labeller.build(LabelledRows(rows, documents.docs_by_labels), config=config_with(encoder), n_threads=1)


def test_an_encoder_that_is_not_there_is_told_before_anything_is_read() -> None:
    with pytest.raises(DataError, match="No folder and no model"):
        Labeller.build(books(80), library_vocabulary(), config_with(Path("no-such/encoder")), n_threads=1)
