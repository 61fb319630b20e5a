"""A build that keeps its parts gives the model that a build in memory gives, wherever it was interrupted."""

from __future__ import annotations

import numpy as np
import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.store import scratch, sparse_rows_builder
from deixis.store.build_folder import BuildFolder, parts_folder
from deixis.training import kept_build
from deixis.training.kept_build import digest_of, keeping_parts
from deixis.types import Document, Mention
from deixis.xmr import level_runs

WORDS = "amber basin cedar delta ember field grove haven islet junction knoll ledge marsh north orchard pine".split()


def records(n=150):
    rng = np.random.default_rng(0)
    for number in range(n):
        first, second, third, fourth = (WORDS[word] for word in rng.integers(len(WORDS), size=4))
        yield {
            "id": f"e{number}",
            "title": f"{first} {second} {number % 40}".title(),
            "aliases": [f"{second} {third}".title()] if number % 3 else [],
            "description": f"{first} near {third.title()} {fourth.title()} {number % 7}, a {second}",
            "types": [third],
        }


def documents():
    kb = KnowledgeBase.from_records(records())
    for number in range(80):
        title = kb.titles[number]
        text = f"They went to {title} by way of {kb.titles[number + 40]}."
        start = text.index(title)
        yield Document(f"d{number}", text, mentions=(Mention(start, start + len(title), title, kb.ids[number]),))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Even a small build has several chunks, files and runs."""
    monkeypatch.setattr(scratch, "MIN_BYTES", 64)
    monkeypatch.setattr(level_runs, "RUN_INSTANCES", 60)
    for module in ("deixis.features.tfidf", "deixis.store.sparse_rows_builder", "deixis.candidates.sources.names"):
        monkeypatch.setattr(f"{module}.ROWS_AT_ONCE", 32)
    monkeypatch.setattr(sparse_rows_builder.row_chunks, "__defaults__", (32,))


def built(folder, annotated=None, *, resumes=True, config=None):
    """The bytes of a model built beside `folder`."""
    read = KnowledgeBase.from_records
    with keeping_parts(folder, lambda: "digest", lambda: read(records()), resumes=resumes) as kb:
        return Linker.build(kb, annotated, config, n_threads=1).to_bytes()


@pytest.fixture(scope="module")
def in_memory():
    """The bytes of models built in memory in one piece: without documents and with them."""
    kb = KnowledgeBase.from_records(records())
    return [Linker.build(kb, each, n_threads=1).to_bytes() for each in (None, list(documents()))]


def test_chunks_and_files_change_no_byte(tmp_path, in_memory):
    assert built(tmp_path / "model") == in_memory[0]
    assert not list(tmp_path.iterdir())


def test_a_model_of_documents_is_the_same_too(tmp_path, in_memory):
    assert built(tmp_path / "model", list(documents())) == in_memory[1]


def test_a_build_interrupted_after_every_part_in_turn_ends_in_the_same_bytes(tmp_path, monkeypatch, in_memory):
    original, made = BuildFolder.part, []

    def interrupting(self, name, make):
        is_there = self.has(name)
        arrays = original(self, name, make)
        if not is_there:
            made.append(f"{self.prefix}{name}")
            raise KeyboardInterrupt
        return arrays

    monkeypatch.setattr(BuildFolder, "part", interrupting)
    n_interrupted = 0
    while True:
        try:
            assert built(tmp_path / "model") == in_memory[0]
            break
        except KeyboardInterrupt:
            n_interrupted += 1
    # An interruption inside a part leaves the parts inside it; none is made twice.
    assert len(made) == len(set(made)) == n_interrupted
    assert {"kb", "popularity", "words", "sources.alias", "label_tree.rows", "label_tree.tree.0", "ranker"} <= set(made)
    assert sum(name.startswith("label_tree.tree.0.level.") for name in made) >= 3


def test_a_small_list_keeps_nothing_unless_asked(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("nothing should be kept")

    monkeypatch.setattr(BuildFolder, "part", refuse)
    assert built(tmp_path / "model", resumes=False)
    assert not parts_folder(tmp_path / "model").exists()


def test_a_large_list_keeps_its_parts_unasked(tmp_path, monkeypatch, in_memory):
    monkeypatch.setattr(kept_build, "MIN_ENTITIES", 100)
    names, original = [], BuildFolder.part
    monkeypatch.setattr(BuildFolder, "part", lambda self, name, make: names.append(name) or original(self, name, make))
    assert built(tmp_path / "model", resumes=False) == in_memory[0]
    assert names[0] == "kb"


def test_a_list_that_is_kept_is_not_read_again(tmp_path):
    def read():
        return KnowledgeBase.from_records(records())

    def read_again():
        raise AssertionError("it is there")

    with pytest.raises(KeyboardInterrupt), keeping_parts(tmp_path / "m", lambda: "d", read, resumes=True):
        raise KeyboardInterrupt
    with keeping_parts(tmp_path / "m", lambda: "d", read_again, resumes=True) as kb:
        assert len(kb) == 150 and kb.row_of("e7") == 7


def test_the_digest_is_of_the_files_contents_and_of_the_settings(tmp_path):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text("a", encoding="utf-8")
    other.write_text("a", encoding="utf-8")
    digest = digest_of([one], {"seed": 0})
    assert digest_of([other], {"seed": 0}) == digest
    assert digest_of([one], {"seed": 1}) != digest
    other.write_text("b", encoding="utf-8")
    assert digest_of([other], {"seed": 0}) != digest
    assert digest_of([one, other], {}) != digest_of([other, one], {})


def test_nobody_can_say_what_stdin_was():
    assert digest_of(["-"], {}) != digest_of(["-"], {})
