"""A model that is changed while it is used: every change is seen at once, written for good, and can be undone."""

import json
import multiprocessing
import random
import subprocess
import sys
from functools import partial

import pytest

from deixis.documents.corrections import Correction
from deixis.errors import DataError, StoreError, ToolkitError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.live import LiveModel
from deixis.store.journal import journal_of
from deixis.store.model_folder import save_model

RECORDS = [
    {"id": "Q90", "title": "Paris", "count": 90, "description": "capital of France, on the river Seine"},
    {"id": "Q167646", "title": "Paris", "description": "prince of Troy who carried Helen off"},
    {"id": "Q22647", "title": "Troy", "description": "ancient city besieged by the Greeks", "aliases": ["Ilion"]},
    {"id": "Q84", "title": "London", "types": ["city"]},
]
TEXTS = ("Paris and Troy and Ilion.", "From London to Sparta by way of Paris.", "The Lion of Ilion fled.")
FLED = Correction("Paris fled.", 0, 5, "gold", "Q167646")


def answers(linker):
    """Everything that the linker says, to the last bit."""
    documents = linker.link_many([*TEXTS, FLED.text])
    return [(each.start, each.end, each.entity, each.score) for document in documents for each in document.mentions]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "model"
    Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1).save(folder)
    return folder


@pytest.fixture
def folder(built, tmp_path):
    copy = tmp_path / "model"
    copy.mkdir()
    for file in built.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


@pytest.fixture
def live(folder):
    opened = LiveModel.open(folder, n_threads=1)
    yield opened
    opened.close()


def titles(live):
    return {entity.id: entity.title for entity in live.linker.kb.entities()}


def test_an_added_entity_is_linked_at_once_in_this_and_in_another_opening(live, folder):
    other = LiveModel.open(folder, n_threads=1)
    change = live.add({"id": "Q5690", "title": "Sparta"}, author="eve", reason="missing")
    assert (change.generation, change.verb, change.author, change.reason) == (1, "add", "eve", "missing")
    for linker in (live.linker, other.linker, Linker.load(folder)):
        assert "Q5690" in [entity for _, _, entity, _ in answers(linker)]
    assert other.generation == other.linker.generation == Linker.load(folder).generation == 1


def test_an_id_that_is_there_is_not_added_again_and_none_of_its_companions_is(live):
    with pytest.raises(DataError, match=r"record 2: the id 'Q84' is in the list already \('London'\).*kb edit"):
        live.add([{"id": "Q5690", "title": "Sparta"}, {"id": "Q84", "title": "London, Ontario"}])
    assert (live.generation, len(live.linker.kb)) == (0, 4)


def test_fields_are_replaced_as_given_and_none_empties_one(live):
    live.edit("Q84", {"title": "Londres", "types": None, "aliases": ["London"]})
    assert live.linker.kb.entity("Q84").to_record() == {"id": "Q84", "title": "Londres", "aliases": ["London"]}


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (lambda live: live.edit("q84", {"title": "x"}), "no entity with the id 'q84'. Did you mean 'Q84'?"),
        (lambda live: live.edit("Q84", {"titel": "x"}), "No field of an entity named 'titel'.*Did you mean 'title'?"),
        (lambda live: live.edit("Q84", {"title": ""}), "'title' is empty"),
        (lambda live: live.edit("Q84", {"id": "Q1"}), "the id of 'Q84' cannot be changed"),
        (lambda live: live.remove(["Q84", "Q85"]), "no entity with the id 'Q85'"),
        (lambda live: live.add({"id": "Q1", "title": "x", "count": "many"}), "line 1: 'count' must be a whole number"),
        (lambda live: live.remove_alias("Q22647", "Ilium"), "has no alias 'Ilium'. Its aliases: 'Ilion'"),
        (lambda live: live.correct([Correction("Paris fled.", 0, 5, "gold", "Q1")]), "no entity 'Q1'"),
        (lambda live: live.undo(), "there is no change to undo"),
        (lambda live: live.undo(3), "no change 3 to undo; the last one is 0"),
    ],
)
def test_a_wish_that_cannot_be_names_what_is_wrong_and_writes_nothing(live, wish, message):
    with pytest.raises(ToolkitError, match=message):
        wish(live)
    assert (live.generation, journal_of(live.path).exists()) == (0, False)


