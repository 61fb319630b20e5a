import numpy as np
import pytest
from scipy import sparse

from benchmarks.systems.tree_and_names import SEEN_TREE_SHARE, TreeAndNames, blended
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention, MentionInContext

KB = KnowledgeBase.from_records(
    [{"id": "a", "title": "Paris"}, {"id": "b", "title": "Paris, Texas"}, {"id": "c", "title": "Troy"}]
)


def shares(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def mention(text: str) -> MentionInContext:
    return MentionInContext(text, text, 0, len(text))


@pytest.mark.parametrize("k", [1, 7, 40])
def test_a_blend_is_the_weighted_sum_of_the_dense_rows(k):
    random = np.random.default_rng(0)
    first, second = (sparse.random(50, 40, 0.3, "csr", np.float32, random) for _ in range(2))
    weights = random.random(50, dtype=np.float32)
    found = blended(first, second, weights, k)
    dense = weights[:, None] * first.toarray() + (1 - weights[:, None]) * second.toarray()
    for row in range(50):
        best = np.sort(dense[row][dense[row] > 0])[::-1][:k]
        np.testing.assert_allclose(found[row].data, best, rtol=1e-6)


def test_a_mention_that_was_seen_annotated_is_mostly_the_trees():
    documents = [Document("d", "Ilion", mentions=(Mention(0, 5, "Ilion", "c"),))]
    both = TreeAndNames.build(KB, documents, n_threads=1)
    found, alone = (each.search([mention("Ilion")], 3) for each in (both, both.tree))
    assert found.indices[0] == 2 and found.data[0] == pytest.approx(SEEN_TREE_SHARE * alone.data[0], rel=1e-5)


def test_names_can_be_compared_in_another_way_beside_the_same_tree():
    both = TreeAndNames.build(KB, n_threads=1)
    other = both.with_names(both.names.config)
    assert other.tree is both.tree and other.names is not both.names
    assert other.generate([mention("Paris")], 2) == both.generate([mention("Paris")], 2)
