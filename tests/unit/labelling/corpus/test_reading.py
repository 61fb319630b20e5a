"""Labelled texts in: which labels a document gets, and what each mistake is told."""

import gzip
import json

import numpy as np
import pytest

from deixis.errors import ConfigError, DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.reading import read_labelled_texts

SUBJECTS = KnowledgeBase.from_records(
    [
        {"id": "p1", "title": "paper", "aliases": ["sheets"]},
        {"id": "p2", "title": "cats"},
        {"id": "p3", "title": "bats", "aliases": ["cats", "flying things"]},
        {"id": "p4", "title": "kites", "aliases": ["flying things"]},
        {"id": "p5", "title": "p1"},
    ]
)


@pytest.fixture
def write(tmp_path):
    def write(*records, name="train.jsonl", end="\n", start=""):
        lines = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
        content = (start + end.join(lines)).encode("utf-8", "surrogatepass")
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def labels_of(documents, vocabulary):
    matrix = documents.docs_by_labels
    return [[vocabulary.ids[row] for row in matrix[number].indices] for number in range(len(documents))]


def complaint(path, **options) -> DataError:
    with pytest.raises(DataError) as raised:
        read_labelled_texts(path, SUBJECTS, **options)
    return raised.value


def test_documents_keep_their_ids_texts_and_labels(write):
    path = write({"id": "a", "text": "On paper", "labels": ["p2", "p1"]}, {"id": 7, "text": "On cats", "labels": []})
    documents, vocabulary, report = read_labelled_texts(path, SUBJECTS)
    assert list(documents.ids) == ["a", "7"]
    assert list(documents.texts) == ["On paper", "On cats"]
    assert documents.docs_by_labels.toarray().tolist() == [[1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert documents.docs_by_labels.dtype == np.float32
    assert vocabulary is SUBJECTS
    assert (report.n_documents, report.n_unlabelled, report.n_skipped, report.n_unknown) == (2, 1, 0, 0)
    assert report.files == [f"{path}: jsonl"]


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("p2", "p2"),
        ("sheets", "p1"),
        ("cats", "p2"),  # a title wins over another label's alias
        ("p1", "p1"),  # an id wins over another label's title
        ({"label": "p1"}, "p5"),
        ({"uri": "p3", "label": "whatever"}, "p3"),
        ({"id": "p3"}, "p3"),
        ({"name": " paper\n"}, "p1"),
    ],
)
def test_a_label_is_found_by_id_title_or_alias(write, label, meant):
    documents, vocabulary, _ = read_labelled_texts(write({"text": "x", "labels": [label]}), SUBJECTS)
    assert labels_of(documents, vocabulary) == [[meant]]


def test_whole_numbers_are_ids(write):
    numbered = KnowledgeBase.from_records([{"id": 3, "title": "three"}, {"id": 0, "title": "3"}])
    documents, *_ = read_labelled_texts(write({"text": "x", "labels": [3, 0, 3]}), numbered)
    assert documents.docs_by_labels.toarray().tolist() == [[1, 1]]


def test_annifs_keys_are_read(write):
    subjects = [{"uri": "p2", "label": "cats"}, {"label": "paper"}]
    documents, vocabulary, _ = read_labelled_texts(
        write({"title": "Cats", "text": "A book", "subjects": subjects}, {"title": "Cats", "subjects": None}), SUBJECTS
    )
    assert list(documents.texts) == ["Cats\nA book", "Cats"]
    assert labels_of(documents, vocabulary) == [["p1", "p2"], []]


def test_without_a_vocabulary_labels_come_in_the_order_of_first_sight(write):
    path = write({"text": "x", "labels": ["b", {"uri": "c", "label": "the c"}]}, {"text": "y", "labels": ["a", "b"]})
    documents, vocabulary, _ = read_labelled_texts(path)
    assert list(vocabulary.ids) == ["b", "c", "a"]
    assert list(vocabulary.titles) == ["b", "the c", "a"]
    assert documents.docs_by_labels.toarray().tolist() == [[1, 1, 0], [1, 0, 1]]


