"""Documents are shared out so that nobody is judged by what it has seen."""

import pytest

from deixis.errors import DataError
from deixis.linking.config import LinkerConfig
from deixis.linking.linker import Linker
from deixis.linking.seen import SeenDocuments
from deixis.linking.teaching import Teaching, known, unseen, without
from deixis.types import Document, Mention
from tests.aviary import aviary, sightings

KB = aviary()
PLAIN = LinkerConfig(held_out_share=0.0)


@pytest.fixture(scope="module")
def fresh():
    return Linker.build(KB)


@pytest.fixture(scope="module")
def taught():
    return Linker.build(KB, sightings(60), PLAIN)


def ids(documents):
    return {document.id for document in documents}


def test_a_share_is_held_out_of_documents_that_are_new_to_the_linker(fresh):
    teaching = Teaching.of(fresh, sightings(50), share=0.2)
    assert len(teaching.held_out) == 10 and len(teaching.taught) == 40
    assert not ids(teaching.taught) & ids(teaching.held_out) and teaching.linker is fresh
    assert ids(Teaching.of(fresh, sightings(50), share=0.2).held_out) == ids(teaching.held_out)
    assert ids(Teaching.of(fresh, sightings(50), share=0.2, seed=1).held_out) != ids(teaching.held_out)


def test_documents_that_the_linker_has_not_seen_are_held_out_first(taught, caplog):
    new = sightings(30, seed=1)
    teaching = Teaching.of(taught, [*sightings(60), *new], share=0.2)
    assert len(teaching.held_out) == 18 and ids(teaching.held_out) <= ids(new)
    assert len(teaching.taught) == 72 and teaching.linker is taught and not caplog.records


def test_all_that_is_new_is_held_out_where_it_is_less_than_the_share(taught):
    new = sightings(24, seed=1)
    teaching = Teaching.of(taught, [*sightings(60), *new], share=0.5)
    assert ids(teaching.held_out) == ids(new) and ids(teaching.taught) == ids(sightings(60))


def test_where_all_was_seen_a_second_linker_is_built_without_the_part_held_out(taught, caplog):
    teaching = Teaching.of(taught, sightings(60), share=0.25)
    assert "has learned from these documents already" in caplog.text and "--dev" in caplog.text
    assert len(teaching.held_out) == 15 and teaching.linker is not taught
    assert not teaching.linker.learned_from.holds(teaching.held_out).any()
    assert teaching.linker.learned_from.holds(teaching.taught).all()


def test_a_linker_built_without_some_documents_weighs_evidence_as_the_other_does(taught):
    weights = taught.ranker.weights + 1.0
    other = without(taught._with(ranker=taught.ranker.with_weights(weights)), sightings(20))
    assert other.ranker.weights.tolist() == weights.tolist() and other.calibration is None


def test_documents_given_to_judge_by_are_not_learned_from_and_must_be_new(taught, caplog):
    dev = [*sightings(5), *sightings(20, seed=2)]
    teaching = Teaching.of(taught, [*sightings(60), *sightings(10, seed=2)], dev)
    assert ids(teaching.held_out) == ids(sightings(20, seed=2)) and "5 of the 25 documents to hold out" in caplog.text
    assert ids(teaching.taught) == ids(sightings(60))
    with pytest.raises(DataError, match="learned from all 60 documents to hold out already"):
        Teaching.of(taught, sightings(10, seed=2), sightings(60))
    with pytest.raises(DataError, match="no documents to learn from"):
        unseen(taught, [], "to learn from")


def test_where_all_documents_are_held_out_that_is_said():
    with pytest.raises(DataError, match="No documents are left to learn from: some are held out"):
        known(KB, [], "to learn from")


def test_mentions_of_nothing_in_the_knowledge_base_are_refused_with_ids_of_both_sides():
    mentions, rows = known(KB, sightings(20, nil_share=0.5), "to learn from")
    assert len(mentions) == len(rows) < 20 and {KB.ids[row].split("-")[0] for (row,) in rows} == {"bird"}
    foreign = [Document("d", "Ruby", mentions=(Mention(0, 4, "Ruby", "Q43088"),))]
    with pytest.raises(DataError, match="None of the 1 annotated mentions .* name 'Q43088'.*'stone-Amber'"):
        known(KB, foreign, "to learn from")
    with pytest.raises(DataError, match="None of the 1 documents to hold out has an annotated mention"):
        known(KB, [Document("d", "Ruby")], "to hold out")
    one = KB.take([0])
    with pytest.raises(DataError, match="its ids look like 'stone-Amber'. "):
        known(one, foreign, "to learn from")


def test_a_linker_forgets_nothing_of_what_it_has_seen(taught):
    again = taught.taught_by(sightings(9, seed=5))
    assert again.learned_from.holds([*sightings(60), *sightings(9, seed=5)]).all()
    assert isinstance(again.learned_from, SeenDocuments)


def test_documents_that_teach_nothing_are_refused_before_they_are_shared_out():
    blank = [Document(str(number), "") for number in range(3)]
    with pytest.raises(DataError, match="None of the 3 documents to learn from has an annotated mention"):
        Teaching.of(Linker.build(KB), blank)
