"""Records are worked on a few hundred at a time: the result is that of one after another."""

import json

import numpy as np
import pytest

from deixis.errors import DataError
from deixis.kb.list_batch import ListBatch
from deixis.kb.mapping_guess import guess_mapping
from deixis.kb.reading import build_columns, read_columns
from deixis.kb.record_mapping import RecordMapping
from deixis.kb.records import BadRecord
from deixis.store.numbers import NumbersBuilder

RECORDS = [
    {"id": "1", "title": "Pump", "aliases": ["water pump", " WP "], "count": 3, "url": "http://x.org/1"},
    {"title": " Valve\u00a0", "id": 2, "types": ["part", "part", ""], "type": "tool", "description": "closes"},
    {"id": "3", "title": "", "aliases": 7},
    {"aliases": 7, "types": 8, "id": "4", "title": "Hose"},
    {"types": 8, "aliases": 7, "id": "4", "title": "Hose"},
    {"id": "5", "title": "Tap", "aliases": [{"text": "Hahn", "lang": "de", "count": 2}, "", "faucet"], "count": "12"},
    {"id": "6", "title": "Nut", "text": "long", "description": "short", "descriptions": {"de": "Mutter", "fr": None}},
    {"id": "7", "title": "a\x00b", "alt_ids": ["n", 7], "count": -1},
    {"id": " 8 ", "title": "Bolt", "aliases": None, "alt_ids": ["b-8", 8], "url": None},
]


def outcome(mapping, record):
    try:
        return mapping.parse(record)
    except BadRecord as bad:
        return bad.kind, bad.reason


@pytest.mark.parametrize("mapping", [RecordMapping("native", "id", "title"), guess_mapping(RECORDS)])
@pytest.mark.parametrize("n_times", [1, 40])
def test_a_batch_is_read_like_its_records_one_by_one(mapping, n_times):
    records = RECORDS * n_times
    parsed = mapping.parse_batch(records)
    entities = parsed.entities.rows()
    found = [
        (bad.kind, bad.reason) if (bad := parsed.problems.get(row)) else next(entities) for row in range(len(records))
    ]
    assert found == [outcome(mapping, record) for record in records]
    assert next(entities, None) is None and len(parsed.problems) == 4 * n_times


def test_of_several_problems_the_first_in_the_records_own_order_is_said():
    parsed = RecordMapping("native", "id", "title").parse_batch(RECORDS)
    assert parsed.problems[3].reason.startswith("'aliases'") and parsed.problems[4].reason.startswith("'types'")


def test_a_language_of_the_record_is_that_of_its_texts():
    mapping = guess_mapping([{"id": "1", "title": "Pumpe", "language": "de"}])
    records = [
        {"id": "1", "title": "Pumpe", "description": "pumpt", "language": "de"},
        {"id": "2", "title": "Hahn", "aliases": ["tap"]},
    ]
    first, second = mapping.parse_batch(records).entities.rows()
    assert first.aliases == [("Pumpe", "de", 0)] and first.descriptions == [("de", "pumpt")]
    assert second.aliases == [("tap", "", 0)]


def test_what_a_format_finds_wrong_keeps_its_row():
    records = [RECORDS[0], BadRecord("bad_row", "torn"), RECORDS[2], RECORDS[8]]
    batch = ListBatch.of([2, 3, 5, 6], records, RecordMapping("native", "id", "title"))
    assert {row: bad.kind for row, bad in batch.problems.items()} == {1: "bad_row", 2: "empty_title"}
    assert batch.entity_lines == [2, 6] and batch.entities.ids == ["1", " 8 "]


def test_a_bad_record_is_reported_before_the_torn_end_of_the_file(tmp_path):
    path = tmp_path / "kb.json"
    rows = [json.dumps({"id": n, "title": "" if n == 350 else f"T {n}"}) for n in range(400)]
    path.write_text("[" + ",\n".join(rows) + ',\n{"id": 400, "titl', encoding="utf-8")
    with pytest.raises(DataError, match="'title' is empty") as error:
        read_columns(path)
    assert error.value.line == 351


@pytest.mark.parametrize(
    ("gap", "n_before", "lines"), [("", 3, (3, 5)), ("\n\n", 3, (7, 13)), ("\n", 600, (1199, 1203))]
)
def test_a_repeated_id_names_both_lines_wherever_they_are(tmp_path, gap, n_before, lines):
    first = "".join(json.dumps({"id": f"a{n}", "title": f"A {n}"}) + "\n" + gap for n in range(n_before))
    (tmp_path / "kb.jsonl").write_text(
        first + f'{{"id": "b", "title": "b"}}\n{gap}{{"id": "a{n_before - 1}", "title": "c"}}\n', encoding="utf-8"
    )
    with pytest.raises(DataError, match=f"in line {lines[0]};") as error:
        read_columns(tmp_path / "kb.jsonl")
    assert error.value.line == lines[1]


def test_a_repeated_id_of_another_list_names_its_line_there(tmp_path):
    for name, ids in (("one", "xy"), ("two", "zy")):
        rows = "".join(f"{each},title {each}\n" for each in ids)
        (tmp_path / f"{name}.csv").write_text("id,title\n" + rows, encoding="utf-8")
    with pytest.raises(DataError, match=r"one\.csv, line 3;") as error:
        read_columns([tmp_path / "one.csv", tmp_path / "two.csv"])
    assert error.value.line == 3


def test_a_field_that_comes_late_is_of_its_entity_alone():
    records = [{"id": str(n), "title": f"T {n}"} for n in range(700)]
    records[650] |= {"url": "http://x.org", "types": ["late"], "count": 5, "alt_ids": ["l"], "aliases": ["L"]}
    columns = build_columns(records)
    assert [row for row in range(700) if columns.urls[row]] == [650] == np.flatnonzero(columns.counts).tolist()
    for indptr in (columns.type_indptr, columns.alt_id_indptr, columns.alias_indptr):
        assert indptr.tolist() == [0] * 651 + [1] * 50


def test_numbers_that_begin_with_zeros_are_kept_in_order():
    numbers = NumbersBuilder(np.int64)
    for values in ([0, 0], [0, 3], [4]):
        numbers.extend(np.array(values))
    numbers.extend_zeros(2)
    numbers.append(1)
    assert len(numbers) == 8 and numbers.build_sums().tolist() == [0, 0, 0, 3, 7, 7, 7, 8]


def test_languages_are_numbered_in_the_order_of_entities_wherever_a_batch_ends():
    records = [{"id": str(n), "title": "t"} for n in range(600)]
    records[3]["descriptions"] = {"fi": "a"}
    records[5]["aliases"] = [{"text": "b", "lang": "sv"}]
    records[500]["descriptions"] = {"et": "c"}
    records[501]["aliases"] = [{"text": "d", "lang": "lv"}, {"text": "e", "lang": "fi"}]
    assert build_columns(records).langs == ("fi", "sv", "et", "lv")