def test_several_files_share_rows_and_numbers(write):
    first = write({"text": "x", "labels": ["p1"]}, name="a.jsonl")
    second = write({"text": "y", "labels": ["p2"]}, name="b.ndjson.gz")
    documents, _, report = read_labelled_texts([first, second], SUBJECTS)
    assert list(documents.ids) == ["1", "2"]
    assert documents.docs_by_labels.indices.tolist() == [0, 1]
    assert len(report.files) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n"])
@pytest.mark.parametrize("name", ["train.jsonl", "train.jsonl.gz", "train"])
def test_line_ends_marks_and_compression_change_nothing(write, end, start, name):
    path = write({"text": "Ü\u2028x", "labels": ["p1"]}, {"text": "y", "labels": []}, name=name, end=end, start=start)
    documents, *_ = read_labelled_texts(path, SUBJECTS)
    assert list(documents.texts) == ["Ü\u2028x", "y"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "must be a JSON object"),
        ({"labels": ["p1"]}, "needs a 'text'. Keys here: 'labels'"),
        ({"text": " ", "labels": ["p1"]}, "the text is empty"),
        ({"text": 3}, "'text' must be a string, got 3"),
        ({"text": "x", "labels": "p1"}, "'labels' must be a list"),
        ({"text": "x", "labels": [""]}, "must hold ids or names of labels"),
        ({"text": "x", "labels": [True]}, "got True"),
        ({"text": "x", "labels": [{"score": 1}]}, "got {'score': 1}"),
        ({"text": "x", "labels": [], "subjects": []}, "both 'labels' and 'subjects'"),
        ({"id": "first", "text": "x"}, "the id 'first' was used before, in"),
    ],
)
def test_a_bad_document_is_an_error_with_its_line_or_skipped(write, bad, said):
    path = write({"id": "first", "text": "fine", "labels": ["p1"]}, bad, {"id": "last", "text": "too"})
    error = complaint(path)
    assert (str(error.path), error.line) == (str(path), 2)
    assert said in str(error)
    documents, _, report = read_labelled_texts(path, SUBJECTS, skip_bad=True)
    assert list(documents.ids) == ["first", "last"]
    assert (report.n_skipped, report.skipped[0].line, report.n_documents) == (1, 2, 2)
    assert said in report.skipped[0].reason


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("p9", "'p9' is neither id nor name of a label in the vocabulary of 5"),
        (9, "the label '9' is not in the vocabulary of 5"),
        ({"uri": "p9", "label": "cats"}, "the label 'p9' is not in the vocabulary"),
        ({"label": "p2"}, "'p2' is the name of no label"),
        ("flying things", "is the name of 2 labels ('p3', 'p4'); give the id"),
    ],
)
def test_an_unknown_label_is_an_error_or_left_out_and_counted(write, label, said):
    path = write({"text": "fine", "labels": ["p1"]}, {"text": "x", "labels": [label, "p2"]})
    error = complaint(path, skip_bad=True)
    assert (str(error.path), error.line) == (str(path), 2)
    assert said in str(error)
    documents, vocabulary, report = read_labelled_texts(path, SUBJECTS, unknown="skip")
    assert labels_of(documents, vocabulary) == [["p1"], ["p2"]]
    assert (report.n_unknown, report.n_skipped, report.unknown[0].line) == (1, 0, 2)


def test_text_that_is_not_utf8_names_its_line(write, tmp_path):
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b'{"text": "fine"}\n{"text": "caf\xe9"}\n')
    assert complaint(path).line == 2
    assert "not valid UTF-8" in str(complaint(path))


def test_files_without_documents_say_so(write):
    assert "the file is empty" in str(complaint(write("")))
    assert "no documents; 1 were skipped" in str(complaint(write("{"), skip_bad=True))


def test_a_format_that_cannot_be_told_is_asked_for(write):
    path = write("Dear reader", name="letter")
    assert "Name the format" in str(complaint(path))
    assert "not JSON" in str(complaint(path, format="jsonl"))


def test_unknown_has_two_values(write):
    with pytest.raises(ConfigError, match="'error' or 'skip', got 'ignore'"):
        read_labelled_texts(write({"text": "x"}), unknown="ignore")


def test_documents_without_any_label_have_an_empty_vocabulary(write):
    documents, vocabulary, report = read_labelled_texts(write({"text": "x"}))
    assert (documents.docs_by_labels.shape, len(vocabulary), report.n_unlabelled) == ((1, 0), 0, 1)
