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
