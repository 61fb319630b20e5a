"""Documents are split so that no model is judged by what it has seen."""

from dataclasses import replace

import pytest

from deixis.errors import DataError
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.seen_documents import SeenDocuments
from deixis.training.documents import known, unseen
from deixis.training.examples import fit_weights
from deixis.training.split import TrainDevSplit, rebuilt_on
from deixis.types import Document, Mention
from tests.aviary import aviary, sightings

KB = aviary()
PLAIN = LinkerConfig(held_out_share=0.0)


@pytest.fixture(scope="module")
def fresh():
    return Linker.build(KB).model


@pytest.fixture(scope="module")
def trained():
    return Linker.build(KB, sightings(60), PLAIN).model


def ids(documents):
    return {document.id for document in documents}


def test_a_share_is_held_out_of_documents_that_are_new_to_the_linker(fresh):
    split = TrainDevSplit.of(fresh, sightings(50), fraction=0.2)
    assert len(split.dev) == 10 and len(split.train) == 40
    assert not ids(split.train) & ids(split.dev) and split.judge is fresh
    assert ids(TrainDevSplit.of(fresh, sightings(50), fraction=0.2).dev) == ids(split.dev)
    assert ids(TrainDevSplit.of(fresh, sightings(50), fraction=0.2, seed=1).dev) != ids(split.dev)


def test_documents_that_the_linker_has_not_seen_are_held_out_first(trained, caplog):
    new = sightings(30, seed=1)
    split = TrainDevSplit.of(trained, [*sightings(60), *new], fraction=0.2)
    assert len(split.dev) == 18 and ids(split.dev) <= ids(new)
    assert len(split.train) == 72 and split.judge is trained and not caplog.records


def test_all_that_is_new_is_held_out_where_it_is_less_than_the_share(trained):
    new = sightings(24, seed=1)
    split = TrainDevSplit.of(trained, [*sightings(60), *new], fraction=0.5)
    assert ids(split.dev) == ids(new) and ids(split.train) == ids(sightings(60))


def test_where_all_was_seen_a_second_linker_is_built_without_the_part_held_out(trained, caplog):
    split = TrainDevSplit.of(trained, sightings(60), fraction=0.25)
    assert "was trained on these documents already" in caplog.text and "--dev" in caplog.text
    assert len(split.dev) == 15 and split.judge is not trained
    assert not split.judge.seen.holds(split.dev).any()
    assert split.judge.seen.holds(split.train).all()


def test_a_linker_built_without_some_documents_weighs_evidence_as_the_other_does(trained):
    weights = trained.ranker.weights.with_values(trained.ranker.weights.values + 1.0)
    other = rebuilt_on(replace(trained, ranker=trained.ranker.with_weights(weights)), sightings(20))
    assert other.ranker.weights.by_name() == weights.by_name() and other.decisions.given.curve is None


def test_documents_given_to_judge_by_are_not_learned_from_and_must_be_new(trained, caplog):
    dev = [*sightings(5), *sightings(20, seed=2)]
    split = TrainDevSplit.of(trained, [*sightings(60), *sightings(10, seed=2)], dev)
    assert ids(split.dev) == ids(sightings(20, seed=2)) and "5 of the 25 documents to hold out" in caplog.text
    assert ids(split.train) == ids(sightings(60))
    with pytest.raises(DataError, match="learned from all 60 documents to hold out already"):
        TrainDevSplit.of(trained, sightings(10, seed=2), sightings(60))
    with pytest.raises(DataError, match="no documents to learn from"):
        unseen(trained, [], "to learn from")


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


def test_a_linker_forgets_nothing_of_what_it_has_seen(trained):
    again = fit_weights(trained, sightings(9, seed=5))
    assert again.seen.holds([*sightings(60), *sightings(9, seed=5)]).all()
    assert isinstance(again.seen, SeenDocuments)


def test_documents_that_teach_nothing_are_refused_before_they_are_split():
    blank = [Document(str(number), "") for number in range(3)]
    with pytest.raises(DataError, match="None of the 3 documents to learn from has an annotated mention"):
        TrainDevSplit.of(Linker.build(KB).model, blank)
