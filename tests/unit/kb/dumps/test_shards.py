"""Pieces of dumps: every record is in one of them, wherever the cuts are."""

import bz2
import gzip
import lzma
import random

import pytest

from deixis.errors import DataError
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.dumps.shards import ShardLines, shards_of
from deixis.kb.dumps.tasks import begins_record_of
from deixis.kb.formats.wikipedia import wikipedia_pages
from tests.unit.kb.formats.test_wikipedia import PAGES
from tests.unit.kb.formats.test_wikipedia import write as write_wikipedia


def nothing(n):
    pass


def numbered_lines(path, n_bytes, begins_record=bool):
    """The lines of all pieces with their numbers in the file."""
    lines_read, n_before = [], 0
    for shard in shards_of(path, n_bytes):
        lines = ShardLines(shard, begins_record, 10**6, nothing)
        lines_read += [(n_before + number, raw) for number, raw in lines]
        n_before += lines.n_lines
    return lines_read


def streams(content, chance):
    """The content as several bzip2 streams, cut anywhere."""
    cuts = sorted({0, len(content), *(chance.randrange(len(content)) for _ in range(12))})
    return b"".join(bz2.compress(content[a:b]) for a, b in zip(cuts, cuts[1:], strict=False))


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n"])
def test_every_line_is_in_one_piece_with_its_number(end, tmp_path):
    chance = random.Random(3)
    path, packed = tmp_path / "lines.jsonl", tmp_path / "lines.jsonl.bz2"
    for _ in range(12):
        lines = [b"x" * chance.choice([0, 1, 5, 40]) for _ in range(60)] + [b"last"]
        content = b"\n".join(lines) + end
        path.write_bytes(content)
        packed.write_bytes(streams(content, chance))
        expected = [(number, line.rstrip(b"\r")) for number, line in enumerate(content.split(b"\n"), 1)]
        expected = expected if expected[-1][1] else expected[:-1]
        for n_bytes in (1, 2, 3, 7, 50, 51, 10_000):
            assert numbered_lines(path, n_bytes, lambda raw: True) == expected
            assert numbered_lines(packed, n_bytes, lambda raw: True) == expected


def test_every_page_is_in_one_piece(tmp_path):
    path = write_wikipedia(tmp_path, PAGES * 3)
    packed = tmp_path / "pages.xml.bz2"
    packed.write_bytes(streams(path.read_bytes(), random.Random(2)))
    expected = [
        page for _, page in wikipedia_pages(iter(enumerate(path.read_bytes().split(b"\n"), 1)), "x", DumpQuery())
    ]
    for source in (path, packed):
        for n_bytes in (100, 999, 5000, 10**6):
            pages = []
            for shard in shards_of(source, n_bytes):
                lines = iter(ShardLines(shard, begins_record_of("wikipedia"), 10**6, nothing))
                head = b"" if shard.begin == 0 else b"<mediawiki xml:lang='en'>"
                pages += [page for _, page in wikipedia_pages(lines, source, DumpQuery(), head=head)]
            assert pages == expected


def test_cuts_depend_on_the_file_alone_and_plain_and_packed_pieces_have_some_size(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"abc\n" * 1000)
    assert [(shard.begin, shard.end) for shard in shards_of(path, 1500)] == [(0, 1500), (1500, 3000), (3000, 4000)]
    for name, pack in (("a.gz", gzip.compress), ("a.xz", lzma.compress), ("a.bz2", bz2.compress)):
        packed = tmp_path / name
        packed.write_bytes(pack(path.read_bytes()))
        assert [(shard.begin, shard.end) for shard in shards_of(packed, 10)] == [(0, packed.stat().st_size)]
        assert len(numbered_lines(packed, 10)) == 1000


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_what_is_cut_off_or_damaged_is_an_error_that_names_the_file(pack, tmp_path):
    path = tmp_path / "dump"
    content = pack(bytes(random.Random(1).randbytes(20_000)).hex().encode())
    path.write_bytes(content[:-30])
    with pytest.raises(DataError, match="dump: .*(ends too early|cannot be read)"):
        numbered_lines(path, 10**6)
    path.write_bytes(content[:5000] + b"\0" * 200 + content[5200:])
    with pytest.raises(DataError, match="dump: .*(ends too early|cannot be read)"):
        numbered_lines(path, 10**6)


def test_a_line_that_is_too_long_is_an_error(tmp_path):
    path = tmp_path / "dump"
    path.write_bytes(b"a\n" + b"x" * 3_000_000 + b"\n")
    with pytest.raises(DataError, match="line 2: the line is longer than 1,000,000 bytes"):
        numbered_lines(path, 10**6)
