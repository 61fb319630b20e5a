"""Learning from corrections: they hold where they were made, speak elsewhere, add up, and survive saving."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from deixis.detection.config import FindingConfig
from deixis.documents.corrections import Correction
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.correcting import learn_corrections
from deixis.linking.explaining import explain
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.linking.reweighing import accuracy_of
from deixis.types import Document, Mention
from tests.aviary import NAMES, aviary, sightings

TEXT = "At dawn Ruby sang to Basalt."
ELSEWHERE = "We heard Ruby again."


def span(text, words, verdict, entity=None):
    start = text.index(words)
    return Correction(text, start, start + len(words), verdict, entity)


def answers(linker, text, **options):
    return {mention.text: mention.entity for mention in linker.link(text, **options).mentions}


def taught(linker, *told):
    return learn_corrections(linker, told).linker


@pytest.fixture(scope="module")
def linker():
    """By the dictionary's rules, as a short list has it."""
    return Linker.build(aviary())


@pytest.fixture(scope="module")
def chancy():
    """By chances, as a long list has it."""
    config = LinkerConfig(finding=FindingConfig(min_names=1), nil=NilRule(0.1))
    return Linker.build(aviary(), config=config)


@pytest.fixture(params=["linker", "chancy"])
def any_linker(request):
    return request.getfixturevalue(request.param)


def test_gold_turns_the_link_here_and_elsewhere(any_linker):
    before = answers(any_linker, TEXT)["Ruby"]
    other = "bird-Ruby" if before == "stone-Ruby" else "stone-Ruby"
    corrected = taught(any_linker, span(TEXT, "Ruby", "gold", other))
    assert answers(corrected, TEXT)["Ruby"] == answers(corrected, ELSEWHERE)["Ruby"] == other
    assert answers(any_linker, TEXT)["Ruby"] == before  # the linker before stays as it was
    given = Document("d", TEXT, mentions=(Mention(8, 12, "Ruby"),))
    assert corrected.link(given).mentions[0].entity == other and corrected.link(given).mentions[0].score == 1.0


def test_wrong_demotes_the_link_here_and_elsewhere(any_linker):
    before = answers(any_linker, TEXT)["Ruby"]
    corrected = taught(any_linker, span(TEXT, "Ruby", "wrong", before))
    assert answers(corrected, TEXT).get("Ruby") != before
    assert answers(corrected, ELSEWHERE).get("Ruby") != before
    both = taught(corrected, span(TEXT, "Ruby", "wrong", "bird-Ruby"), span(TEXT, "Ruby", "wrong", "stone-Ruby"))
    assert answers(both, TEXT).get("Ruby") not in ("bird-Ruby", "stone-Ruby")


def test_not_an_entity_stops_the_link_here_and_by_and_by_elsewhere(any_linker):
    corrected = taught(any_linker, span(TEXT, "Ruby", "not_an_entity"))
    assert "Ruby" not in answers(corrected, TEXT)
    given = corrected.link(Document("d", TEXT, mentions=(Mention(8, 12, "Ruby"),))).mentions[0]
    assert given.is_nil and given.candidates == ()
    often = [f"Ruby was there, {number}." for number in range(12)]
    stopped = taught(any_linker, *(span(text, "Ruby", "not_an_entity") for text in often))
    assert answers(stopped, ELSEWHERE).get("Ruby") is None
    assert answers(stopped, "We heard Amber again.")["Amber"] is not None


def test_a_name_that_the_list_lacks_is_found_once_it_was_corrected(any_linker):
    assert answers(any_linker, TEXT).get("Basalt") is None
    told = [span(text, "Basalt", "gold", "stone-Onyx") for text in (TEXT, "Old Basalt lay there.", "Near Basalt, too.")]
    corrected = taught(any_linker, *told)
    assert answers(corrected, TEXT)["Basalt"] == answers(corrected, "Some Basalt was found.")["Basalt"] == "stone-Onyx"


def test_a_longer_span_that_is_right_takes_the_place_of_what_it_covers(any_linker):
    corrected = taught(any_linker, span(TEXT, "Ruby sang", "gold", "bird-Onyx"))
    assert answers(corrected, TEXT)["Ruby sang"] == "bird-Onyx" and "Ruby" not in answers(corrected, TEXT)
    assert {"Ruby sang", "Ruby"} <= set(answers(corrected, TEXT, overlaps="keep"))


def test_filters_hold_for_corrections_too(linker):
    corrected = taught(linker, span(TEXT, "Ruby", "gold", "bird-Ruby"))
    assert answers(corrected, TEXT, subset=["bird-Ruby"])["Ruby"] == "bird-Ruby"
    assert answers(corrected, TEXT, subset=["stone-Ruby"]).get("Ruby") is None


def test_file_after_file_is_like_both_and_twice_is_like_once(any_linker):
    first = [span(TEXT, "Ruby", "gold", "stone-Ruby"), span(ELSEWHERE, "Ruby", "gold", "bird-Ruby")]
    second = [span("Pearl and Onyx.", "Pearl", "wrong", "bird-Pearl"), span("Onyx flew.", "Onyx", "not_an_entity")]
    both, one_by_one = taught(any_linker, *first, *second), taught(taught(any_linker, *second), *first)
    again = learn_corrections(both, [*first, *second])
    assert (again.n_new, again.n_changed, again.n_known) == (0, 0, 4)
    texts = [TEXT, ELSEWHERE, "Pearl saw Onyx and Ruby."]
    for other in (one_by_one, again.linker):
        assert other.corrections == both.corrections
        assert np.array_equal(other.ranker.weights, both.ranker.weights)
        assert other.link(texts) == both.link(texts)


