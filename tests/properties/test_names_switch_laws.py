"""The switch of names in raw text: every one holds the likely ones, and these the sure ones, in every list."""

from functools import cache
from itertools import pairwise

import pytest

from deixis.documents.reading import read_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.types import Mention

NAMES = ("every", "likely", "sure")
LISTS = {
    "towns": ["Nice", "Reading", "Paris", "Bath", "New York", "York", "Will", "東京"],
    "diseases": ["Asthma", "Lung Cancer", "Breast Cancer", "Anemia", "Stress", "Cold", "Acute lymphoblastic leukemia"],
    "tools": ["table saw", "saw", "hammer", "USB cable", "drill", "cordless drill"],
    "short forms": ["ALL", "CAN", "WAS", "WHO", "IT", "US"],
}
TEXTS = [
    "Nice people were reading in New York; they will be in Reading, Bath or Paris by may.",
    "My mother has asthma. Her sister died of lung cancer, and the stress of a cold and anemia.",
    "I saw a table saw, a hammer and two USB cables: the cordless drills are cold.",
    "We all can see what was there. It was the WHO who told US ALL. IT CAN BE SO.",
    "Acute lymphoblastic leukemia (ALL) is rare; ALL was treated. 私は東京に住む。",
    "",
]


@cache
def linker(name: str) -> Linker:
    if name == "demo":
        return Linker.build(read_demo(), n_threads=1)
    records = [{"id": each, "title": each} for each in LISTS[name]]
    return Linker.build(KnowledgeBase.from_records(records), n_threads=1)


def texts_of(name: str) -> list[str]:
    return [each.text for each in read_documents(demo_sentences_path())] if name == "demo" else TEXTS


def links(name: str, **options: object) -> list[set[tuple[int, int, str]]]:
    def is_link(mention: Mention) -> bool:
        return mention.entity is not None

    linked = linker(name).link_many(texts_of(name), **options)
    return [{(m.start, m.end, m.entity) for m in filter(is_link, document.mentions)} for document in linked]


@pytest.mark.parametrize("name", ["demo", *LISTS])
@pytest.mark.parametrize("overlaps", ["drop", "keep"])
def test_every_name_holds_the_likely_ones_and_these_the_sure_ones(name: str, overlaps: str) -> None:
    """Of the spans: what they mean may differ, for the mentions of a text are context of each other."""
    found = [
        [{(start, end) for start, end, _ in own} for own in links(name, names=names, overlaps=overlaps)]
        for names in NAMES
    ]
    for more, fewer in pairwise(found):
        assert all(sure <= likely for likely, sure in zip(more, fewer, strict=True))
    assert sum(map(len, found[0])) > 0


@pytest.mark.parametrize("name", ["demo", "towns"])
def test_a_threshold_overrules_the_switch(name: str) -> None:
    for threshold in (0.0, 0.4, 0.9):
        assert len({str(links(name, names=names, threshold=threshold)) for names in (None, *NAMES)}) == 1


@pytest.mark.parametrize("name", LISTS)
def test_the_likely_ones_are_linked_by_default(name: str) -> None:
    assert links(name) == links(name, names="likely")


def test_the_switch_does_not_touch_given_mentions() -> None:
    gold = list(read_documents(demo_sentences_path()))[::5]
    first, *others = (list(linker("demo").link_many(gold, names=names)) for names in NAMES)
    assert all(each == first for each in others)
