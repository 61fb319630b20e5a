"""How many candidates are shown, and how, changes no link: not in the library, not at the console."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.cli.main import main
from deixis.documents.corrections import Correction
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.types import Document, Mention
from tests.linkers import Contrarian, with_reranker

WORDS = ("river", "harbour", "prince", "song", "comet", "abbey", "ferry", "mill")
RECORDS = [
    {"id": f"{name}{n}", "title": name, "description": f"{WORDS[n % 8]} of {WORDS[n % 7]} {n}", "types": [WORDS[n % 3]]}
    for name, n_namesakes in (("Paris", 35), ("Troy", 3), ("Parry", 20), ("Rome", 1))
    for n in range(n_namesakes)
]
NAMES = ("Paris", "Troy", "Parry", "Rome", "Pariss", "the ferry", "Nowhere")
SETTINGS = ("raw", "calibrated", "reranked", "corrected", "one candidate")
TEXT = "Paris and Troy, Parry or Rome."
NUMBERED, NOT_LINKED = (
    re.compile(r"\d+ \S"),
    "not linked",
)  # what --pretty says of a mention, with few or many candidates


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
    built = Linker.build(KnowledgeBase.from_records(RECORDS), config=config, n_threads=1)
    if setting == "corrected":
        wrong = [Correction(TEXT, 0, 5, "wrong", f"Paris{n}") for n in range(30)]
        return built.correct([*wrong, Correction(TEXT, 10, 14, "gold", "Troy1")])
    if setting == "reranked":
        return with_reranker(built, Contrarian(0.6)).calibrate(annotated(), rerank=True)
    return built if setting == "raw" else built.calibrate(annotated())


def in_the_library(setting: str, documents: list[Document], top_k: int | None, is_filtered: bool) -> list[Document]:
    types = ("river",) if is_filtered else ()
    options = {"types": types, "top_k": top_k, "rerank": setting == "reranked"}
    return list(linker(setting).link_many(documents, **options))


def at_the_console(setting: str, documents: list[Document], top_k: int | None, is_filtered: bool) -> list[Document]:
    typed = ["--type", "river"] if is_filtered else []
    typed += [] if top_k is None else ["--top-k", str(top_k)]
    typed += ["--rerank"] if setting == "reranked" else []
    with linked_file(linker(setting), documents, *typed) as path:
        return list(read_documents(path, "native"))


@contextmanager
def linked_file(model: Linker, documents: list[Document], *typed: str) -> Iterator[Path]:
    """What `deixis link` writes of these documents with a model that is not loaded from its folder."""
    with tempfile.TemporaryDirectory() as name, patch.object(Linker, "load", return_value=model):
        folder = Path(name)
        with open(folder / "texts.jsonl", "w", encoding="utf-8") as stream:
            numbered = [Document(f"d{n}", each.text, mentions=each.mentions) for n, each in enumerate(documents)]
            write_documents(numbered, stream)
        command = ["link", "model", str(folder / "texts.jsonl"), "-o", str(folder / "linked"), "--quiet", *typed]
        assert main(command) == 0
        yield folder / "linked"


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
@pytest.mark.parametrize("door", [in_the_library, at_the_console])
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
    (mention,) = at_the_console("calibrated", [document], 40, False)[0].mentions
    assert len(mention.candidates) == 40 and all(candidate.title for candidate in mention.candidates)


@cache
def demo(is_calibrated: bool) -> Linker:
    built = Linker.build(read_demo(), n_threads=1)
    return built.calibrate(read_documents(demo_sentences_path()), target_precision=0.9) if is_calibrated else built


def sentences(is_raw: bool) -> list[Document]:
    gold = read_documents(demo_sentences_path())
    spans = [[] if is_raw else [Mention(m.start, m.end, m.text) for m in each.mentions] for each in gold]
    return [each.with_mentions(own) for each, own in zip(read_documents(demo_sentences_path()), spans, strict=True)]


@pytest.mark.parametrize("is_raw", [True, False], ids=["raw", "given"])
@pytest.mark.parametrize("is_calibrated", [True, False], ids=["calibrated", "not calibrated"])
def test_one_candidate_shown_of_the_demo_is_as_precise_as_fifty(is_calibrated, is_raw):
    texts = sentences(is_raw)
    usual = decisions(list(demo(is_calibrated).link_many(texts)))
    assert len(usual) > 200
    for top_k in (1, 2, 5, 50):
        assert decisions(list(demo(is_calibrated).link_many(texts, top_k=top_k))) == usual


@pytest.mark.parametrize("is_raw", [True, False], ids=["raw", "given"])
@pytest.mark.parametrize("is_calibrated", [True, False], ids=["calibrated", "not calibrated"])
def test_the_form_of_the_output_changes_no_link(is_calibrated, is_raw):
    model, texts = demo(is_calibrated), sentences(is_raw)[::5]
    with linked_file(model, texts) as path:
        usual = decisions(list(read_documents(path, "native")))
    assert [each[:5] for each in usual] == [each[:5] for each in decisions(list(model.link_many(texts)))]
    pretty = []
    for top_k in ("50", "5", "2", "1"):
        with linked_file(model, texts, "--json", "--top-k", top_k) as path:
            assert decisions(list(read_documents(path, "native"))) == usual
        with linked_file(model, texts, "--to", "bioc-json", "--top-k", top_k) as path:
            assert spans_and_entities(read_documents(path, "bioc-json")) == [each[1:4] for each in usual]
        with linked_file(model, texts, "--pretty", "--top-k", top_k) as path:
            lines = [" ".join(line.split()) for line in path.read_text(encoding="utf-8").splitlines()]
            pretty.append([line for line in lines if NUMBERED.match(line) or NOT_LINKED in line])
    assert len(pretty[0]) >= len(usual) and all(each == pretty[0] for each in pretty)


def spans_and_entities(documents: Iterator[Document]) -> list[tuple[int, int, str | None]]:
    return [(each.start, each.end, each.entity) for document in documents for each in document.mentions]
