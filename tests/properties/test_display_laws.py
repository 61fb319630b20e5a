"""How many candidates are shown changes no link: not at the console, not over HTTP."""

import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.candidates.filters import EntityFilter
from deixis.cli.filtering import link_only
from deixis.cli.models import load_linker
from deixis.cli.session import Session
from deixis.detection.config import FindingConfig
from deixis.documents.corrections import Correction
from deixis.documents.reading import read_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.corrections import Corrections
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.linking.reranking import Reranking
from deixis.service.served import Opened, Served
from deixis.service.state import LinkChoices, _linked
from deixis.types import Document, Mention
from tests.unit.linking.test_reranking import Contrarian

WORDS = ("river", "harbour", "prince", "song", "comet", "abbey", "ferry", "mill")
RECORDS = [
    {"id": f"{name}{n}", "title": name, "description": f"{WORDS[n % 8]} of {WORDS[n % 7]} {n}", "types": [WORDS[n % 3]]}
    for name, n_namesakes in (("Paris", 35), ("Troy", 3), ("Parry", 20), ("Rome", 1))
    for n in range(n_namesakes)
]
NAMES = ("Paris", "Troy", "Parry", "Rome", "Pariss", "the ferry", "Nowhere")
SETTINGS = ("raw", "calibrated", "rules", "reranked", "corrected", "one candidate")
TEXT = "Paris and Troy, Parry or Rome."


def sentence(name: str, word: str) -> str:
    return f"They saw {name} by the {word}."


def annotated() -> list[Document]:
    documents = []
    for n in range(60):
        record = RECORDS[n % len(RECORDS)]
        name, entity = (record["title"], record["id"]) if n % 4 else ("Nowhere", None)
        text = sentence(name, WORDS[n % 8])
        mention = Mention(9, 9 + len(name), name, entity, is_nil=entity is None)
        documents.append(Document(f"d{n}", text, mentions=(mention,)))
    return documents


@cache
def linker(setting: str) -> Linker:
    config = LinkerConfig(n_candidates=1 if setting == "one candidate" else 20)
    if setting == "rules":
        config = LinkerConfig(finding=FindingConfig(scoring="rules"))
    built = Linker.build(KnowledgeBase.from_records(RECORDS), config=config, n_threads=1)
    if setting == "corrected":
        told = [Correction(TEXT, 0, 5, "wrong", f"Paris{n}") for n in range(30)]
        return built.corrected_by(Corrections().merged([*told, Correction(TEXT, 10, 14, "gold", "Troy1")]).corrections)
    if setting == "reranked":
        return built.with_reranking(Reranking(Contrarian(0.6))).calibrate(annotated(), rerank=True)
    return built if setting == "raw" else built.calibrate(annotated())


@cache
def saved(setting: str) -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory()
    linker(setting).with_reranking(None).save(Path(folder.name) / "model")
    return folder


def at_the_console(setting: str, documents: list[Document], top_k: int | None, is_filtered: bool) -> list[Document]:
    loaded = load_linker(f"{saved(setting).name}/model", Session(is_quiet=True, threads=1), top_k)
    loaded.reranking = linker(setting).reranking
    only = EntityFilter(types=("river",) if is_filtered else ())
    return link_only(loaded, documents, only, setting == "reranked")


def over_http(setting: str, documents: list[Document], top_k: int | None, is_filtered: bool) -> list[Document]:
    served = Served(Opened(Path(), "linker", linker(setting)), linker(setting))
    types = ("river",) if is_filtered else None
    return _linked(served, documents, LinkChoices(types=types, top_k=top_k, rerank=setting == "reranked"))


def decisions(documents: list[Document]) -> list[tuple[object, ...]]:
    return [
        (number, mention.start, mention.end, mention.entity, mention.is_nil, mention.score)
        for number, document in enumerate(documents)
        for mention in document.mentions
    ]


@st.composite
def texts(draw):
    """A few names by a few words; their mentions are given, or to be found."""
    document = Document(
        "d", TEXT if draw(st.booleans()) else sentence(draw(st.sampled_from(NAMES)), draw(st.sampled_from(WORDS)))
    )
    if draw(st.booleans()):
        return document
    spans = [(document.text.find(name), name) for name in NAMES if name in document.text]
    return document.with_mentions([Mention(start, start + len(name), name) for start, name in sorted(spans)])


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("door", [at_the_console, over_http])
@settings(max_examples=12, deadline=None)
@given(documents=st.lists(texts(), min_size=1, max_size=3), top_k=st.integers(1, 50), is_filtered=st.booleans())
def test_however_many_candidates_are_shown_the_links_are_the_same(door, setting, documents, top_k, is_filtered):
    plain = door(setting, documents, None, is_filtered)
    shown = door(setting, documents, top_k, is_filtered)
    assert decisions(shown) == decisions(plain)
    for before, after in zip(plain, shown, strict=True):
        for own, other in zip(before.mentions, after.mentions, strict=True):
            assert len(other.candidates) <= top_k
            n_both = min(len(own.candidates), top_k)
            assert other.candidates[:n_both] == own.candidates[:n_both]
            scores = [candidate.score for candidate in other.candidates]
            assert scores == sorted(scores, reverse=True)
            assert len({candidate.id for candidate in other.candidates}) == len(scores)


def test_more_candidates_than_the_model_keeps_are_shown_if_there_are_more():
    document = Document("d", TEXT, mentions=(Mention(0, 5, "Paris"),))
    (mention,) = over_http("calibrated", [document], 40, False)[0].mentions
    assert len(mention.candidates) == 40 and all(candidate.title for candidate in mention.candidates)


def test_one_candidate_shown_of_the_calibrated_demo_is_as_precise_as_twenty(tmp_path):
    gold = list(read_documents(demo_sentences_path()))
    Linker.build(read_demo(), n_threads=1).calibrate(gold, NilRule(target_precision=0.9)).save(tmp_path / "model")
    bare = [each.with_mentions([Mention(m.start, m.end, m.text) for m in each.mentions]) for each in gold]
    one, twenty = (
        load_linker(str(tmp_path / "model"), Session(is_quiet=True, threads=1), top_k).link(bare) for top_k in (1, None)
    )
    assert decisions(one) == decisions(twenty)
