"""What counts as right."""

import numpy as np
import pytest

from deixis.gold import acceptable_ids, is_gold, known_parts

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


def test_an_id_that_holds_a_bar_is_looked_for_whole_first():
    rows = {"a": 0, "a|b": 1}
    assert known_parts("a|b", rows.get) == [1]
    assert known_parts("a|c", rows.get) == [0]
    assert known_parts("b|c", rows.get) == known_parts("", rows.get) == known_parts("|", rows.get) == []


def test_a_gold_id_with_a_joint_in_it_is_not_taken_apart():
    rows = {"C": 0, "Java": 1, "C++": 2}
    assert known_parts("C++|Java", rows.get) == [2, 1]
    assert known_parts("Rust|C++", rows.get) == [2]
    assert known_parts("Rust+Java", rows.get) == [1]


def test_the_same_row_by_two_names_is_known_once():
    assert known_parts("b|a|alt-b", {"a": 0, "b": 1, "alt-b": 1}.get) == [1, 0]


def test_no_mention_answers_for_another_and_nothing_asked_is_nothing_right():
    numbers, rows = np.repeat(np.arange(3), 4), np.tile(np.arange(4), 3)
    gold = [[3], [], [0, 2]]
    found = is_gold(numbers, rows, gold).reshape(3, 4)
    assert [np.flatnonzero(each).tolist() for each in found] == gold
    assert is_gold(numbers[:0], rows[:0], []).tolist() == []
