"""Corrections hold where they were made, speak elsewhere, add up, survive saving, and change no weights."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from deixis.documents.corrections import Correction
from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.ranking.correction_odds import STRENGTH
from deixis.training.correct import MIN_HELD_OUT, MIN_REFIT, correct
from deixis.training.correction_checks import Comparison
from deixis.training.weights import accuracy_of
from deixis.types import Document, Mention
from tests.aviary import NAMES, even_aviary, sightings

TEXT = "At dawn Ruby sang to Basalt."
SIMILAR = "At dawn we heard Ruby, who sang again."
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


def test_gold_turns_the_link_here_and_in_similar_texts(any_linker):
    before = answers(any_linker, TEXT)["Ruby"]
    other = "bird-Ruby" if before == "stone-Ruby" else "stone-Ruby"
    after = corrected(any_linker, span(TEXT, "Ruby", "gold", other))
    assert answers(after, TEXT)["Ruby"] == answers(after, SIMILAR)["Ruby"] == other
    assert answers(after, ELSEWHERE) == answers(any_linker, ELSEWHERE)  # which shares no word with the corrected text
    assert answers(any_linker, TEXT)["Ruby"] == before  # the linker before stays as it was
    given = Document("d", TEXT, mentions=(Mention(8, 12, "Ruby"),))
    assert after.link(given).mentions[0].entity == other and after.link(given).mentions[0].score == 1.0


def test_wrong_demotes_the_link_here_and_in_similar_texts(any_linker):
    before = answers(any_linker, TEXT)["Ruby"]
    after = corrected(any_linker, span(TEXT, "Ruby", "wrong", before))
    assert answers(after, TEXT).get("Ruby") != before
    assert answers(after, SIMILAR).get("Ruby") != before
    assert answers(after, ELSEWHERE) == answers(any_linker, ELSEWHERE)
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


def misled(n_confirmed=MIN_REFIT):
    """A linker that takes the popular one of two namesakes, and corrections: the text tells which one is meant."""
    kinds = ("harp", "plum", "loom", "kiln", "raft")
    records, corrections = [], []
    for number in range(2 * MIN_REFIT):
        kind, name = kinds[number % len(kinds)], f"Zor{number}"
        records.append({"id": f"{number}-big", "title": name, "description": "a large town of trade", "count": 900})
        records.append({"id": f"{number}-small", "title": name, "description": f"somebody who has a {kind}"})
        is_confirmed = number < n_confirmed
        text = f"{name} is a town of trade, {number}." if is_confirmed else f"{name} had the {kind} on day {number}."
        corrections.append(span(text, name, "gold", f"{number}-{'big' if is_confirmed else 'small'}"))
    return Linker.build(KnowledgeBase.from_records(records), n_threads=1), corrections


def test_mistakes_alone_change_no_weights():
    """They say nothing of what is right as it is: weights fitted to them once broke a third of all other links."""
    linker, corrections = misled(n_confirmed=0)
    result = correct(linker.model, corrections)
    assert not result.is_refitted and result.model.ranker.weights is linker.model.ranker.weights


def test_many_corrections_refit_weights_if_those_held_out_agree_and_leave_decisions():
    linker, corrections = misled()
    result = correct(linker.model, corrections)
    before, after = result.accuracies
    assert result.is_refitted and after > before
    assert result.model.decisions is linker.model.decisions
    assert result.model.uncorrected_weights is linker.model.ranker.weights
    back = Linker(result.model).without_corrections()
    assert back.to_bytes() == linker.to_bytes()


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


def test_an_explanation_counts_what_corrections_say_for_and_against_an_entity(linker):
    after = corrected(linker, span(TEXT, "Ruby", "wrong", "bird-Ruby"), span(TEXT, "Ruby", "wrong", "stone-Onyx"))
    start = SIMILAR.index("Ruby")
    why = after.explain(SIMILAR, start, start + 4, entity="bird-Ruby").entity
    (part,) = (part for part in why.parts if part.name == "corrected")
    assert part.contribution == pytest.approx(-STRENGTH)
    assert sum(part.contribution for part in why.parts) == pytest.approx(why.total)
    elsewhere = after.explain(ELSEWHERE, 9, 13, entity="bird-Ruby").entity
    assert [part.contribution for part in elsewhere.parts if part.name == "corrected"] in ([], [0.0])


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


def test_a_name_that_the_list_lacks_makes_its_entity_a_candidate_in_any_text(any_linker):
    after = corrected(any_linker, span(TEXT, "Basalt", "gold", "stone-Onyx"))
    given = Document("d", "Nothing here is like Basalt there", mentions=(Mention(21, 27, "Basalt"),))
    assert after.link(given).mentions[0].candidates[0].id == "stone-Onyx"


def test_a_name_that_others_have_makes_a_further_entity_a_candidate_and_no_more(linker):
    after = corrected(linker, span(TEXT, "Ruby", "gold", "stone-Onyx"))
    mention = Document("d", ELSEWHERE, mentions=(Mention(9, 13, "Ruby"),)).mentions_in_context()
    tables = [each.model.sources.propose(each.model.sources.with_kb_names(mention)) for each in (linker, after)]
    onyx = linker.kb.row_of("stone-Onyx")
    assert onyx in tables[1].rows and tables[1].column("alias")[tables[1].rows == onyx].tolist() == [0.0]
    assert answers(after, ELSEWHERE) == answers(linker, ELSEWHERE)


def test_two_namesakes_are_told_apart_by_the_texts_they_were_corrected_in(linker):
    flew, cut = "Ruby flew over the lake at noon.", "The jeweller cut Ruby for a ring."
    after = corrected(linker, span(flew, "Ruby", "gold", "bird-Ruby"), span(cut, "Ruby", "gold", "stone-Ruby"))
    assert answers(after, "Over the lake flew Ruby once more.")["Ruby"] == "bird-Ruby"
    assert answers(after, "A ring that the jeweller made of Ruby.")["Ruby"] == "stone-Ruby"


def test_a_correction_says_how_many_links_of_a_fixed_sample_changed(linker):
    other = the_other(answers(linker, TEXT)["Ruby"])
    text = "Ruby: a kind of stone, we said."
    results = [correct(linker.model, [span(text, "Ruby", "gold", other)]) for _ in range(2)]
    assert results[0].changed_links == results[1].changed_links
    assert 0 < results[0].changed_links.n_changed < results[0].changed_links.n_sampled / 10
    again = correct(results[0].model, [span(text, "Ruby", "gold", other)])
    assert again.changed_links.n_changed == 0


def the_other(entity):
    """The namesake of an entity."""
    kind, name = entity.split("-")
    return f"{'stone' if kind == 'bird' else 'bird'}-{name}"


def days(linker, names, n):
    """Texts that are alike but for a number, and what the linker links in them."""
    texts = [(name, f"{name} sang, they said on day {day}.") for name in names for day in range(n)]
    return [(name, text, answers(linker, text)[name]) for name, text in texts]


def test_corrections_that_lower_accuracy_on_those_held_out_are_refused_unless_forced(linker):
    contradictions = [
        span(text, name, "gold", entity if number % 2 else the_other(entity))
        for number, (name, text, entity) in enumerate(days(linker, NAMES, 2))
    ]
    assert len(contradictions) >= MIN_HELD_OUT
    with pytest.raises(DataError, match=r"held out: 50\.0 % of 20 right before, .* % after.*--force \(in Python"):
        correct(linker.model, contradictions)
    assert len(correct(linker.model, contradictions, force=True).model.corrections) == 20
    consistent = [span(text, name, "gold", the_other(entity)) for name, text, entity in days(linker, NAMES, 2)]
    result = correct(linker.model, consistent)
    assert result.held_out.n_before == 0 and result.held_out.n_mended > 10


def test_corrections_that_lower_accuracy_on_annotated_documents_are_refused_unless_forced(linker):
    dev = [
        Document(text, text, mentions=(Mention(0, len(name), name, entity),))
        for name, text, entity in days(linker, NAMES[:3], 3)
    ]
    wrong = [
        span(f"{name} sang, they said.", name, "gold", the_other(entity))
        for name, _, entity in days(linker, NAMES, 1)[:3]
    ]
    with pytest.raises(DataError, match=r"annotated documents: 100\.0 % of 9 right before, 0\.0 % after"):
        linker.correct(wrong, dev=dev)
    assert len(linker.correct(wrong, dev=dev, force=True).corrections) == 3
    assert len(linker.correct(wrong).corrections) == 3  # too few to hold any out


def test_noise_is_no_reason_to_refuse():
    assert not Comparison(100, 60, 57, 4, 7).is_worse
    assert Comparison(100, 60, 50, 0, 10).is_worse
    assert not Comparison(100, 60, 60, 0, 0).is_worse
    assert [Comparison(9, 0, n, n, 1).is_better for n in (1, 4, 7)] == [False, False, True]
