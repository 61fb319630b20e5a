"""A model whose parts several processes build has the bytes of one that one process builds, also after they died."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import pytest

from deixis.batch.building import PartBuilder, build_parts
from deixis.errors import StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.processes import pool
from deixis.store.build_folder import BuildFolder
from deixis.training.kept_build import keeping_parts
from deixis.types import Document, Mention

WORDS = "amber basin cedar delta ember field grove haven islet junction knoll ledge marsh north orchard pine".split()


CONFIG = LinkerConfig()
CONFIG = replace(CONFIG, ranking=replace(CONFIG.ranking, min_mentions=5))


def records():
    for number in range(240):
        first, second = WORDS[number % 16], WORDS[number // 16]
        description = f"{first} near {second.title()} {WORDS[number % 7].title()}"
        yield {"id": f"e{number}", "title": f"{first} {second}".title(), "description": description}


def documents():
    kb = KnowledgeBase.from_records(records())
    for number in range(0, 240, 3):
        title = kb.titles[number]
        text = f"They saw {title} again."
        yield Document(f"d{number}", text, lang="en", mentions=(Mention(9, 9 + len(title), title, kb.ids[number]),))


class InThisProcess:
    """Does tasks here, as any other runner would: a function by its name, its argument and tasks as JSON."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def run(self, function, argument, tasks, advance):
        assert function == "deixis.batch.building:PartBuilder.from_json"
        for name, task in tasks:
            self.names.append(task["prefix"] + name)
            PartBuilder.from_json(argument)(task, advance)
            yield name, pool.Done({})


def read():
    return KnowledgeBase.from_records(records())


def built(folder, annotated=None, **how):
    with keeping_parts(folder, lambda: "digest", read, always=True) as kb:
        build_parts(kb, annotated, CONFIG, **how)
        return Linker.build(kb, annotated, CONFIG, n_threads=1).to_bytes()


@pytest.mark.parametrize("annotated", [None, list(documents())], ids=["list", "documents"])
def test_parts_made_apart_are_the_model_of_one_process(tmp_path, monkeypatch, annotated):
    runner = InThisProcess()
    assert (
        built(tmp_path / "m", annotated, runner=runner)
        == Linker.build(read(), annotated, CONFIG, n_threads=1).to_bytes()
    )
    assert len(runner.names) == len(set(runner.names))
    assert {"tree", "words", "stated", "detector", "source alias", "source names", "run 0 0 0 1"} <= set(runner.names)
    assert any(name.startswith("held-out.") for name in runner.names) == (annotated is not None)
    assert not list(tmp_path.iterdir())


def test_the_build_makes_nothing_again_that_was_made_apart(tmp_path, monkeypatch):
    part, made = BuildFolder.part, []

    def noting(self, name, make):
        made.extend([] if self.has(name) else [f"{self.prefix}{name}"])
        return part(self, name, make)

    with keeping_parts(tmp_path / "m", lambda: "digest", read, always=True) as kb:
        build_parts(kb, None, LinkerConfig(), runner=InThisProcess())
        monkeypatch.setattr(BuildFolder, "part", noting)
        Linker.build(kb, n_threads=1)
    assert made == ["sources.label_tree", "ranker"]


def test_without_a_tree_the_order_of_the_indexes_is_made_once(tmp_path):
    config = replace(CONFIG, candidates=replace(CONFIG.candidates, sources=("alias", "names", "descriptions")))
    runner = InThisProcess()
    with keeping_parts(tmp_path / "m", lambda: "digest", read, always=True) as kb:
        build_parts(kb, None, config, runner=runner)
        built = Linker.build(kb, None, config, n_threads=1).to_bytes()
    assert built == Linker.build(read(), None, config, n_threads=1).to_bytes()
    assert "order" in runner.names and runner.names.index("order") < runner.names.index("source names")


def test_processes_build_the_same_bytes_though_two_of_them_die(tmp_path, monkeypatch):
    started, n_killed = pool._Process.started.__func__, []

    def started_and_killed(cls, setup, messages):
        process = started(cls, setup, messages)
        if len(n_killed) < 2:
            n_killed.append(1)
            os.kill(process.popen.pid, signal.SIGKILL)
        return process

    monkeypatch.setattr(pool._Process, "started", classmethod(started_and_killed))
    assert built(tmp_path / "m", n_workers=2) == Linker.build(read(), None, CONFIG, n_threads=1).to_bytes()
    assert len(n_killed) == 2


def test_without_a_folder_nothing_can_be_shared():
    with pytest.raises(StoreError, match="begin it with keeping_parts"):
        build_parts(read(), None, LinkerConfig())


def test_a_part_that_cannot_be_built_says_which_and_why(tmp_path):
    class Failing(InThisProcess):
        def run(self, function, argument, tasks, advance):
            yield tasks[0][0], pool.Failed("no memory left")

    with pytest.raises(StoreError, match="'stated'.*no memory left"):
        built(tmp_path / "m", runner=Failing())
