"""The small task on which bi-encoders are studied."""

import numpy as np
import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention
from tests.aviary import even_aviary, sightings, tiny_encoder

studies = pytest.importorskip("benchmarks.quality.bi_encoder")

TITLES = ["Paris", "Paris Hilton", "Troy", "New York City", "York", "Rome", "Oslo", "Bern"]
KB = KnowledgeBase.from_records([{"id": title, "title": title} for title in TITLES])


def document(number, *texts):
    mentions = tuple(Mention(0, len(text), text, text) for text in texts)
    return Document(f"d{number}", " ".join(texts), mentions=mentions)


def test_look_alikes_have_all_words_of_a_mention_in_their_title():
    assert set(studies.look_alikes(KB, {"paris", "New York", "Ulm"})) == {0, 1, 3}


def test_the_entities_that_are_meant_are_all_in_the_small_knowledge_base(monkeypatch):
    monkeypatch.setattr(studies, "MAX_LOOK_ALIKES", 1)
    rows = studies.chosen_rows(KB, [document(0, "Paris", "Rome")], 4, np.random.default_rng(0))
    assert {0, 1, 5} <= set(rows.tolist()) and len(rows) == 4
    assert rows.tolist() == sorted(set(rows.tolist()))


def test_documents_are_taken_until_there_are_enough_questions(monkeypatch):
    monkeypatch.setattr(studies, "N_DEV", 3)
    documents = [document(number, "Paris", "Troy") for number in range(5)]
    assert len(studies.first_documents(KB, documents)) == 2


def test_every_study_differs_in_what_its_name_says():
    for name, configs in studies.STUDIES.items():
        assert len(set(configs.values())) == len(configs), name
    columns = [one.batch_size * (one.n_negatives + 1) for one in studies.STUDIES["negatives"].values()]
    assert columns.count(64) == 3 and columns.count(128) == 2


def test_contents_are_compared_before_and_after_training(tmp_path):
    task = studies.Task(even_aviary(), sightings(30), sightings(12, seed=1))
    tiny = tiny_encoder(tmp_path)
    config = studies.BiEncoderConfig(
        encoder=tiny, n_rounds=1, n_steps=2, batch_size=4, n_negatives=2, k=10, n_tokens=32
    )
    rows = list(studies.contents(task, config, "contents"))
    arms = [f"{name}-{arm}" for name in ("untrained", "trained") for arm in ("descriptions", "contexts", "both")]
    assert [row.system for row in rows if row.metric == "recall@10"] == arms
    assert {row.suite for row in rows} == {"bi-encoder/contents"}
    assert all(0 <= row.value <= 1 and row.n > 5 for row in rows)
