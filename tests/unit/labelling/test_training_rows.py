import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.training_rows import TrainingRows
from deixis.store.strings import StringTable
from deixis.xmr.label_augmentation import AugmentationConfig
from deixis.xmr.text_rows import TextRows

ROWS = TextRows(sparse.csr_matrix(np.eye(3, 4, dtype=np.float32)), StringTable.from_strings("abc"))
LABELS = sparse.csr_matrix(np.array([[0, 1, 0, 0, 1], [0, 0, 0, 0, 2], [0, 1, 0, 0, 0]], np.float32))
NAMES = TextRows(sparse.csr_matrix(np.eye(5, 4, dtype=np.float32)), StringTable.from_strings("vwxyz"))


def config(kind):
    return LabellerConfig(augmentation=AugmentationConfig(kind=kind))


def test_labels_without_a_document_are_left_out_and_the_others_mapped_back():
    rows = TrainingRows.of(ROWS, LABELS, NAMES, config("none"))
    assert rows.label_rows.tolist() == [1, 4]
    assert rows.docs_by_labels.toarray().tolist() == [[1, 1], [0, 1], [1, 0]]
    assert list(rows.documents.texts) == ["a", "b", "c"]


def test_with_names_every_label_whose_name_has_features_takes_part():
    rows = TrainingRows.of(ROWS, LABELS, NAMES, config("self"))
    assert rows.label_rows.tolist() == [0, 1, 2, 3, 4]  # the last one by its documents: its name has no features
    assert rows.documents.shape == (3 + 4, 4)
    assert list(rows.documents.texts) == ["a", "b", "c", "v", "w", "x", "y"]
    assert rows.docs_by_labels[3:].toarray().tolist() == np.eye(4, 5).tolist()


def test_part_of_the_rows_keeps_its_labels_and_knows_its_documents():
    rows = TrainingRows.of(ROWS, LABELS, NAMES, config("self"))
    part = rows.only(np.arange(7) % 2 == 0)
    assert part.n_documents == 2 and list(part.documents.texts) == ["a", "c", "w", "y"]
    assert part.docs_by_labels.toarray().tolist() == rows.docs_by_labels.toarray()[::2].tolist()


def test_names_are_demanded_where_they_are_learned_from():
    with pytest.raises(ConfigError, match="'soft' learns from the names of labels"):
        TrainingRows.of(ROWS, LABELS, None, config("soft"))


def test_what_was_given_is_left_as_it_came():
    before = LABELS.copy()
    TrainingRows.of(ROWS, LABELS, NAMES, config("none"))
    assert (LABELS != before).nnz == 0
