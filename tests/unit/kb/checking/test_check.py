"""What `kb check` finds, and where."""

import json

import pytest

from deixis.errors import DataError
from deixis.kb.checking.check import CheckConfig, check_file
from deixis.kb.checking.findings import KINDS, Example
from deixis.kb.knowledge_base import KnowledgeBase


def check(tmp_path, *lines, name="kb.jsonl", **config):
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    (tmp_path / name).write_bytes(b"\n".join(raw))
    return check_file(tmp_path / name, CheckConfig(**config))


def found(report):
    return {finding.kind: [example.line for example in finding.examples] for finding in report.findings}


def test_a_good_file_is_ok_and_counted(tmp_path):
    report = check(
        tmp_path,
        {"id": 1, "title": "Paris", "aliases": [{"text": "Parigi", "lang": "it"}, "Lutetia"], "types": ["city"]},
        b"",
        {"id": 2, "title": "Troy", "descriptions": {"en": "a city", "it": "una città"}, "count": 3, "colour": "red"},
        {"id": 3, "title": "Rome", "aliases": [{"text": "Roma", "lang": "it"}], "url": "u", "alt_ids": ["r"]},
        {"id": 4, "title": "Bonn"},
    )
    assert report.ok and report.findings == ()
    assert (report.n_lines, report.n_entities, report.n_aliases) == (4, 4, 3)
    assert report.coverage == {
        "aliases": 0.5,
        "description": 0.25,
        "types": 0.25,
        "count": 0.25,
        "url": 0.25,
        "alt_ids": 0.25,
    }
    assert report.languages == {"en": {"descriptions": 1}, "it": {"aliases": 2, "descriptions": 1}}
    assert report.understood.format == "jsonl" and report.understood.mapping.endswith("ignored: colour")


def test_everything_wrong_is_found_in_one_pass_with_its_line(tmp_path):
    report = check(
        tmp_path,
        {"id": "a", "title": "Alpha"},
        b"not json",
        {"id": "b", "title": ""},
        b'{"id": "c", "title": "\xff"}',
        {"id": "a", "title": "Again"},
        {"title": "no id"},
        {"id": "d", "title": "D", "aliases": 3},
        {"id": "e", "title": "Epsilon", "count": -1},
        {"id": "\ud800", "title": "Zeta"},
        {"id": "", "title": "Eta"},
        {"id": "f", "title": "CafÃ©", "aliases": ["", "R\ufffdme"], "description": "bell \x07", "type": "\ud801"},
        {"id": "g", "title": "x"},
    )
    assert not report.ok
    assert found(report) == {
        "bad_json": [2],
        "encoding": [4],
        "missing_field": [6],
        "wrong_type": [7],
        "bad_id": [9],
        "empty_id": [10],
        "duplicate_id": [5],
        "empty_title": [3],
        "bad_count": [8],
        "short_name": [12],
        "empty_alias": [11],
        "mojibake": [11],
        "replacement_character": [11],
        "lone_surrogate": [11],
        "control_character": [11],
    }
    by_kind = {finding.kind: finding for finding in report.findings}
    assert by_kind["duplicate_id"].examples[0].detail == "the id 'a' was used before, in line 1"
    assert {by_kind[kind].severity for kind in ("bad_json", "duplicate_id")} == {"error"}
    assert {by_kind[kind].severity for kind in ("mojibake", "short_name")} == {"warning"}
    assert all(finding.meaning for finding in report.findings)


def test_warnings_alone_leave_the_file_ok(tmp_path):
    report = check(tmp_path, {"id": "g", "title": "x"})
    assert report.ok and found(report) == {"short_name": [1]}


def test_a_name_of_very_many_entities_is_risky_whatever_its_case(tmp_path, monkeypatch):
    monkeypatch.setattr("deixis.kb.checking.check.RISKY_ALIAS_ENTITIES", 2)
    lines = [{"id": n, "title": f"Anna {n}", "aliases": ["ANNA", "anna", "Anna"]} for n in range(4)]
    lines += [{"id": f"b{n}", "title": f"Bert {n}", "aliases": ["Bert"]} for n in range(3)]
    report = check(tmp_path, *lines)
    finding = report.findings[0]
    assert [example.detail for example in finding.examples] == [
        "'anna' is a name of 4 entities",
        "'bert' is a name of 3 entities",
    ]
    assert [example.line for example in finding.examples] == [1, 5]
    monkeypatch.setattr("deixis.kb.checking.check.RISKY_ALIAS_ENTITIES", 4)
    assert found(check(tmp_path, *lines)) == {"undescribed_namesake": [1, 2, 3]}


def test_examples_are_few_but_the_count_is_whole(tmp_path):
    report = check(tmp_path, {"id": 1, "title": "ok"}, *[b"x"] * 40, max_examples=3)
    (finding,) = report.findings
    assert finding.count == 40 and [example.line for example in finding.examples] == [2, 3, 4]


def test_one_character_is_a_word_in_chinese_but_not_in_latin(tmp_path):
    report = check(tmp_path, {"id": 1, "title": "水"}, {"id": 2, "title": "é"}, {"id": 3, "title": "ab"})
    assert found(report) == {"short_name": [2]}


@pytest.mark.parametrize("text", ["CafÃ©", "donâ€™t", "ZÃ¼rich", "Ð\u009cосква", "Â©"])
def test_text_decoded_wrongly_is_noticed(tmp_path, text):
    assert "mojibake" in found(check(tmp_path, {"id": 1, "title": "ok", "description": text}))


