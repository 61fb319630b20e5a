"""`deixis link` with an option gives what `Linker.link` gives with the field of that name; no field is left out."""

import itertools
from dataclasses import fields
from types import SimpleNamespace
from unittest.mock import patch

import click
import numpy as np
import pytest

from deixis.batch import line_shards, linking, run
from deixis.cli.commands.evaluate import evaluate
from deixis.cli.commands.explain import explain
from deixis.cli.commands.link import link
from deixis.cli.link_options import flag_of, given_flags
from deixis.cli.main import main
from deixis.decision.decision import Decision
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.model import Reader
from deixis.linking.options import LinkOptions
from deixis.neural.reader.spans import Reading
from deixis.types import Document, Mention
from tests.golden.stand_ins import ChecksumReader, ChecksumReranker
from tests.linkers import with_decisions, with_parts, with_reranker
from tests.unit.batch.here import Here

VALUES = {
    "types": (("river", "city"),),
    "ids": (("paris_city", "amazon_river", "jordan_country"),),
    "languages": (("de",),),
    "threshold": (0.0, 0.6),
    "type_thresholds": ({"city": 0.9, "river": 0.0},),
    "names": ("every", "sure"),
    "target_precision": (0.8,),
    "top_k": (1, 30),
    "overlaps": ("keep",),
    "rerank": (True,),
    "reader": (True, False),
    "vectors": ("descriptions",),
}
"""Values of each field that are not the default; a field without one fails the first test."""
SINGLE = [{name: value} for name, values in VALUES.items() for value in values]
PAIRS = [
    {one: VALUES[one][-1], other: VALUES[other][-1]}
    for one, other in itertools.combinations(VALUES, 2)
    if {one, other} != {"threshold", "target_precision"}
]


@pytest.fixture(scope="module")
def linker() -> Linker:
    """A calibrated linker to the demo's entities with vectors, a re-ranker and a reader."""
    kb, gold = read_demo(), list(read_documents(demo_sentences_path()))
    config = LinkerConfig()
    config = LinkerConfig(candidates=config.candidates.with_encoder("chars"))
    built = with_reranker(Linker.build(kb, config=config, n_threads=1), ChecksumReranker(), Decision(threshold=0.3))
    built = built.calibrate(gold, all_mentions_annotated=True).calibrate(gold, rerank=True)
    opened = ChecksumReader([kb.titles[row] for row in range(len(kb))], Reading)
    reader = Reader(SimpleNamespace(opened=opened), np.array([1.0, -0.5, 0.8, 0.7, -0.4, 1.0]))
    read = Decision(None, 0.4, built.model.decisions.given.curve)
    return with_decisions(with_parts(built, reader=reader), read=read)


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    """Every other one with mentions, the others raw."""
    gold = list(read_documents(demo_sentences_path()))[:24]
    spans = [[Mention(m.start, m.end, m.text) for m in each.mentions] if n % 2 else [] for n, each in enumerate(gold)]
    return [each.with_mentions(own) for each, own in zip(gold, spans, strict=True)]


@pytest.fixture
def at_the_console(linker, tmp_path):
    """Documents as `deixis link` links them with options typed."""

    def link(documents: list[Document], *typed: str) -> list[Document]:
        with open(tmp_path / "texts.jsonl", "w", encoding="utf-8") as stream:
            write_documents(documents, stream)
        command = ["link", "model", str(tmp_path / "texts.jsonl"), "-o", str(tmp_path / "linked.jsonl"), "-q", *typed]
        with patch.object(Linker, "load", return_value=linker):
            assert main(command) == 0
        return list(read_documents(tmp_path / "linked.jsonl"))

    return link


@pytest.fixture
def in_shards(linker, tmp_path, monkeypatch):
    """Documents as processes link them, in this one: their outputs, one after the other."""
    monkeypatch.setattr(linking, "open_model", lambda *arguments: linker)
    monkeypatch.setattr(linking, "model_id", lambda linker: "stand-in")
    monkeypatch.setattr(line_shards, "MAX_LINES", 7)

    def link(documents: list[Document], values: dict) -> list[Document]:
        with open(tmp_path / "texts.jsonl", "w", encoding="utf-8") as stream:
            write_documents(documents, stream)
        run.link_files("model", [tmp_path / "texts.jsonl"], tmp_path / "links", LinkOptions(**values), runner=Here())
        outputs = sorted((tmp_path / "links").glob("*.jsonl"))
        assert len(outputs) == 4
        return [each for path in outputs for each in read_documents(path)]

    return link


