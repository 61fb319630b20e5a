"""A list with edits: what was added is linked at once, what was removed never again; taking back leaves no trace."""

from dataclasses import replace

import numpy as np
import pytest

from deixis.documents.corrections import Correction
from deixis.documents.reading import read_documents
from deixis.errors import ConfigError, DataError
from deixis.kb import edited_list
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.edited import EditedKnowledgeBase
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import PRESETS
from deixis.types import Document, Mention

TEXTS = (
    "The Zorblax 9000 cleans floors in Paris, while Columbia University tests it.",
    "Paris fled to Troy with Helen.",
    "Apple sells phones; an apple a day keeps the doctor away.",
    "Mercury is close to the sun, and mercury is poisonous.",
)
ROBOT = {"id": "zorblax", "title": "Zorblax 9000", "types": ["robot"], "description": "vacuum cleaner for floors"}


@pytest.fixture(scope="module")
def kb():
    return read_demo()


@pytest.fixture(scope="module")
def linker(kb):
    return Linker.build(kb, n_threads=1)


def answers(linker, **options):
    """Everything that is said of the texts, scores and candidates included."""
    return [linker.link(text, **options) for text in TEXTS]


def links(linker, text, **options):
    return {mention.text: mention.entity for mention in linker.link(text, **options).mentions}


def all_candidates(linker, **options):
    return {each.id for document in answers(linker, **options) for m in document.mentions for each in m.candidates}


def test_an_added_entity_is_linked_at_once_by_a_word_that_no_name_had(linker):
    with_robot = linker.with_edits(EntityEdits.of([ROBOT]))
    assert links(linker, TEXTS[0]).get("Zorblax 9000") is None
    assert links(with_robot, TEXTS[0])["Zorblax 9000"] == "zorblax"
    assert links(with_robot, "We bought a zorblax 9000.")["zorblax 9000"] == "zorblax"
    assert links(with_robot, "The Zorblex 9000 broke.")["Zorblex 9000"] == "zorblax"  # misspelt
    assert links(with_robot, TEXTS[0], types="robot") == {"Zorblax 9000": "zorblax"}


def test_other_answers_hardly_change(linker):
    with_robot = linker.with_edits(EntityEdits.of([ROBOT]))
    for text in TEXTS[1:]:
        before, after = linker.link(text), with_robot.link(text)
        assert [(m.start, m.entity) for m in before.mentions] == [(m.start, m.entity) for m in after.mentions]
        for one, other in zip(before.mentions, after.mentions, strict=True):
            assert one.score == pytest.approx(other.score, abs=0.01)


def test_a_removed_entity_never_appears_again_and_its_namesakes_stay(linker, kb):
    paris = [row for row in range(len(kb)) if kb.title(row) == "Paris"]
    gone, others = kb.ids[paris[0]], {kb.ids[row] for row in paris[1:]}
    without = linker.with_edits(EntityEdits.of(removed=[gone]))
    assert gone in all_candidates(linker) and gone not in all_candidates(without, top_k=100)
    assert others & all_candidates(without)
    assert without.kb.row_of(gone) is None and gone not in {entity.id for entity in without.kb.entities()}
    assert without.kb.n_entities == len(kb) - 1
    with pytest.raises(ConfigError, match="no entity|has the id"):
        without.link(TEXTS[1], ids=[gone])


def test_a_name_that_only_a_removed_entity_had_is_no_mention_any_more():
    records = [
        {"id": "b", "title": "bread knife"},
        {"id": "s", "title": "soup spoon"},
        {"id": "t", "title": "tea spoons"},
    ]
    linker = Linker.build(KnowledgeBase.from_records(records), n_threads=1)
    without = linker.with_edits(EntityEdits.of(removed=["b", "t"]))
    text = "a bread knife, a soup spoon and a tea spoon"
    assert links(linker, text) == {"bread knife": "b", "soup spoon": "s", "tea spoon": "t"}
    assert links(without, text) == {"soup spoon": "s"}


def test_a_removed_name_does_not_hide_those_that_are_spelled_like_it():
    records = [{"id": "k", "title": "Kwendolen"}, {"id": "g", "title": "Kwendolin"}, {"id": "x", "title": "Xanthippe"}]
    linker = Linker.build(KnowledgeBase.from_records(records), n_threads=1)
    with_another = linker.with_edits(EntityEdits.of([{"id": "o", "title": "Kwendolen"}]))
    for before in (linker, with_another):
        without = before.with_edits(EntityEdits.of(removed=["k"]))
        assert without.link_names(["Kwendolen"])[0].candidates[0].id == "g"


