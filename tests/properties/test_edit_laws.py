"""What an edited model answers depends on its list alone: not on the order of the edits, nor on what was taken back."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deixis.kb.demo import read_demo
from deixis.kb.edited_list import EditedList
from deixis.kb.edits import EntityEdits
from deixis.linker import Linker
from deixis.linking.edited import with_list

WORDS = ("Zorblax", "Zorblux", "Paris", "Mercury", "apple", "Prime", "Columbia", "de", "Kwendolen")
TEXTS = (
    "Zorblax Prime met Zorblux of Paris at Columbia, and the apple of Mercury fell.",
    "Kwendolen Zorblax and kwendolin paris drank at Zorblax de Prime; COLUMBIA APPLE did not.",
    "Paris, Mercury; Zorblax Zorblux, Prime Columbia. ZP was there, too: Mercury Prime (MP).",
)
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
KB = read_demo()
BUILT_IDS = [KB.ids[row] for row in range(len(KB)) if KB.title(row) in ("Paris", "Mercury", "Columbia")][:6]
IDS = (*(f"n{number}" for number in range(8)), *BUILT_IDS)
RECORDS = st.fixed_dictionaries(
    {
        "title": NAMES,
        "aliases": st.lists(NAMES, max_size=2),
        "description": st.lists(st.sampled_from((*WORDS, "robot", "planet", "fruit")), max_size=6).map(" ".join),
        "count": st.sampled_from((0, 0, 5, 4000)),
    }
)
STEPS = st.lists(st.tuples(st.sampled_from(IDS), st.none() | RECORDS), min_size=1, max_size=14)


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KB, n_threads=1)


def answers(linker):
    mentions = [linker.link(text, top_k=50, threshold=0) for text in TEXTS]
    return mentions, linker.link_names([*WORDS, "Zorblax Prime", "Zorblex", "Parsi", "ZP"], top_k=50)


def entities_after(steps):
    """What each step leaves: the records that differ from the built list, the latest last."""
    entities = {}
    for identifier, record in steps:
        entities.pop(identifier, None)
        if record is not None:
            entities[identifier] = json.dumps({"id": identifier, **record})
        elif identifier in BUILT_IDS:
            entities[identifier] = None
        yield dict(entities)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.integers(1, 5))
def test_answers_depend_on_the_list_alone(linker, steps, n_unseen):
    """One change after the other (queries now and then) leads to what all edits lead to at once; undoing leads back."""
    edited, model, before = EditedList.of(KB), linker.model, None
    for number, (entities, (identifier, _)) in enumerate(zip(entities_after(steps), steps, strict=True)):
        before = edited
        edited = edited.updated(entities, [identifier])
        if number % n_unseen == 0:
            model = with_list(model, edited)
    step_by_step = with_list(model, edited)
    at_once = Linker(linker.model).with_edits(edited.edits)
    assert answers(Linker(step_by_step)) == answers(at_once)
    *_, last = [{}, *entities_after(steps[:-1])]
    undone = with_list(step_by_step, edited.updated(last))
    assert answers(Linker(undone)) == answers(Linker(linker.model).with_edits(before.edits))
    assert answers(Linker(with_list(undone, edited.updated({})))) == answers(linker)


@given(STEPS)
@settings(max_examples=100, deadline=None)
def test_an_edited_list_has_each_entity_once_in_the_order_of_the_edits(steps):
    edited, entities = EditedList.of(KB), {}
    for entities, (identifier, _) in zip(entities_after(steps), steps, strict=True):
        edited = edited.updated(entities, [identifier])
        assert edited.edits.by_id() == entities
    titles = [json.loads(record)["title"] for record in entities.values() if record]
    n_gone = sum(identifier in BUILT_IDS for identifier in entities)
    assert [entity.title for entity in edited.kb.entities()][len(KB) - n_gone :] == titles
    assert EntityEdits.of().by_id() == edited.updated({}).edits.by_id()
    for identifier in entities:
        row = edited.kb.row_of(identifier)
        assert (row is None) == (entities[identifier] is None)
        built_row = KB.row_of(identifier)
        if row is not None and built_row is not None:
            assert edited.kb.current_rows(KB.rows_of([identifier])).tolist() == [row]