def test_a_removed_entity_is_gone_with_its_corrections_and_undo_brings_both_back(live):
    live.correct([FLED])
    corrected = answers(live.linker)
    change = live.remove("Q167646")
    assert [item.kind for item in change.items] == ["entity", "correction"]
    assert "Q167646" not in [entity for _, _, entity, _ in answers(live.linker)]
    assert len(live.linker.corrections) == 0
    live.undo()
    assert answers(live.linker) == corrected


def test_aliases_come_and_go_and_the_same_twice_is_no_change(live):
    live.add_alias("Q84", "Londinium")
    assert live.add_alias("Q84", "Londinium").generation is None
    live.add_alias("Q84", {"text": "Londres", "lang": "fr"})
    assert live.linker.kb.entity("Q84").to_record()["aliases"] == ["Londinium", {"text": "Londres", "lang": "fr"}]
    live.remove_alias("Q84", "Londinium")
    assert (live.generation, live.linker.kb.names_of(live.linker.kb.row_of("Q84"))) == (3, ["London", "Londres"])


def test_undo_after_correct_restores_the_same_answers(live):
    before = answers(live.linker)
    live.correct([FLED])
    assert answers(live.linker) != before
    live.undo()
    assert answers(live.linker) == before
    assert (live.generation, len(live.linker.corrections)) == (2, 0)


def test_every_change_can_be_undone_one_after_the_other_to_the_same_answers(live):
    states = [answers(live.linker)]
    for change in (
        lambda: live.add([{"id": "Q5690", "title": "Sparta"}, {"id": "lion", "title": "Lion"}]),
        lambda: live.edit("Q90", {"count": 1}),
        lambda: live.correct([FLED, Correction("Troy burns", 0, 4, "not_an_entity")]),
        lambda: live.remove("Q22647"),
        lambda: live.add_alias("lion", "Ilion"),
        lambda: live.edit("Q5690", {"aliases": ["Paris"]}),
    ):
        change()
        states.append(answers(live.linker))
    for state in reversed(states[:-1]):
        live.undo()
        assert answers(live.linker) == state
    with pytest.raises(DataError, match="no change to undo"):
        live.undo()


def test_an_undo_can_be_undone(live):
    live.add({"id": "Q5690", "title": "Sparta"})
    added = answers(live.linker)
    live.undo()
    live.undo(2)
    assert answers(live.linker) == added
    assert [change.undoes for change in live.log()] == [(2, 2), (1, 1), None]


def test_a_change_that_a_later_one_touched_is_not_undone_alone_but_with_it(live):
    before = answers(live.linker)
    live.edit("Q84", {"title": "Londres"})
    live.add({"id": "Q5690", "title": "Sparta"})
    live.edit("Q84", {"count": 3})
    with pytest.raises(DataError, match="change 1 cannot be undone: the later change 3 touched the entity 'Q84'"):
        live.undo(1)
    live.undo(2)
    assert "Q5690" not in titles(live)
    live.undo((1, 4))
    assert answers(live.linker) == before


def test_an_addition_is_not_undone_while_a_correction_names_the_entity(live):
    live.add({"id": "Q5690", "title": "Sparta"})
    live.correct([Correction("Sparta!", 0, 6, "gold", "Q5690")])
    with pytest.raises(DataError, match="the later change 2 links 'Sparta' to 'Q5690'"):
        live.undo(1)
    live.undo((1, 2))
    assert len(live.linker.kb) == 4


def test_an_entity_edited_back_to_what_was_built_is_no_edit(live):
    before = answers(live.linker)
    live.edit("Q90", {"count": 1})
    live.edit("Q90", {"count": 90})
    live.add({"id": "Q5690", "title": "Sparta"})
    live.remove("Q5690")
    assert answers(live.linker) == before
    assert len(live._state.edits) == 0


def test_a_dry_run_says_what_would_change_and_writes_nothing(live):
    change = live.remove("Q84", dry_run=True)
    assert (change.generation, change.items[0].before["title"], change.items[0].after) == (None, "London", None)
    assert not journal_of(live.path).exists()