def test_an_edited_entity_has_its_new_names_and_what_was_learned_of_it():
    kb = KnowledgeBase.from_records([{"id": "hq", "title": "Head Office"}, {"id": "lab", "title": "Laboratory"}])
    text = "They met at Base."
    document = Document("d", text, mentions=(Mention(12, 16, "Base", entity="hq"),))
    linker = Linker.build(kb, [replace(document, id=str(number)) for number in range(3)], n_threads=1)
    edits = EntityEdits.of([{"id": "hq", "title": "Headquarters", "aliases": ["HQ"]}])
    after = linker.with_edits(edits)
    given = [document.with_mentions([Mention(12, 16, "Base")])]
    assert [each.link(given[0]).mentions[0].entity for each in (linker, after)] == ["hq", "hq"]
    assert after.link_names(["Headquarters", "HQ"])[0].candidates[0].title == "Headquarters"
    assert [mention.entity for mention in after.link_names(["Headquarters", "HQ", "Laboratory"])] == ["hq", "hq", "lab"]
    assert links(after, "The Head Office is closed.").get("Head Office") is None


def test_taking_edits_back_restores_the_same_answers_bit_for_bit(linker, kb):
    first = EntityEdits.of([ROBOT], removed=[kb.ids[0]])
    second = EntityEdits.of([ROBOT, {"id": "x", "title": "Paris Zorblax"}], removed=[kb.ids[0], kb.ids[5]])
    once = linker.with_edits(first)
    back = once.with_edits(second).with_edits(first)
    assert answers(back) == answers(once) and answers(back.with_edits(EntityEdits.of())) == answers(linker)


def test_answers_do_not_depend_on_how_the_edits_came(linker, monkeypatch):
    monkeypatch.setattr(edited_list, "MIN_RATIO", 2)
    records = [{"id": f"n{n}", "title": f"Zorblax {n}", "description": f"robot number {n} of Paris"} for n in range(11)]
    step_by_step = linker
    for n in range(1, len(records) + 1):
        step_by_step = step_by_step.with_edits(EntityEdits.of(records[:n]))
    at_once = linker.with_edits(EntityEdits.of(records))
    assert len(at_once.model.added.parts) == 1 and len(step_by_step.model.added.parts) > 1
    text = "Zorblax 1, Zorblax 5 and Zorblax 10 in Paris."
    assert step_by_step.link(text) == at_once.link(text)
    assert set(links(at_once, text).values()) >= {"n1", "n5", "n10"}
    assert answers(step_by_step) == answers(at_once)


def test_a_model_is_saved_with_its_edits(linker, kb, tmp_path):
    edited_linker = linker.with_edits(EntityEdits.of([ROBOT], removed=[kb.ids[0]]))
    edited_linker.save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model", n_threads=1)
    assert answers(loaded) == answers(edited_linker)
    assert answers(loaded.with_edits(EntityEdits.of())) == answers(linker)
    assert answers(Linker.from_bytes(edited_linker.to_bytes(), n_threads=1)) == answers(edited_linker)


def test_corrections_and_edits_do_not_disturb_each_other(linker):
    correction = Correction(TEXTS[1], 0, 5, "gold", "zorblax")
    with_robot = linker.with_edits(EntityEdits.of([ROBOT]))
    corrected = with_robot.correct([correction])
    assert links(corrected, TEXTS[1])["Paris"] == "zorblax"
    assert answers(corrected.without_corrections()) == answers(with_robot)
    assert answers(
        linker.correct([Correction(TEXTS[2], 0, 5, "not_an_entity")]).with_edits(EntityEdits.of([ROBOT]))
    ) == (answers(with_robot.correct([Correction(TEXTS[2], 0, 5, "not_an_entity")])))
    assert links(corrected.with_edits(EntityEdits.of()), TEXTS[1])["Paris"] != "zorblax"
    with pytest.raises(DataError, match="no entity 'zorblax'"):
        linker.correct([correction])


