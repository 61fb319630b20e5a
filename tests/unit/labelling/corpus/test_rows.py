"""Rows of features and labels in: what files hold, and what each mistake is told."""

import gzip

import numpy as np
import pytest
from scipy import sparse

from deixis.errors import ConfigError, DataError, UnknownNameError
from deixis.labelling.corpus import sparse_text
from deixis.labelling.corpus.rows import SvmlightConfig, read_labelled_rows, read_matrix

XC = "3 4 3\n0,2 1:0.5 3:2\n 0:1e-3\n1 \n"
FEATURES = [[0, 0.5, 0, 2], [np.float32(0.001), 0, 0, 0], [0, 0, 0, 0]]
LABELS = [[1, 0, 1], [0, 0, 0], [0, 1, 0]]


@pytest.fixture
def write(tmp_path):
    def write(content, name="train.txt"):
        path = tmp_path / name
        content = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def check(rows, features=FEATURES, labels=LABELS):
    assert rows.docs_by_features.toarray().tolist() == features
    assert rows.docs_by_labels.toarray().tolist() == labels
    assert rows.docs_by_features.dtype == rows.docs_by_labels.dtype == np.float32


def complaint(path, *arguments, **options):
    with pytest.raises(DataError) as raised:
        read_labelled_rows(path, *arguments, **options)
    assert str(raised.value.path) in map(str, (path, *arguments))
    return raised.value.line, raised.value.reason


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("name", ["train.txt", "train.txt.gz"])
@pytest.mark.parametrize("tail", ["", "\n\n", "# made by hand"])
def test_a_file_of_the_repository_holds_features_and_labels(write, end, start, name, tail):
    check(read_labelled_rows(write((start + XC + tail).replace("\n", end), name)))


def test_blocks_of_any_size_give_the_same_rows(write, monkeypatch):
    for size in (1, 2, 5, 11):
        monkeypatch.setattr(sparse_text, "_BLOCK_BYTES", size)
        check(read_labelled_rows(write(XC)))


def test_columns_out_of_order_are_put_in_order_and_labels_given_twice_count_once(write):
    rows = read_labelled_rows(write("1 4 3\n2,0,2, 3:2 1:0.5\n"))
    check(rows, FEATURES[:1], LABELS[:1])
    assert rows.docs_by_features.has_sorted_indices


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 2", "'2' is no column:value, such as 17:0.25"),
        ("0 qid:3", "'qid:3' is no column:value"),
        ("0 1:nan", "the value of '1:nan' is no finite number"),
        ("0 1:1e39", "the value of '1:1e39' is no finite number"),
        ("0 1:", "the value of '1:' is no finite number"),
        ("0 1:2,3", "the value of '1:2,3' is no finite number"),
        ("0 4:1", "the column of '4:1' must be from 0 to 3"),
        ("0 99999999999999999999:1", "is no column:value"),
        ("a,b 1:1", "'a,b' are no labels"),
        ("0.5 1:1", "'0.5' are no labels"),
        ("-1 1:1", "'-1' are no labels"),
        ("0,3 1:1", "the label of '3' must be from 0 to 2"),
        ("0 1:1 2:1 1:1", "a column comes twice in the line that begins with '0'"),
    ],
)
def test_a_bad_line_is_an_error_with_its_number(write, line, said):
    number, reason = complaint(write(f"3 4 3\n0 1:1\n# not a row\n{line}\n1 1:1\n"))
    assert number == 4
    assert said in reason


def test_the_header_must_tell_the_truth_about_rows(write):
    assert complaint(write("3 4 3\n0 1:1\n")) == (
        None,
        "the header says 3 rows, but 1 follow; is the file cut off?",
    )
    assert complaint(write("1 4 3\n0 1:1\n1 \n")) == (3, "the header says 1 rows, but more follow")
    assert "documents, features and labels" in complaint(write("0 1:1\n"), format="xc")[1]


def test_svmlight_counts_from_what_it_is_told(write):
    path = write("1,3 2:0.5 4:2 # first\n 1:0.001\n2\n", "train.svm")
    check(read_labelled_rows(path, svmlight=SvmlightConfig(first_feature=1, first_label=1)))
    shifted = [[0, *row] for row in FEATURES]
    check(
        read_labelled_rows(path, svmlight=SvmlightConfig(first_feature=0, first_label=0)),
        shifted,
        [[0, *row] for row in LABELS],
    )
    number, reason = complaint(write("1 0:1\n"), format="svmlight")
    assert number == 1
    assert "the column of '0:1' must be from 1 to" in reason
    assert "if the file counts from 0, say so" in reason


def test_svmlight_may_begin_with_a_mark_and_not_be_empty(write):
    check(read_labelled_rows(write("\ufeff0,2 2:0.5 4:2"), n_labels=3), FEATURES[:1], LABELS[:1])
    assert "the file is empty" in complaint(write(""))[1]