def birds(n, seed=0):
    """Corrections of sightings: birds are meant, Basalt is nothing."""
    documents = sightings(n, seed)
    return [
        Correction(each.text, m.start, m.end, "not_an_entity" if m.entity is None else "gold", m.entity)
        for each in documents for m in each.mentions
    ]  # fmt: skip


def test_many_corrections_make_a_better_linker_with_scores_that_can_be_believed(any_linker):
    corrected = taught(any_linker, *birds(150))
    dev = [each for each in sightings(60, seed=1) if each.mentions[0].entity]
    before, after = accuracy_of("before", any_linker, dev).value, accuracy_of("after", corrected, dev).value
    assert after > max(before, 0.95)
    assert corrected.calibration.source == "annotated" and any_linker.calibration is None
    assert len(corrected.learned_from) == 150


def test_a_calibration_of_more_mentions_stays_and_fixed_weights_stay():
    config = LinkerConfig()
    fixed = Linker.build(aviary(), config=replace(config, ranking=replace(config.ranking, weights="default")))
    calibrated = fixed.calibrate(sightings(200, seed=3))
    corrected = taught(calibrated, *birds(120))
    assert corrected.calibration is calibrated.calibration
    assert np.array_equal(corrected.ranker.weights, fixed.ranker.weights)


def test_a_saved_model_links_the_same_and_goes_on_learning(any_linker, tmp_path):
    first, second = birds(20), birds(20, seed=5)
    corrected = taught(any_linker, *first)
    corrected.save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model")
    texts = [TEXT, ELSEWHERE, *(each.text for each in sightings(10, seed=6)), first[0].text]
    assert loaded.link(texts) == corrected.link(texts) and loaded.corrections == corrected.corrections
    onwards, at_once = taught(loaded, *second), taught(any_linker, *first, *second)
    assert np.array_equal(onwards.ranker.weights, at_once.ranker.weights)
    assert onwards.link(texts) == at_once.link(texts)


def test_what_is_learned_otherwise_after_corrections_is_not_undone_by_the_next_ones(linker, tmp_path):
    corrected = taught(linker, *birds(20)).calibrate(sightings(100, seed=4))
    assert corrected.uncorrected is None
    corrected.save(tmp_path / "model")
    more = taught(Linker.load(tmp_path / "model"), span(TEXT, "Ruby", "gold", "stone-Ruby"))
    assert len(more.calibration.held_out) == len(corrected.calibration.held_out) and len(more.corrections) == 21


def test_every_name_can_be_corrected_at_once(any_linker):
    told = [Correction(f"{name} sang.", 0, len(name), "gold", f"bird-{name}") for name in NAMES]
    corrected = taught(any_linker, *told)
    assert [answers(corrected, f"{name} sang.")[name] for name in NAMES] == [f"bird-{name}" for name in NAMES]


def test_others_go_on_linking_while_corrections_are_learned(linker):
    texts = [each.text for each in sightings(40, seed=8)]
    expected = linker.link(texts)
    with ThreadPoolExecutor(3) as pool:
        linked = [pool.submit(linker.link, texts) for _ in range(4)]
        learned = [pool.submit(taught, linker, *birds(30)) for _ in range(2)]
        assert all(each.result() == expected for each in linked)
        first, second = (each.result() for each in learned)
    assert first.link(texts) == second.link(texts) and linker.link(texts) == expected and not linker.corrections.each


def test_an_explanation_counts_what_corrections_said_against_an_entity(linker):
    told = [span(TEXT, "Ruby", "wrong", "bird-Ruby")]
    why = explain(taught(linker, *told), ELSEWHERE, 9, 13, "bird-Ruby").entity
    assert [part.contribution for part in why.parts if part.name == "corrected"] == [-3.0]
    assert sum(part.contribution for part in why.parts) == pytest.approx(why.total)


@pytest.mark.parametrize("verdict", ["gold", "wrong", "not_an_entity"])
def test_an_explanation_links_what_linking_links_in_the_text_that_was_corrected(linker, verdict):
    said = {"gold": "stone-Ruby", "wrong": answers(linker, TEXT)["Ruby"], "not_an_entity": None}[verdict]
    after = taught(linker, span(TEXT, "Ruby", verdict, said))
    why = explain(after, TEXT, 8, 12)
    assert why.is_corrected and (why.entity.id if why.is_linked else None) == answers(after, TEXT).get("Ruby")
    assert not explain(after, ELSEWHERE, 9, 13).is_corrected


def test_what_a_name_means_says_nothing_of_longer_names_that_hold_it():
    kb = KnowledgeBase.from_records([
        {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
        {"id": "new-troy", "title": "New Troy", "description": "a village in Michigan"},
    ])  # fmt: skip
    plain = Linker.build(kb)
    after = taught(plain, span("Greeks went to Troy.", "Troy", "gold", "troy"))
    text = "From New Troy to Troy."
    assert answers(after, text) == answers(plain, text) == {"New Troy": "new-troy", "Troy": "troy"}
    assert [mention.text for mention in after.link(text, overlaps="keep").mentions] == ["New Troy", "Troy", "Troy"]


def test_a_longer_name_that_was_corrected_stands_before_one_inside_it(linker):
    after = taught(linker, span("We saw Great Ruby.", "Great Ruby", "gold", "stone-Ruby"))
    assert answers(after, "They had Great Ruby there.") == {"Great Ruby": "stone-Ruby"}
