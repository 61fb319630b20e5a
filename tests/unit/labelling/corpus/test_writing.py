"""Predictions and labelled documents out."""

import io
import json

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.corpus.npz import write_npz
from deixis.labelling.corpus.rows_out import write_matrix, write_svmlight, write_xc
from deixis.labelling.corpus.writing import write_labelled_texts, write_predictions
from deixis.store.strings import StringTable

SUBJECTS = KnowledgeBase.from_records(
    [{"id": "u:1", "title": "paper\tsheets"}, {"id": "u:2", "title": "Kätzchen"}, {"id": "u 3", "title": "three"}]
)
SCORES = sparse.csr_matrix(np.array([[0.25, 0.3, 0.3], [0, 0, 0]], dtype=np.float32))


def written(write, *arguments, **options):
    stream = io.StringIO()
    write(*arguments, stream, **options)
    return stream.getvalue()


def test_predictions_are_json_lines_with_the_best_label_first():
    lines = written(write_predictions, SCORES, SUBJECTS, ids=["a", "b"], texts=["On\npaper", "On cats"]).splitlines()
    assert json.loads(lines[0]) == {
        "id": "a",
        "text": "On\npaper",
        "labels": [
            {"id": "u:2", "title": "Kätzchen", "score": 0.3},
            {"id": "u 3", "title": "three", "score": 0.3},
            {"id": "u:1", "title": "paper sheets", "score": 0.25},
        ],
    }
    assert lines[1] == '{"id": "b", "text": "On cats", "labels": []}'


def test_without_ids_documents_are_numbered():
    lines = written(write_predictions, SCORES, SUBJECTS).splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["1", "2"]
    assert "text" not in json.loads(lines[0])


def test_annifs_suggestions_have_a_line_per_subject():
    assert written(write_predictions, SCORES[:, :2], SUBJECTS.take([0, 1]), format="annif", ids=["a", "b"]) == (
        "Suggestions for a\n<u:2>\tKätzchen\t0.3\n<u:1>\tpaper sheets\t0.25\nSuggestions for b\n"
    )


def test_what_does_not_fit_together_is_an_error():
    with pytest.raises(DataError, match="The matrix has 2 labels and the vocabulary 3"):
        written(write_predictions, SCORES[:, :2], SUBJECTS)
    with pytest.raises(DataError, match="2 rows of predictions, but ids or texts for 1 only"):
        written(write_predictions, SCORES, SUBJECTS, texts=["one"])
    with pytest.raises(UnknownNameError, match="'annif'"):
        written(write_predictions, SCORES, SUBJECTS, format="anif")


def test_annifs_table_cannot_hold_ids_with_white_space():
    strings = StringTable.from_strings(["a\tb\nc"])
    documents = LabelledTexts(strings, strings, sparse.csr_matrix(np.array([[1, 1, 0]], dtype=np.float32)))
    assert written(write_labelled_texts, documents, SUBJECTS, format="annif-tsv") == "a b c\t<u:1> <u:2>\n"
    documents = LabelledTexts(strings, strings, sparse.csr_matrix(np.array([[0, 0, 1]], dtype=np.float32)))
    with pytest.raises(DataError, match="the label id 'u 3' holds white space"):
        written(write_labelled_texts, documents, SUBJECTS, format="annif-tsv")
    with pytest.raises(UnknownNameError, match="annif-tsv"):
        written(write_labelled_texts, documents, SUBJECTS, format="tsv")


def test_rows_are_written_as_the_repository_has_them(tmp_path):
    path = tmp_path / "out.txt"
    rows = LabelledRows(SCORES, sparse.csr_matrix([[1, 0, 1, 0], [0, 0, 0, 0]]))
    write_xc(rows, path)
    assert path.read_bytes() == b"2 3 4\n0,2 0:0.25 1:0.3 2:0.3\n \n"
    write_svmlight(rows, path)
    assert path.read_bytes() == b"0,2 1:0.25 2:0.3 3:0.3\n \n"
    write_matrix(SCORES, path)
    assert path.read_bytes() == b"2 3\n0:0.25 1:0.3 2:0.3\n\n"
    with pytest.raises(DataError, match=r"must be named \.npz"):
        write_npz(SCORES, path)
