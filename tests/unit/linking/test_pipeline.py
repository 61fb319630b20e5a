"""Texts of every kind without mentions: whole books, many scripts, markup, names of one letter and of 500 words."""

import functools
import tracemalloc

import pytest

from deixis.detection.config import FindingConfig
from deixis.detection.dictionary import DictionaryConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.progress import listening
from deixis.types import Document, Mention

LONG = " ".join(f"word{number}" for number in range(500))
NAMES = {
    "tokyo": "東京", "beijing": "北京", "cairo": "القاهرة", "bangkok": "กรุงเทพ", "delhi": "दिल्ली", "moscow": "Москва",
    "seoul": "서울", "troy": "Troy", "new-troy": "New Troy", "x": "X", "long": LONG,
}  # fmt: skip
KB = KnowledgeBase.from_records(
    [
        {"id": id_, "title": title, "description": f"the place {number}"}
        for number, (id_, title) in enumerate(NAMES.items())
    ]
)


@functools.cache
def untaught() -> Linker:
    return Linker.build(KB, n_threads=1)


@functools.cache
def of_any_length() -> Linker:
    return Linker.build(KB, config=LinkerConfig(detection=DictionaryConfig(min_chars=1, max_tokens=500)), n_threads=1)


def links(document: Document) -> list[tuple[str, str | None]]:
    assert all(document.text[each.start : each.end] == each.text for each in document.mentions)
    return [(mention.text, mention.entity) for mention in document.mentions if mention.entity is not None]


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("私は東京に住んでいる。", "tokyo"),
        ("他住在北京市。", "beijing"),
        ("سافرت إلى القاهرة اليوم", "cairo"),
        ("ฉันไปกรุงเทพแล้ว", "bangkok"),
        ("वह दिल्ली में रहता है।", "delhi"),
        ("Он приехал в город Москва.", "moscow"),
        ("그는 서울 사람이다.", "seoul"),
        ("😀 a𝒳b Troy fell", "troy"),
    ],
)
def test_names_are_linked_in_scripts_with_and_without_spaces(text: str, entity: str) -> None:
    assert links(untaught().link(text)) == [(NAMES[entity], entity)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<p title="Troy">They left <b>Troy</b>. <!-- Troy --></p><a href="/New Troy">x</a>', ["Troy"]),
        ("{{Town|name=Troy}} They left [[New Troy (town)|Troy]] and [[File:Troy.jpg|thumb|the sea]].", ["Troy"]),
        ("They left [Troy](https://Troy.example/New), ![Troy](New%20Troy.png \"Troy\") for `Troy`", ["Troy", "Troy"]),
        ("# Troy\n\n```\nTroy\n```\n", ["Troy"]),
    ],
)  # fmt: skip
def test_markup_is_left_alone_and_the_text_stays_as_it_is(text: str, shown: list[str]) -> None:
    document = untaught().link(text)
    assert document.text == text
    assert [name for name, _ in links(document)] == shown


def test_names_of_one_letter_and_of_500_words_are_found_if_asked_for() -> None:
    text = f"In X they read {LONG}."
    assert links(untaught().link(text)) == []
    assert links(of_any_length().link(text)) == [("X", "x"), (LONG, "long")]


def test_given_mentions_have_any_length() -> None:
    text = f"X {LONG}"
    given = Document("d", text, mentions=(Mention(0, 1, "X"), Mention(2, len(text), LONG), Mention(0, len(text), text)))
    assert [mention.entity for mention in untaught().link(given).mentions][:2] == ["x", "long"]


class Heard:
    """Whoever listens, and how often each label's work went on."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.n_steps: dict[str, int] = {}

    def started(self, label: str, total: int | None) -> int:
        self.labels.append(label)
        return len(self.labels) - 1

    def advanced(self, task: int, n: int) -> None:
        self.n_steps[self.labels[task]] = self.n_steps.get(self.labels[task], 0) + n

    def noted(self, task: int, text: str) -> None:
        pass

    def finished(self, task: int) -> None:
        pass


def test_a_book_takes_memory_for_its_mentions_only_and_tells_how_far_it_is() -> None:
    chapter = "In the rain she saw Troy. " + "Then she came to the gate of a town. " * 23
    config = LinkerConfig(finding=FindingConfig(min_chance=0.0))  # so that there are many spans to rank
    linker, heard, peaks = Linker.build(KB, config=config, n_threads=1), Heard(), []
    linker.link(chapter)
    for n_chapters in (400, 800):
        tracemalloc.start()
        try:
            with listening(heard):
                document = linker.link(chapter * n_chapters)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        assert [name for name, _ in links(document)] == ["Troy"] * n_chapters
    assert heard.n_steps["ranking candidates"] > 8
    assert peaks[1] - peaks[0] < 3e6  # features of 9,600 spans more would take 6 MB