def test_the_log_and_the_difference_tell_what_happened(live):
    live.add({"id": "Q5690", "title": "Sparta"}, author="eve")
    live.edit("Q5690", {"count": 2}, author="bob")
    live.remove("Q84")
    assert [(change.generation, change.verb, change.author) for change in live.log(2)] == [
        (3, "remove", ""),
        (2, "edit", "bob"),
    ]
    assert [change.generation for change in live.log(since=1)] == [3, 2]
    assert {item.key: item.after for item in live.diff().items} == {
        "Q5690": {"id": "Q5690", "title": "Sparta", "count": 2},
        "Q84": None,
    }
    assert [item.key for item in live.diff(1, 2).items] == ["Q5690"]
    assert json.loads(json.dumps(live.log()[0].to_dict()))["items"][0]["after"] is None


def test_sync_takes_over_what_the_source_changed_and_keeps_what_people_did(live):
    live.add({"id": "mine", "title": "Sparta"})
    live.edit("Q22647", {"aliases": ["Ilion", "Ilium"]})
    live.remove("Q167646")
    source = [RECORDS[0] | {"count": 91}, *RECORDS[1:3], {"id": "Q64", "title": "Berlin"}]
    planned = live.sync(KnowledgeBase.from_records(source), dry_run=True)
    change = live.sync(KnowledgeBase.from_records(source))
    assert planned.items == tuple(type(item)(item.kind, item.key, item.before, item.after) for item in change.items)
    assert {item.key for item in change.items} == {"Q90", "Q64", "Q84"}
    assert titles(live) == {"Q90": "Paris", "Q22647": "Troy", "mine": "Sparta", "Q64": "Berlin"}
    assert live.sync(KnowledgeBase.from_records(source)).items == ()
    live.undo()
    assert {"Q84", "mine"} <= titles(live).keys()
    assert "Q64" not in titles(live)
    assert live.sync(KnowledgeBase.from_records(source)).generation == 6


def test_sync_with_a_list_that_is_hardly_there_is_refused_unless_forced(live):
    rest = KnowledgeBase.from_records(RECORDS[:1])
    with pytest.raises(DataError, match="3 of 4 in the model would be removed.*force"):
        live.sync(rest)
    assert len(live.sync(rest, dry_run=True).items) == 3
    live.sync(rest, force=True)
    assert list(titles(live)) == ["Q90"]


def test_compaction_changes_no_answer_and_undo_goes_on(live, folder):
    before = answers(live.linker)
    live.add({"id": "Q5690", "title": "Sparta"})
    live.correct([Correction("Sparta!", 0, 6, "gold", "Q5690"), FLED])
    live.remove("Q84")
    after = answers(live.linker)
    other = LiveModel.open(folder, n_threads=1)
    assert live.compact() == 3
    assert answers(live.linker) == answers(other.linker) == answers(Linker.load(folder)) == after
    other.add({"id": "lion", "title": "Lion"})
    assert (live.generation, "lion" in titles(live)) == (4, True)
    live.undo((1, 4))
    assert answers(live.linker) == before


def test_changes_made_while_a_model_is_compacted_stay_in_the_journal(live, folder, monkeypatch):
    live.add({"id": "Q5690", "title": "Sparta"})
    other = LiveModel.open(folder, n_threads=1)

    def slow_save(*arguments, **settings):
        other.add({"id": "lion", "title": "Lion"})
        save_model(*arguments, **settings)

    monkeypatch.setattr("deixis.live.save_model", slow_save)
    assert live.compact() == 1
    for each in (live, other, LiveModel.open(folder)):
        assert each.generation == 2
        assert {"Q5690", "lion"} <= titles(each).keys()


