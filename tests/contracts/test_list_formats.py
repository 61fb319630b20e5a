"""What every format of lists of entities promises, run on all that are registered."""

import bz2
import gzip
import lzma
import random

import pytest
import zstandard

from deixis.errors import DataError
from deixis.kb.checking.check import check_file
from deixis.kb.formats import FORMATS, open_records
from deixis.kb.knowledge_base import KnowledgeBase
from tests.list_files import LISTS, ONE, THINGS

N_MUTATIONS = 60
every_format = pytest.mark.parametrize("written", LISTS.values(), ids=LISTS)
every_file = pytest.mark.parametrize(
    "written", [each for each in LISTS.values() if each.name != "umls"], ids=[name for name in LISTS if name != "umls"]
)
COMPRESSIONS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def check(kb, written, things):
    """The entities of a knowledge base are these things, in every field that the format has."""
    assert list(kb.ids) == [written.id(each.number) for each in things]
    for entity, each in zip(kb.entities(), things, strict=True):
        assert entity.title == each.title
        names = {alias.text for alias in entity.aliases} - {entity.title}
        assert names == (set(each.aliases) if "aliases" in written.fields else set())
        if "description" in written.fields:
            assert entity.gloss in (each.description, ", ".join(entity.types)) and bool(entity.descriptions) == bool(
                each.description
            )
        if "types" in written.fields:
            assert entity.types == each.types
        if "count" in written.fields:
            assert entity.count == each.count


def read(path, written):
    """The list at a path, whose format is named where its content does not show it."""
    return KnowledgeBase.read(path, format=written.name if written.is_named else None)


def test_every_registered_format_is_written_by_these_tests():
    assert {each.name for each in LISTS.values()} == set(FORMATS) - {"wordnet"}  # which has tests of its own


@every_format
@pytest.mark.parametrize("things", [THINGS, ONE], ids=["three", "one"])
def test_the_same_entities_come_out_of_every_format(written, things, tmp_path):
    path = written.file(things, tmp_path)
    if not written.is_named:
        assert open_records(path).format == written.name
    check(read(path, written), written, things)
    assert check_file(path).n_entities == len(things)


@every_format
def test_a_file_without_a_telling_name_is_recognised_by_what_it_holds(written, tmp_path):
    if written.is_named:
        pytest.skip("any text is a list of names")
    path = written.file(THINGS, tmp_path, "list")
    check(KnowledgeBase.read(path), written, THINGS)
    check(KnowledgeBase.read(path, format=written.name), written, THINGS)


@every_file
@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_a_compressed_file_reads_like_a_plain_one(written, suffix, tmp_path):
    path = written.file(THINGS, tmp_path)
    packed = tmp_path / f"{path.name}{suffix}"
    packed.write_bytes(COMPRESSIONS[suffix](path.read_bytes()))
    check(read(packed, written), written, THINGS)


@every_file
def test_an_empty_file_is_an_error_that_names_it(written, tmp_path):
    path = tmp_path / f"empty{written.suffix}"
    path.write_bytes(b"")
    for format in (None, written.name):
        with pytest.raises(DataError, match="empty"):
            KnowledgeBase.read(path, format=format)


@every_format
def test_a_list_without_entities_is_an_error_that_names_it(written, tmp_path):
    path = written.file((), tmp_path)
    with pytest.raises(DataError, match="list"):
        KnowledgeBase.read(path)


@every_format
def test_a_missing_file_is_an_error_that_names_it(written, tmp_path):
    for format in (None, written.name):
        with pytest.raises(DataError, match=r"missing.*: (no such file|no MRCONSO)"):
            KnowledgeBase.read(tmp_path / f"missing{written.suffix}", format=format)


@every_format
def test_a_damaged_file_is_read_or_is_an_error_that_names_it(written, tmp_path):
    path = written.file(THINGS, tmp_path)
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    for seed in range(N_MUTATIONS):
        chance = random.Random(seed)
        file = chance.choice(files)
        whole = file.read_bytes()
        file.write_bytes(mutated(whole, chance))
        for format in (None, written.name):
            try:
                assert len(KnowledgeBase.read(path, format=format)) > 0
            except DataError as error:
                assert str(path) in str(error), error
                assert "b'" not in error.reason and error.reason.isprintable(), error
        file.write_bytes(whole)


def mutated(data, chance):
    """The bytes with one to four slips of the kinds that happen to files."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice([1, 3, 20, 200]))
        piece = chance.choice(
            [b"\0", b"\xff", b'"', b"\n", b"<", b"{", b"]", b"|", b"\t", b"&x;", bytes([chance.randrange(256)])]
        )
        data = chance.choice(
            [data[:at] + piece + data[at:], data[:at] + data[end:], data[:at], data[:at] + piece + data[end:],
             data[:at] + data[at:end] * 2 + data[end:], data[:at] + bytes(reversed(data[at:end])) + data[end:]]
        )  # fmt: skip
    return data
