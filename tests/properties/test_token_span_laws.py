"""Laws of entities on tokens: nothing overlaps, nothing better is left out, and links come first."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.integrations.spacy.alignment import apart
from deixis.types import Mention

quick = settings(max_examples=60, deadline=None)
LEAST = 0.25


def mentions():
    """Up to six spans of tokens with scores; about a third mean nothing known."""
    place = st.tuples(st.integers(0, 7), st.integers(1, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))
    mention = st.tuples(st.sampled_from(["Q1", "Q2", None]), st.sampled_from([0.25, 0.5, 0.75, 1.0])).map(
        lambda told: Mention(0, 1, "x", told[0], told[1], is_nil=told[0] is None)
    )
    return st.dictionaries(place, mention, max_size=6)


def earlier():
    """Entities that do not overlap, as spaCy's."""
    cuts = st.lists(st.integers(0, 12), unique=True, max_size=8).map(sorted)
    return cuts.map(lambda places: list(zip(places[::2], places[1::2], strict=False)))


def overlap(one, two):
    return one[0] < two[1] and two[0] < one[1]


def gain(spans, found):
    return sum(found[span].score - LEAST + 1e-6 for span in spans)


@quick
@given(mentions(), earlier())
def test_no_two_entities_share_a_token_and_each_was_there_before(found, before):
    chosen = apart(found, LEAST, before)
    assert not any(overlap(*pair) for pair in itertools.combinations(chosen, 2))
    assert list(chosen) == sorted(chosen)
    for span, mention in chosen.items():
        assert mention == found.get(span)
        assert mention is not None or span in before


@quick
@given(mentions(), earlier())
def test_no_other_choice_of_links_is_worth_more(found, before):
    links = [span for span, mention in found.items() if mention.entity is not None]
    sets = itertools.chain.from_iterable(itertools.combinations(links, n) for n in range(len(links) + 1))
    best = max(
        gain(each, found) for each in sets if not any(overlap(*pair) for pair in itertools.combinations(each, 2))
    )
    chosen = [span for span, mention in apart(found, LEAST, before).items() if mention and mention.entity is not None]
    assert abs(gain(chosen, found) - best) < 1e-9


@quick
@given(mentions(), earlier())
def test_whatever_is_left_out_overlaps_an_entity(found, before):
    chosen = apart(found, LEAST, before)
    for span in {*found, *before} - chosen.keys():
        assert any(overlap(span, other) for other in chosen)