def test_a_compaction_that_fails_leaves_the_model_as_it_was(live, folder, monkeypatch):
    live.add({"id": "Q5690", "title": "Sparta"})
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    monkeypatch.setattr("deixis.store.model_folder._swap_in", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        live.compact()
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    live.add({"id": "lion", "title": "Lion"})
    assert {"Q5690", "lion"} <= titles(live).keys()


def test_calibration_and_training_are_carried_over(live, folder):
    live.add({"id": "Q5690", "title": "Sparta"})
    Linker.load(folder).with_options(threshold=0.7).save(folder)
    live.compact()
    assert live._folder.built.decisions.given.threshold == Linker.load(folder).config.nil.threshold == 0.7
    live.undo(1)
    assert len(live.linker.kb) == 4


def test_a_compacted_folder_without_its_journal_has_every_change(live, folder):
    live.add({"id": "Q5690", "title": "Sparta"})
    live.correct([Correction("Sparta!", 0, 6, "gold", "Q5690")])
    live.compact()
    after = answers(live.linker)
    live.close()
    for file in folder.parent.glob("model.journal*"):
        file.unlink()
    alone = LiveModel.open(folder, n_threads=1)
    assert answers(alone.linker) == after
    assert alone.remove("Q5690").generation == 3
    assert "Q5690" not in titles(alone)


def test_a_changed_model_saved_elsewhere_keeps_its_changes(live, tmp_path):
    live.add({"id": "Q5690", "title": "Sparta"})
    live.correct([FLED])
    live.linker.save(tmp_path / "other")
    assert answers(Linker.load(tmp_path / "other")) == answers(live.linker)
    assert LiveModel.open(tmp_path / "other").generation == 0


def test_a_linker_does_not_replace_a_model_that_was_changed_since_it_was_loaded(live, folder):
    loaded = Linker.load(folder)
    live.add({"id": "Q5690", "title": "Sparta"})
    with pytest.raises(StoreError, match="at generation 1, but this one was loaded at generation 0"):
        loaded.save(folder)
    Linker.load(folder).with_options(threshold=0.5).save(folder)
    assert (live.generation, "Q5690" in titles(live)) == (1, True)
    with pytest.raises(StoreError, match=r"has 1 changes since .* would be lost.*kb sync"):
        Linker.build(KnowledgeBase.from_records(RECORDS)).save(folder)
    Linker.build(KnowledgeBase.from_records(RECORDS)).save(folder, discard_changes=True)
    assert (live.generation, len(live.linker.kb)) == (0, 4)
    assert journal_of(folder).with_name("model.journal.old").exists()


def test_a_linker_does_not_replace_a_model_that_another_process_replaced(folder):
    first, second = Linker.load(folder), Linker.load(folder)
    program = "import sys; from deixis.linker import Linker; Linker.load(sys.argv[1]).save(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, str(folder)], check=True, timeout=60)
    with pytest.raises(StoreError, match="was replaced by another process since it was loaded"):
        first.save(folder)
    reloaded = Linker.load(folder)
    reloaded.save(folder)
    reloaded.save(folder)
    with pytest.raises(StoreError, match="was replaced by another process"):
        second.save(folder)


def test_changes_at_random_undone_in_any_order_leave_nothing(live):
    chosen = random.Random(7)
    before, n_refused = answers(live.linker), 0
    for number in range(12):
        one = chosen.choice(sorted(live.linker.kb.ids))
        wishes = [
            partial(live.add, {"id": f"new{number}", "title": chosen.choice(["Sparta", "Paris", "Ilion"])}),
            partial(live.edit, one, {"count": number}),
            partial(live.remove, one),
            partial(live.correct, [Correction("Troy fell.", 0, 4, "gold", one)]),
            partial(live.undo, chosen.randint(1, max(1, live.generation))),
        ]
        try:
            chosen.choice(wishes)()
        except DataError:
            n_refused += 1
        other, generation = LiveModel.open(live.path), live.generation
        assert (other.generation, other._state.entities) == (generation, live._state.entities)
    assert live.generation > 6 > n_refused
    while live.diff().items:
        live.undo()
    assert answers(live.linker) == before
    assert (live._state.entities, live._state.key_to_corrections) == ({}, {})


def _write(folder, name, n_changes):
    live = LiveModel.open(folder, n_threads=1)
    for number in range(n_changes):
        live.add({"id": f"{name}-{number}", "title": f"{name} {number}"}, author=name)


def test_two_writers_at_once_lose_nothing(folder):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(folder, name, 10)) for name in ("eve", "bob")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    live = LiveModel.open(folder, n_threads=1)
    assert live.generation == 20
    assert len(live.linker.kb) == 24
    assert [change.generation for change in live.log()] == list(range(20, 0, -1))
