"""What counts as right."""

import pytest

from deixis.evaluation.gold import acceptable_ids

KNOWN = {"a", "b", "c", "C++", "Google+"}


def resolve(name):
    return {"alt-a": "a"}.get(name, name if name in KNOWN else None)


@pytest.mark.parametrize(
    ("gold", "accepted"),
    [
        ("a", {"a"}),
        ("a|b", {"a", "b"}),
        ("a+zzz", {"a"}),
        ("a|zzz+c", {"a", "c"}),
        ("C++", {"C++"}),
        ("Google+|b", {"Google+", "b"}),
        ("alt-a", {"a"}),
        ("zzz", set()),
        ("", set()),
        ("|+", set()),
    ],
)
def test_any_of_the_joined_ids_is_right_and_a_known_id_is_never_taken_apart(gold, accepted):
    assert acceptable_ids(gold, resolve) == accepted


@pytest.mark.parametrize(
    ("gold", "accepted"),
    [
        ("a", {"a"}),
        ("a|b", {"a|b", "a", "b"}),
        ("a+b|c", {"a+b|c", "a+b", "a", "b", "c"}),
        ("C++", {"C++"}),
        ("Google+|b", {"Google+|b", "Google+", "b"}),
        (" a ", {"a"}),
    ],
)
def test_without_a_knowledge_base_the_whole_and_its_parts_are_right(gold, accepted):
    assert acceptable_ids(gold, None) == accepted


@pytest.mark.parametrize("known", ["D003000", "MESH:D003000"])
@pytest.mark.parametrize("gold", ["D003000", "MESH:D003000", "mesh:D003000", "OMIM:1|MESH:D003000", "D9+MESH:D003000"])
def test_a_mesh_id_is_the_same_with_and_without_its_prefix(known, gold):
    assert acceptable_ids(gold, {known: known}.get) == {known}
    assert known in acceptable_ids(gold, None)


def test_a_mesh_id_is_taken_as_it_stands_where_that_is_known():
    both = {"D003000": "a descriptor", "MESH:D003000": "something else"}
    assert acceptable_ids("MESH:D003000", both.get) == {"something else"}


@pytest.mark.parametrize(
    ("gold", "known"),
    [("OMIM:114500", "114500"), ("Category:Paris", "Paris"), ("MESH:C0000001", "C0000001"), ("wd:Q90", "Q90")],
)
def test_no_other_prefix_is_taken_off(gold, known):
    assert acceptable_ids(gold, {known: known}.get) == set()
