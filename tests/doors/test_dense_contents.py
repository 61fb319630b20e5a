"""What vectors of mentions are held against is chosen when a model is used."""

import json
from dataclasses import replace

import pytest

from deixis.documents.reading import read_documents
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig

KB = """\
{"id": "city", "title": "Paris", "description": "capital of France on the Seine"}
{"id": "prince", "title": "Paris", "description": "prince of Troy who took Helen"}
{"id": "smoke", "title": "London", "description": "capital of England on the Thames"}
"""
TEXT = "Helen of Troy on the Seine"
TAUGHT = {"id": "t", "text": TEXT, "mentions": [{"start": 0, "end": 13, "entity": "smoke"}]}
ASKED = {"id": "a", "text": TEXT, "mentions": [{"start": 0, "end": 13}]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Models that have vectors: of descriptions and contexts, of descriptions only, and none; made once."""
    folder = tmp_path_factory.mktemp("contents")
    for name, lines in (("kb", KB), ("taught", json.dumps(TAUGHT)), ("asked", json.dumps(ASKED))):
        (folder / f"{name}.jsonl").write_text(f"{lines}\n", encoding="utf-8")
    kb, taught = KnowledgeBase.read(folder / "kb.jsonl"), list(read_documents(folder / "taught.jsonl"))
    plain = LinkerConfig(held_out_share=0.0)
    dense = replace(plain, candidates=plain.candidates.with_encoder("chars"))
    for name, documents, config in (("both", taught, dense), ("described", None, dense), ("plain", None, plain)):
        Linker.build(kb, documents, config, n_threads=1).save(folder / name)
    return folder


@pytest.fixture
def desk(deixis_inside, folder, monkeypatch):
    monkeypatch.chdir(folder)
    return deixis_inside


def score(desk, *options):
    linked = json.loads(desk("link", "both", "asked.jsonl", "--threshold", 0, *options).stdout)
    return {each["id"]: each["score"] for each in linked["mentions"][0]["candidates"]}


def test_contents_are_chosen_when_linking_and_the_model_stays_as_it_is(desk, folder):
    before = (folder / "both" / "manifest.json").read_bytes()
    usual, both = score(desk), score(desk, "--vectors", "both")
    contexts, descriptions = (score(desk, "--vectors", each) for each in ("contexts", "descriptions"))
    assert usual == both and contexts["smoke"] > descriptions["smoke"]
    assert (folder / "both" / "manifest.json").read_bytes() == before


def test_the_old_name_of_the_option_still_works(desk):
    assert score(desk, "--dense-contents", "descriptions") == score(desk, "--vectors", "descriptions")
    both = ("link", "both", "asked.jsonl", "--dense-contents", "both", "--vectors", "both")
    assert "--dense-contents is the old name of --vectors" in desk(*both, code=2).stderr


def test_contents_are_chosen_when_measuring_and_noted_beside_the_figures(desk):
    command = ("eval", "both", "taught.jsonl", "--vectors", "descriptions", "--compare", "both", "--json")
    rows = [json.loads(line) for line in desk(*command).stdout.splitlines()]
    noted = {row["settings"]["candidates"]["vectors"]["contents"] for row in rows if row["system"] == "deixis"}
    assert noted == {"descriptions"}
    others = {row["system"] for row in rows} - {"deixis"}
    assert others and all(row["value"] is not None for row in rows)


def test_a_model_calibrated_for_contents_asks_those_from_then_on(desk, tmp_path):
    documents = [{**TAUGHT, "id": str(n), "text": f"{TEXT} {n}"} for n in range(30)]
    (tmp_path / "dev.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in documents), encoding="utf-8")
    desk("calibrate", "both", tmp_path / "dev.jsonl", "--vectors", "descriptions", "-o", tmp_path / "other")
    written, before = Linker.load(tmp_path / "other"), Linker.load("both")
    assert written.model.sources.get("vectors").config.contents == "descriptions"
    assert written.config.candidates["vectors"].contents == "descriptions"
    assert written.model.decisions.given.curve is not None
    assert before.model.sources.get("vectors").config.contents == "both"


def test_a_linker_keeps_the_vectors_of_its_options_when_it_is_saved(folder, tmp_path):
    Linker.load(folder / "both").with_options(vectors="descriptions").save(tmp_path / "other")
    assert Linker.load(tmp_path / "other").model.sources.get("vectors").config.contents == "descriptions"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["link", "plain", "asked.jsonl", "--vectors", "both"], 1, "has no vectors"),
        (["eval", "plain", "taught.jsonl", "--vectors", "contexts"], 1, "deixis build KB --encoder static"),
        (["calibrate", "plain", "taught.jsonl", "--vectors", "contexts"], 1, "has no vectors"),
        (["link", "described", "asked.jsonl", "--vectors", "contexts"], 1, "vectors of descriptions only"),
        (["link", "both", "asked.jsonl", "--vectors", "titles"], 2, "'descriptions', 'contexts', 'both'"),
        (["eval", "--predictions", "taught.jsonl", "taught.jsonl", "--vectors", "both"], 2, "are made"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_choice_that_a_model_does_not_have_is_refused(desk, arguments, code, words):
    assert words in desk(*arguments, code=code).stderr
