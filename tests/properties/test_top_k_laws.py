"""How many candidates are shown changes no link, whatever else is asked for."""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.detection.config import FindingConfig
from deixis.documents.corrections import Correction
from deixis.documents.reading import read_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.types import Document, Mention
from tests.golden.stand_ins import ChecksumReranker
from tests.linkers import Contrarian, with_reranker

WORDS = ("river", "harbour", "prince", "song", "comet", "abbey", "ferry", "mill")
RECORDS = [
    {"id": f"{name}{n}", "title": name, "description": f"{WORDS[n % 8]} of {WORDS[n % 7]} {n}", "types": [WORDS[n % 3]]}
    for name, n_namesakes in (("Paris", 35), ("Troy", 3), ("New Troy", 2), ("Parry", 20), ("Rome", 1))
    for n in range(n_namesakes)
]
NAMES = ("Paris", "New Troy", "Parry", "Rome", "Pariss", "the ferry", "Nowhere")
TEXT = "Paris and New Troy, Parry or Rome."
SETTINGS = ("plain", "calibrated", "every name", "calibrated, every name", "corrected", "one candidate, calibrated")


def sentence(name: str, word: str) -> str:
    return f"They saw {name} by the {word}."


def annotated() -> list[Document]:
    documents = []
    for n in range(60):
        record = RECORDS[n % len(RECORDS)]
        name, entity = (record["title"], record["id"]) if n % 4 else ("Nowhere", None)
        mention = Mention(9, 9 + len(name), name, entity, is_nil=entity is None)
        documents.append(Document(f"d{n}", sentence(name, WORDS[n % 8]), mentions=(mention,)))
    return documents


@cache
def linker(setting: str, reranker: type) -> Linker:
    config = LinkerConfig(n_candidates=1 if "one candidate" in setting else 20)
    if "every name" in setting:
        config = replace(config, finding=FindingConfig(names="every"))
    built = with_reranker(Linker.build(KnowledgeBase.from_records(RECORDS), config=config, n_threads=1), reranker())
    if "calibrated" in setting:
        built = built.calibrate(annotated(), all_mentions_annotated=True).calibrate(annotated(), rerank=True)
    if setting == "corrected":
        wrong = [Correction(TEXT, 0, 5, "wrong", f"Paris{n}") for n in range(30)]
        built = built.correct([*wrong, Correction(TEXT, 10, 18, "gold", "Troy1")])
    return built


def decisions(documents: list[Document]) -> list[tuple[object, ...]]:
    return [
        (number, mention.start, mention.end, mention.entity, mention.is_nil, mention.score)
        for number, document in enumerate(documents)
        for mention in document.mentions
    ]


@st.composite
def texts(draw):
    """A few names by a few words; their mentions are given, or to be detected."""
    names, words = st.sampled_from(NAMES), st.sampled_from(WORDS)
    document = Document("d", TEXT if draw(st.booleans()) else sentence(draw(names), draw(words)))
    if draw(st.booleans()):
        return document
    spans = [(document.text.find(name), name) for name in NAMES if name in document.text]
    return document.with_mentions([Mention(start, start + len(name), name) for start, name in sorted(spans)])


OPTIONS = st.fixed_dictionaries(
    {
        "types": st.sampled_from([(), "river"]),
        "overlaps": st.sampled_from(["drop", "keep"]),
        "threshold": st.sampled_from([None, 0.0, 0.3]),
        "rerank": st.booleans(),
    }
)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("reranker", [Contrarian, ChecksumReranker])
@settings(max_examples=12, deadline=None)
@given(documents=st.lists(texts(), min_size=1, max_size=3), top_k=st.integers(1, 50), options=OPTIONS)
def test_however_many_candidates_are_shown_the_links_are_the_same(setting, reranker, documents, top_k, options):
    asked = linker(setting, reranker)
    plain, shown = (list(asked.link_many(documents, top_k=k, **options)) for k in (None, top_k))
    assert decisions(shown) == decisions(plain)
    for before, after in zip(plain, shown, strict=True):
        for own, other in zip(before.mentions, after.mentions, strict=True):
            assert len(other.candidates) <= top_k
            n_both = min(len(own.candidates), top_k)
            assert other.candidates[:n_both] == own.candidates[:n_both]
            assert len({candidate.id for candidate in other.candidates}) == len(other.candidates)
            scores = [candidate.score for candidate in other.candidates]
            assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("setting", ["plain", "calibrated"])
@pytest.mark.parametrize("rerank", [False, True])
def test_more_candidates_than_the_model_keeps_are_shown_if_there_are_more(setting, rerank):
    document = Document("d", TEXT, mentions=(Mention(0, 5, "Paris"),))
    (mention,) = linker(setting, ChecksumReranker).link(document, top_k=40, rerank=rerank).mentions
    assert len(mention.candidates) == 40 and all(candidate.title for candidate in mention.candidates)


def test_one_candidate_shown_of_the_calibrated_demo_is_as_precise_as_twenty():
    gold = list(read_documents(demo_sentences_path()))
    calibrated = Linker.build(read_demo(), n_threads=1).calibrate(gold, target_precision=0.9)
    bare = [each.with_mentions([Mention(m.start, m.end, m.text) for m in each.mentions]) for each in gold]
    one, twenty, fifty = (list(calibrated.link_many(bare, top_k=k)) for k in (1, None, 50))
    assert decisions(one) == decisions(twenty) == decisions(fifty)