def test_what_a_model_learns_with_edits_stays_when_edits_change(linker, tmp_path):
    documents = list(read_documents(demo_sentences_path()))
    with_robot = linker.with_edits(EntityEdits.of([ROBOT]))
    calibrated = with_robot.calibrate(documents, threshold=0.4)
    calibrated.save(tmp_path / "model")
    for each in (calibrated.with_edits(EntityEdits.of()), Linker.load(tmp_path / "model")):
        assert each.model.decisions.given.threshold == 0.4


def test_added_entities_rank_as_if_they_had_been_built_in(kb):
    """Every sixth entity of the demo is added to a model of the others: nearly all links are those of a whole model."""
    rows = np.arange(len(kb))
    added = kb.take(rows[rows % 6 == 0])
    rest = Linker.build(kb.take(rows[rows % 6 > 0]), n_threads=1)
    overlay, whole = rest.with_edits(EntityEdits.of(added.entities())), Linker.build(kb, n_threads=1)
    documents = [d for d in read_documents(demo_sentences_path())]
    accuracies = [each.evaluate(documents)["accuracy"] for each in (overlay, whole)]
    assert accuracies[0] == pytest.approx(accuracies[1], abs=0.03)
    ids = set(added.ids)
    of_added = [d.with_mentions([m for m in d.mentions if m.entity in ids]) for d in documents]
    of_added = [d for d in of_added if d.mentions]
    recalls = [each.evaluate(of_added)["recall@10"] for each in (overlay, whole)]
    assert recalls[0] == pytest.approx(recalls[1], abs=0.03)


def test_a_model_of_the_tree_alone_says_that_it_must_be_built_again(kb):
    tree = Linker.build(kb, config=PRESETS["xmred"], n_threads=1)
    with pytest.raises(ConfigError, match="label tree alone.*[Bb]uild the model again"):
        tree.with_edits(EntityEdits.of([ROBOT]))


def test_edits_are_checked_as_any_list():
    with pytest.raises(DataError, match="title"):
        EntityEdits.of([{"id": "x"}])
    with pytest.raises(DataError, match="'x'"):
        EntityEdits.of([{"id": "x", "title": "X"}, {"id": "x", "title": "Y"}])
    with pytest.raises(DataError, match="removed and added"):
        EntityEdits.of([{"id": "x", "title": "X"}], removed=["x"])


def test_an_edited_knowledge_base_reads_as_the_whole_list(kb):
    removed, changed = (
        kb.ids[3],
        {"id": kb.ids[7], "title": "Renamed", "types": ["a new type"], "descriptions": {"xx": "y"}},
    )
    edits = EntityEdits.of([ROBOT, changed], removed=[removed])
    joined, whole = EditedKnowledgeBase([kb, edits.kb], edits.removed), edits.applied(kb)
    assert list(joined.entities()) == list(whole.entities())
    merged = joined.merged()
    assert list(merged.entities()) == list(whole.entities())
    names, rows = joined.names()
    assert sorted(zip(names, (joined.ids[row] for row in rows.tolist()), strict=True)) == sorted(
        zip(whole.names()[0], (whole.ids[row] for row in whole.names()[1].tolist()), strict=True)
    )
    for identifier in whole.ids:
        assert joined.entity(identifier) == whole.entity(identifier) and joined.own_id(identifier) == identifier
    live = np.flatnonzero(joined.is_live)
    assert list(joined.description_texts(live)) == list(merged.description_texts())
    assert joined.rows_of([removed, changed["id"], "nothing"]).tolist() == [-1, len(kb) + 1, -1]


def test_links_to_added_edited_and_other_entities_are_explained(linker):
    text = "Paris fled to Troy with a Zorblax 9000."
    before = linker.explain(text, 14, 18)
    edited = {"id": before.entity.id, "title": "Troy", "description": "city of Helen, besieged for ten years"}
    after = linker.with_edits(EntityEdits.of([ROBOT, edited]))
    paris, robot = after.explain(text, 0, 5), after.explain(text, 26, 38)
    troy = after.explain(text, 14, 18, entity=before.entity.id)
    assert [step.node for step in troy.path] == [step.node for step in before.path] != []
    assert (troy.entity.id, robot.entity.id, robot.path) == (before.entity.id, "zorblax", ())
    assert [step.node for step in paris.path] == [step.node for step in linker.explain(text, 0, 5).path]