@pytest.mark.parametrize("text", ["Café", "São Paulo", "ARRIVÉ…", "Ångström", "Москва", "Ελλάδα", "château “fort”"])
def test_good_text_is_not_suspected(tmp_path, text):
    assert check(tmp_path, {"id": 1, "title": text}).findings == ()


def test_a_repeated_id_counts_once_as_in_a_build_that_skips_it(tmp_path):
    lines = [
        {"id": "a", "title": "Troy", "aliases": ["Ilion"]},
        {"id": "b", "title": "Troy"},
        {"id": "a", "title": "Troy", "aliases": ["Ilios", "Ilium"], "url": "u"},
    ]
    report = check(tmp_path, *lines)
    assert (report.n_lines, report.n_entities, report.n_aliases) == (3, 2, 1)
    assert (report.coverage["aliases"], report.coverage["url"]) == (0.5, 0)
    assert found(report) == {"duplicate_id": [3], "undescribed_namesake": [1, 2]}
    kb, _ = KnowledgeBase.read_with_report(tmp_path / "kb.jsonl", skip_bad=True)
    assert len(kb) == report.n_entities


def test_names_that_cannot_be_found_are_told_as_written_and_not_twice(tmp_path):
    lines = [
        {"id": "1", "title": "C++", "aliases": ["c++", "cpp"]},
        {"id": "2", "title": "Go"},
        {"id": 3, "title": "R"},
    ]
    (tmp_path / "kb.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    report = check_file(tmp_path / "kb.jsonl", is_findable=lambda name: name not in ("c++", "r"))
    (finding,) = report.findings
    assert (finding.kind, finding.severity, finding.count) == ("unfindable_name", "warning", 2)
    assert finding.examples == (Example(1, "'1' has the name 'C++'"), Example(3, "'3' has the name 'R'"))
    assert "mentions you give are linked" in finding.advice and report.ok


def test_a_file_without_entities_is_not_ok(tmp_path):
    report = check(tmp_path, b"x")
    assert not report.ok and list(found(report)) == ["no_entities", "bad_json"]
    assert report.coverage["aliases"] == 0
    with pytest.raises(DataError, match="no entities"):
        check(tmp_path, b"", name="empty.jsonl")


def test_tables_are_checked_too(tmp_path):
    report = check(tmp_path, b"id,title,aliases", b"1,Paris,Lutetia|", b"2,Troy", b"1,Rome,", name="kb.csv")
    assert report.understood.format == "csv" and found(report) == {"bad_row": [3], "duplicate_id": [4]}


def test_the_report_is_plain_values(tmp_path):
    report = check(tmp_path, {"id": 1, "title": "x"}, b"?")
    again = json.loads(json.dumps(report.to_dict()))
    assert again["ok"] is False and again["n_entities"] == 1
    assert again["findings"][0]["kind"] == "bad_json" and again["findings"][0]["examples"][0]["line"] == 2


def test_every_kind_of_bad_record_has_a_meaning():
    assert all(severity in ("error", "warning") and meaning for severity, meaning in KINDS.values())


def advice(report):
    return {finding.kind: finding.advice for finding in report.findings}


def test_aliases_that_stayed_in_one_cell_are_noticed_with_the_option_that_splits_them(tmp_path):
    report = check(tmp_path, {"id": 1, "title": "infarction", "aliases": ["heart attack; MI"]})
    assert found(report) == {"several_names": [1]}
    assert '--alias-separator ";"' in advice(report)["several_names"]


def test_columns_that_look_useful_and_are_not_used_are_named_with_the_option_that_uses_them(tmp_path):
    lines = [b"id,title,Spellings of it,Seen", b"1,Paris,Lutetia|Paname,7", b"2,Troy,Ilion|Ilios,7"]
    report = check(tmp_path, *lines, name="kb.csv")
    assert 'kb.csv --columns "aliases=Spellings of it"' in advice(report)["unused_aliases"]
    assert '--columns "count=Seen"' in advice(report)["unused_count"]
    assert "'Lutetia|Paname'" in report.findings[0].examples[0].detail


def test_lists_of_numbers_are_not_advised_as_aliases(tmp_path):
    report = check(
        tmp_path, {"id": "1", "name": "Paris", "parents": ["2"]}, {"id": "2", "name": "France", "parents": []}
    )
    assert "unused_aliases" not in advice(report)


def test_entities_that_nobody_can_tell_apart_and_near_duplicates_are_told_with_both_lines(tmp_path):
    report = check(
        tmp_path,
        {"id": 1, "title": "Valve", "description": "a valve"},
        {"id": 2, "title": "valve", "description": "a valve"},
        {"id": 3, "title": "Saint-Étienne"},
        {"id": 4, "title": "Saint Etienne"},
    )
    assert found(report) == {"indistinguishable": [2], "near_duplicate": [2, 4]}
    assert report.findings[1].examples[1].detail == "'Saint-Étienne' in line 3, 'Saint Etienne'"


def test_equal_names_in_a_list_without_ids_are_left_out_and_not_bad(tmp_path):
    report = check(tmp_path, b"Paris", b"Troy", b"Paris", name="names.txt")
    assert report.ok and report.n_entities == 2 and found(report) == {"equal_name": [3]}


def test_ordinary_words_are_those_the_caller_says(tmp_path):
    (tmp_path / "kb.csv").write_text("id,title\n1,Time\n2,Paris\n", encoding="utf-8")
    report = check_file(tmp_path / "kb.csv", is_ordinary=lambda name: name == "time")
    assert found(report) == {"ordinary_word": [2]}
