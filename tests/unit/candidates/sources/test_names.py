import numpy as np
import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.names import NameConfig, NameSource
from deixis.errors import ConfigError, StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.sparse_index import BlockIndexConfig
from deixis.types import MentionInContext

KB = KnowledgeBase.from_records(
    [
        {"id": "Q90", "title": "Paris", "aliases": ["City of Light", "Paname"]},
        {"id": "Q22", "title": "Troy", "aliases": ["Ilion"]},
        {"id": "Q830149", "title": "Paris, Texas"},
    ]
)


@pytest.fixture(scope="module")
def source() -> NameSource:
    return NameSource.build(SourceInputs(KB, n_threads=1))


def mentions(*texts: str) -> list[MentionInContext]:
    return [MentionInContext(text, text, 0, len(text)) for text in texts]


def rows(found) -> list[list[int]]:
    return [found.indices[start:stop].tolist() for start, stop in zip(found.indptr, found.indptr[1:], strict=False)]


def test_entities_are_found_by_any_of_their_names_best_first(source):
    found = source.search(mentions("Paris", "ILION", "city of lights", "Paris Texas"), k=3)
    assert rows(found) == [[0, 2], [1], [0], [2, 0]]
    assert found.shape == (4, 3)


def test_a_title_itself_scores_1_an_alias_what_aliases_count_and_nothing_more(source):
    names, entities = KB.names()
    found = source.search(mentions(*names), k=1)
    assert rows(found) == [[int(entity)] for entity in entities]
    expected = [1.0] * len(KB) + [NameConfig().alias_weight] * (len(names) - len(KB))
    np.testing.assert_allclose(found.data, expected, atol=0.01)
    assert found.data.max() <= 1


def test_among_namesakes_the_title_comes_before_the_alias():
    namesakes = [{"id": "a", "title": "Lutetia", "aliases": ["Paris"]}, {"id": "b", "title": "Paris"}]
    inputs = SourceInputs(KnowledgeBase.from_records(namesakes))
    assert rows(NameSource.build(inputs).search(mentions("Paris"), k=2)) == [[1, 0]]
    alike = NameConfig(alias_weight=1.0)
    assert rows(NameSource.build(inputs, alike).search(mentions("Paris"), k=2)) == [[0, 1]]


def test_what_shares_nothing_with_any_name_finds_nothing(source):
    assert rows(source.search(mentions("xyzzy", "", "北京"), k=3)) == [[], [], []]
    assert source.search([], k=3).shape == (0, 3)


def test_the_scores_are_the_cosines_of_all_names_to_a_hundredth():
    source = NameSource.build(SourceInputs(KB, n_threads=1), NameConfig(alias_weight=1.0))
    names, entities = KB.names()
    texts = ["Parisian light", "Troyes", "Texas"]
    exact = (source.vectorizer.transform(texts) @ source.vectorizer.transform(list(names)).T).toarray()
    found = source.search(mentions(*texts), k=3).toarray()
    for entity in range(3):
        best = exact[:, np.asarray(entities) == entity].max(axis=1)
        np.testing.assert_allclose(found[:, entity], best, atol=0.01)


def test_no_score_is_above_1_though_names_are_kept_in_bytes():
    names = ["Paris", "Paris Texas", "Texas", "New Paris", "Troy", "Troyes", "East Troy New York", "Île-de-France"]
    kb = KnowledgeBase.from_records([{"id": name, "title": name} for name in names])
    found = NameSource.build(SourceInputs(kb)).generate(mentions(*names), k=50)
    assert [candidates[0].id for candidates in found] == names
    assert all(0 <= candidate.score <= 1 for candidates in found for candidate in candidates)


def test_popularity_decides_among_equals_and_is_taken_out_of_the_column():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "Paris"}, {"id": "b", "title": "Paris", "count": 500}])
    source = NameSource.build(SourceInputs(kb))
    found = source.search(mentions("Paris"), k=2)
    assert rows(found) == [[1, 0]] and found.data[0] > found.data[1]
    np.testing.assert_allclose(source.column(found), [1, 1], atol=0.01)


def test_where_entities_stand_does_not_matter_while_all_blocks_are_opened(source):
    inputs = SourceInputs(KB, configs={"label_tree": None})  # in the order of the tree
    other = NameSource.build(inputs, NameConfig(index=BlockIndexConfig(block_size=1)))
    asked = mentions("Paris", "Ilion and Paris", "Texas light")
    np.testing.assert_allclose(other.search(asked, 3).toarray(), source.search(asked, 3).toarray(), atol=1e-6)


def test_an_entity_with_hundreds_of_like_names_leaves_room_for_others():
    records = [{"id": "a", "title": "alias", "aliases": [f"alias {n}" for n in range(400)]}]
    records += [{"id": f"b{n}", "title": f"alias of b{n}"} for n in range(5)]
    found = NameSource.build(SourceInputs(KnowledgeBase.from_records(records))).search(mentions("alias"), k=6)
    assert found.indices[0] == 0 and sorted(found.indices.tolist()) == list(range(6))


def test_new_entities_score_as_if_they_had_been_built_in():
    added = KnowledgeBase.from_records([{"id": "new", "title": "Paris Light", "aliases": ["Texas City"]}])
    source = NameSource.build(SourceInputs(KB, counts=np.array([900, 0, 3])))
    further = source.extend(SourceInputs(added))
    asked = mentions("Paris Light", "Texas", "Ilion")
    exact = further.vectorizer.transform(["Texas"]) @ further.vectorizer.transform(["Texas City"]).T
    expected = [1, 0.95 * exact.toarray()[0, 0], 0]
    np.testing.assert_allclose(further.column(further.search(asked, 1)), expected[:2], atol=0.01)
    np.testing.assert_allclose(further.search(asked[:1], 1).data, 1 / (1 + source.max_gain), atol=0.01)


def test_an_index_of_other_features_is_refused(source):
    other = NameSource.build(SourceInputs(KnowledgeBase.from_records([{"id": "x", "title": "Oz"}])))
    mixed = source.to_arrays("x") | other.index.to_arrays("x.index")
    with pytest.raises(StoreError, match="columns for"):
        NameSource.from_arrays(mixed, "x", SourceInputs(KB))


def test_an_index_of_more_entities_than_there_are_is_refused_when_it_is_searched(source):
    opened = NameSource.from_arrays(source.to_arrays("x"), "x", SourceInputs(KB.take([0])))
    with pytest.raises(StoreError, match="damaged"):
        opened.search(mentions("Ilion Texas"), k=3)


@pytest.mark.parametrize("name", ["alias_weight", "popularity_weight"])
@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_weights_outside_0_to_1_are_refused(name, weight):
    with pytest.raises(ConfigError, match=f"{name} must (lie in 0..1|be a finite number)"):
        NameConfig(**{name: weight})
