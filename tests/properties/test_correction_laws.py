"""Laws of corrections: any order, one file or many, once or twice; taken back they leave no trace."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.documents.corrections import Correction
from deixis.documents.reading import read_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.linking.corrections import Corrections
from deixis.types import Mention
from tests.aviary import NAMES, aviary, sightings

TEXTS = [f"{name} sang, then {other} flew." for name, other in zip(NAMES, NAMES[1:], strict=False)]
ASKED = [*TEXTS, "Ruby saw Pearl."]
N_TRIED = 12


@st.composite
def corrections(draw):
    """Some corrections, none two of one span."""
    places = draw(st.lists(st.tuples(st.sampled_from(TEXTS), st.booleans()), unique=True, min_size=1, max_size=8))
    drawn = []
    for text, is_second in places:
        name = text.split()[3 if is_second else 0].strip(",")
        start = text.index(name)
        verdict = draw(st.sampled_from(["gold", "wrong", "not_an_entity"]))
        kind = draw(st.sampled_from(["bird", "stone"]))
        entity = None if verdict == "not_an_entity" else f"{kind}-{name}"
        drawn.append(Correction(text, start, start + len(name), verdict, entity))
    return drawn


@cache
def linker(is_calibrated=True):
    plain = Linker.build(aviary(), n_threads=1)
    return plain.calibrate(sightings(60, seed=9)) if is_calibrated else plain


@cache
def state(is_calibrated=True):
    """What a linker is and says before any correction."""
    return linker(is_calibrated).to_bytes(), list(linker(is_calibrated).link_many(ASKED))


@given(corrections(), st.randoms(use_true_random=False), st.integers(0, 8), st.booleans())
@settings(max_examples=15, deadline=None)
def test_order_files_and_repetition_do_not_matter(drawn, random, cut, is_calibrated):
    at_once = linker(is_calibrated).correct(drawn)
    shuffled = random.sample(drawn, len(drawn))
    in_parts = linker(is_calibrated)
    for part in (shuffled[:cut], shuffled[cut:], shuffled[:2]):
        in_parts = in_parts.correct(part)
    assert in_parts.corrections == at_once.corrections
    assert in_parts.to_bytes() == at_once.to_bytes()
    assert list(in_parts.link_many(ASKED)) == list(at_once.link_many(ASKED))


@given(corrections(), st.integers(0, 8), st.booleans())
@settings(max_examples=15, deadline=None)
def test_corrections_taken_back_leave_nothing_behind(drawn, cut, is_calibrated):
    before, answers = state(is_calibrated)
    corrected = linker(is_calibrated).correct(drawn)
    for undone in (corrected.without_corrections(drawn), corrected.without_corrections()):
        assert undone.to_bytes() == before
        assert list(undone.link_many(ASKED)) == answers
    some = corrected.without_corrections(drawn[cut:])
    assert some.to_bytes() == linker(is_calibrated).correct(drawn[:cut]).to_bytes()


@given(corrections())
@settings(max_examples=15, deadline=None)
def test_corrections_touch_no_weight_and_no_decision(drawn):
    corrected = linker().correct(drawn)
    for model in (corrected.model, corrected.without_corrections(drawn).model):
        assert model.ranker.weights is linker().model.ranker.weights
        assert model.decisions is linker().model.decisions
        assert model.detector.scorer is linker().model.detector.scorer


@given(corrections())
@settings(max_examples=15, deadline=None)
def test_what_was_corrected_is_linked_as_was_said(drawn):
    corrected = linker().correct(drawn)
    for one in drawn:
        found = {(m.start, m.end): m.entity for m in corrected.link(one.text).mentions}.get((one.start, one.end))
        if one.verdict == "gold":
            assert found == one.entity
        else:
            assert found is None or (one.verdict == "wrong" and found != one.entity)


@given(corrections())
@settings(max_examples=40, deadline=None)
def test_corrections_come_back_from_arrays(drawn):
    kept = Corrections().merged(drawn).corrections
    assert Corrections.from_arrays(kept.to_arrays("told"), "told") == kept


@pytest.fixture(scope="module")
def demo():
    """The demo's linker, its annotated sentences, and how many mentions of each it gets right."""
    gold = list(read_documents(demo_sentences_path()))
    linker = Linker.build(read_demo(), n_threads=1)
    return linker, gold, rightness(linker, gold)


def rightness(linker, gold):
    """Of each sentence, whether every mention is linked as annotated."""
    bare = [d.with_mentions([Mention(m.start, m.end, m.text) for m in d.mentions]) for d in gold]
    pairs = zip(gold, linker.link_many(bare), strict=True)
    return np.array([[m.entity for m in d.mentions] == [m.entity for m in a.mentions] for d, a in pairs])


def mistakes(gold, before, rng):
    """Corrections of single mentions in sentences that are wrong, drawn at random."""
    wrong = [d for d, is_right in zip(gold, before.tolist(), strict=True) if not is_right]
    for number in rng.choice(len(wrong), N_TRIED, replace=False):
        document = wrong[int(number)]
        mention = document.mentions[int(rng.integers(len(document.mentions)))]
        yield Correction(document.text, mention.start, mention.end, "gold", mention.entity, document.lang)


def test_no_single_correction_breaks_more_sentences_than_it_mends(demo):
    """Weights that were fitted anew after one correction once cost a quarter of all sentences."""
    linker, gold, before = demo
    n_mended = n_broken = 0
    for one in mistakes(gold, before, np.random.default_rng(0)):
        after = rightness(linker.correct([one]), gold)
        n_mended, n_broken = n_mended + int((after & ~before).sum()), n_broken + int((before & ~after).sum())
    assert n_broken <= 1 and n_mended >= N_TRIED / 2, (n_broken, n_mended)


def test_teaching_columbia_in_one_sentence_leaves_the_other_sentences_alone(demo):
    """It once took the accuracy on the annotated sentences from .70 to .46."""
    linker, gold, before = demo
    text = "Columbia won the game."
    after = rightness(linker.correct([Correction(text, 0, 8, "gold", "columbia_university")]), gold)
    assert int((before & ~after).sum()) <= 1 and after.mean() >= before.mean() - 0.005


def test_a_correction_does_not_spread_to_texts_that_are_unlike(demo):
    """Paris Hilton was lovely once; flights go on to the city."""
    linker = demo[0]
    corrected = linker.correct([Correction("Paris was lovely", 0, 5, "gold", "paris_hilton")])
    assert corrected.link("Paris was lovely").mentions[0].entity == "paris_hilton"
    for text in ("The flight to Paris leaves at noon", "Paris was burning"):
        assert [each.entity for each in corrected.link(text).mentions] == ["paris_city"]
        assert [each.entity for each in linker.link(text).mentions] == ["paris_city"]
    again = corrected.link("Paris was lovely, we thought").mentions[0]
    assert again.entity == "paris_hilton"
