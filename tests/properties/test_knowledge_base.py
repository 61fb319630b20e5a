"""Laws of the knowledge base and its store, on inputs nobody would write by hand."""

import json
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import DataError
from deixis.kb.checking.check import check_file
from deixis.kb.entity import Alias, Entity
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.model_folder import open_model, save_model, verify_model

quick = settings(max_examples=60, deadline=None)
texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
langs = st.sampled_from(["", "en", "de", "zh-Hant"])
counts = st.integers(0, 2**63 - 1)


@st.composite
def entity_lists(draw):
    ids = draw(st.lists(texts, max_size=6, unique=True))
    return [
        Entity(
            id=identifier,
            title=draw(texts),
            aliases=tuple(draw(st.lists(st.builds(Alias, texts, langs, counts), max_size=3))),
            descriptions=draw(st.dictionaries(langs, texts, max_size=3)),
            types=tuple(draw(st.lists(texts, max_size=2, unique=True))),
            count=draw(counts),
            url=draw(st.one_of(st.just(""), texts)),
            alt_ids=tuple(draw(st.lists(texts, max_size=2))),
        )
        for identifier in ids
    ]


@quick
@given(entity_lists())
def test_entities_survive_columns_and_arrays(entities):
    kb = KnowledgeBase.from_arrays(KnowledgeBase.from_records(entities).to_arrays("x"), "x")
    assert list(kb.entities()) == entities
    assert [kb.row_of(entity.id) for entity in entities] == list(range(len(entities)))


@quick
@given(entity_lists())
def test_names_and_descriptions_agree_with_a_plain_loop(entities):
    kb = KnowledgeBase.from_records(entities)
    names, rows = kb.names()
    expected = [(entity.title, row) for row, entity in enumerate(entities)]
    for row, entity in enumerate(entities):
        spellings = dict.fromkeys(alias.text for alias in entity.aliases if alias.text != entity.title)
        expected += [(name, row) for name in spellings]
    assert list(zip(names, rows.tolist(), strict=True)) == expected
    joined = [" ".join(entity.descriptions.values()) for entity in kb.entities()]
    assert list(kb.description_texts()) == joined


@quick
@given(entity_lists(), st.randoms())
def test_taking_rows_agrees_with_taking_entities(entities, chance):
    rows = [row for row in range(len(entities)) if chance.random() < 0.6]
    chance.shuffle(rows)
    assert list(KnowledgeBase.from_records(entities).take(rows).entities()) == [entities[row] for row in rows]


@quick
@given(
    st.lists(st.one_of(st.binary(max_size=30), entity_lists().map(lambda e: [x.to_record() for x in e])), max_size=5)
)
def test_reading_any_bytes_gives_entities_or_a_data_error(parts):
    raw = b"\n".join(
        part if isinstance(part, bytes) else b"\n".join(json.dumps(record).encode() for record in part)
        for part in parts
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kb.jsonl"
        path.write_bytes(raw)
        try:
            kb, report = KnowledgeBase.read_with_report(path, skip_bad=True)
        except DataError:
            return
        checked = check_file(path)
    assert report.n_entities == checked.n_entities == len(kb)
    assert checked.ok == (report.n_skipped == 0)


arrays = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_]{0,6}(\.[a-z]{1,4})?", fullmatch=True),
    st.tuples(
        st.sampled_from(["<i2", "<i8", "<u1", "<f2", "<f4", "?"]), st.lists(st.integers(0, 4), min_size=0, max_size=3)
    ),
    max_size=4,
)


@settings(max_examples=20, deadline=None)  # every save waits for the disk
@given(arrays, st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), st.text(), st.booleans()), max_size=3))
def test_saved_and_opened_is_the_same_bytes(shapes, config):
    generator = np.random.default_rng(0)
    saved = {name: (generator.random(shape) * 100).astype(np.dtype(code)) for name, (code, shape) in shapes.items()}
    # An array without dimensions is a plain number of the manifest.
    as_stored = {name: np.array(array.item()) if array.ndim == 0 else array for name, array in saved.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save_model(path, "toy", config, saved)
        opened = open_model(path, "toy", verify=True)
        assert opened.config == config
        assert {name: (a.dtype, a.shape, a.tobytes()) for name, a in opened.arrays.items()} == {
            name: (a.dtype, a.shape, a.tobytes()) for name, a in as_stored.items()
        }
        first = {file.name: file.read_bytes() for file in path.iterdir()}
        save_model(path, "toy", opened.config, opened.arrays)
        assert {file.name: file.read_bytes() for file in path.iterdir()} == first
        assert all(check.ok for check in verify_model(path))
