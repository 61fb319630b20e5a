import numpy as np
import pytest
from scipy import sparse

from deixis.errors import DataError, NotFittedError
from deixis.labelling.text_labeller import TextLabeller
from tests.library import books, library_vocabulary

TRAIN, DEV = books(120), books(40, seed=1)


def label_lists(documents):
    ids = library_vocabulary().ids
    return [[ids[int(column)] for column in row.indices] for row in documents.docs_by_labels]


@pytest.fixture(scope="module")
def by_lists():
    return TextLabeller(n_threads=1).fit(list(TRAIN.texts), label_lists(TRAIN))


def test_lists_of_labels_and_a_matrix_of_them_teach_the_same(by_lists):
    by_matrix = TextLabeller(n_threads=1).fit(list(TRAIN.texts), TRAIN.docs_by_labels[:, :4])
    assert by_lists.classes_ == ["s0", "s1", "s2", "s3"] and by_matrix.classes_ == ["0", "1", "2", "3"]
    first, second = by_lists.rank(DEV.texts, 4), by_matrix.rank(DEV.texts, 4)
    assert first.indices.tolist() == second.indices.tolist() and first.data.tobytes() == second.data.tobytes()


def test_a_dense_matrix_will_do_too(by_lists):
    dense = TextLabeller(n_threads=1).fit(list(TRAIN.texts), TRAIN.docs_by_labels[:, :4].toarray())
    assert (dense.predict(DEV.texts) != by_lists.predict(DEV.texts)).nnz == 0


def test_with_a_vocabulary_columns_are_its_rows():
    vocabulary = library_vocabulary()
    labeller = TextLabeller(n_threads=1).fit(list(TRAIN.texts), label_lists(TRAIN), vocabulary=vocabulary)
    assert labeller.classes_ == list(vocabulary.ids)
    assert labeller.predict(["cat"]).shape == (1, 5)


def test_a_label_outside_the_vocabulary_is_an_error_that_names_it():
    lists = [["s0"], ["s1", "s77"]]
    with pytest.raises(DataError, match="Document 1 has the label 's77', which is not an id of the vocabulary of 5"):
        TextLabeller().fit(["a cat", "a ship"], lists, vocabulary=library_vocabulary())


def test_predict_keeps_to_k_and_to_the_threshold(by_lists):
    n_of = {}
    for k, threshold in ((1, 0.0), (3, 0.0), (3, 0.5)):
        by_lists.set_params(k=k, threshold=threshold)
        predicted = by_lists.predict(DEV.texts)
        assert set(predicted.data.tolist()) <= {1.0}
        n_of[k, threshold] = predicted.nnz
    by_lists.set_params(k=5, threshold=0.0)
    assert n_of[1, 0.0] == 40 and n_of[3, 0.0] == 120 and 40 < n_of[3, 0.5] < 120


def test_the_score_is_precision_at_1(by_lists):
    truth = DEV.docs_by_labels[:, :4].toarray()
    best = by_lists.rank(DEV.texts, 1).indices
    by_hand = truth[np.arange(40), best].mean()
    assert by_lists.score(DEV.texts, label_lists(DEV)) == pytest.approx(by_hand)
    assert by_lists.score(DEV.texts, sparse.csr_matrix(truth)) == pytest.approx(by_hand)
    assert by_hand > 0.9


def test_the_score_counts_labels_that_were_never_seen_as_missed(by_lists):
    assert by_lists.score(["the cat", "the ship"], [["s0"], ["other"]]) == 0.5


def test_asked_before_it_has_learned_it_says_so():
    with pytest.raises(NotFittedError, match="call fit"):
        TextLabeller().predict(["a cat"])


@pytest.mark.parametrize("labels", [["s0", "s1"], [["s0"], 5]])
def test_labels_that_are_no_lists_are_refused(labels):
    with pytest.raises(DataError, match="must have a list of labels"):
        TextLabeller().fit(["a cat", "a ship"], labels)


def test_texts_and_labels_must_be_as_many():
    with pytest.raises(DataError, match="2 texts and 1 rows"):
        TextLabeller().fit(["a cat", "a ship"], [["s0"]])
