import numpy as np
import pytest

from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.build_settings import RehearsalConfig
from deixis.tables import Ranking
from deixis.training import synthetic
from deixis.training.synthetic import MIN_ENTITIES, SyntheticKinds, SyntheticMentions, is_used_for

WHOLE = {"dropped_word_share": 0.0, "typo_share": 0.0, "case_share": 0.0, "initials_share": 0.0}


def metals(n=50, **more):
    return KnowledgeBase.from_records(
        {"id": f"e{i}", "title": f"metal number {i}", "aliases": [f"M{i}"], **more} for i in range(n)
    )


def test_whole_names_are_names_of_their_entity():
    kb = metals()
    made = SyntheticMentions.make(kb, SyntheticKinds(n_mentions=200, **WHOLE))
    for mention, row in zip(made.mentions, made.rows.tolist(), strict=True):
        assert mention.text in {f"metal number {row}", f"M{row}"}
    assert {mention.text[0] for mention in made.mentions} == {"m", "M"}


def test_mentions_stand_where_they_say():
    kb = metals(description="a heavy thing that shines")
    for mention in SyntheticMentions.make(kb, SyntheticKinds(n_mentions=200)).mentions:
        assert mention.document_text[mention.start : mention.end] == mention.text != ""


@pytest.mark.parametrize(
    ("share", "is_damaged"),
    [
        ("dropped_word_share", lambda text: text.count(" ") == 1),
        ("typo_share", lambda text: len(text) >= len("metal number")),
        ("case_share", lambda text: text.isupper() or text.islower()),
        ("initials_share", lambda text: len(text) == 3 and text.isupper()),
    ],
)
def test_each_damage_does_what_its_name_says(share, is_damaged):
    kb = KnowledgeBase.from_records({"id": f"e{i}", "title": f"Metal number {i}x"} for i in range(9))
    made = SyntheticMentions.make(kb, SyntheticKinds(n_mentions=50, **(WHOLE | {share: 1.0})))
    texts = {mention.text for mention in made.mentions}
    assert not texts & set(kb.titles.strings(np.arange(9)))
    assert all(is_damaged(text) for text in texts)


def test_hidden_entities_cannot_be_found_and_a_link_to_another_is_wrong(monkeypatch):
    kb = metals()
    made = SyntheticMentions.make(kb, SyntheticKinds(n_mentions=100, hidden_share=0.4))
    asked = []

    def rank(model, mentions, mask=None):
        asked.append((len(mentions), mask))
        n = len(mentions)
        return Ranking(np.arange(n + 1), np.zeros(n, dtype=np.int64), np.full(n, 0.5))

    monkeypatch.setattr(synthetic, "rank_mentions", rank)
    curve = made.ranked_by(Linker.build(kb, n_threads=1).model).curve
    assert [n for n, _ in asked] == [40, 60]
    assert not asked[0][1][made.rows[:40]].any() and asked[1][1] is None
    assert not curve.is_known[:40].any() and curve.is_known[40:].all()
    assert curve.is_right[40:].tolist() == (made.rows[40:] == 0).tolist()


def test_no_hidden_entity_is_ever_the_answer_of_a_real_model():
    kb = metals()
    made = SyntheticMentions.make(kb, SyntheticKinds(n_mentions=60, hidden_share=0.5))
    curve = made.ranked_by(Linker.build(kb, n_threads=1).model).curve
    assert not curve.is_right[made.is_hidden].any()
    assert curve.is_right[~made.is_hidden].mean() > 0.5


def test_the_same_seed_makes_the_same_mentions():
    first, again, other = (SyntheticMentions.make(metals(), SyntheticKinds(n_mentions=30), seed) for seed in (1, 1, 2))
    assert first.mentions == again.mentions
    assert first.mentions != other.mentions


def test_auto_is_for_long_lists_of_bare_names_and_nothing_annotated():
    auto, bare = RehearsalConfig(), metals(MIN_ENTITIES)
    assert is_used_for(auto, bare, has_annotated=False)
    assert not is_used_for(auto, bare, has_annotated=True)
    assert not is_used_for(auto, metals(MIN_ENTITIES - 1), has_annotated=False)
    assert not is_used_for(auto, metals(MIN_ENTITIES, description="shines"), has_annotated=False)
    assert is_used_for(RehearsalConfig(use="always"), metals(3), has_annotated=True)


def test_it_is_used_always_never_or_where_it_helps():
    with pytest.raises(ConfigError, match="'always'"):
        RehearsalConfig(use="sometimes")
