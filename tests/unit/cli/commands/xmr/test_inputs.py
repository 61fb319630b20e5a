import click
import pytest

from deixis.cli.commands.xmr.inputs import Reading, is_matrix
from deixis.cli.session import Session


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        (tmp_path / name).write_text(content)
        return str(tmp_path / name)

    return write


def test_rows_are_told_from_texts_by_name_by_first_line_or_by_what_is_asked(file):
    xc, table = file("train.txt", "2 3 4\n0 1:1\n"), file("books.tsv", "Two cats\t<u:1>\n")
    assert Reading().is_rows([xc]) and not Reading().is_rows([table])
    assert Reading().is_rows(["X.npz"]) and Reading().is_rows(["rows.svm"])
    assert Reading(format="svmlight").is_rows([table]) and Reading(label_matrix="Y.npz").is_rows([table])
    assert not Reading(format="lines").is_rows([xc])
    assert not Reading().is_rows(["-"])


def test_a_matrix_has_two_sizes_or_is_an_npz(file):
    assert is_matrix("X.npz") and is_matrix(file("x.txt", "2 3\n0:1\n\n"))
    assert not is_matrix(file("rows.txt", "2 3 4\n0 1:1\n")) and not is_matrix("-")
    assert not is_matrix(file("poem.txt", "two cats\n"))


def test_texts_without_ids_are_numbered_over_all_files(file):
    files = [file("a.jsonl", '{"text": "one"}\n{"id": "x", "text": "two"}\n'), file("b.jsonl", '{"text": "three"}\n')]
    assert list(Reading().bare_texts(Session(), files)) == [("1", "one"), ("x", "two"), ("3", "three")]


def test_plain_text_has_a_document_a_line(file):
    assert list(Reading().bare_texts(Session(), [file("a.txt", "one\n\ntwo\n")])) == [("1", "one"), ("3", "two")]


def test_rows_come_from_one_file():
    with pytest.raises(click.UsageError, match="from one file; got 2"):
        Reading(format="xc").rows(["a.txt", "b.txt"], None, None)
