import numpy as np
import pytest

from deixis.candidates.sources.descriptions import GAIN, DescriptionSearch
from deixis.errors import StoreError
from deixis.features.entity_words import EntityWords
from deixis.store.strings import StringTable

TEXTS = ["island country of the British", "country of the French", "", "former British colony, British once"]
WORDS = EntityWords.build(
    StringTable.from_strings(["United Kingdom", "France", "Atlantis", "Belize"]),
    np.arange(4),
    StringTable.from_strings(TEXTS),
    n_threads=1,
)


def build(popularity=(0, 0, 0, 0)):
    return DescriptionSearch.build(WORDS, np.array(popularity, dtype=np.float32), np.array([3, 1, 0, 2]))


def found(search, texts, k=4, **options):
    ranked = search.search(WORDS.queries(texts), k, **options)
    return [ranked[row].indices.tolist() for row in range(ranked.shape[0])], ranked


def test_entities_are_found_by_the_words_of_their_description():
    rows, ranked = found(build(), ["the French", "British", "Belize", ""])
    assert rows[0][0] == 1 and set(rows[1]) == {0, 3}
    assert rows[2] == rows[3] == []  # a name is no description
    assert (ranked.data >= 0).all() and (ranked.data <= 1).all()


def test_of_those_that_have_the_same_words_the_popular_one_comes_first():
    assert found(build((0, 0, 0, 1)), ["British"])[0][0] == [3, 0]
    assert found(build((1, 0, 0, 0)), ["British"])[0][0] == [0, 3]


def test_a_description_with_all_words_outranks_a_popular_one_with_few():
    assert found(build((0, 0, 0, 1)), ["island country"])[0][0][0] == 0


def test_scores_are_the_share_and_the_gain_of_the_most_there_can_be():
    _, ranked = found(build((0, 0, 0, 1)), ["British"])
    assert ranked.data == pytest.approx([1, 1 / (1 + GAIN)], abs=0.01)


def test_a_filter_leaves_all_that_exist():
    search = build((1, 1, 1, 0))
    for allowed in ([True] * 3 + [False], [False, True, True, True], [False] * 3 + [True]):
        mask = np.array(allowed)
        rows, _ = found(search, ["British", "country"], k=1, allowed=mask)
        assert len(rows[0]) == 1 and mask[rows[0][0]]
        assert len(rows[1]) == int(mask[:2].any())
    assert found(search, ["British"], allowed=np.zeros(4, dtype=bool))[0] == [[]]


def test_what_is_stored_finds_the_same():
    search = build((0, 1, 0, 1))
    arrays = search.to_arrays("d")
    again = DescriptionSearch.from_arrays(arrays, "d", 4, WORDS.vectorizer.n_features)
    assert {n: a.tobytes() for n, a in again.to_arrays("d").items()} == {n: a.tobytes() for n, a in arrays.items()}
    assert found(again, ["British country"])[0] == found(search, ["British country"])[0]


def test_an_index_that_does_not_fit_is_refused():
    arrays = build().to_arrays("d")
    n_words = WORDS.vectorizer.n_features
    for n_entities, n_columns in ((3, n_words), (4, n_words - 1)):
        with pytest.raises(StoreError):
            DescriptionSearch.from_arrays(arrays, "d", n_entities, n_columns)
    for wrong in (np.nan, np.inf, -1.0):
        with pytest.raises(StoreError, match="gains"):
            gains = np.full(4, wrong, dtype=np.float32)
            DescriptionSearch.from_arrays(arrays | {"d.gains": gains}, "d", 4, n_words)