def test_svmlight_agrees_with_scikit_learn(write):
    datasets = pytest.importorskip("sklearn.datasets")
    rng = np.random.default_rng(5)
    features = sparse.random(40, 30, 0.2, format="csr", random_state=rng)
    labels = sparse.random(40, 9, 0.3, format="csr", random_state=rng, data_rvs=np.ones)
    path = write("")
    datasets.dump_svmlight_file(features, labels, str(path), zero_based=False, multilabel=True)
    rows = read_labelled_rows(path, format="svmlight", n_features=30, n_labels=9)
    assert (rows.docs_by_labels != labels).nnz == 0
    np.testing.assert_allclose(rows.docs_by_features.toarray(), features.toarray(), rtol=1e-6)


def test_numbers_are_rounded_as_python_rounds_them(write):
    words = [
        "0.1",
        "1",
        ".5",
        "5.",
        "-2.5e-3",
        "+1E2",
        "0.30000000000000004",
        "123456789012345678901234567890",
        "1e-30",
    ]
    words += ["3.4028234e38", "0.000000000000000000000000000000000000000000001", "1e-400", "-0", "9007199254740993"]
    rows = read_labelled_rows(write(f"1 20 1\n0 {' '.join(f'{i}:{word}' for i, word in enumerate(words))}\n"))
    assert rows.docs_by_features.data.tolist() == [float(np.float32(float(word))) for word in words]


def test_features_and_labels_may_stand_in_two_files(write, tmp_path):
    features = write("3 4\n1:0.5 3:2\n0:0.001\n\n", "trn_X_Xf.txt")
    labels = write("3 3\n0:1.0 2:1.0\n\n1:1", "trn_X_Y.txt")
    check(read_labelled_rows(features, labels))
    sparse.save_npz(tmp_path / "Y.npz", sparse.coo_matrix(LABELS))
    check(read_labelled_rows(features, tmp_path / "Y.npz"))


def test_two_files_must_have_as_many_rows(write):
    features, labels = write("2 4\n1:0.5\n0:1\n", "X.txt"), write("1 3\n0:1.0\n", "Y.txt")
    assert "has 1 rows of labels, but" in complaint(features, labels)[1]


def test_one_matrix_alone_asks_for_the_other(write, tmp_path):
    assert "give two files" in complaint(write("2 4\n1:0.5\n0:1\n"))[1]
    assert "give two files" in complaint(tmp_path / "X.npz")[1]


def test_rows_fit_the_width_they_are_asked_for(write):
    rows = read_labelled_rows(write(XC), n_features=6, n_labels=5)
    assert (rows.docs_by_features.shape, rows.docs_by_labels.shape) == ((3, 6), (3, 5))
    assert "has 4 features, but there are 3" in complaint(write(XC), n_features=3)[1]
    assert "has 3 labels, but there are 2" in complaint(write(XC), n_labels=2)[1]
    assert "the label of '2' must be from 0 to 1" in complaint(write("2 1:1"), n_labels=2, format="svmlight")[1]


def test_a_matrix_needs_its_header(write):
    with pytest.raises(DataError, match="line 1: the first line must be two whole numbers"):
        read_matrix(write("0:1 1:1\n"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no", b"not a zip"])
def test_a_file_that_is_no_npz_says_so(write, content):
    with pytest.raises(DataError, match=r"is no sparse matrix of scipy\.sparse\.save_npz"):
        read_matrix(write(content, "X.npz"))


def test_an_npz_is_checked_and_never_unpickled(tmp_path):
    path = tmp_path / "X.npz"
    np.savez(path, format=np.array(b"csr"), shape=np.array([1, 2]), data=np.array([{}]), indices=[0], indptr=[0, 1])
    with pytest.raises(DataError, match="is no sparse matrix"):
        read_matrix(path)
    np.savez(path, format=np.array(b"csr"), shape=np.array([1, 2]), data=np.array([1.0]), indices=[7], indptr=[0, 1])
    with pytest.raises(DataError, match="is no sparse matrix"):
        read_matrix(path)
    sparse.save_npz(path, sparse.csr_matrix([[0, 1.0], [np.nan, 0]]))
    with pytest.raises(DataError, match=r"row 2 \(counted from 1\) holds a value that is no finite number"):
        read_matrix(path)
    with pytest.raises(DataError, match="no such file"):
        read_matrix(tmp_path / "gone.npz")


def test_settings_have_few_values(write):
    with pytest.raises(ConfigError, match="first_feature must be one of 0, 1, got 2"):
        SvmlightConfig(first_feature=2)
    with pytest.raises(UnknownNameError, match="Did you mean 'svmlight'"):
        read_labelled_rows(write(XC), format="svmligth")


def test_where_numbers_begin_is_no_question_of_other_formats(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("1 2 2\n0 1:1\n")
    with pytest.raises(DataError, match="is not in svmlight's format"):
        read_labelled_rows(path, svmlight=SvmlightConfig(first_feature=1))
