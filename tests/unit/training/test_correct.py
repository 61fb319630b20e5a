"""Corrections hold where they were made, speak elsewhere, add up, survive saving, and change no weights."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from deixis.documents.corrections import Correction
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.training.correct import MIN_REFIT, correct
from deixis.training.weights import accuracy_of
from deixis.types import Document, Mention
from tests.aviary import NAMES, even_aviary, sightings

TEXT = "At dawn Ruby sang to Basalt."
ELSEWHERE = "We heard Ruby again."


def span(text, words, verdict, entity=None):
    start = text.index(words)
    return Correction(text, start, start + len(words), verdict, entity)


def answers(linker, text, **options):
    return {mention.text: mention.entity for mention in linker.link(text, **options).mentions}


def linked(linker, texts):
    return list(linker.link_many(texts))


def corrected(linker, *corrections):
    return linker.correct(corrections)


@pytest.fixture(scope="module")
def linker():
    return Linker.build(even_aviary())


@pytest.fixture(scope="module")
def lenient():
    """With a lower threshold."""
    return Linker.build(even_aviary(), config=LinkerConfig(nil=ThresholdConfig(0.1)))


@pytest.fixture(params=["linker", "lenient"])
def any_linker(request):
    return request.getfixturevalue(request.param)


def test_gold_turns_the_link_here_and_elsewhere(any_linker):
    before = answers(any_linker, TEXT)["Ruby"]
    other = "bird-Ruby" if before == "stone-Ruby" else "stone-Ruby"
    after = corrected(any_linker, span(TEXT, "Ruby", "gold", other))
    assert answers(after, TEXT)["Ruby"] == answers(after, ELSEWHERE)["Ruby"] == other
    assert answers(any_linker, TEXT)["Ruby"] == before  # the linker before stays as it was
    given = Document("d", TEXT, mentions=(Mention(8, 12, "Ruby"),))
    assert after.link(given).mentions[0].entity == other and after.link(given).mentions[0].score == 1.0


def test_wrong_demotes_the_link_here_and_elsewhere(any_linker):
    before = answers(any_linker, TEXT)["Ruby"]
    after = corrected(any_linker, span(TEXT, "Ruby", "wrong", before))
    assert answers(after, TEXT).get("Ruby") != before
    assert answers(after, ELSEWHERE).get("Ruby") != before
    both = corrected(after, span(TEXT, "Ruby", "wrong", "bird-Ruby"), span(TEXT, "Ruby", "wrong", "stone-Ruby"))
    assert answers(both, TEXT).get("Ruby") not in ("bird-Ruby", "stone-Ruby")


def test_not_an_entity_stops_the_link_here_and_by_and_by_elsewhere(any_linker):
    after = corrected(any_linker, span(TEXT, "Ruby", "not_an_entity"))
    assert "Ruby" not in answers(after, TEXT)
    given = after.link(Document("d", TEXT, mentions=(Mention(8, 12, "Ruby"),))).mentions[0]
    assert given.is_nil and given.candidates == ()
    often = [f"Ruby was there, {number}." for number in range(12)]
    stopped = corrected(any_linker, *(span(text, "Ruby", "not_an_entity") for text in often))
    assert answers(stopped, ELSEWHERE).get("Ruby") is None
    assert answers(stopped, "We heard Amber again.")["Amber"] is not None


def test_a_name_that_the_list_lacks_is_found_once_it_was_corrected(any_linker):
    assert answers(any_linker, TEXT).get("Basalt") is None
    texts = (TEXT, "Old Basalt lay there.", "Near Basalt, too.")
    after = corrected(any_linker, *(span(text, "Basalt", "gold", "stone-Onyx") for text in texts))
    assert answers(after, TEXT)["Basalt"] == answers(after, "Some Basalt was found.")["Basalt"] == "stone-Onyx"


def test_a_longer_span_that_is_right_takes_the_place_of_what_it_covers(any_linker):
    after = corrected(any_linker, span(TEXT, "Ruby sang", "gold", "bird-Onyx"))
    assert answers(after, TEXT)["Ruby sang"] == "bird-Onyx" and "Ruby" not in answers(after, TEXT)
    assert {"Ruby sang", "Ruby"} <= set(answers(after, TEXT, overlaps="keep"))


def test_filters_hold_for_corrections_too(linker):
    after = corrected(linker, span(TEXT, "Ruby", "gold", "bird-Ruby"))
    assert answers(after, TEXT, ids=["bird-Ruby"])["Ruby"] == "bird-Ruby"
    assert answers(after, TEXT, ids=["stone-Ruby"]).get("Ruby") is None


def test_file_after_file_is_like_both_and_twice_is_like_once(any_linker):
    first = [span(TEXT, "Ruby", "gold", "stone-Ruby"), span(ELSEWHERE, "Ruby", "gold", "bird-Ruby")]
    second = [span("Pearl and Onyx.", "Pearl", "wrong", "bird-Pearl"), span("Onyx flew.", "Onyx", "not_an_entity")]
    both, one_by_one = any_linker.correct([*first, *second]), any_linker.correct(second).correct(first)
    again = correct(both.model, [*first, *second])
    assert (again.n_new, again.n_changed, again.n_known) == (0, 0, 4)
    texts = [TEXT, ELSEWHERE, "Pearl saw Onyx and Ruby."]
    for other in (one_by_one, Linker(again.model)):
        assert other.corrections == both.corrections
        assert other.to_bytes() == both.to_bytes()
        assert linked(other, texts) == linked(both, texts)


def birds(n, seed=0):
    """Corrections of sightings: birds are meant, Basalt is nothing."""
    return [
        Correction(each.text, m.start, m.end, "not_an_entity" if m.entity is None else "gold", m.entity)
        for each in sightings(n, seed)
        for m in each.mentions
    ]


def test_many_corrections_make_a_better_linker(any_linker):
    after = any_linker.correct(birds(150))
    dev = [each for each in sightings(60, seed=1) if each.mentions[0].entity]
    before, then = (accuracy_of("right", each.model, dev).value for each in (any_linker, after))
    assert then > max(before, 0.95)
    assert len(after.model.all_seen) == 150 and len(after.model.seen) == 0


def test_few_corrections_change_neither_weights_nor_decisions(any_linker):
    calibrated = any_linker.calibrate(sightings(200, seed=3))
    after = calibrated.correct(birds(MIN_REFIT - 1))
    assert after.model.ranker.weights is calibrated.model.ranker.weights
    assert after.model.uncorrected_weights is None
    assert after.model.decisions is calibrated.model.decisions
    assert after.model.detector.scorer is calibrated.model.detector.scorer


def test_many_corrections_refit_weights_if_those_held_out_agree_and_leave_decisions(any_linker):
    result = correct(any_linker.model, birds(120))
    before, after = result.accuracies
    assert result.is_refitted and after >= before
    assert result.model.decisions is any_linker.model.decisions
    assert result.model.uncorrected_weights is any_linker.model.ranker.weights
    back = Linker(result.model).without_corrections()
    assert back.to_bytes() == any_linker.to_bytes()


def test_a_saved_model_links_the_same_and_takes_more_corrections(any_linker, tmp_path):
    first, second = birds(20), birds(20, seed=5)
    after = any_linker.correct(first)
    after.save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model")
    texts = [TEXT, ELSEWHERE, *(each.text for each in sightings(10, seed=6)), first[0].text]
    assert linked(loaded, texts) == linked(after, texts) and loaded.corrections == after.corrections
    onwards, at_once = loaded.correct(second), any_linker.correct([*first, *second])
    assert onwards.model.ranker.weights.by_name() == at_once.model.ranker.weights.by_name()
    assert onwards.to_bytes() == at_once.to_bytes()
    assert linked(onwards, texts) == linked(at_once, texts)


def test_a_calibration_after_corrections_stays_when_more_are_made(linker, tmp_path):
    after = linker.correct(birds(20)).calibrate(sightings(100, seed=4))
    after.save(tmp_path / "model")
    more = Linker.load(tmp_path / "model").correct([span(TEXT, "Ruby", "gold", "stone-Ruby")])
    curves = [each.model.decisions.given.curve for each in (after, more)]
    assert curves[0].scores.tolist() == curves[1].scores.tolist() and len(more.corrections) == 21


def test_without_corrections_a_linker_is_what_it_was_before_them(any_linker):
    first, second = birds(15), [span(TEXT, "Ruby", "wrong", "bird-Ruby"), span(ELSEWHERE, "Ruby", "not_an_entity")]
    texts = [TEXT, ELSEWHERE, *(each.text for each in sightings(12))]
    some = any_linker.correct(first)
    for before, undone in (
        (any_linker, some.without_corrections()),
        (any_linker, some.without_corrections(first)),
        (some, some.correct(second).without_corrections(second)),
    ):
        assert undone.to_bytes() == before.to_bytes()
        assert linked(undone, texts) == linked(before, texts)
    assert some.without_corrections(second).corrections == some.corrections  # none of these were made


def test_every_name_can_be_corrected_at_once(any_linker):
    after = any_linker.correct([Correction(f"{n} sang.", 0, len(n), "gold", f"bird-{n}") for n in NAMES])
    assert [answers(after, f"{name} sang.")[name] for name in NAMES] == [f"bird-{name}" for name in NAMES]


def test_others_go_on_linking_while_corrections_are_made(linker):
    texts = [each.text for each in sightings(40, seed=8)]
    expected = linked(linker, texts)
    with ThreadPoolExecutor(3) as pool:
        answered = [pool.submit(linked, linker, texts) for _ in range(4)]
        changed = [pool.submit(linker.correct, birds(30)) for _ in range(2)]
        assert all(each.result() == expected for each in answered)
        first, second = (each.result() for each in changed)
    assert linked(first, texts) == linked(second, texts)
    assert linked(linker, texts) == expected and not linker.corrections.each


def test_an_explanation_counts_what_corrections_said_against_an_entity(linker):
    after = corrected(linker, span(TEXT, "Ruby", "wrong", "bird-Ruby"))
    why = after.explain(ELSEWHERE, 9, 13, entity="bird-Ruby").entity
    assert [part.contribution for part in why.parts if part.name == "corrected"] == [-3.0]
    assert sum(part.contribution for part in why.parts) == pytest.approx(why.total)


@pytest.mark.parametrize("verdict", ["gold", "wrong", "not_an_entity"])
def test_an_explanation_links_what_linking_links_in_the_text_that_was_corrected(linker, verdict):
    entity = {"gold": "stone-Ruby", "wrong": answers(linker, TEXT)["Ruby"], "not_an_entity": None}[verdict]
    after = corrected(linker, span(TEXT, "Ruby", verdict, entity))
    why = after.explain(TEXT, 8, 12)
    assert why.is_corrected and (why.entity.id if why.is_linked else None) == answers(after, TEXT).get("Ruby")
    assert not after.explain(ELSEWHERE, 9, 13).is_corrected


def test_what_a_name_means_says_nothing_of_longer_names_that_hold_it():
    kb = KnowledgeBase.from_records([
        {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
        {"id": "new-troy", "title": "New Troy", "description": "a village in Michigan"},
    ])  # fmt: skip
    plain = Linker.build(kb)
    after = corrected(plain, span("Greeks went to Troy.", "Troy", "gold", "troy"))
    text = "From New Troy to Troy."
    assert answers(after, text) == answers(plain, text) == {"New Troy": "new-troy", "Troy": "troy"}
    assert [mention.text for mention in after.link(text, overlaps="keep").mentions] == ["New Troy", "Troy", "Troy"]


def test_a_longer_name_that_was_corrected_stands_before_one_inside_it(linker):
    texts = ("We saw Great Ruby.", "They know Great Ruby.", "Here is Great Ruby.")
    after = corrected(linker, *(span(text, "Great Ruby", "gold", "stone-Ruby") for text in texts))
    assert answers(after, "They had Great Ruby there.") == {"Great Ruby": "stone-Ruby"}
