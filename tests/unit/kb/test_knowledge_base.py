"""The knowledge base: columns, lookups, names, and what a damaged one says."""

import numpy as np
import pytest

from deixis.errors import DataError, StoreError
from deixis.kb import id_index
from deixis.kb.entity import Alias, Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.model_folder import open_model, save_model

RECORDS = [
    {
        "id": "Q90",
        "title": "Paris",
        "aliases": ["City of Light", {"text": "Parigi", "lang": "it", "count": 120}, {"text": "Paris", "lang": "fr"}],
        "descriptions": {"en": "capital of France", "de": "Hauptstadt Frankreichs"},
        "types": ["city", "capital"],
        "count": 91234,
        "url": "https://example.org/Q90",
        "alt_ids": ["paris-fr", "FR-75"],
    },
    {"id": "Q22647", "title": "Troy", "aliases": ["Ilion", "Troia", "Ilion"]},
    {"id": "Q167646", "title": "Paris", "description": "son of Priam", "type": "hero", "alt_ids": ["paris-troy"]},
]


@pytest.fixture
def kb():
    return KnowledgeBase.from_records(RECORDS)


def test_an_entity_comes_back_as_it_went_in(kb):
    assert kb.entity("Q90") == Entity(
        id="Q90",
        title="Paris",
        aliases=(Alias("City of Light"), Alias("Parigi", "it", 120), Alias("Paris", "fr")),
        descriptions={"en": "capital of France", "de": "Hauptstadt Frankreichs"},
        types=("city", "capital"),
        count=91234,
        url="https://example.org/Q90",
        alt_ids=("paris-fr", "FR-75"),
    )
    assert kb.entity(1) == Entity("Q22647", "Troy", aliases=(Alias("Ilion"), Alias("Troia"), Alias("Ilion")))
    assert [entity.id for entity in kb.entities()] == ["Q90", "Q22647", "Q167646"]


def test_an_entity_is_a_record_again(kb):
    assert kb.entity("Q90").to_record() == RECORDS[0]
    assert kb.entity("Q167646").to_record() == {
        "id": "Q167646",
        "title": "Paris",
        "description": "son of Priam",
        "types": ["hero"],
        "alt_ids": ["paris-troy"],
    }


def test_rows_are_found_by_id_and_by_equivalent_id(kb):
    assert [kb.row_of(name) for name in ("Q90", "Q22647", "Q167646", "FR-75", "paris-troy")] == [0, 1, 2, 0, 2]
    for unknown in ("", "Q9", "Q901", "Paris", "\ud800"):
        assert kb.row_of(unknown) is None
    assert kb.rows_of(["Q167646", "nobody", "Q90"]).tolist() == [2, -1, 0]
    assert kb.title(2) == "Paris" and kb.types(0) == ("city", "capital")


def test_an_id_wins_over_somebody_elses_equivalent_id():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "A", "alt_ids": ["b"]}, {"id": "b", "title": "B"}])
    assert kb.row_of("b") == 1


def test_an_unknown_entity_is_an_error_that_names_it(kb):
    with pytest.raises(DataError, match="no entity has the id 'Q1'"):
        kb.entity("Q1")
    for row in (-1, 3):
        with pytest.raises(DataError, match=f"no entity in row {row}; the knowledge base has 3"):
            kb.entity(row)


def test_names_are_titles_then_aliases_each_once_per_entity(kb):
    names, rows = kb.names()
    assert list(zip(names, rows.tolist(), strict=True)) == [
        ("Paris", 0),
        ("Troy", 1),
        ("Paris", 2),
        ("City of Light", 0),
        ("Parigi", 0),
        ("Ilion", 1),
        ("Troia", 1),
    ]
    assert rows.dtype == np.int32


def test_descriptions_of_an_entity_are_joined_by_a_space(kb):
    assert list(kb.description_texts()) == ["capital of France Hauptstadt Frankreichs", "", "son of Priam"]
    single = KnowledgeBase.from_records([RECORDS[1], RECORDS[2]])
    assert list(single.description_texts()) == ["", "son of Priam"]
    assert single.description_texts().data is single.descriptions.data


def test_some_rows_make_a_smaller_knowledge_base(kb):
    smaller = kb.take([2, 0])
    assert list(smaller.entities()) == [kb.entity(2), kb.entity(0)]
    assert smaller.row_of("Q90") == 1 and smaller.row_of("Q22647") is None and smaller.row_of("FR-75") == 1


def test_entities_and_records_make_the_same_knowledge_base(kb):
    again = KnowledgeBase.from_records(kb.entities())
    for name, array in kb.to_arrays("kb").items():
        assert np.array_equal(array, again.to_arrays("kb")[name]), name


def test_no_records_make_an_empty_knowledge_base():
    kb = KnowledgeBase.from_records([])
    assert len(kb) == 0 and kb.row_of("x") is None and len(kb.names()[0]) == 0 and len(kb.description_texts()) == 0
    assert len(KnowledgeBase.from_arrays(kb.to_arrays("kb"), "kb")) == 0


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (
            [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}],
            "records, line 2: the id 'a' was used before, in line 1",
        ),
        ([{"id": "a", "title": ""}], "records, line 1: 'title' is empty"),
        (["a"], "records, line 1: a record must be a dictionary or an Entity"),
    ],
)
def test_bad_records_are_counted_from_one(records, message):
    with pytest.raises(DataError, match=message):
        KnowledgeBase.from_records(records)


