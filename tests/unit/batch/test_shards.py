"""Files cut into shards: everything is in one of them, whatever the file."""

import bz2
import gzip
import io
import json

import pytest

from deixis.batch import line_shards, parquet_shards
from deixis.batch.settings import LINES
from deixis.batch.shards import SHARD_READERS, plan_shards
from deixis.documents.formats import READERS, WRITERS
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.errors import ConfigError, DataError
from deixis.types import Document, Mention

TEXTS = [f"Paris number {number} \U0001f5fc fled." for number in range(23)]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(line_shards, "MAX_LINES", 5)
    monkeypatch.setattr(parquet_shards, "MAX_LINES", 5)


def documents_of(shards):
    """What is read of shards by one reader of each kind, in the order of the shards; and what is wrong."""
    readers = {kind: reader() for kind, reader in SHARD_READERS.items()}
    rows = [row for shard in shards for row in readers[shard.kind].read(shard)]
    good = [each for _, each in rows if isinstance(each, Document)]
    return good, [(line, each.reason) for line, each in rows if isinstance(each, DataError)]


def write_lines(path, opener=open):
    with opener(path, "wt", encoding="utf-8") as stream:
        stream.write("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    return path


@pytest.mark.parametrize(("suffix", "opener"), [("", open), (".gz", gzip.open), (".bz2", bz2.open)])
def test_shards_of_lines_hold_the_documents_of_the_file(tmp_path, suffix, opener):
    path = write_lines(tmp_path / f"texts.jsonl{suffix}", opener)
    shards = plan_shards([path], None, "native")
    assert [shard.part.n_rows for shard in shards] == [5, 5, 5, 5, 3]
    assert [shard.output for shard in shards] == [f"texts-0000{n}.jsonl{suffix}" for n in range(5)]
    expected = list(read_documents(path))
    for order in (shards, shards[::2], shards[::-1]):
        assert documents_of(order)[0] == [
            each for shard in order for each in expected[shard.part.first - 1 : shard.part.first - 1 + 5]
        ]


def test_a_shard_ends_before_it_has_too_many_bytes(tmp_path, monkeypatch):
    path = write_lines(tmp_path / "texts.jsonl")
    monkeypatch.setattr(line_shards, "MAX_BYTES", 60)
    shards = plan_shards([path], None, "native")
    assert [shard.part.n_rows for shard in shards][:3] == [1, 1, 1] and len(shards) == len(TEXTS)
    assert documents_of(shards)[0] == list(read_documents(path))


@pytest.mark.parametrize("format", LINES)
def test_formats_of_lines_can_be_read_line_by_line(tmp_path, format):
    path = tmp_path / "documents"
    own = [Document(f"d{n}", text, "en", (Mention(0, 5, "Paris", "Q90", 0.5),)) for n, text in enumerate(TEXTS)]
    if format == "lines":
        path.write_text("\n".join(TEXTS), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8") as stream:
            write_documents(own, stream, {"damuel-all": "damuel"}.get(format, format), str(path))
    expected = list(read_documents(path, format))
    assert len(expected) == len(TEXTS)
    assert documents_of(plan_shards([path], format, "native")) == (expected, [])


def test_formats_of_lines_are_known():
    assert set(LINES) <= set(READERS) and {"native", "csv", "tsv", "parquet"} <= set(WRITERS)


def test_a_bad_line_spoils_no_other_and_its_number_is_known(tmp_path):
    good = json.dumps({"id": "a", "text": "Paris"}).encode()
    lines = [b"\xef\xbb\xbf" + good, b"{oops", b"", b'{"text": 7}', b'{"text": "\xff"}', good, b'{"id": "b"}', good]
    (tmp_path / "texts.jsonl").write_bytes(b"\r\n".join(lines))
    documents, bad = documents_of(plan_shards([tmp_path / "texts.jsonl"], None, "native"))
    assert [each.id for each in documents] == ["a", "a", "a"]
    assert [line for line, _ in bad] == [2, 4, 5, 7]
    assert "not JSON" in bad[0][1] and "UTF-8" in bad[2][1]


def test_a_file_that_changes_under_the_reader_is_noticed(tmp_path):
    path = write_lines(tmp_path / "texts.jsonl")
    shards = plan_shards([path], None, "native")
    path.write_text(path.read_text(encoding="utf-8").replace("number 7", "number x"), encoding="utf-8")
    assert len(documents_of(shards[:1])[0]) == 5
    with pytest.raises(DataError, match="was changed while it was linked"):
        documents_of(shards[1:2])


def test_other_formats_are_one_shard_up_to_what_is_wrong(tmp_path):
    (tmp_path / "letter.txt").write_text("Paris\nfled.", encoding="utf-8")
    buffer = io.StringIO()
    write_documents([Document("d1", "Paris fled.")], buffer, "nif")
    (tmp_path / "b.ttl").write_text(buffer.getvalue() + "\n<oops", encoding="utf-8")
    shards = plan_shards([tmp_path], None, "csv")
    assert [shard.output for shard in shards] == ["b-00000.csv", "letter-00000.csv"]
    documents, ((line, reason),) = documents_of(shards)
    assert documents[-1].text == "Paris\nfled." and line is not None and reason


def test_shards_of_parquet_hold_the_rows_of_all_groups(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    mentions = [[{"start": 0, "end": 5}] if number % 2 else [] for number in range(23)]
    texts = [*TEXTS[:-1], None]
    table = pa.table({"id": list(range(23)), "text": texts, "mentions": mentions, "other": texts})
    pq.write_table(table, tmp_path / "texts.parquet", row_group_size=12)
    shards = plan_shards([tmp_path / "texts.parquet"], None, "native")
    assert [shard.part.n_rows for shard in shards] == [5, 5, 2, 5, 5, 1]
    documents, ((line, reason),) = documents_of(shards)
    assert [each.text for each in documents] == TEXTS[:-1] and [each.id for each in documents] == list(
        map(str, range(22))
    )
    assert [len(each.mentions) for each in documents] == [number % 2 for number in range(22)]
    assert line == 23 and "'text'" in reason
    changed = table.set_column(1, "text", pa.array(["x", *texts[1:]]))
    pq.write_table(changed, tmp_path / "texts.parquet", row_group_size=12)
    again = plan_shards([tmp_path / "texts.parquet"], None, "native")
    same = [old.part.sha256 == new.part.sha256 for old, new in zip(shards, again, strict=True)]
    assert same == [False, False, False, True, True, True]


def test_a_table_without_texts_says_what_it_has(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"body": ["Paris"]}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"a\.parquet: has no column 'text', but: 'body'"):
        plan_shards([tmp_path / "a.parquet"], None, "native")
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match=r"a\.parquet: cannot be read as Parquet"):
        plan_shards([tmp_path / "a.parquet"], None, "native")


def test_folders_keep_their_structure_and_hidden_files_are_left_out(tmp_path):
    for name in ("2024/part-0.jsonl", "2025/part-0.jsonl", "_SUCCESS", ".crc", "_deixis/bad.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('{"text": "Paris"}\n', encoding="utf-8")
    assert [shard.output for shard in plan_shards([tmp_path], None, "native")] == [
        "2024/part-0-00000.jsonl",
        "2025/part-0-00000.jsonl",
    ]
    with pytest.raises(DataError, match="would have the same name"):
        plan_shards([tmp_path / "2024" / "part-0.jsonl", tmp_path / "2025" / "part-0.jsonl"], None, "native")


def test_what_cannot_be_cut_is_said_before_the_work(tmp_path):
    wrong = {"no such file": tmp_path / "none.jsonl", "give their names": "-", "without files": tmp_path}
    for words, path in wrong.items():
        with pytest.raises(DataError, match=words):
            plan_shards([path], None, "native")
    (tmp_path / "empty.jsonl").touch()
    assert plan_shards([tmp_path / "empty.jsonl"], None, "native") == []
    (tmp_path / "scan.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(32)) * 9)
    with pytest.raises(DataError, match="is a picture"):
        plan_shards([tmp_path / "scan.jsonl"], "native", "native")


def test_formats_with_texts_in_other_files_are_refused(tmp_path):
    (tmp_path / "m.tsv").write_text("docid\tposition\tlength\tx\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="texts in files of their own"):
        documents_of(plan_shards([tmp_path / "m.tsv"], None, "native"))
