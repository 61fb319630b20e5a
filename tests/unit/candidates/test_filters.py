"""Filters by type, id and language."""

import numpy as np
import pytest

from deixis.candidates.filters import EntityFilter
from deixis.errors import ConfigError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.options import LinkOptions
from tests.timing import cpu_seconds

RECORDS = [
    {"id": "Q90", "title": "Paris", "types": ["city"], "descriptions": {"fr": "capitale", "en": "capital"}},
    {"id": "Q167646", "title": "Paris", "types": ["person", "prince"], "alt_ids": ["paris-troy"]},
    {"id": "Q22647", "title": "Troy", "types": ["city", "ruin"], "aliases": [{"text": "Troja", "lang": "de-AT"}]},
    {"id": "Q64", "title": "Berlin", "types": ["Städte"], "description": "of no language"},
    {"id": "Q1", "title": "Universe"},
]


@pytest.fixture(scope="module")
def kb():
    return KnowledgeBase.from_records(RECORDS)


def filter_of(**parts):
    """The filter of what a caller gives."""
    return LinkOptions().with_changes(**parts).only


def passing(kb, **parts):
    mask = filter_of(**parts).mask(kb)
    return kb.ids.strings(np.flatnonzero(mask))


def test_any_of_the_types_is_enough(kb):
    assert passing(kb, types="city") == ["Q90", "Q22647"]
    assert passing(kb, types=["ruin", "prince"]) == ["Q167646", "Q22647"]


def test_type_names_are_any_text_composed_or_not(kb):
    assert passing(kb, types="Städte") == passing(kb, types="Sta\u0308dte") == ["Q64"]


def test_own_and_equivalent_ids_choose_entities(kb):
    assert passing(kb, ids=["Q1", "paris-troy", "Q1"]) == ["Q167646", "Q1"]


def test_a_language_keeps_what_it_knows_and_what_is_of_no_language(kb):
    assert passing(kb, languages="fr") == ["Q90", "Q167646", "Q64", "Q1"]
    assert passing(kb, languages=["de"]) == ["Q167646", "Q22647", "Q64", "Q1"]
    assert passing(kb, languages=["de_DE", "EN"]) == ["Q90", "Q167646", "Q22647", "Q64", "Q1"]


def test_parts_are_an_intersection(kb):
    assert passing(kb, types=["city", "person"], ids=["Q90", "paris-troy", "Q1"]) == ["Q90", "Q167646"]
    assert passing(kb, types="city", languages="de") == ["Q22647"]


def test_a_filter_of_nothing_is_no_mask(kb):
    assert EntityFilter().mask(kb) is None and not EntityFilter()
    assert filter_of() == EntityFilter() and filter_of(types="city")


def test_a_mask_cannot_be_written_to(kb):
    mask = EntityFilter(types=("city",)).mask(kb)
    assert mask.dtype == np.bool_ and mask.shape == (len(kb),)
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = True


def test_the_mask_of_a_filter_is_the_same_array_at_the_next_call(kb):
    first = EntityFilter(types=("city",)).cached_mask(kb)
    assert EntityFilter(types=("city",)).cached_mask(kb) is first
    for name in ("Q90", "Q167646", "Q22647", "Q64", "Q1"):
        assert EntityFilter(ids=(name,)).cached_mask(kb).sum() == 1
    assert EntityFilter(types=("city",)).cached_mask(kb) is first
    for language in ("fr", "en", "de"):
        EntityFilter(languages=(language,)).cached_mask(kb)
    assert EntityFilter(types=("city",)).cached_mask(kb) is not first
    assert EntityFilter(types=("city",)).cached_mask(kb).tolist() == first.tolist()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"types": "Citty"}, "No type named 'Citty'. Known: .*Did you mean 'city'"),
        ({"types": ["city", "STADTE"]}, "No type named 'STADTE'.*Did you mean 'Städte'"),
        ({"languages": "dee"}, "No language named 'dee'. Known: de, en, fr. Did you mean 'de'"),
    ],
)
def test_an_unknown_name_is_an_error_with_a_suggestion(kb, parts, message):
    with pytest.raises(UnknownNameError, match=message):
        filter_of(**parts).mask(kb)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ("q22647", "No entity .* has the id 'q22647'. Did you mean 'Q22647'.*look like 'Q90', 'Q167646', 'Q22647'"),
        ("Paris", "Did you mean 'Q90' or 'Q167646'"),
        ("\ud800", "No entity .* has the id"),
        (["Q90", "x1", "x2"], "no entity for 2 of the 3 ids: 'x1', 'x2'"),
        ([f"x{n}" for n in range(5000)], "no entity for 5,000 of the 5,000 ids: 'x0', .* and 4,995 more"),
    ],
)
def test_unknown_ids_are_counted_and_the_first_few_named(kb, ids, message):
    with pytest.raises(ConfigError, match=message):
        filter_of(ids=ids).mask(kb)


def test_an_error_says_which_part_leaves_nothing(kb):
    with pytest.raises(ConfigError, match="none of the 1 that pass types 'ruin' has the id 'Q90' or 'Q1'"):
        filter_of(types="ruin", ids=["Q90", "Q1"]).mask(kb)
    with pytest.raises(ConfigError, match="none of the 1 that pass types 'city', ids 'Q90' has anything in the lang"):
        filter_of(types="city", ids="Q90", languages="de").mask(kb)
    with pytest.raises(ConfigError, match="leaves nothing: no entity has the type 'prince'"):
        filter_of(types="prince").mask(kb.take([0, 2]))


def test_a_knowledge_base_without_types_or_languages_says_so():
    bare = KnowledgeBase.from_records([{"id": "a", "title": "Paris"}])
    with pytest.raises(ConfigError, match="No entity of the knowledge base has a type"):
        EntityFilter(types=("city",)).mask(bare)
    with pytest.raises(ConfigError, match="is marked with a language"):
        EntityFilter(languages=("de",)).mask(bare)
    with pytest.raises(ConfigError, match="has a type"):
        EntityFilter(types=("city",)).mask(KnowledgeBase.from_records([]))


@pytest.mark.parametrize("part", ["types", "ids", "languages"])
def test_an_empty_list_and_what_is_no_text_are_refused(part):
    with pytest.raises(ConfigError, match=f"list of {part} is empty"):
        filter_of(**{part: []})
    with pytest.raises(ConfigError, match=f"{part} of a filter are texts, got int: 5"):
        filter_of(**{part: [5]})
    with pytest.raises(ConfigError, match="got int: 5"):
        filter_of(**{part: 5})


def test_a_mask_over_many_entities_and_an_error_about_them_are_quick():
    n = 200_000
    records = ({"id": f"Q{i}", "title": "x", "types": [f"t{i % 500}"], "descriptions": {"de": "y"}} for i in range(n))
    kb = KnowledgeBase.from_records(records)

    def ask():
        assert EntityFilter(types=("t7", "t8")).mask(kb).sum() == 800
        assert EntityFilter(languages=("de",)).mask(kb).sum() == n
        with pytest.raises(ConfigError, match="has the id 'Q-1'"):
            EntityFilter(ids=("Q-1",)).mask(kb)

    assert cpu_seconds(ask, enough=2) < 2  # seen: 0.03 s
