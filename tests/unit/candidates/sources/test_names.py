import numpy as np
import pytest

from deixis.candidates.sources.names import NameSearch, NameSearchConfig
from deixis.errors import ConfigError, StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.sparse_index import BlockIndexConfig

KB = KnowledgeBase.from_records(
    [
        {"id": "Q90", "title": "Paris", "aliases": ["City of Light", "Paname"]},
        {"id": "Q22", "title": "Troy", "aliases": ["Ilion"]},
        {"id": "Q830149", "title": "Paris, Texas"},
    ]
)
PLACES = np.array([2, 0, 1])


@pytest.fixture(scope="module")
def search() -> NameSearch:
    return NameSearch.build(KB, PLACES, n_threads=1)


def rows(found) -> list[list[int]]:
    return [found.indices[start:stop].tolist() for start, stop in zip(found.indptr, found.indptr[1:], strict=False)]


def test_entities_are_found_by_any_of_their_names_best_first(search):
    found = search.search(["Paris", "ILION", "city of lights", "Paris Texas"], k=3)
    assert rows(found) == [[0, 2], [1], [0], [2, 0]]
    assert found.shape == (4, 3)


def test_a_title_itself_scores_1_an_alias_what_aliases_count_and_nothing_more(search):
    names, entities = KB.names()
    found = search.search(list(names), k=1)
    assert rows(found) == [[int(entity)] for entity in entities]
    expected = [1.0] * len(KB) + [NameSearchConfig().alias_weight] * (len(names) - len(KB))
    np.testing.assert_allclose(found.data, expected, atol=0.01)
    assert found.data.max() <= 1


def test_among_namesakes_the_title_comes_before_the_alias():
    namesakes = [{"id": "a", "title": "Lutetia", "aliases": ["Paris"]}, {"id": "b", "title": "Paris"}]
    kb = KnowledgeBase.from_records(namesakes)
    assert rows(NameSearch.build(kb, np.arange(2)).search(["Paris"], k=2)) == [[1, 0]]
    alike = NameSearchConfig(alias_weight=1.0)
    assert rows(NameSearch.build(kb, np.arange(2), alike).search(["Paris"], k=2)) == [[0, 1]]


def test_what_shares_nothing_with_any_name_finds_nothing(search):
    assert rows(search.search(["xyzzy", "", "北京"], k=3)) == [[], [], []]
    assert search.search([], k=3).shape == (0, 3)


def test_the_scores_are_the_cosines_of_all_names_to_a_hundredth():
    search = NameSearch.build(KB, PLACES, NameSearchConfig(alias_weight=1.0), n_threads=1)
    names, entities = KB.names()
    texts = ["Parisian light", "Troyes", "Texas"]
    exact = (search.vectorizer.transform(texts) @ search.vectorizer.transform(list(names)).T).toarray()
    found = search.search(texts, k=3).toarray()
    for entity in range(3):
        best = exact[:, np.asarray(entities) == entity].max(axis=1)
        np.testing.assert_allclose(found[:, entity], best, atol=0.01)


def test_where_entities_stand_does_not_matter_while_all_blocks_are_opened(search):
    config = NameSearchConfig(index=BlockIndexConfig(block_size=1))
    other = NameSearch.build(KB, np.arange(3), config)
    texts = ["Paris", "Ilion and Paris", "Texas light"]
    np.testing.assert_allclose(other.search(texts, 3).toarray(), search.search(texts, 3).toarray(), atol=1e-6)


def test_an_entity_with_hundreds_of_like_names_leaves_room_for_others():
    records = [{"id": "a", "title": "alias", "aliases": [f"alias {n}" for n in range(400)]}]
    records += [{"id": f"b{n}", "title": f"alias of b{n}"} for n in range(5)]
    kb = KnowledgeBase.from_records(records)
    found = NameSearch.build(kb, np.arange(6)).search(["alias"], k=6)
    assert found.indices[0] == 0 and sorted(found.indices.tolist()) == list(range(6))


def test_a_saved_search_finds_the_same(search):
    again = NameSearch.from_arrays(search.to_arrays("x"), "x", len(KB), NameSearchConfig())
    for found, expected in zip(again.search(["Paris light"], 3), search.search(["Paris light"], 3), strict=True):
        assert found.indices.tolist() == expected.indices.tolist() and found.data.tolist() == expected.data.tolist()


def test_an_index_of_other_features_is_refused(search):
    other = NameSearch.build(KnowledgeBase.from_records([{"id": "x", "title": "Oz"}]), np.array([0]))
    mixed = search.to_arrays("x") | other.index.to_arrays("x.index")
    with pytest.raises(StoreError, match="columns for"):
        NameSearch.from_arrays(mixed, "x", len(KB), NameSearchConfig())


def test_an_index_of_more_entities_than_there_are_is_refused_when_it_is_searched(search):
    with pytest.raises(StoreError, match="damaged"):
        NameSearch.from_arrays(search.to_arrays("x"), "x", 1, NameSearchConfig()).search(["Ilion Texas"], k=3)


@pytest.mark.parametrize("name", ["tree_share", "learned_tree_share"])
@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_shares_outside_0_to_1_are_refused(name, share):
    with pytest.raises(ConfigError, match=f"{name} must lie in 0..1"):
        NameSearchConfig(**{name: share})
