import numpy as np
import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.descriptions import GAIN, DescriptionSource
from deixis.errors import StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import MentionInContext

TITLES = ["United Kingdom", "France", "Atlantis", "Belize"]
TEXTS = ["island country of the British", "country of the French", "", "former British colony, British once"]
KB = KnowledgeBase.from_records(
    {"id": title, "title": title, **({"description": text} if text else {})}
    for title, text in zip(TITLES, TEXTS, strict=True)
)


def inputs(*counts):
    return SourceInputs(KB, counts=np.array(counts or (0, 0, 0, 0)), n_threads=1)


def found(source, texts, k=4, mask=None):
    ranked = source.search([MentionInContext(text, text, 0, len(text)) for text in texts], k, mask)
    return [ranked[row].indices.tolist() for row in range(ranked.shape[0])], ranked


def test_entities_are_found_by_the_words_of_their_description():
    rows, ranked = found(DescriptionSource.build(inputs()), ["the French", "British", "Belize", ""])
    assert rows[0][0] == 1 and set(rows[1]) == {0, 3}
    assert rows[2] == rows[3] == []  # a name is no description
    assert (ranked.data >= 0).all() and (ranked.data <= 1).all()


def test_of_those_that_have_the_same_words_the_popular_one_comes_first():
    assert found(DescriptionSource.build(inputs(0, 0, 0, 999)), ["British"])[0][0] == [3, 0]
    assert found(DescriptionSource.build(inputs(999, 0, 0, 0)), ["British"])[0][0] == [0, 3]


def test_a_description_with_all_words_outranks_a_popular_one_with_few():
    assert found(DescriptionSource.build(inputs(0, 0, 0, 999)), ["island country"])[0][0][0] == 0


def test_scores_are_the_share_and_the_gain_of_the_most_there_can_be():
    _, ranked = found(DescriptionSource.build(inputs(0, 0, 0, 10_000)), ["British"])
    assert ranked.data == pytest.approx([1, 1 / (1 + GAIN)], abs=0.01)


def test_a_mask_leaves_all_that_exist():
    source = DescriptionSource.build(inputs(999, 999, 999, 0))
    for allowed in ([True] * 3 + [False], [False, True, True, True], [False] * 3 + [True]):
        mask = np.array(allowed)
        rows, _ = found(source, ["British", "country"], k=1, mask=mask)
        assert len(rows[0]) == 1 and mask[rows[0][0]]
        assert len(rows[1]) == int(mask[:2].any())
    assert found(source, ["British"], mask=np.zeros(4, dtype=bool))[0] == [[]]


def test_without_descriptions_there_is_nothing_to_build_or_to_open():
    bare = SourceInputs(KnowledgeBase.from_records([{"id": "a", "title": "Oz"}]))
    assert DescriptionSource.build(bare) is None
    assert DescriptionSource.from_arrays({}, "d", bare) is None
    assert DescriptionSource.build(inputs()).extend(bare) is None


def test_new_entities_are_found_by_words_that_were_counted_before_their_types_among_them():
    records = [
        {"id": "new", "title": "Ruritania", "description": "former colony"},
        {"id": "typed", "title": "Lilliput", "types": ["island"]},
    ]
    further = DescriptionSource.build(inputs(9, 0, 0, 0)).extend(SourceInputs(KnowledgeBase.from_records(records)))
    assert found(further, ["former colony", "island", "Ruritania"])[0] == [[0], [1], []]


def test_an_index_that_does_not_fit_is_refused():
    given = inputs()
    arrays = DescriptionSource.build(given).to_arrays("d")
    fewer = KB.take([0, 1, 3])
    for kb, words in ((fewer, given.words), (KB, SourceInputs(fewer).words)):
        with pytest.raises(StoreError):
            DescriptionSource.from_arrays(arrays, "d", SourceInputs(kb, stored_words=words))
    for wrong in (np.nan, np.inf, -1.0):
        with pytest.raises(StoreError, match="gains"):
            gains = np.full(4, wrong, dtype=np.float32)
            DescriptionSource.from_arrays(arrays | {"d.gains": gains}, "d", given)
