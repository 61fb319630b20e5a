"""A reader trained on birds and stones with a tiny encoder: it and detection are weighed, stored and used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from deixis.errors import DataError
from deixis.linker import Linker
from deixis.neural.reader.checkpoint import FILE, CheckpointFile
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.module_steps import ModuleSteps
from deixis.training.config import TrainingConfig
from deixis.training.reader import train_reader
from deixis.training.result import TrainingResult
from deixis.training.weights import warn_of_older_parts
from tests.aviary import aviary, sightings, tiny_encoder


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Linker, TrainingResult]:
    encoder = tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny")
    reader = ReaderConfig(
        encoder=encoder, n_tokens=16, overlap=4, entity_tokens=12, n_steps=120, batch_size=4,
        learning_rate=3e-3, head_rate=1e-2, n_candidates=4, n_taught=3,
    )  # fmt: skip
    linker = Linker.build(aviary(), n_threads=1)
    config = TrainingConfig(reader=reader)
    return linker, train_reader(linker.model, sightings(40), sightings(24, seed=1), config, seed=0)


def test_detection_and_reader_are_judged_alone_and_together(learned: tuple[Linker, TrainingResult]) -> None:
    _, trained = learned
    assert [metric.name for metric in trained.f1s] == ["finding alone", "reader alone", "both"]
    assert trained.f1s[2].value >= trained.f1s[0].value
    assert trained.characters_per_second is not None and trained.characters_per_second > 0


def test_the_linker_reads_texts_and_leaves_given_mentions_alone(learned: tuple[Linker, TrainingResult]) -> None:
    before, trained = learned
    text = "we saw Ruby in the tree"
    reading = Linker(trained.model)
    read = reading.link(text).mentions
    assert [mention.text for mention in read] == ["Ruby"]
    assert read[0].entity == "bird-Ruby" and 0 < (read[0].score or 0) <= 1
    assert reading.link(text, reader=False) == before.link(text)
    given = [
        each.with_mentions([replace(m, entity=None, is_nil=False) for m in each.mentions]) for each in sightings(3)
    ]
    assert list(reading.link_many(given)) == list(before.link_many(given))


def test_a_saved_reader_says_the_same(learned: tuple[Linker, TrainingResult], tmp_path: Path) -> None:
    _, trained = learned
    Linker(trained.model).save(tmp_path / "model")
    again = Linker.load(tmp_path / "model", n_threads=1)
    texts = ["Amber sang all morning", "a nest of Coral was found", ""]
    expected = list(Linker(trained.model).link_many(texts))
    assert list(again.link_many(texts)) == expected
    again.save(tmp_path / "copy")  # without having been opened
    assert list(Linker.load(tmp_path / "copy", n_threads=1).link_many(texts)) == expected


def test_who_learns_anew_is_told_that_the_reader_has_not(
    learned: tuple[Linker, TrainingResult], caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_older_parts(learned[1].model)
    assert "The reader was weighed against the model before this" in caplog.text


def test_without_documents_nothing_is_learned(learned: tuple[Linker, TrainingResult]) -> None:
    with pytest.raises(DataError, match="no documents"):
        train_reader(learned[0].model, [], None, TrainingConfig())


def test_a_retriever_trained_with_the_reader_proposes_candidates_in_the_linker(
    learned: tuple[Linker, TrainingResult], tmp_path: Path
) -> None:
    linker, alone = learned
    settings = replace(alone.model.reader.part.opened.config, has_retriever=True, warm_up=20, n_steps=40, seed=0)
    trained = train_reader(linker.model, sightings(40), sightings(24, seed=1), TrainingConfig(reader=settings), seed=0)
    Linker(trained.model).save(tmp_path / "joint")
    joint = Linker.load(tmp_path / "joint", n_threads=1)
    opened = joint.model.reader.part.opened
    assert opened.vectors is not None and len(opened.vectors) == len(linker.kb)
    document = joint.link("we saw Ruby in the tree", ids=["bird-Ruby"])
    assert {each.entity for each in document.mentions} <= {"bird-Ruby", None}
    (given,) = opened.numbers_of(opened.texts.passages(["we saw Ruby in the tree"]), [[3]])
    assert 3 in given and len(given) >= opened.config.n_candidates  # what is given, and what was retrieved


def test_a_joint_training_that_was_stopped_goes_on_and_gives_the_same_reader(
    learned: tuple[Linker, TrainingResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linker, alone = learned
    settings = replace(alone.model.reader.part.opened.config, has_retriever=True, warm_up=4, n_steps=6, seed=0)
    config, step, n_done = TrainingConfig(reader=settings), ModuleSteps.step, 0

    def arrays_in(folder: Path) -> dict[str, np.ndarray]:
        trained = train_reader(linker.model, sightings(12), sightings(8, seed=1), config, folder, seed=0)
        return trained.model.reader.part.opened.to_arrays("reader")

    def stops(self: ModuleSteps, loss: object) -> None:
        nonlocal n_done
        n_done += 1
        if n_done > 13:  # of 4 of the retriever, 4 of the reader and 6 of both
            raise KeyboardInterrupt
        step(self, loss)  # type: ignore[arg-type]

    whole = arrays_in(tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(CheckpointFile, "is_due", True)
        patch.setattr(ModuleSteps, "step", stops)
        with pytest.raises(KeyboardInterrupt):
            arrays_in(tmp_path / "stopped")
    assert (tmp_path / "stopped" / FILE).is_file()
    resumed = arrays_in(tmp_path / "stopped")
    assert list(resumed) == list(whole) and "reader.vectors" in whole
    assert all(np.array_equal(resumed[name], whole[name]) for name in whole)
