from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import DataError
from deixis.labelling.label_filter import OwnLabels, named_fraction, read_label_filter
from deixis.labelling.labeller import Labeller
from deixis.store.strings import StringTable
from tests.library import books, library_vocabulary


@pytest.fixture(scope="module")
def labeller():
    return Labeller.build(books(120), library_vocabulary(), n_threads=1)


def test_own_labels_are_called_as_the_text_is_up_to_case_and_spacing():
    own = OwnLabels(["Cats", "Ships", "Straße 42", "cats"])
    assert own.of([" CATS ", "ship", "STRASSE  42", ""]).toarray().tolist() == [
        [1, 0, 0, 1],
        [0, 0, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 0],
    ]


def test_no_texts_have_no_labels_of_their_own():
    assert OwnLabels(["Cats"]).of([]).shape == (0, 1)


def test_documents_that_have_the_label_they_are_called_as_do_not_count_as_named():
    documents = replace(books(4), texts=StringTable.from_strings(["cats", "Ships", "a cat", "bread"]))
    truth = sparse.csr_matrix(np.array([[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0]]))
    titles = library_vocabulary().titles
    assert named_fraction(replace(documents, docs_by_labels=truth), titles) == 0.5
    assert named_fraction(books(50), titles) == 0


def test_the_next_best_label_comes_in_place_of_a_filtered_one(labeller):
    texts = ["cats", "a cat on a ship"]
    own = OwnLabels(labeller.vocabulary.titles).of(texts)
    plain, filtered = labeller.label(texts, k=2), labeller.label(texts, k=2, filtered=own)
    assert plain[0][0].title == "Cats" and "Cats" not in {label.title for label in filtered[0]}
    assert filtered[0][0] == plain[0][1] and len(filtered[0]) == 2
    assert filtered[1] == plain[1]


def test_a_filter_of_another_size_is_refused_with_both_sizes(labeller):
    with pytest.raises(DataError, match="The filter is 2 by 4; it must be 1 documents by 5 labels"):
        labeller.rank(["cats"], filtered=sparse.csr_matrix((2, 4)))


def test_pairs_are_read_from_0_and_a_pair_that_comes_twice_counts_once(tmp_path):
    path = tmp_path / "filter_labels_test.txt"
    path.write_text("1 0\n1\t0\n\n2 3\r\n")
    pairs = read_label_filter(path, n_labels=4, n_documents=4)
    assert np.argwhere(pairs.toarray()).tolist() == [[1, 0], [2, 3]] and pairs.shape == (4, 4) and pairs.max() == 1


def test_an_empty_file_filters_nothing(tmp_path):
    (tmp_path / "none.txt").write_text("")
    assert read_label_filter(tmp_path / "none.txt", n_labels=4).shape == (0, 4)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1", "'1' is no pair"),
        ("1 2 3", "'1 2 3' is no pair"),
        ("one 2", "such as 17 4"),
        ("-1 2", "is no pair"),
        ("0 4", "there is no label 4; labels are 0 to 3"),
        ("7 1", "there is no document 7; documents are 0 to 6"),
    ],
)
def test_a_line_that_is_no_pair_of_the_set_is_named(tmp_path, line, words):
    (tmp_path / "f.txt").write_text(f"0 0\n{line}\n")
    with pytest.raises(DataError, match=words) as error:
        read_label_filter(tmp_path / "f.txt", n_labels=4, n_documents=7)
    assert error.value.line == 2