def typed(values, folder):
    """The options as somebody types them."""
    words = []
    for name, value in values.items():
        if name == "ids":
            (folder / "ids.txt").write_text("\n".join(value), encoding="utf-8")
            words += [flag_of(name), str(folder / "ids.txt")]
        elif isinstance(value, dict):
            words += [word for each in value.items() for word in (flag_of(name), "{}={}".format(*each))]
        elif isinstance(value, tuple):
            words += [word for each in value for word in (flag_of(name), each)]
        elif isinstance(value, bool):
            words.append(flag_of(name) if value else f"--no-{name}")
        else:
            words += [flag_of(name), str(value)]
    return words


def written(documents, folder):
    """The documents as a file keeps them."""
    with open(folder / "expected.jsonl", "w", encoding="utf-8") as stream:
        write_documents(documents, stream)
    return list(read_documents(folder / "expected.jsonl"))


def test_every_field_has_an_option_and_a_value_to_try():
    names = [field.name for field in fields(LinkOptions)]
    assert list(VALUES) == names
    assert {flag_of(name) for name in names} <= visible_flags(link)
    assert {flag_of(name) for name in names} - visible_flags(explain) == {"--top-k"}
    assert {flag_of(name) for name in names} - visible_flags(evaluate) == {"--top-k", "--overlaps"}


def visible_flags(command: click.Command) -> set[str]:
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    return {flag for each in options for flag in each.opts}


@pytest.mark.parametrize("values", [{}, *SINGLE], ids=str)
def test_the_console_gives_what_the_library_gives(linker, documents, at_the_console, tmp_path, values):
    expected = written([linker.link(each, LinkOptions(**values)) for each in documents], tmp_path)
    assert at_the_console(documents, *typed(values, tmp_path)) == expected


@pytest.mark.parametrize("values", [{}, *SINGLE], ids=str)
def test_shards_give_what_the_library_gives(linker, documents, in_shards, tmp_path, values):
    expected = written([linker.link(each, LinkOptions(**values)) for each in documents], tmp_path)
    assert in_shards(documents, values) == expected


@pytest.mark.slow
@pytest.mark.parametrize("values", PAIRS, ids=str)
def test_two_options_together_give_what_the_library_gives(linker, documents, at_the_console, tmp_path, values):
    few = documents[:12]  # half of them raw
    expected = written([linker.link(each, LinkOptions(**values)) for each in few], tmp_path)
    assert at_the_console(few, *typed(values, tmp_path)) == expected


@pytest.mark.parametrize("values", SINGLE, ids=str)
def test_a_value_that_is_tried_is_not_the_default(values):
    assert given_flags(LinkOptions(**values)) == [flag_of(name) for name in values]


def test_values_that_contradict_or_are_out_of_range_are_wrong_usage(deixis_inside, model):
    both = ("link", model, "--threshold", 0.5, "--target-precision", 0.9)
    assert "not both" in deixis_inside(*both, code=2).stderr
    assert "0<=x<=1" in deixis_inside("link", model, "--threshold", 2, code=2).stderr
    assert "must lie in 0..1" in deixis_inside("link", model, "--target-precision", 0, code=2).stderr


@pytest.mark.parametrize("command", ["link", "explain", "eval"])
@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["--rerank"], "has no re-ranker, so it cannot rerank"),
        (["--rerank"], "deixis fit reranker {model} --mentions train.jsonl"),
        (["--reader"], "deixis fit reader {model} --mentions train.jsonl"),
        (["--target-precision", 0.9], "deixis calibrate {model} ANNOTATED"),
        (["--vectors", "both"], "has no vectors"),
    ],
    ids=str,
)
def test_what_a_model_cannot_do_is_told_with_its_name_and_the_command_that_helps(
    deixis_inside, model, command, option, words
):
    message = deixis_inside(command, model, "gold.jsonl", *option, code=1).stderr
    assert words.format(model=model) in message and f"model {model} " in message
