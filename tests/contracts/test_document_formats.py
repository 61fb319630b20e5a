"""What every reader and writer of documents promises, run on all that are registered."""

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deixis.documents.formats import READERS, WRITERS
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.errors import DataError
from deixis.types import Document, Mention

WITHOUT_WRITER = {"text", "lines", "html", "damuel-all"}
WITHOUT_READER = {"web-annotation", "csv", "tsv", "parquet", "html"}  # texts do not go out, or for people to read
BINARY = {"parquet"}
READ_BACK = sorted(set(WRITERS) - WITHOUT_READER)
NEED_THE_WHOLE_FILE = {
    "text": "the file is one document",
    "html": "the file is one document",
    "bioc-json": "a collection is one JSON object",
    "nif": "a text may stand after its phrases",
    "zeshel": "the mentions of a text stand anywhere",
}
NEED_A_FILE_NAME = {"zeshel", "mewsli"}
TEXT = "\U0001f600 né : Paris fled to Troy ."


def paris(name, entity="Q90"):
    """A document that every format can carry; an emoji and an accent stand before its mention."""
    return Document(name, TEXT, mentions=(Mention(7, 12, "Paris", entity=entity, is_nil=entity is None),))


def write(format, documents, folder):
    path = folder / f"file-of-{format}"
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        n_documents = write_documents(documents, stream, format, str(path))
    return path, n_documents


def numbered(path):
    return list(enumerate(path.read_text(encoding="utf-8").split("\n"), start=1))


def check(documents):
    """What is true of every document, wherever it came from."""
    for document in documents:
        assert document.id
        spans = [(mention.start, mention.end) for mention in document.mentions]
        assert spans == sorted(spans)
        for mention in document.mentions:
            assert 0 <= mention.start < mention.end <= len(document.text)
            assert document.text[mention.start : mention.end] == mention.text
            assert mention.entity is None or not mention.is_nil
        document.text.encode("utf-8")


def test_every_format_that_is_written_is_read():
    assert set(READERS) == set(READ_BACK) | WITHOUT_WRITER


@pytest.mark.parametrize("format", READ_BACK)
def test_what_is_written_is_read_back(format, tmp_path):
    documents = [paris("d1"), paris("d2", None), paris("d3", "Q167646")]
    path, n_documents = write(format, documents, tmp_path)
    assert n_documents == 3
    assert list(read_documents(path, format)) == documents


@pytest.mark.parametrize("format", sorted(set(READ_BACK) - {"kilt", "blink"}))
def test_several_mentions_of_a_document_stay_together(format, tmp_path):
    document = paris("d1")
    document = document.with_mentions([*document.mentions, Mention(21, 25, "Troy", entity="Q22647")])
    path, _ = write(format, [document], tmp_path)
    assert list(read_documents(path, format)) == [document]


@pytest.mark.parametrize("format", READ_BACK)
def test_what_was_written_is_known_without_its_name(format, tmp_path):
    path, _ = write(format, [paris("d1")], tmp_path)
    assert list(read_documents(path)) == [paris("d1")]


@pytest.mark.parametrize("format", READ_BACK)
def test_offsets_are_code_points(format, tmp_path):
    path, _ = write(format, [paris("d1")], tmp_path)
    (document,) = read_documents(path, format)
    check([document])
    assert (document.mentions[0].start, document.mentions[0].text) == (7, "Paris")


@pytest.mark.parametrize("format", sorted(set(READ_BACK) - set(NEED_THE_WHOLE_FILE)))
def test_the_first_document_comes_before_the_last_line_is_read(format, tmp_path):
    path, _ = write(format, [paris(f"d{number}") for number in range(8)], tmp_path)
    lines = numbered(path)
    n_read = 0

    def lazily():
        nonlocal n_read
        for line in lines:
            n_read += 1
            yield line

    documents = READERS[format](lazily(), str(path))
    assert next(documents) == paris("d0")
    assert n_read <= len(lines) / 2
    assert len(list(documents)) == 7


@pytest.mark.parametrize("format", sorted(set(WRITERS) - BINARY))
def test_a_writer_writes_documents_as_they_come(format, tmp_path):
    stream = io.StringIO()
    seen = []

    def lazily():
        for number in range(3):
            seen.append("Q900" in stream.getvalue())
            yield paris(f"d{number}", f"Q90{number}")

    write_documents(lazily(), stream, format, str(tmp_path / "links"))
    assert seen[-1]


@pytest.mark.parametrize("format", WRITERS)
def test_the_same_documents_are_the_same_bytes(format, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    documents = [paris("d1"), paris("d2", None)]
    one, two = (write(format, documents, tmp_path / name)[0].read_bytes() for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize("format", READ_BACK)
def test_no_documents_are_written_and_read_back(format, tmp_path):
    path, n_documents = write(format, [], tmp_path)
    assert n_documents == 0
    assert list(read_documents(path, format)) == []


@pytest.mark.parametrize("format", READERS)
@pytest.mark.parametrize("lines", [[], [""], ["", "  ", ""]], ids=["none", "empty", "blank"])
def test_blank_input_holds_no_documents(format, lines, tmp_path):
    assert list(READERS[format](enumerate(lines, start=1), str(tmp_path / "file"))) == []


@pytest.mark.parametrize("format", sorted(NEED_A_FILE_NAME))
def test_a_format_of_several_files_asks_for_a_name(format):
    with pytest.raises(DataError, match="give a file name"):
        write_documents([paris("d1")], io.StringIO(), format, "-")
    with pytest.raises(DataError, match="give a file name"):
        list(READERS[format]([(1, "x")], "-"))


def read_or_refuse(format, lines, path):
    """Reads what may be nonsense: documents that hold together come out, or a DataError that names the file."""
    try:
        documents = list(READERS[format](enumerate(lines, start=1), str(path)))
    except DataError as error:
        assert error.path is not None
        assert str(error)
    else:
        check(documents)


quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
junk = st.text(
    st.sampled_from('{}[]":,\\<>/&;!@#|\t -_.0123456789abtTBIu\u00e9\U0001f600')
    | st.characters(exclude_categories=["Cs"]),
    max_size=30,
)


@pytest.mark.parametrize("format", sorted(READERS))
@quick
@given(lines=st.lists(junk, max_size=5))
def test_nonsense_is_a_data_error(format, lines, tmp_path):
    read_or_refuse(format, lines, tmp_path / "file")


@pytest.mark.parametrize("format", READ_BACK)
@quick
@given(data=st.data())
def test_a_damaged_file_is_a_data_error_or_other_documents(format, data, tmp_path):
    path = tmp_path / f"file-of-{format}"
    if not path.exists():
        write(format, [paris("d1"), paris("d2", None), paris("d3")], tmp_path)
    lines = [line for _, line in numbered(path)]
    for _ in range(data.draw(st.integers(1, 2))):
        number = data.draw(st.integers(0, len(lines) - 1))
        line = lines[number]
        start = data.draw(st.integers(0, len(line)))
        end = data.draw(st.integers(start, min(len(line), start + 12)))
        lines[number] = line[:start] + data.draw(junk) + line[end:]
        if data.draw(st.booleans()):
            del lines[data.draw(st.integers(0, len(lines) - 1))]
        lines = lines or [""]
    read_or_refuse(format, lines, path)
