"""What is written is read again, whatever it is."""

import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.documents import LabelledRows, LabelledTexts
from deixis.labelling.corpus.reading import read_labelled_texts
from deixis.labelling.corpus.rows import SvmlightConfig, read_labelled_rows, read_matrix
from deixis.labelling.corpus.rows_out import write_matrix, write_svmlight, write_xc
from deixis.labelling.corpus.writing import write_labelled_texts, write_predictions
from deixis.store.strings import StringTable

quick = settings(max_examples=50, deadline=None)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: not text.isspace())
ids = words.filter(lambda text: text.isprintable())
FOLDER = Path(tempfile.mkdtemp())


@st.composite
def matrices(draw, n_rows, n_columns):
    values = st.floats(width=32, allow_nan=False, allow_infinity=False).filter(bool)
    columns = st.integers(0, n_columns - 1)
    rows = [draw(st.dictionaries(columns, values, max_size=4)) if n_columns else {} for _ in range(n_rows)]
    cells = [(number, column, value) for number, row in enumerate(rows) for column, value in sorted(row.items())]
    places = ([number for number, _, _ in cells], [column for _, column, _ in cells])
    data = np.array([value for _, _, value in cells], dtype=np.float32)
    return sparse.csr_matrix((data, places), shape=(n_rows, n_columns), dtype=np.float32)


@st.composite
def corpora(draw):
    names = draw(st.lists(ids, min_size=1, max_size=5, unique=True))
    vocabulary = KnowledgeBase.from_records({"id": name, "title": draw(ids)} for name in names)
    texts = draw(st.lists(words, min_size=1, max_size=5))
    own = draw(st.lists(ids, min_size=len(texts), max_size=len(texts), unique=True))
    docs_by_labels = abs(draw(matrices(len(texts), len(names)))).sign()
    return LabelledTexts(StringTable.from_strings(own), StringTable.from_strings(texts), docs_by_labels), vocabulary


def same(left, right):
    assert left.shape == right.shape
    assert (left != right).nnz == 0


@quick
@given(corpora(), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans(), st.booleans())
def test_labelled_texts_come_back_as_they_were(corpus, end, has_mark, is_packed, has_end):
    documents, vocabulary = corpus
    stream = io.StringIO()
    assert write_labelled_texts(documents, vocabulary, stream) == len(documents)
    content = ("\ufeff" if has_mark else "") + stream.getvalue().replace("\n", end)
    content = (content if has_end else content.removesuffix(end)).encode()
    path = FOLDER / "documents.jsonl"
    path.write_bytes(gzip.compress(content) if is_packed else content)
    read, _, report = read_labelled_texts(path, vocabulary)
    assert (list(read.ids), list(read.texts)) == (list(documents.ids), list(documents.texts))
    same(read.docs_by_labels, documents.docs_by_labels)
    assert report.n_documents == len(documents)


@quick
@given(corpora())
def test_predictions_can_be_learned_from(corpus):
    documents, vocabulary = corpus
    with (FOLDER / "predicted.jsonl").open("w", encoding="utf-8") as stream:
        write_predictions(documents.docs_by_labels, vocabulary, stream, ids=documents.ids, texts=documents.texts)
    read, *_ = read_labelled_texts(FOLDER / "predicted.jsonl", vocabulary)
    same(read.docs_by_labels, documents.docs_by_labels)
    _, found, _ = read_labelled_texts(FOLDER / "predicted.jsonl")
    assert set(zip(found.ids, found.titles, strict=True)) <= set(zip(vocabulary.ids, vocabulary.titles, strict=True))


@quick
@given(st.lists(st.tuples(words, st.sets(st.integers(0, 3))), min_size=1, max_size=5))
def test_a_table_of_annif_comes_back_but_for_tabs_and_line_ends(rows):
    vocabulary = KnowledgeBase.from_records({"id": f"http://x.org/ä{row}", "title": str(row)} for row in range(4))
    docs_by_labels = sparse.lil_matrix((len(rows), 4), dtype=np.float32)
    for row, (_, labels) in enumerate(rows):
        docs_by_labels[row, sorted(labels)] = 1
    strings = StringTable.from_strings(text.lstrip("\ufeff") + "." for text, _ in rows)
    numbers = StringTable.from_strings(map(str, range(1, len(rows) + 1)))
    documents = LabelledTexts(numbers, strings, docs_by_labels.tocsr())
    with (FOLDER / "documents.tsv").open("w", encoding="utf-8", newline="\n") as stream:
        write_labelled_texts(documents, vocabulary, stream, "annif-tsv")
    read, *_ = read_labelled_texts(FOLDER / "documents.tsv", vocabulary)
    table = str.maketrans("\t\r\n", "   ")
    assert list(read.texts) == [text.translate(table) for text in strings]
    assert list(read.ids) == list(numbers)
    same(read.docs_by_labels, documents.docs_by_labels)


@st.composite
def labelled_rows(draw):
    n_rows = draw(st.integers(1, 5))
    docs_by_features = draw(matrices(n_rows, draw(st.integers(0, 6))))
    return LabelledRows(docs_by_features, abs(draw(matrices(n_rows, draw(st.integers(0, 6))))).sign())


@quick
@given(labelled_rows(), st.sampled_from([0, 1]), st.sampled_from([0, 1]))
def test_rows_come_back_as_they_were(rows, first_feature, first_label):
    write_xc(rows, FOLDER / "rows.txt")
    counted = SvmlightConfig(first_feature, first_label)
    write_svmlight(rows, FOLDER / "rows.svm", counted)
    write_matrix(rows.docs_by_features, FOLDER / "X.txt")
    write_matrix(rows.docs_by_labels, FOLDER / "Y.txt")
    sizes = {"n_features": rows.docs_by_features.shape[1], "n_labels": rows.docs_by_labels.shape[1]}
    for read in (
        read_labelled_rows(FOLDER / "rows.txt"),
        read_labelled_rows(FOLDER / "rows.svm", format="svmlight", svmlight=counted, **sizes),
        read_labelled_rows(FOLDER / "X.txt", FOLDER / "Y.txt"),
    ):
        same(read.docs_by_features, rows.docs_by_features)
        same(read.docs_by_labels, rows.docs_by_labels)


@pytest.mark.parametrize("name", ["scores.txt", "scores.npz"])
@quick
@given(matrix=matrices(4, 7))
def test_a_matrix_comes_back_to_the_last_bit(name, matrix):
    write_matrix(matrix, FOLDER / name)
    read = read_matrix(FOLDER / name)
    assert read.data.tobytes() == matrix.data.tobytes()
    same(read, matrix)
