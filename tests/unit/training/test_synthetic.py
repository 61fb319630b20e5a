import numpy as np
import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.training import synthetic
from deixis.training.synthetic import synthetic_mentions


def metals(n=50, **more):
    return KnowledgeBase.from_records(
        {"id": f"e{i}", "title": f"metal number {i}", "aliases": [f"M{i}"], **more} for i in range(n)
    )


def test_whole_names_are_names_of_their_entity(monkeypatch):
    monkeypatch.setattr(synthetic, "DAMAGES", {})
    mentions, rows = synthetic_mentions(metals(), 200)
    for mention, row in zip(mentions, rows.tolist(), strict=True):
        assert mention.text in {f"metal number {row}", f"M{row}"}
    assert {mention.text[0] for mention in mentions} == {"m", "M"}


def test_mentions_stand_where_they_say():
    for mention in synthetic_mentions(metals(description="a heavy thing that shines"), 200)[0]:
        assert mention.document_text[mention.start : mention.end] == mention.text != ""


@pytest.mark.parametrize(
    ("damage", "is_damaged"),
    [
        ("_without_a_word", lambda text: text.count(" ") == 1),
        ("_with_a_slip", lambda text: len(text) >= len("metal number")),
        ("_in_another_case", lambda text: text.isupper() or text.islower()),
        ("_as_initials", lambda text: len(text) == 3 and text.isupper()),
    ],
)
def test_each_damage_does_what_its_name_says(damage, is_damaged, monkeypatch):
    monkeypatch.setattr(synthetic, "DAMAGES", {getattr(synthetic, damage): 1.0})
    kb = KnowledgeBase.from_records({"id": f"e{i}", "title": f"Metal number {i}x"} for i in range(9))
    texts = {mention.text for mention in synthetic_mentions(kb, 50)[0]}
    assert not texts & set(kb.titles.strings(np.arange(9)))
    assert all(is_damaged(text) for text in texts)


def test_the_same_seed_makes_the_same_mentions():
    first, again, other = (synthetic_mentions(metals(), 30, seed)[0] for seed in (1, 1, 2))
    assert first == again
    assert first != other
