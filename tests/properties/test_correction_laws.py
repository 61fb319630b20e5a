"""Laws of corrections: those of different spans may come in any order, in one file or many, once or twice."""

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.documents.corrections import Correction
from deixis.linking.correcting import learn_corrections
from deixis.linking.corrections import Corrections
from deixis.linking.linker import Linker
from tests.aviary import NAMES, aviary

TEXTS = [f"{name} sang, then {other} flew." for name, other in zip(NAMES, NAMES[1:], strict=False)]


@st.composite
def corrections(draw):
    """Some corrections, none two of one span."""
    places = draw(st.lists(st.tuples(st.sampled_from(TEXTS), st.booleans()), unique=True, min_size=1, max_size=8))
    told = []
    for text, is_second in places:
        name = text.split()[3 if is_second else 0].strip(",")
        start = text.index(name)
        verdict = draw(st.sampled_from(["gold", "wrong", "not_an_entity"]))
        kind = draw(st.sampled_from(["bird", "stone"]))
        entity = None if verdict == "not_an_entity" else f"{kind}-{name}"
        told.append(Correction(text, start, start + len(name), verdict, entity))
    return told


@cache
def linker():
    return Linker.build(aviary(), n_threads=1)


@given(corrections(), st.randoms(use_true_random=False), st.integers(0, 8))
@settings(max_examples=15, deadline=None)
def test_order_files_and_repetition_do_not_matter(told, random, cut):
    at_once = learn_corrections(linker(), told).linker
    shuffled = random.sample(told, len(told))
    in_two = linker()
    for part in (shuffled[:cut], shuffled[cut:], shuffled[:2]):
        in_two = learn_corrections(in_two, part).linker
    assert in_two.corrections == at_once.corrections
    assert np.array_equal(in_two.ranker.weights, at_once.ranker.weights)
    assert in_two.link([*TEXTS, "Ruby saw Pearl."]) == at_once.link([*TEXTS, "Ruby saw Pearl."])


@given(corrections())
@settings(max_examples=15, deadline=None)
def test_what_was_corrected_is_linked_as_was_said(told):
    corrected = learn_corrections(linker(), told).linker
    for one in told:
        found = {(m.start, m.end): m.entity for m in corrected.link(one.text).mentions}.get((one.start, one.end))
        if one.verdict == "gold":
            assert found == one.entity
        else:
            assert found is None or (one.verdict == "wrong" and found != one.entity)


@given(corrections())
@settings(max_examples=40, deadline=None)
def test_corrections_come_back_from_arrays(told):
    kept = Corrections().merged(told).corrections
    assert Corrections.from_arrays(kept.to_arrays("told"), "told") == kept
