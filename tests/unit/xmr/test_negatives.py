import numpy as np

from deixis.xmr.label_tree import LabelTree
from deixis.xmr.negatives import docs_by_nodes, teacher_forcing, with_matched, with_random
from deixis.xmr.sparse_rows import SparseRows

# Two leaves of two labels; documents with labels at places 0 | 0 and 3 | none | 1 | 2 and 3.
TREE = LabelTree((np.array([0, 2]), np.array([0, 2, 4])), np.array([2, 0, 3, 1], dtype=np.int32))
DOCS_BY_PLACES = SparseRows.of([[1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])


def columns(matrix):
    return [matrix.indices[matrix.indptr[v] : matrix.indptr[v + 1]].tolist() for v in range(matrix.shape[1])]


def test_a_node_is_positive_when_one_of_its_labels_is():
    assert docs_by_nodes(DOCS_BY_PLACES, TREE, 0).matrix().toarray().ravel().tolist() == [1, 1, 0, 1, 1]
    assert docs_by_nodes(DOCS_BY_PLACES, TREE, 1).matrix().toarray().tolist() == [
        [1, 0],
        [1, 1],
        [0, 0],
        [1, 0],
        [0, 1],
    ]
    assert docs_by_nodes(DOCS_BY_PLACES, TREE, 2) is DOCS_BY_PLACES


def test_a_node_named_by_the_last_row_alone_is_not_lost():
    one = SparseRows.of([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert docs_by_nodes(one, TREE, 1).matrix().toarray().tolist() == [[0, 0], [0, 1], [0, 0]]


def test_the_same_node_at_the_end_of_one_row_and_the_start_of_the_next_counts_for_both():
    rows = SparseRows.of([[0, 1, 0, 0], [1, 0, 0, 0]])
    assert docs_by_nodes(rows, TREE, 1).matrix().toarray().tolist() == [[1, 0], [1, 0]]


def test_a_node_s_value_is_the_largest_of_its_labels():
    rows = SparseRows.of([[0.25, 0.75, 0, 0.125], [0, 0, 0, 0], [0, 0.25, 0.5, 0.25]])
    assert docs_by_nodes(rows, TREE, 1).matrix().toarray().tolist() == [[0.75, 0.125], [0, 0], [0.25, 0.5]]


def test_teacher_forcing_gives_a_parent_its_own_instances():
    assert columns(teacher_forcing(docs_by_nodes(DOCS_BY_PLACES, TREE, 1))) == [[0, 1, 3], [1, 4]]


def test_matched_instances_are_added_once():
    # The matcher sends documents 0 and 4 to parent 1 (document 4 belongs there) and document 2 to both, worst first.
    indptr, nodes = np.array([0, 1, 1, 3, 3, 4]), np.array([1, 1, 0, 1], dtype=np.int32)
    found = with_matched(docs_by_nodes(DOCS_BY_PLACES, TREE, 1), indptr, nodes)
    assert columns(found) == [[0, 1, 2, 3], [0, 1, 2, 4]]


def test_random_instances_are_added_to_every_parent_but_the_root():
    parents = docs_by_nodes(DOCS_BY_PLACES, TREE, 1)
    own = columns(teacher_forcing(parents))
    found = columns(with_random(teacher_forcing(parents), 3, seed=1))
    assert all(set(before) < set(after) for before, after in zip(own, found, strict=True))
    assert all(after == sorted(set(after)) for after in found)
    assert columns(with_random(teacher_forcing(parents), 50, seed=1)) == [[0, 1, 2, 3, 4]] * 2
    root = teacher_forcing(docs_by_nodes(DOCS_BY_PLACES, TREE, 0))
    assert with_random(root, 3, seed=1) is root


def test_the_same_seed_draws_the_same_instances_and_none_draws_none():
    parents = teacher_forcing(docs_by_nodes(DOCS_BY_PLACES, TREE, 1))
    assert columns(with_random(parents, 2, seed=4)) == columns(with_random(parents, 2, seed=4))
    assert with_random(parents, 0, seed=4) is parents
