"""Annif's corpora in."""

import bz2
import gzip

import pytest

from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling.corpus.reading import read_labelled_texts

YSO = "http://www.yso.fi/onto/yso/"
SUBJECTS = KnowledgeBase.from_records(
    [{"id": f"{YSO}p1", "title": "paper"}, {"id": f"{YSO}p2", "title": "cats", "aliases": ["kittens"]}]
)


def rows_of(documents):
    matrix = documents.docs_by_labels
    return [matrix[row].indices.tolist() for row in range(len(documents))]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_table_gives_a_document_per_line(tmp_path, pack, end, start):
    lines = [f"Paper cats\t<{YSO}p2> {YSO}p1", 'The "cat\u2028\t', f"Cats\t<{YSO}p2>\t<{YSO}p2>"]
    path = tmp_path / "train.tsv"
    path.write_bytes(pack((start + end.join(lines) + end).encode()))
    documents, _, report = read_labelled_texts(path, SUBJECTS)
    assert list(documents.texts) == ["Paper cats", 'The "cat\u2028', "Cats"]
    assert list(documents.ids) == ["1", "2", "3"]
    assert rows_of(documents) == [[0, 1], [], [1]]
    assert report.files == [f"{path}: annif-tsv"]


@pytest.mark.parametrize(
    ("line", "said"), [("No tab here", "no tab in 'No tab here'"), (f"\t<{YSO}p1>", "the text is empty")]
)
def test_a_bad_row_is_an_error_with_its_line(tmp_path, line, said):
    path = tmp_path / "train.tsv"
    path.write_text(f"Cats\t<{YSO}p2>\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=said) as raised:
        read_labelled_texts(path, SUBJECTS)
    assert raised.value.line == 2
    assert read_labelled_texts(path, SUBJECTS, skip_bad=True).report.n_skipped == 1


@pytest.fixture
def folder(tmp_path):
    for name, content in {
        "b.txt": "All about paper\nand more",
        "b.key": "paper\r\n\r\nkittens\r\n",
        "a.txt": "\ufeffCats",
        "a.tsv": f"<{YSO}p2>\tcats\tN2\n",
        "a.key": "paper\n",  # the table counts
        "c.txt": "Nobody knows",
        "d.json": '{"text": "Cats\\nagain",\n "subjects": [{"uri": "YSOp2"}, {"label": "paper"}]}'.replace("YSO", YSO),
        "notes.md": "not a document",
    }.items():
        (tmp_path / name).write_bytes(content.encode())
    return tmp_path


def test_a_folder_gives_a_document_per_text_file(folder):
    documents, _, report = read_labelled_texts(folder, SUBJECTS)
    assert list(documents.ids) == ["a", "b", "c", "d"]
    assert list(documents.texts) == ["Cats", "All about paper\nand more", "Nobody knows", "Cats\nagain"]
    assert rows_of(documents) == [[1], [0, 1], [], [0, 1]]
    assert (report.n_unlabelled, report.files) == (1, [f"{folder}: annif-folder"])


def test_an_unknown_name_is_told_with_the_line_of_its_file(folder):
    (folder / "b.key").write_text("paper\ndogs\n", encoding="utf-8")
    with pytest.raises(DataError, match="'dogs' is the name of no label") as raised:
        read_labelled_texts(folder, SUBJECTS)
    assert (str(raised.value.path), raised.value.line) == (str(folder / "b.key"), 2)
    report = read_labelled_texts(folder, SUBJECTS, unknown="skip").report
    assert (report.n_unknown, report.n_documents) == (1, 4)


def test_an_empty_text_is_an_error_or_skipped(folder):
    (folder / "c.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"c\.txt, line 1: the text is empty"):
        read_labelled_texts(folder, SUBJECTS)
    assert list(read_labelled_texts(folder, SUBJECTS, skip_bad=True).documents.ids) == ["a", "b", "d"]


def test_a_folder_must_be_one_and_hold_texts(tmp_path):
    with pytest.raises(DataError, match=r"the folder has no \.txt or \.json files"):
        read_labelled_texts(tmp_path)
    with pytest.raises(DataError, match="is no folder"):
        read_labelled_texts(tmp_path / "gone", format="annif-folder")


def test_labels_of_a_folder_make_a_vocabulary_with_their_names(folder):
    (folder / "a.key").unlink()
    vocabulary = read_labelled_texts(folder).vocabulary
    assert list(zip(vocabulary.ids, vocabulary.titles, strict=True)) == [
        (f"{YSO}p2", "cats"),
        ("paper", "paper"),
        ("kittens", "kittens"),
    ]