def test_more_languages_than_fit_is_an_error():
    with pytest.raises(DataError, match="more than 32767 different languages"):
        aliases = [{"text": "x", "lang": f"l{n}"} for n in range(32768)]
        KnowledgeBase.from_records([{"id": "a", "title": "A", "aliases": aliases}])


def test_a_stored_knowledge_base_answers_from_mapped_memory(kb, tmp_path):
    save_model(tmp_path / "m", "kb", {}, kb.to_arrays("kb"))
    stored = KnowledgeBase.from_arrays(open_model(tmp_path / "m").arrays, "kb")
    assert list(stored.entities()) == list(kb.entities())
    assert stored.row_of("FR-75") == 0 and list(stored.names()[0]) == list(kb.names()[0])
    assert list(stored.description_texts()) == list(kb.description_texts())
    assert not stored.titles.data.flags.writeable


def damage(name, change):
    return pytest.param(name, change, id=name)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        damage("kb.alias_indptr", lambda a: a + 1),
        damage("kb.alias_indptr", lambda a: a[:-1]),
        damage("kb.description_indptr", lambda a: a[::-1]),
        damage("kb.type_codes", lambda a: a + 100),
        damage("kb.type_codes", lambda a: a - 100),
        damage("kb.type_codes", lambda a: a.astype(np.int64)),
        damage("kb.alias_langs", lambda a: a + 50),
        damage("kb.alias_langs", lambda a: a[:-1]),
        damage("kb.description_langs", lambda a: a - 9),
        damage("kb.counts", lambda a: -a),
        damage("kb.counts", lambda a: a[:-1]),
        damage("kb.alias_counts", lambda a: a - 1),
        damage("kb.titles.offsets", lambda a: a[[0, -1]]),
        damage("kb.urls.offsets", lambda a: a[[0, -1]]),
        damage("kb.alt_ids.offsets", lambda a: a[::-1]),
        damage("kb.index.hashes", lambda a: a[::-1]),
        damage("kb.index.entries", lambda a: a + 50),
        damage("kb.index.entries", lambda a: a[:-1]),
    ],
)
def test_damaged_columns_are_refused_and_named(kb, name, change):
    arrays = kb.to_arrays("kb")
    arrays[name] = change(arrays[name])
    with pytest.raises(StoreError, match=name.removesuffix(".offsets").removesuffix(".data")):
        KnowledgeBase.from_arrays(arrays, "kb")


def test_every_column_is_needed(kb):
    arrays = kb.to_arrays("kb")
    for name in arrays:
        with pytest.raises(StoreError, match=name):
            KnowledgeBase.from_arrays({key: array for key, array in arrays.items() if key != name}, "kb")


def test_ids_with_the_same_hash_are_told_apart_by_their_text(monkeypatch):
    monkeypatch.setattr(id_index, "hash_string", lambda text: 7)
    monkeypatch.setattr(id_index, "hash_strings", lambda table: np.full(len(table), 7, np.uint64))
    kb = KnowledgeBase.from_records(RECORDS)
    assert [kb.row_of(name) for name in ("Q90", "Q22647", "Q167646", "FR-75", "nobody")] == [0, 1, 2, 0, None]


def test_many_ids_are_looked_up_as_one_by_one(kb):
    asked = ["paris-troy", "Q90", "\ud800", "", "Q90", "nobody", "FR-75", "\ufffd", "Q22647", "z" * 300]
    one_by_one = [-1 if kb.row_of(name) is None else kb.row_of(name) for name in asked]
    assert kb.rows_of(asked).tolist() == kb.rows_of(iter(asked)).tolist() == one_by_one
    assert kb.rows_of([]).tolist() == []
    assert KnowledgeBase.from_records([]).rows_of(["a"]).tolist() == [-1]


def test_ids_with_the_same_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(id_index, "hash_string", lambda text: 7)
    monkeypatch.setattr(id_index, "hash_strings", lambda table: np.full(len(table), 7, np.uint64))
    kb = KnowledgeBase.from_records([{"id": name, "title": name, "alt_ids": [f"x{name}"]} for name in "abc"])
    assert kb.rows_of(["c", "xb", "a", "d"]).tolist() == [2, 1, 0, -1]


def test_descriptions_of_some_rows_are_those_of_the_whole():
    records = [
        {"id": "a", "title": "a", "descriptions": {"en": "one", "de": "eins"}},
        {"id": "b", "title": "b"},
        {"id": "c", "title": "c", "description": "three"},
    ]
    kb = KnowledgeBase.from_records(records)
    whole = list(kb.description_texts())
    for rows in ([2, 0, 1], [1], [0, 0], []):
        assert list(kb.description_texts(np.array(rows, dtype=np.int64))) == [whole[row] for row in rows]


def test_further_entities_come_after_the_known_ones_which_stay_as_they_are():
    records = [
        {"id": "a", "title": "A", "aliases": [{"text": "Å", "lang": "sv", "count": 3}], "types": ["x"], "count": 2},
        {"id": "b", "title": "B", "descriptions": {"de": "be", "en": "bee"}, "alt_ids": ["b2"], "url": "u"},
    ]
    kb = KnowledgeBase.from_records(records)
    grown = kb.with_entities([{"name": "C", "id": "c", "types": ["y"]}])
    assert [grown.entity(row) for row in range(2)] == list(kb.entities()) and grown.entity("c").types == ("y",)
    assert grown.row_of("b2") == 1 and grown.row_of("c") == 2
    for taken in ("a", "b2"):
        with pytest.raises(DataError, match=f"has an entity '{taken}' already"):
            kb.with_entities([{"id": taken, "title": "again"}])
