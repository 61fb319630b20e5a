"""The settings of the spaCy component: its own, and every field of LinkOptions; and links as the linker makes them."""

import functools
import inspect
import warnings
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import get_type_hints

import numpy as np
import pytest

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")

from deixis.decision.decision import Decision  # noqa: E402
from deixis.documents.reading import read_documents  # noqa: E402
from deixis.errors import ConfigError  # noqa: E402
from deixis.integrations.spacy.component import make_component  # noqa: E402
from deixis.integrations.spacy.config import ComponentConfig, default_settings  # noqa: E402
from deixis.kb.demo import demo_sentences_path, read_demo  # noqa: E402
from deixis.linker import Linker  # noqa: E402
from deixis.linking.config import LinkerConfig  # noqa: E402
from deixis.linking.model import Reader, TrainedReranker  # noqa: E402
from deixis.linking.options import LinkOptions  # noqa: E402
from deixis.neural.reader.spans import Reading  # noqa: E402
from tests.golden.stand_ins import ChecksumReader, ChecksumReranker  # noqa: E402

OWN = ["model", "spans", "alignment", "spans_key", "label", "nil_id", "n_threads"]
OPTIONS = [each.name for each in fields(LinkOptions) if each.name != "overlaps"]
TEXTS = [
    "Paris carried Helen off from Sparta , and Basaltville never forgave Troy .",
    "Michael Jordan of the Chicago Bulls flew to Amman , the capital of Jordan ; the New York Times wrote .",
    "Jaguar built a car in Coventry , and jaguars swim in the Amazon . Mercury is closest to the Sun .",
    "In Paris fließt die Seine , und der Jaguar ist eine Raubkatze .",
    "",
]


def test_the_settings_are_the_components_own_and_the_fields_of_the_options():
    assert list(default_settings()) == OWN + OPTIONS
    assert list(inspect.signature(make_component).parameters) == ["nlp", "name", *OWN, *OPTIONS, "subset"]


def test_each_setting_has_the_type_that_its_field_has():
    types = {each.name: each.annotation for each in inspect.signature(make_component).parameters.values()}
    hints = get_type_hints(LinkOptions)
    lists = {name for name in OPTIONS if hints[name] == tuple[str, ...]}
    assert lists == {"types", "ids", "languages"} and {types[name] for name in lists} == {list[str] | None}
    assert types["type_thresholds"] == dict[str, float] | None
    others = [name for name in OPTIONS if name not in {*lists, "type_thresholds"}]
    assert {name: types[name] for name in others} == {name: hints[name] for name in others}


def test_the_defaults_are_those_of_the_records():
    assert ComponentConfig.from_settings(default_settings()) == ComponentConfig()
    assert ComponentConfig().options == LinkOptions()


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": "half"}, {"types": "city"}, {"ids": [1]}, {"vectors": "names"}, {"rerank": "often"},
        {"top_k": "all"}, {"reader": "yes"}, {"overlaps": "keep"}, {"treshold": 0.5},
    ],
    ids=lambda wrong: next(iter(wrong)),
)  # fmt: skip
def test_spacy_refuses_options_of_another_type_or_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        spacy.blank("en").add_pipe("deixis", config=wrong)


@pytest.mark.parametrize("wrong", [{"threshold": 2.0}, {"top_k": 0}, {"threshold": 0.5, "target_precision": 0.9}])
def test_options_that_cannot_be_are_refused_at_once(wrong):
    with pytest.raises(ConfigError, match=r"threshold must lie in 0\.\.1|at least 1|not both"):
        spacy.blank("en").add_pipe("deixis", config=wrong)


def test_the_old_name_of_ids_is_accepted_with_a_warning():
    with pytest.warns(FutureWarning, match="'subset' is called 'ids' now"):
        pipe = spacy.blank("en").add_pipe("deixis", config={"subset": ["Q90"]})
    assert pipe.config.options == LinkOptions(ids=("Q90",))
    with pytest.raises(ConfigError, match="both were given"):
        spacy.blank("en").add_pipe("deixis", config={"subset": ["Q90"], "ids": ["Q90"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a stored pipeline has the name of a setting that nobody made
        assert spacy.blank("en").add_pipe("deixis", config={"subset": None}).config == ComponentConfig()


@functools.cache
def capable_linker():
    """A calibrated linker to the demo's entities that has vectors, a re-ranker and a reader."""
    kb, documents = read_demo(), list(read_documents(demo_sentences_path()))
    config = LinkerConfig(held_out_share=0.0)
    config = replace(config, candidates=config.candidates.with_encoder("chars"))
    built = Linker.build(kb, documents[::2], config, n_threads=1)
    model = built.calibrate(documents[1::2], all_mentions_annotated=True).model
    stored = SimpleNamespace(opened=ChecksumReader([kb.titles[row] for row in range(len(kb))], Reading))
    decisions = replace(
        model.decisions, reranked=Decision(threshold=0.3), read=Decision(None, 0.4, model.decisions.given.curve)
    )
    reader = Reader(stored, np.array([1.0, -0.5, 0.8, 0.7, -0.4, 1.0]))
    return Linker(replace(model, reranker=TrainedReranker(ChecksumReranker()), reader=reader, decisions=decisions))


CHANGES = [
    {},
    {"threshold": 0.0},
    {"threshold": 0.5},
    {"target_precision": 0.5},
    {"type_thresholds": {"city": 0.9, "river": 0.0}},
    {"names": "every"},
    {"names": "sure"},
    {"types": ["city", "person", "river"]},
    {"ids": ["paris_city", "troy_ancient", "jordan_country", "jaguar_animal", "amazon_river"]},
    {"languages": ["de"]},
    {"vectors": "descriptions"},
    {"vectors": "contexts"},
    {"top_k": 1},
    {"top_k": 40},
]


@pytest.mark.parametrize("changes", CHANGES, ids=str)
@pytest.mark.parametrize("rerank", [False, True], ids=["plain", "rerank"])
@pytest.mark.parametrize("reader", [False, None], ids=["no reader", "reader"])
def test_links_are_those_that_the_linker_makes_with_the_same_options(changes, rerank, reader):
    if rerank and "target_precision" in changes:
        pytest.skip("the stand-in for a re-ranker was never calibrated")
    settings = {**changes, "rerank": rerank, "reader": reader}
    linker, nlp = capable_linker(), spacy.blank("xx")
    nlp.add_pipe("deixis", config=settings).linker = linker
    n_mentions = 0
    for doc, text in zip(nlp.pipe(TEXTS), TEXTS, strict=True):
        alone, kept = (linker.link(text, **settings, overlaps=overlaps).mentions for overlaps in ("drop", "keep"))
        assert links(doc.ents) == expected(alone)
        assert links(doc.spans["deixis"]) == expected(kept)
        for ent, mention in zip(doc.ents, alone, strict=True):
            scores = {each.id: pytest.approx(each.score, rel=1e-6) for each in mention.candidates}
            assert dict(ent._.kb_ents) == scores
        n_mentions += len(alone)
    assert n_mentions


def links(spans):
    return [(each.start_char, each.end_char, each.kb_id_) for each in spans]


def expected(mentions):
    return [(each.start, each.end, each.entity or "NIL") for each in mentions]


def test_the_grid_has_every_option():
    assert {name for changes in CHANGES for name in changes} | {"rerank", "reader"} == set(OPTIONS)
