from pathlib import Path

import pytest

from deixis.errors import DataError
from deixis.kb.formats.wordnet import PARTS, parse_synset
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.records import BadRecord

LICENCE = "  1 This software and database is being provided to you, the LICENSEE,  \n"
LINE = (
    "00006885 00 s 03 assimilating 0 assimilative(p) 0 take_in 0 003 & 00006336 a 0000 + 01540060 v 0301 "
    '| capable of taking (gas, light) into a solution; "an assimilative substance"; "roots taking in water"  \n'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A WordNet of one adjective."""
    for name in PARTS.values():
        (tmp_path / name).write_text(LICENCE + (LINE if name == "data.adj" else ""), encoding="utf-8")
    return tmp_path


def test_a_synset_is_an_entity_with_title_aliases_gloss_and_part_of_speech():
    record = parse_synset("a", LINE).record()
    assert record["id"] == "a00006885"
    assert record["title"] == "assimilating"
    assert record["aliases"] == ["assimilative", "take in"]
    assert record["description"].endswith('"roots taking in water"')
    assert record["types"] == ["adjective"]


def test_usage_examples_are_cut_out_of_the_definition():
    synset = parse_synset("a", LINE)
    assert synset.definition == "capable of taking (gas, light) into a solution"
    assert synset.examples == ("an assimilative substance", "roots taking in water")
    assert synset.record(synset.definition)["description"] == synset.definition


def test_an_example_whose_closing_quote_is_missing_is_still_cut_out():
    synset = parse_synset("a", LINE[: LINE.index('"; "roots')] + "\n")
    assert synset.examples == ("an assimilative substance",)
    assert "substance" not in synset.definition


def test_a_line_that_is_no_synset_is_told_so():
    with pytest.raises(BadRecord, match="not a synset of WordNet: 'hello'"):
        parse_synset("n", "hello")


def test_the_folder_is_read_as_a_knowledge_base_without_naming_its_format(folder):
    kb, report = KnowledgeBase.read_with_report(folder)
    assert [entity.id for entity in kb.entities()] == ["a00006885"]
    assert ": wordnet, id -> id" in str(report.lists[0])


def test_a_bad_line_names_its_file_and_can_be_skipped(folder):
    (folder / "data.verb").write_text(LICENCE + "gibberish\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2: in data.verb: not a synset"):
        KnowledgeBase.read(folder)
    _, report = KnowledgeBase.read_with_report(folder, skip_bad=True)
    assert (report.n_entities, report.n_skipped) == (1, 1)


def test_another_folder_is_refused_with_what_would_do(tmp_path):
    with pytest.raises(DataError, match="is a folder; give a file, or a folder of WordNet or of UMLS"):
        KnowledgeBase.read(tmp_path)
    with pytest.raises(DataError, match="is a folder; give a file, or a folder with WordNet's data.noun"):
        KnowledgeBase.read(tmp_path, format="wordnet")
    with pytest.raises(DataError, match="is no folder"):
        KnowledgeBase.read(tmp_path / "none", format="wordnet")
