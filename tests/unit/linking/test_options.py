"""How to link, said once: every wrong value is told, and equal options are equal records."""

from dataclasses import fields

import pytest

from deixis.candidates.filters import EntityFilter
from deixis.errors import ConfigError
from deixis.linking.options import RENAMED, LinkOptions

EVERY = {
    "types": ("city", "river"),
    "ids": ("Q90",),
    "languages": ("de",),
    "threshold": 0.5,
    "type_thresholds": {"city": 0.4, "river": 0.9},
    "top_k": 3,
    "overlaps": "keep",
    "rerank": True,
    "reader": False,
    "vectors": "contexts",
}


def test_an_unknown_option_is_told_with_the_one_that_was_meant():
    with pytest.raises(ConfigError, match=r"Unknown option 'treshold'. Did you mean 'threshold'\? Known: types, ids,"):
        LinkOptions().with_changes(treshold=0.5)
    with pytest.raises(ConfigError, match="Unknown option 'xyzzy'. Known: types"):
        LinkOptions().with_changes(xyzzy=1)


@pytest.mark.parametrize(("before", "now"), RENAMED.items())
def test_a_renamed_option_is_told_by_its_new_name(before, now):
    with pytest.raises(ConfigError, match=f"'{before}' is called '{now}' now"):
        LinkOptions().with_changes(**{before: "x"})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"threshold": 1.1}, r"threshold must lie in 0\.\.1, got 1.1"),
        ({"threshold": -0.1}, r"threshold must lie in 0\.\.1"),
        ({"threshold": float("nan")}, r"threshold must lie in 0\.\.1"),
        ({"target_precision": 0.0}, r"target precision must lie in 0\.\.1, got 0"),
        ({"threshold": 0.5, "target_precision": 0.9}, "not both"),
        ({"type_thresholds": {"city": 1.5}}, r"threshold of the type 'city' must lie in 0\.\.1, got 1\.5"),
        ({"type_thresholds": {"city": "high"}}, r"must lie in 0\.\.1, got 'high'"),
        ({"type_thresholds": "city"}, r"numbers by type, such as \{\"Disease\": 0\.4\}; got 'city'"),
        ({"type_thresholds": [("city", 0.4), ("city", 0.5)]}, "'city' has two thresholds, 0.4 and 0.5"),
        ({"top_k": 0}, "top_k must be a whole number of at least 1, got 0"),
        ({"top_k": 2.5}, "top_k must be a whole number"),
        ({"overlaps": "all"}, "overlaps must be 'drop' or 'keep', got 'all'"),
        ({"vectors": "all"}, "vectors must be None or 'descriptions' or 'contexts' or 'both', got 'all'"),
        ({"rerank": "yes"}, "true or false, got 'yes'"),
        ({"reader": 1}, "true or false, got False and 1"),
        ({"types": []}, "list of types is empty"),
        ({"ids": [3]}, "ids of a filter are texts, got int: 3"),
    ],
)
def test_a_wrong_value_is_told_with_what_is_allowed(changes, words):
    with pytest.raises(ConfigError, match=words):
        LinkOptions(**changes)
    with pytest.raises(ConfigError, match=words):
        LinkOptions().with_changes(**changes)


def test_what_is_not_changed_stays_and_none_is_the_default():
    some = LinkOptions(**EVERY)
    assert some.with_changes() == some
    assert some.with_changes(top_k=7).to_dict() == some.to_dict() | {"top_k": 7}
    nothing = some.with_changes(**dict.fromkeys(EVERY))
    assert nothing == LinkOptions() and nothing.to_dict() == {}


def test_options_come_back_from_plain_values():
    for options in (LinkOptions(), LinkOptions(**EVERY), LinkOptions(target_precision=0.9), LinkOptions(reader=True)):
        assert LinkOptions().with_changes(**options.to_dict()) == options
    assert LinkOptions(**EVERY).to_dict()["types"] == ["city", "river"]


def test_equal_options_are_one_key_however_they_were_written():
    one, other = LinkOptions(types="city", ids=["Q90", "Q1"]), LinkOptions(types=("city",), ids=iter(["Q90", "Q1"]))
    assert one == other and len({one: 1, other: 2}) == 1
    assert one != LinkOptions(types="city")


def test_thresholds_of_types_are_one_key_in_any_order():
    one = LinkOptions(type_thresholds={"river": 0.9, "city": 0.4})
    assert one == LinkOptions(type_thresholds=(("city", 0.4), ("river", 0.9))) and hash(one)
    assert one.to_dict() == {"type_thresholds": {"city": 0.4, "river": 0.9}}


def test_the_filter_has_types_ids_and_languages_and_nothing_else():
    assert LinkOptions(**EVERY).only == EntityFilter(("city", "river"), ("Q90",), ("de",))
    assert not LinkOptions(threshold=0.5).only


def test_every_option_says_in_a_line_what_it_changes():
    for each in fields(LinkOptions):
        assert each.metadata["help"].endswith(".") and len(each.metadata["help"]) < 90
        assert set(each.metadata) == {"help", "flag", "low", "high"}
