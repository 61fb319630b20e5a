"""The ladder of name matching: each rung finds what the one below it misses."""

import pytest

from benchmarks.suites.data import with_language
from benchmarks.systems import SYSTEMS
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import MentionInContext

KB = KnowledgeBase.from_records(
    [
        {"id": "city", "title": "Städte", "aliases": ["Stadtgebiet"]},
        {"id": "lodz", "title": "Łódź"},
        {"id": "moscow", "title": "Moskva"},
        {"id": "istanbul", "title": "İstanbul"},
    ]
)


def found(system, text, lang=None, kb=KB):
    asked = [MentionInContext(text, text, 0, len(text), lang)]
    return [candidate.id for candidate in SYSTEMS[system].build(kb).generate(asked, 10)[0]]


def test_only_the_cased_table_minds_case():
    assert found("cased", "Städte") == ["city"]
    assert found("cased", "STÄDTE") == []
    assert found("uncased", "STÄDTE") == ["city"]


def test_turkish_capitals_meet_their_small_letters():
    assert found("uncased", "istanbul", "tr") == found("uncased", "ISTANBUL") == ["istanbul"]


def test_lemmas_meet_by_the_languages_of_mention_and_name():
    pytest.importorskip("simplemma")
    assert found("uncased", "Städten", "de") == []
    assert found("lemma", "Städten", "de", with_language(KB, "de")) == ["city"]
    assert found("lemma", "İstanbul'da", "tr") == ["istanbul"]


def test_the_loose_table_reads_other_scripts_and_forgets_marks():
    pytest.importorskip("anyascii")
    assert found("loose", "Lodz") == ["lodz"]
    assert found("loose", "Москва") == ["moscow"]
    assert found("loose", "Moskve") == []


def test_similar_spellings_are_found_and_with_latin_letters_in_any_script():
    pytest.importorskip("anyascii")
    assert found("string", "Moskve") == ["moscow"]
    assert found("string", "Москве") == []
    assert found("loose-string", "Москве") == ["moscow"]


def test_embedded_names_are_found_by_any_name_and_labels_by_the_title_alone():
    assert found("embedded", "Stadtgebiete")[0] == "city"
    assert found("labels", "Moskvas")[0] == "moscow"
    assert SYSTEMS["labels"].settings()["titles_only"]
    assert len(SYSTEMS["embedded"].build(KB).index) == len(SYSTEMS["labels"].build(KB).index) + 1


def test_settings_tell_how_names_are_compared():
    assert SYSTEMS["cased"].settings() == {"names": {}}
    assert SYSTEMS["uncased"].settings() == {"names": {"ignores_case": True}}
