"""A reader taught on a list of birds and stones, with a tiny encoder: it and finding are weighed, stored and used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from deixis.errors import DataError
from deixis.linking.learned import Learned
from deixis.linking.learning_config import LearningConfig
from deixis.linking.linker import Linker
from deixis.linking.reader_learning import learn_reader
from deixis.linking.reweighing import warn_of_older_parts
from deixis.neural.reader.config import ReaderConfig
from tests.aviary import aviary, sightings, tiny_encoder


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Linker, Learned]:
    encoder = tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny")
    reader = ReaderConfig(
        encoder=encoder, n_tokens=16, overlap=4, entity_tokens=12, n_steps=120, batch_size=4,
        learning_rate=3e-3, head_rate=1e-2, n_candidates=4, n_taught=3,
    )  # fmt: skip
    linker = Linker.build(aviary(), n_threads=1)
    config = LearningConfig(reader=reader)
    return linker, learn_reader(linker, sightings(40), sightings(24, seed=1), config, seed=0)


def test_finding_and_reader_are_judged_alone_and_together(learned: tuple[Linker, Learned]) -> None:
    _, taught = learned
    assert [metric.name for metric in taught.f1s] == ["finding alone", "reader alone", "both"]
    assert taught.f1s[2].value >= taught.f1s[0].value
    assert taught.characters_per_second is not None and taught.characters_per_second > 0


def test_the_linker_reads_texts_and_leaves_given_mentions_alone(learned: tuple[Linker, Learned]) -> None:
    before, taught = learned
    text = "we saw Ruby in the tree"
    read = taught.linker.link(text).mentions
    assert [mention.text for mention in read] == ["Ruby"]
    assert read[0].entity == "bird-Ruby" and 0 < (read[0].score or 0) <= 1
    assert taught.linker.link(text, read=False) == before.link(text)
    given = [
        each.with_mentions([replace(m, entity=None, is_nil=False) for m in each.mentions]) for each in sightings(3)
    ]
    assert taught.linker.link(given) == before.link(given)


def test_a_saved_reader_says_the_same(learned: tuple[Linker, Learned], tmp_path: Path) -> None:
    _, taught = learned
    taught.linker.save(tmp_path / "model")
    again = Linker.load(tmp_path / "model", n_threads=1)
    texts = ["Amber sang all morning", "a nest of Coral was found", ""]
    assert again.link(texts) == taught.linker.link(texts)
    again.save(tmp_path / "copy")  # without having been opened
    assert Linker.load(tmp_path / "copy", n_threads=1).link(texts) == again.link(texts)


def test_who_learns_anew_is_told_that_the_reader_has_not(
    learned: tuple[Linker, Learned], caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_older_parts(learned[1].linker)
    assert "The reader was weighed against the linker before this" in caplog.text


def test_without_documents_nothing_is_learned(learned: tuple[Linker, Learned]) -> None:
    with pytest.raises(DataError, match="no documents"):
        learn_reader(learned[0], [], None, LearningConfig())
